"""`data` declarations of a spec: a function from draws to samples, made a source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rep_runtime.data.source import FieldSpec, Rows, Source, Split
from rep_runtime.draws import Draws
from rep_runtime.keys import key_number

# Samples are made in blocks of this many, so that a sample depends on its id and not on the batch it is asked in.
BLOCK = 64
_KEPT_BLOCKS = 32


@dataclass(frozen=True, slots=True, eq=False)
class Generated(Source):
    """A source from `sample(draws, batch)`, which makes `batch` samples with the batch axis first in every field.

    `sample` draws through `draws` alone (`draws.uniform("x", (batch, N))`). Sample `i` of a split is row `i % 64` of
    block `i // 64`, keyed by (seed, name, split, block). `train_size`: size of the training split (None: every sample
    is new); `held_out`: size of `valid` and of `test`.
    """

    name: str
    specs: Mapping[str, FieldSpec]
    sample: Callable[[Draws, int], Mapping[str, Tensor]]
    train_size: int | None = None
    held_out: int = 1024
    _blocks: dict[tuple[int, str, int], Mapping[str, Tensor]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        return self.specs

    def size(self, split: Split = "train") -> int | None:
        return self.train_size if split == "train" else self.held_out

    def _block(self, seed: int, split: Split, number: int) -> Mapping[str, Tensor]:
        key = (seed, split, number)
        if key not in self._blocks:
            if len(self._blocks) >= _KEPT_BLOCKS:
                self._blocks.pop(next(iter(self._blocks)))
            with torch.no_grad():
                draws = Draws(key_number(seed, "data", self.name, split), number)
                self._blocks[key] = self.sample(draws, BLOCK)
        return self._blocks[key]

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        numbers, where = torch.unique(ids // BLOCK, return_inverse=True)
        blocks = [self._block(seed, split, int(number)) for number in numbers.tolist()]
        row = where * BLOCK + ids % BLOCK
        return {name: torch.cat([block[name] for block in blocks])[row] for name in self.specs}
