"""One layout for all inputs of a memory: `[lifted.., time, channel]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

from repc.dims import Symbol
from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.words import field, port
from repc.interpret.named import Named, spread, union
from repc.ir import MemoryRecord

# Stand for an axis that a query or a result does not have.
ONE_QUERY = Symbol("query", "memory")


@dataclass(frozen=True, slots=True)
class Pairs:
    """The inputs of a memory.

    `batch`: every axis that is neither the sequence, nor the source, nor part of a key or a value.
    `q`: `[batch.., T, K]`, `k`: `[batch.., S, K]`, `v`: `[batch.., S, P]`; K and P count the entries of all key axes
    and of all value axes.
    `inputs`: everything by port, as it came.
    """

    batch: dict[Symbol, int]
    q: Tensor
    k: Tensor
    v: Tensor
    query_axis: Symbol
    source_axis: Symbol
    key: dict[Symbol, int]
    value: dict[Symbol, int]
    inputs: Mapping[str, Named]

    @property
    def causal(self) -> bool:
        """Whether queries and pairs run along one axis, so that a query sees the pairs up to its own."""
        return self.query_axis == self.source_axis

    @property
    def queries(self) -> int:
        return self.q.shape[-2]

    @property
    def pairs(self) -> int:
        return self.k.shape[-2]

    def coefficient(self, of: object, *, axes: str, what: str) -> Tensor:
        """A coefficient over `[batch.., S]` and, by `axes`, one of `""`, `"k"`, `"v"`: a number or an input.

        An input with a key axis gives `[batch.., S, K]` where `axes` allows it, one with a value axis
        `[batch.., S, P]`, any other `[batch.., S, 1]`. Where key and value have one label, it is read as the key's.
        """
        name = port(of)
        if name is None:
            if isinstance(of, bool) or not isinstance(of, int | float):
                raise MemoryFault(f"{what} must be a number or an input, not {of}")
            return self.k.new_full((*self.k.shape[:-1], 1), float(of))
        given = self.inputs[name]
        over: dict[Symbol, int] = {}
        if "k" in axes and self.key.keys() & set(given.labels):
            over = self.key
        elif "v" in axes and self.value.keys() & set(given.labels):
            over = self.value
        sizes = {**self.batch, self.source_axis: self.pairs, **over}
        return _flat(spread(given, sizes).to(self.k.dtype), 1 + len(self.batch), len(over))

    def named(self, out: Tensor) -> Named:
        """`[batch.., T, P]` with its labels again."""
        unfolded = out.reshape(*out.shape[:-1], *self.value.values())
        labels = (*self.batch, self.query_axis, *self.value)
        if self.query_axis == ONE_QUERY:
            return Named(unfolded.squeeze(len(self.batch)), (*self.batch, *self.value))
        return Named(unfolded, labels)


def _flat(tensor: Tensor, kept: int, folded: int) -> Tensor:
    return tensor.reshape(*tensor.shape[:kept], prod(tensor.shape[kept:]) if folded else 1)


def weight_axes(record: MemoryRecord, inputs: Mapping[str, Named]) -> tuple[Symbol, ...]:
    """Axes that belong to the weights alone: levels, or queries and pairs under labels of their own."""
    word = field(record, "weights", "uniform")
    names = [name for _, value in word.args if (name := port(value)) is not None]
    if word.name not in ("levels", "matrix", "selected") or not names:
        return ()
    others = {label for other, value in inputs.items() if other != names[0] for label in value.labels}
    return tuple(label for label in inputs[names[0]].labels if label not in others)


def start_axes(record: MemoryRecord, inputs: Mapping[str, Named]) -> set[Symbol]:
    """Axes that belong to the parameters before the first pair alone: hidden ones, copies of a key's."""
    own = {name for _, value in field(record, "init", "zeros").args if (name := port(value)) is not None}
    others = {label for name, value in inputs.items() if name not in own for label in value.labels}
    return {label for name in own if name in inputs for label in inputs[name].labels} - others


def lay_out(record: MemoryRecord, inputs: Mapping[str, Named]) -> Pairs:
    """The inputs of a memory in one layout; batch axes that one of them lacks are repeated."""
    q, k, v = (inputs[record.role(name)] for name in ("q", "k", "v"))
    source = record.source
    sequence = record.sequence if record.sequence in q.labels else ONE_QUERY
    if sequence == ONE_QUERY and source not in k.labels and record.sequence in k.labels:
        source = record.sequence
    sizes = union(inputs.values())
    inner = {record.sequence, record.source, *record.key, *record.value_axis, *weight_axes(record, inputs)}
    inner |= start_axes(record, inputs)
    batch = {label: size for label, size in sizes.items() if label not in inner}
    key = {label: k.size(label) for label in record.key}
    value = {label: v.size(label) for label in record.value_axis}
    steps = q.size(sequence) if sequence != ONE_QUERY else 1

    def flat(given: Named, time: Symbol, length: int, channel: Mapping[Symbol, int]) -> Tensor:
        tensor = spread(given, {**batch, time: length, **channel}).to(torch.float64)
        return _flat(tensor, len(batch) + 1, len(channel))

    return Pairs(
        batch,
        flat(q, sequence, steps, key),
        flat(k, source, k.size(source), key),
        flat(v, source, k.size(source), value),
        sequence,
        source,
        key,
        value,
        inputs,
    )
