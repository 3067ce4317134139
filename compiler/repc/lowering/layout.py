"""Axis orders of tensors: how a value in one order becomes a value in another, in terms of negative dims only.

A tensor of type `[A, B]` has the shape `[*lead, A, B]`: what stands in front are axes that are carried along and that
nothing here may name or count. So every dim is written from the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from repc.dims import Symbol
from repc.lowering.expression import Code, expr, literal, simpler

Labels = tuple[Symbol, ...]


def dim_of(label: Symbol, labels: Sequence[Symbol]) -> int:
    """The negative dim of an axis."""
    return list(labels).index(label) - len(labels)


def reordered(code: Code, labels: Labels, wanted: Labels) -> Code:
    """A tensor with the axes `labels` in the order `wanted` (the same axes)."""
    if labels == wanted:
        return code
    source, target = _moves(labels, wanted)
    if len(source) == 2 and source == list(reversed(target)):
        return simpler(expr("{x}.transpose({a}, {b})", x=code, a=literal(min(source)), b=literal(max(source))))
    if len(source) == 1:
        return expr("{x}.movedim({a}, {b})", x=code, a=literal(source[0]), b=literal(target[0]))
    return expr("{x}.movedim({a}, {b})", x=code, a=literal(tuple(source)), b=literal(tuple(target)))


def _moves(labels: Labels, wanted: Labels) -> tuple[list[int], list[int]]:
    """The fewest axes to name so that the rest, in their order, fall into place."""
    size = len(labels)
    for moved in labels:
        rest = [label for label in labels if label != moved]
        made = list(rest)
        made.insert(wanted.index(moved), moved)
        if tuple(made) == wanted:
            swapped = _swapped(labels, wanted)
            if swapped is not None:
                return swapped
            return [labels.index(moved) - size], [wanted.index(moved) - size]
    swapped = _swapped(labels, wanted)
    if swapped is not None:
        return swapped
    changed = [label for label in labels if labels.index(label) != wanted.index(label)]
    return [labels.index(label) - size for label in changed], [wanted.index(label) - size for label in changed]


def _swapped(labels: Labels, wanted: Labels) -> tuple[list[int], list[int]] | None:
    """The two dims that change places, where nothing else changes."""
    differ = [place - len(labels) for place in range(len(labels)) if labels[place] != wanted[place]]
    return (differ, list(reversed(differ))) if len(differ) == 2 else None


def aligned(code: Code, labels: Labels, wanted: Labels, led: bool) -> Code:
    """A tensor whose axes are some of `wanted`, ready to broadcast against a tensor with the axes `wanted`.

    `led`: the tensor may have leading axes of its own, so that missing axes in front must be made too.
    """
    have = tuple(label for label in wanted if label in labels)
    made = reordered(code, labels, have)
    missing = [place - len(wanted) for place, label in enumerate(wanted) if label not in labels]
    if not led:
        # Axes in front of a tensor without leading axes come by themselves.
        first = -len(have)
        kept = 0
        for place in range(len(wanted) - 1, -1, -1):
            if wanted[place] in labels:
                first = place - len(wanted)
                kept += 1
            if kept == len(have):
                break
        missing = [place for place in missing if have and place > first]
    # From the end on: each new axis stands where it will stand in the whole.
    for place in sorted(missing, reverse=True):
        made = expr("{x}.unsqueeze({place})", x=made, place=literal(place))
    return made
