"""`data` declarations of a spec: a function from draws to samples, made a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rep_runtime.data.source import FieldSpec, Rows, Source, Split
from rep_runtime.draws import Draws
from rep_runtime.keys import counter_integers, counter_uniform, key_number

# Samples are made in blocks of this many, so that a sample depends on its id and not on the batch it is asked in.
BLOCK = 64
# Of a split without an end, so many blocks are kept.
_KEPT_BLOCKS = 32


@dataclass(frozen=True, slots=True)
class Inner:
    """A source that the samples of another are made from.

    `over` None: one of its samples for each; else so many, all different, along an axis of that size. `fixed`: the
    same ones for every sample.
    """

    source: Source
    over: int | None = None
    fixed: bool = False

    def ids(self, ids: Tensor, seed: int, path: str, split: Split) -> Tensor:
        """Which of its samples each sample gets: `ids: [B]` int64 -> `[B]` or `[B, over]`."""
        size = self.source.size(split)
        stream = f"{path}.{split}"
        if self.fixed:
            ids = torch.zeros_like(ids)
        if self.over is None:
            return ids if size is None else counter_integers(seed, stream, ids, 1, size)[:, 0]
        if size is None:
            return ids[:, None] * self.over + torch.arange(self.over)
        if self.over > size:
            # A small split gives each of its samples as often as it must.
            return counter_integers(seed, stream, ids, self.over, size)
        return torch.argsort(counter_uniform(seed, stream, ids, size), dim=1)[:, : self.over]

    def rows(self, ids: Tensor, seed: int, path: str, split: Split) -> Rows:
        """Its samples for each sample, with the axis `over` second where there is one."""
        chosen = self.ids(ids, seed, path, split)
        different, place = torch.unique(chosen, return_inverse=True)
        rows = self.source.rows(different, seed, split)
        return {name: value[place] for name, value in rows.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Generated(Source):
    """A source from `sample(draws, ids, inner)`, which makes one sample for each id, with that axis first.

    `sample` draws through `draws` alone (`draws.uniform("x", (len(ids), N))`). Sample `i` of a split is row `i % 64`
    of block `i // 64`, keyed by (seed, name, split, block). Draws that are the same for all samples (`once`) are keyed
    by (seed, `structure`), the name of the declaration: two sources of one declaration share them.

    `inner`: sources in its body, whose rows `sample` gets by name. `train_size`: size of the training split (None:
    every sample is new); `held_out`: size of `valid` and of `test`; `table`: every split is the same whole table.
    `shared`: fields that `sample` makes once, without the axis of the samples. A field `id` in `specs` that `sample`
    does not make is the number of the sample, counted through train, valid and test.
    """

    name: str
    specs: Mapping[str, FieldSpec]
    sample: Callable[[Draws, Tensor, Mapping[str, Rows]], Mapping[str, Tensor]]
    structure: str = ""
    train_size: int | None = None
    held_out: int = 1024
    table: bool = False
    shared: tuple[str, ...] = ()
    inner: Mapping[str, Inner] = field(default_factory=dict)
    _blocks: dict[tuple[int, str, int], Mapping[str, Tensor]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        return self.specs

    def size(self, split: Split = "train") -> int | None:
        return self.train_size if split == "train" or self.table else self.held_out

    def _block(self, seed: int, split: Split, number: int) -> Mapping[str, Tensor]:
        key = (seed, split, number)
        if key not in self._blocks:
            if self.size(split) is None and len(self._blocks) >= _KEPT_BLOCKS:
                self._blocks.pop(next(iter(self._blocks)))
            self._blocks[key] = self._made(seed, split, number)
        return self._blocks[key]

    def _made(self, seed: int, split: Split, number: int) -> Mapping[str, Tensor]:
        ids = torch.arange(number * BLOCK, (number + 1) * BLOCK)
        common = key_number(seed, "structure", self.structure or self.name)
        # The turns of a table are the same in every split.
        place = "table" if self.table else split
        key = key_number(seed, "data", self.name, place)
        # A draw with an `eval` value has that one where samples are held out.
        draws = Draws(key, number, training=split == "train", shared=common)
        with torch.no_grad():
            rows = {
                name: inner.rows(ids, seed, f"data:{self.name}.{name}", split) for name, inner in self.inner.items()
            }
            made = dict(self.sample(draws, ids, rows))
        for name in self.shared:
            made[name] = made[name].expand(BLOCK, *self.specs[name].shape)
        if "id" in self.specs and "id" not in made:
            made["id"] = ids + self._before(split)
        return made

    def _before(self, split: Split) -> int:
        """Number of samples in the splits before this one."""
        train = self.train_size or 0
        return 0 if self.table else {"train": 0, "valid": train, "test": train + self.held_out}[split]

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        numbers, where = torch.unique(ids // BLOCK, return_inverse=True)
        blocks = [self._block(seed, split, int(number)) for number in numbers.tolist()]
        row = where * BLOCK + ids % BLOCK
        return {name: torch.cat([block[name] for block in blocks])[row] for name in self.specs}
