"""Type rules of ops that keep entries and change axes."""

from __future__ import annotations

from repc.dims import Dim
from repc.ops.declare import TypeCall
from repc.ops.index_rules import entrywise
from repc.ops.rules import need_axis, need_distinct, need_equal, need_unique, settled, shape, union
from repc.types import FLOAT, Axis, Kind, Refinement, Type, record


def common_kind(call: TypeCall) -> Kind:
    """One kind for entries that come to stand side by side."""
    kinds = {operand.kind for operand in call.operands if operand.kind.name != "number"}
    if len(kinds) > 1:
        first, second, *_ = sorted(kinds, key=str)
        raise call.kind_mismatch(second, (first.name,))
    return next(iter(kinds), FLOAT)


def common_refine(call: TypeCall, along: tuple[object, ...]) -> Refinement | None:
    """What is known of the entries of every operand, if it is the same and says nothing of the axes joined."""
    first = call.operands[0].refine
    if first is None or any(operand.refine != first for operand in call.operands):
        return None
    return None if set(along) & set(first.axes) else first


def concatenated(call: TypeCall) -> Type:
    """One axis of each operand joined into `as`, where it stands in the first; other axes are united."""
    along, new = call.attr("along"), call.attr("as")
    if len(along) != len(call.operands) or not along:
        raise call.wrong_arity(len(along))
    total = Dim.of(0)
    parts: list[Type] = []
    for operand, label in zip(call.operands, along, strict=True):
        axis = need_axis(call, operand.axes, label)
        total = total + axis.size
        parts.append(Type(tuple(new if a is axis else a for a in operand.axes), operand.kind))
    need_equal(call, new.label, total, new.size)
    for part in parts:
        need_unique(call, part.axes)
    return Type(union(parts, call.facts), common_kind(call), common_refine(call, along))


def split_off(call: TypeCall) -> Type:
    """The axis replaced by `as`, whose size says how many entries are taken from `start` on."""
    x, new = call.operands[0], call.attr("as")
    axis = need_axis(call, x.axes, call.attr("axis"))
    axes = tuple(new if a is axis else a for a in x.axes)
    return Type(need_unique(call, axes), x.kind, _kept(x, (axis,)))


def _kept(x: Type, touched: tuple[Axis, ...]) -> Refinement | None:
    if x.refine is not None and any(axis.label in x.refine.axes for axis in touched):
        return entrywise(x)
    return x.refine


def reshaped(call: TypeCall) -> Type:
    """The axes in `from` replaced by those in `to`, where the first of them stood, row-major in the orders given."""
    x = call.operands[0]
    old = tuple(need_axis(call, x.axes, label) for label in need_distinct(call, call.attr("from")))
    new: tuple[Axis, ...] = call.attr("to")
    before, after = Dim.of(1), Dim.of(1)
    for axis in old:
        before = before * axis.size
    for axis in new:
        after = after * axis.size
    if not call.facts.equal(before, after):
        parts = tuple(axis.label for axis in new)
        raise call.fault("cannot-split", axis=call.attr("from")[0], size=before, parts=parts, total=after)
    place = next((a for a in x.axes if a in old), None)
    axes = tuple(a for axis in x.axes for a in (new if axis is place else () if axis in old else (axis,)))
    return Type(need_unique(call, axes if place is not None else (*axes, *new)), x.kind, _kept(x, old))


def padded(call: TypeCall) -> Type:
    """The axis replaced by `as`, longer by `before` and `after`."""
    x, new = call.operands[0], call.attr("as")
    axis = need_axis(call, x.axes, call.attr("axis"))
    need_equal(call, new.label, axis.size + call.attr("before") + call.attr("after"), new.size)
    axes = tuple(new if a is axis else a for a in x.axes)
    return Type(need_unique(call, axes), settled(x.kind))


def stacked(call: TypeCall) -> Type:
    """The new axis in front of the union of the operands' axes."""
    new = call.attr("as")
    need_equal(call, new.label, Dim.of(len(call.operands)), new.size)
    axes = (new, *union(call.operands, call.facts))
    return Type(need_unique(call, axes), common_kind(call), common_refine(call, ()))


def windowed(call: TypeCall) -> Type:
    """The axis replaced by `as` (positions) and `within` (places in a window)."""
    x, new, within = call.operands[0], call.attr("as"), call.attr("within")
    axis = need_axis(call, x.axes, call.attr("axis"))
    size, stride, dilation = (Dim.of(call.attr(name)) for name in ("size", "stride", "dilation"))
    need_equal(call, within.label, size, within.size)
    need_equal(call, new.label, (axis.size - dilation * (size - 1) - 1) // stride + 1, new.size)
    axes = tuple(b for a in x.axes for b in ((new, within) if a is axis else (a,)))
    return Type(need_unique(call, axes), x.kind, _kept(x, (axis,)))


def transposed(call: TypeCall) -> Type:
    """All axes in the order given."""
    x = call.operands[0]
    order = need_distinct(call, call.attr("order"))
    if len(order) != len(x.axes):
        wanted = shape(x.axes)
        raise call.fault("axis-mismatch", found=order, wanted=wanted, difference="every axis has its place once")
    return Type(tuple(need_axis(call, x.axes, label) for label in order), x.kind, x.refine, x.fields, x.action)


def projected(call: TypeCall) -> Type:
    """The type of the field."""
    found = call.operands[0].field(call.attr("name"))
    if found is None:
        known = tuple(field for field, _ in call.operands[0].fields)
        raise call.fault("unknown-field", field=call.attr("name"), known=known)
    return found


def recorded(call: TypeCall) -> Type:
    """A record of the operands under the names given."""
    names = call.attr("names")
    if len(names) != len(call.operands):
        raise call.wrong_arity(len(names))
    return record(tuple(zip(names, call.operands, strict=True)))
