"""Where samples come from: a source is a pure function from (sample id, seed, split) to fields.

`rows` is all that a source defines. Minibatches, their order and whole-split passes follow from it, so that a batch
depends on (step, seed) alone: bit-equal after a resume and whichever process asks.
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import torch
from torch import Tensor

from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import permutation

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")
Rows = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """Type of one field of a sample: its `axes` as (name, size), its `dtype`, and for indices their bound `below`."""

    axes: tuple[tuple[str, int], ...]
    dtype: torch.dtype
    below: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(size for _, size in self.axes)


@lru_cache(maxsize=16)
def _order(seed: int, path: str, epoch: int, size: int) -> Tensor:
    return permutation(seed, path, epoch, size)


class Source(abc.ABC):
    """A data source with splits `train`, `valid`, `test`. A source with one field calls it `x`.

    A split with a size is shuffled anew each epoch; ids within a minibatch are distinct, and the last incomplete
    minibatch of an epoch is left out. A split without one (None) never repeats: sample `i` of step `s` has the id
    `s * batch + i`.
    """

    name: str

    @property
    @abc.abstractmethod
    def fields(self) -> Mapping[str, FieldSpec]:
        """The fields of a sample, without the batch axis."""

    @abc.abstractmethod
    def size(self, split: Split = "train") -> int | None:
        """Number of samples of a split; None: as many as are asked for."""

    @abc.abstractmethod
    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        """The samples with these ids: `ids: [B]` int64 -> each field with the batch axis `B` first."""

    def ids(self, step: int, batch: int, seed: int, split: Split = "train") -> Tensor:
        """Ids of the minibatch of `step` (0: the whole split): `[batch]` int64."""
        size = self.size(split)
        if batch == 0:
            return torch.arange(self.count(split))
        if size is None:
            return torch.arange(step * batch, (step + 1) * batch)
        if batch > size:
            raise RuntimeFault(
                "REP0707",
                f"`{self.name}.{split}` has {size} samples, but a batch takes {batch}",
                f"write `batch: {size}` or less, or `batch: all`",
            )
        turns = size // batch
        epoch, turn = divmod(step, turns)
        return _order(seed, f"{self.name}.{split}", epoch, size)[turn * batch : (turn + 1) * batch]

    def batch(self, step: int, batch: int, seed: int, split: Split = "train") -> Rows:
        """The minibatch of `step`: a pure function of its arguments."""
        return self.rows(self.ids(step, batch, seed, split), seed, split)

    def count(self, split: Split) -> int:
        """The size of a split that must have one; RuntimeFault REP0707 otherwise."""
        size = self.size(split)
        if size is None:
            raise RuntimeFault(
                "REP0707",
                f"`{self.name}.{split}` has no end, so it cannot be taken as a whole",
                "measure across `.valid` or `.test`, or give the source a size",
            )
        return size

    def all(self, split: Split, batch: int, seed: int = 0) -> Iterator[Rows]:
        """The whole split once, in order of ids, in pieces of at most `batch` samples."""
        size = self.count(split)
        for start in range(0, size, batch):
            yield self.rows(torch.arange(start, min(size, start + batch)), seed, split)

    @property
    def train(self) -> View:
        return View(self, "train")

    @property
    def valid(self) -> View:
        return View(self, "valid")

    @property
    def test(self) -> View:
        return View(self, "test")


@dataclass(frozen=True, slots=True)
class View:
    """One split of a source."""

    source: Source
    split: Split

    @property
    def size(self) -> int | None:
        return self.source.size(self.split)

    def all(self, batch: int, seed: int = 0) -> Iterator[Rows]:
        return self.source.all(self.split, batch, seed)


def as_split(word: str) -> Split:
    """A split by its name; RuntimeFault REP0707 for another word."""
    for split in SPLITS:
        if split == word:
            return split
    raise RuntimeFault("REP0707", f"there is no split `{word}`", "the splits are `train`, `valid` and `test`")
