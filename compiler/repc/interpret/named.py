"""Ways to lay out named tensors that the interpreter needs beside those of the references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import Tensor

from repc.dims import Symbol
from repc.ops.ref import Named

__all__ = ["Named", "extents", "narrowed", "picked", "relabelled", "spread", "stacked", "union"]


def extents(value: Named) -> dict[Symbol, int]:
    """The size of every axis, in the order of the tensor."""
    return dict(zip(value.labels, map(int, value.data.shape), strict=True))


def union(values: Iterable[Named]) -> dict[Symbol, int]:
    """All axes of the values with their sizes, in order of first appearance. Raises ValueError where two differ."""
    found: dict[Symbol, int] = {}
    for value in values:
        for label, size in extents(value).items():
            if found.setdefault(label, size) != size:
                raise ValueError(f"the axis {label} has {found[label]} entries in one value and {size} in another")
    return found


def spread(value: Named, sizes: Mapping[Symbol, int]) -> Tensor:
    """The tensor over exactly these axes, in their order; an axis that it lacks is repeated. Raises ValueError."""
    for label in value.labels:
        if label not in sizes:
            raise ValueError(f"the axis {label} has no place among [{', '.join(map(str, sizes))}]")
    return value.over(tuple(sizes)).expand(list(sizes.values()))


def relabelled(value: Named, new: Mapping[Symbol, Symbol]) -> Named:
    """The same tensor with its axes under other labels."""
    return Named(value.data, (new.get(label, label) for label in value.labels))


def picked(value: Named, label: Symbol, at: int) -> Named:
    """One entry of an axis; a value without that axis is the same everywhere along it."""
    if label not in value.labels:
        return value
    place = value.labels.index(label)
    return Named(value.data.select(place, at), (*value.labels[:place], *value.labels[place + 1 :]))


def narrowed(value: Named, label: Symbol, start: int, count: int) -> Named:
    """A stretch of an axis."""
    return Named(value.data.narrow(value.labels.index(label), start, count), value.labels)


def stacked(values: Sequence[Named], label: Symbol) -> Named:
    """Values side by side along a new first axis; one that lacks an axis of another is repeated along it."""
    sizes = union(values)
    return Named(torch.stack([spread(value, sizes) for value in values]), (label, *sizes))
