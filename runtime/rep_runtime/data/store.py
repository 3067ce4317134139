"""A store of samples: cells that a train fills, and a source of what lies in them."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from rep_runtime.data.source import FieldSpec, Rows, Source, Split
from rep_runtime.faults import RuntimeFault


class Store(nn.Module):
    """At most `size` samples, kept in buffers by field so that checkpoints hold them; empty at first.

    Buffers: each field as `[size, ..]`, and `count`, how many of the first rows are in use.
    """

    count: Tensor

    def __init__(self, size: int, fields: Mapping[str, FieldSpec]) -> None:
        super().__init__()
        self.size = size
        self.specs = dict(fields)
        for name, spec in fields.items():
            self.register_buffer(name, torch.zeros((size, *spec.shape), dtype=spec.dtype))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    @torch.no_grad()
    def fill(self, source: Source) -> None:
        """Keep the training samples of `source` in place of what is here; RuntimeFault REP0707 where they are too many.

        The new samples may be made of the old ones: they are all read before any is written.
        """
        number = source.count("train")
        if number > self.size:
            raise RuntimeFault(
                "REP0707", f"a buffer of {self.size} samples cannot hold {number}", "make the buffer larger"
            )
        rows = source.rows(torch.arange(number), 0, "train") if number else {}
        for name in self.specs:
            held: Tensor = getattr(self, name)
            held.zero_()
            if number:
                held[:number] = rows[name].to(held.device)
        self.count.fill_(number)

    @property
    def samples(self) -> Stored:
        """What is kept, as a source."""
        return Stored(self)


class Stored(Source):
    """The samples of a store: its training split; the others are empty."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.name = "buffer"

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        return self.store.specs

    def size(self, split: Split = "train") -> int:
        return int(self.store.count) if split == "train" else 0

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        return {name: getattr(self.store, name).to("cpu")[ids] for name in self.store.specs}
