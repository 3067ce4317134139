"""A part of a source: the first samples of its splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from rep_runtime.data.source import FieldSpec, Rows, Source, Split
from rep_runtime.faults import RuntimeFault


@dataclass(frozen=True, slots=True, eq=False)
class Limited(Source):
    """`source` with `sizes` samples in each split that is named; RuntimeFault REP0707 where it has fewer."""

    source: Source
    sizes: Mapping[Split, int]
    name: str

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        return self.source.fields

    def size(self, split: Split = "train") -> int | None:
        there = self.source.size(split)
        wanted = self.sizes.get(split, there)
        if wanted is not None and there is not None and wanted > there:
            raise RuntimeFault(
                "REP0707", f"`{self.name}.{split}` has {there} samples, not {wanted}", f"ask for {there} or fewer"
            )
        return wanted

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        return self.source.rows(ids, seed, split)


def limited(source: Source, size: int | None = None, held_out: int | None = None) -> Limited:
    """The first `size` samples of the training split, and the first `held_out` of each of the others."""
    sizes: dict[Split, int] = {}
    if size is not None:
        sizes["train"] = size
    if held_out is not None:
        sizes["valid"] = sizes["test"] = held_out
    return Limited(source, sizes, source.name)
