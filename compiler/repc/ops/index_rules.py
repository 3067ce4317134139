"""Type rules of ops that choose, move and rename entries."""

from __future__ import annotations

from repc.ops.declare import TypeCall
from repc.ops.rules import need_axis, need_distinct, need_equal, need_kind, need_unique, settled, union
from repc.types import FLOAT, Kind, Refinement, Type, index_of

WHOLE = ("index", "int", "code", "number")


def renamed(call: TypeCall) -> Type:
    """Old labels replaced by new ones, all at once; refinements follow."""
    x = call.operands[0]
    new = dict(call.attr("labels"))
    for old in new:
        need_axis(call, x.axes, old)
    axes = tuple(axis.relabelled(new.get(axis.label, axis.label)) for axis in x.axes)
    refine = x.refine
    if refine is not None and refine.axes:
        labels = tuple(new.get(label, label) for label in refine.axes)
        refine = Refinement(refine.name, refine.low, refine.high, refine.low_open, refine.high_open, labels)
    return Type(need_unique(call, axes), x.kind, refine, x.fields, x.action)


def on_diagonal(call: TypeCall) -> Type:
    """Two axes of equal size become one, where the first of them stood."""
    x = call.operands[0]
    first, second = (need_axis(call, x.axes, label) for label in need_distinct(call, call.attr("labels")))
    need_equal(call, first.label, first.size, second.size)
    into = call.attr("into")
    at = next(axis for axis in x.axes if axis in (first, second))
    axes = tuple(a.relabelled(into) if a is at else a for a in x.axes if a is at or a not in (first, second))
    return Type(need_unique(call, axes), x.kind, entrywise(x))


def entrywise(x: Type) -> Refinement | None:
    """What is still known of the entries when some of them are gone: an interval, not a manifold."""
    return x.refine if x.refine is not None and x.refine.name == "interval" else None


def sliced(call: TypeCall) -> Type:
    """The axis replaced by `as`, of size `stop - start`."""
    x, new = call.operands[0], call.attr("as")
    axis = need_axis(call, x.axes, call.attr("axis"))
    need_equal(call, new.label, call.attr("stop") - call.attr("start"), new.size)
    axes = tuple(new if a is axis else a for a in x.axes)
    return Type(need_unique(call, axes), x.kind, entrywise(x) if _along(x, axis.label) else x.refine)


def _along(x: Type, label: object) -> bool:
    return x.refine is not None and label in x.refine.axes


def picked(call: TypeCall) -> Type:
    """The axis removed."""
    x = call.operands[0]
    axis = need_axis(call, x.axes, call.attr("axis"))
    axes = tuple(a for a in x.axes if a is not axis)
    return Type(axes, x.kind, entrywise(x) if _along(x, axis.label) else x.refine)


def gathered(call: TypeCall) -> Type:
    """Each axis in `axes` replaced by the axes of its index.

    Axes of the indices that `x` has too, outside `axes`, are aligned; the others stand where the first replaced axis
    stood, in the order of the union of the indices.
    """
    x, indices = call.operands[0], call.operands[1:]
    labels = need_distinct(call, call.attr("axes"))
    if len(indices) != len(labels):
        raise call.wrong_arity(len(labels) + 1)
    gone = [need_axis(call, x.axes, label) for label in labels]
    for at in range(1, len(call.operands)):
        need_kind(call, at, *WHOLE)
    kept = Type(tuple(axis for axis in x.axes if axis not in gone), x.kind)
    new = tuple(axis for axis in union(indices, call.facts) if kept.axis(axis.label) is None)
    union((kept, *indices), call.facts)
    axes = [a for axis in x.axes for a in (new if axis is gone[0] else () if axis in gone else (axis,))]
    whole = x.refine is None or not any(_along(x, label) for label in labels)
    return Type(tuple(axes), settled(x.kind), x.refine if whole else entrywise(x))


def counted_off(call: TypeCall) -> Type:
    """Positions of the axis."""
    axis = call.attr("axis")
    return Type((axis,), index_of(axis.space, axis.size))


def expanded(call: TypeCall) -> Type:
    """New axes in front."""
    x = call.operands[0]
    axes = need_unique(call, (*call.attr("axes"), *x.axes))
    return Type(axes, settled(x.kind), x.refine, (), x.action)


def scattered(call: TypeCall) -> Type:
    """The type of the base; the value has the base's axes with `axis` replaced by those of the index."""
    base, index, value = call.operands
    axis = need_axis(call, base.axes, call.attr("axis"))
    need_kind(call, 1, *WHOLE)
    if value.kind.name != base.kind.name and value.kind.name != "number":
        raise call.kind_mismatch(value.kind, (base.kind.name,))
    rest = Type(tuple(a for a in base.axes if a is not axis), base.kind)
    allowed = union((rest, index), call.facts)
    for own in value.axes:
        need_axis(call, allowed, own.label)
    union((rest, index, value), call.facts)
    return base.plain()


def one_hot(call: TypeCall) -> Type:
    """The axes of the index and then `axis`; the entries are floats."""
    i, new = call.operands[0], call.attr("axis")
    need_kind(call, 0, *WHOLE)
    return Type(need_unique(call, (*i.axes, new)), FLOAT, Refinement("simplex", axes=(new.label,)))


def as_index(call: TypeCall) -> Kind:
    """An index of the space named."""
    need_kind(call, 0, *WHOLE)
    return index_of(call.attr("space"), call.attr("size"))
