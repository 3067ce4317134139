"""What references are made of: float64 tensors with named axes, and a few ways to compute on them.

Nothing here is shared with the lowerings, and nothing is fast: a reference is a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rep_grammar.record import Record
from repc.dims import Symbol
from repc.ops.lazy import torch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    Labels = tuple[Symbol, ...]


class Extent(Record):
    """A new axis: its label and its size as a number."""

    label: Symbol
    size: int


class Named:
    """A tensor whose dims are named: floats are float64, whole numbers int64."""

    __slots__ = ("data", "labels")

    def __init__(self, data: Tensor, labels: Iterable[Symbol]) -> None:
        self.data = data
        self.labels: Labels = tuple(labels)

    def size(self, label: Symbol) -> int:
        """The size of an axis."""
        return int(self.data.shape[self.labels.index(label)])

    def ordered(self, labels: Labels) -> Tensor:
        """The tensor with exactly these axes, in this order."""
        return self.data.permute([self.labels.index(label) for label in labels])

    def over(self, labels: Labels) -> Tensor:
        """The tensor with these axes in this order; an axis that it lacks has size 1."""
        have = tuple(label for label in labels if label in self.labels)
        data = self.ordered(have)
        for place, label in enumerate(labels):
            if label not in have:
                data = data.unsqueeze(place)
        return data


def number(value: float | bool) -> Named:
    """A number without axes."""
    kind = torch.float64 if isinstance(value, float) else torch.bool if isinstance(value, bool) else torch.int64
    return Named(torch.tensor(value, dtype=kind), ())


def union(*operands: Named) -> Labels:
    """All labels, in order of appearance."""
    return tuple(dict.fromkeys(label for operand in operands for label in operand.labels))


def aligned(labels: Labels, *operands: Named) -> list[Tensor]:
    """The operands over the same axes, expanded to their common sizes."""
    return list(torch.broadcast_tensors(*(operand.over(labels) for operand in operands)))  # type: ignore[no-untyped-call]


def entrywise(formula: Callable[..., Tensor], *operands: Named) -> Named:
    """A formula of entries, over the union of the axes."""
    labels = union(*operands)
    return Named(formula(*aligned(labels, *operands)), labels)


def _flattened(over: Labels, where: Named | None, operands: Sequence[Named]) -> tuple[Labels, list[Tensor], list[int]]:
    """Operands and condition as `[rest.., n]`, n running over `over`; the rest; the sizes of `over`."""
    keep = number(True) if where is None else where
    labels = union(*operands, keep)
    rest = tuple(label for label in labels if label not in over)
    tensors = aligned((*rest, *over), *operands, keep)
    sizes = list(tensors[0].shape[len(rest) :])
    return rest, [tensor.reshape(*tensor.shape[: len(rest)], -1) for tensor in tensors], sizes


def reduced(
    formula: Callable[..., Tensor],
    over: Labels,
    where: Named | None,
    *operands: Named,
    empty: float | str | None = None,
) -> Named:
    """One value from each set: `formula(*entries, keep)` with entries `[rest.., n]` and the condition `keep`.

    Where the condition holds nowhere the value is `empty`, if that is a number.
    """
    rest, (*entries, keep), _ = _flattened(over, where, operands)
    if isinstance(empty, float | int) and where is not None:
        some = keep.any(-1)
        # The formula sees a whole set where there is none, so that no NaN reaches the gradient.
        made = formula(*(torch.where(some[..., None], e, 1) for e in entries), keep | ~some[..., None])
        return Named(torch.where(some, made, empty), rest)
    return Named(formula(*entries, keep), rest)


def along(formula: Callable[..., Tensor], over: Labels, where: Named | None, *operands: Named) -> Named:
    """A value for each entry from its set: `formula(*entries, keep)` makes `[rest.., n]` again."""
    rest, (*entries, keep), sizes = _flattened(over, where, operands)
    made = formula(*entries, keep)
    return Named(made.reshape(*made.shape[:-1], *sizes), (*rest, *over))


def replaced(x: Named, label: Symbol, new: Iterable[Symbol], formula: Callable[[Tensor], Tensor]) -> Named:
    """`formula` of `x` with the axis last: it makes the axes `new` in its place, at the end."""
    rest = tuple(own for own in x.labels if own != label)
    return Named(formula(x.ordered((*rest, label))), (*rest, *new))


def matrices(x: Named, rows: Symbol, columns: Symbol) -> tuple[Labels, Tensor]:
    """The other labels, and the tensor as `[rest.., rows, columns]`."""
    rest = tuple(own for own in x.labels if own not in (rows, columns))
    return rest, x.ordered((*rest, rows, columns))


def gathered(x: Named, axes: Labels, indices: Sequence[Named]) -> Named:
    """`out[.., place] = x[.., index(place)]` entry by entry: every axis of `x` is subscripted by a tensor."""
    kept = tuple(label for label in x.labels if label not in axes)
    labels = tuple(dict.fromkeys((*kept, *union(*indices))))
    counts = {label: x.size(label) for label in kept}
    for index in indices:
        counts.update(zip(index.labels, index.data.shape, strict=True))
    shape = [counts[label] for label in labels]
    chosen = dict(zip(axes, indices, strict=True))
    subscripts = []
    for label in x.labels:
        position = chosen.get(label) or Named(torch.arange(x.size(label)), (label,))
        subscripts.append(position.over(labels).expand(shape))
    return Named(x.data[tuple(subscripts)] if subscripts else x.data, labels)
