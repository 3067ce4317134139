"""The same entries over other axes, and records of values."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from repc.dims import Dim, Symbol
from repc.ops import ref
from repc.ops.classes import HERE, NOTHING, Shape, own
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import BREAKS, KEEPS, Action, Depends, Reach, Reference, Samples
from repc.ops.index import part_of
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Written, laid_out, moved
from repc.ops.samples import A, B, C, E, M, case, floats, number, whole
from repc.ops.shape_rules import (
    concatenated,
    padded,
    projected,
    recorded,
    reshaped,
    split_off,
    stacked,
    transposed,
    windowed,
)
from repc.types import Axis, axis_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

X = (Operand("x"),)
XS = (Operand("x", variadic=True),)
AXIS = Attr("axis", "axis", "The axis.")
AS = Attr("as", "new axis", "The axis of the result.")
FREE = Action(KEEPS, KEEPS, "linear")


# --- references ---


def entry_by_entry(parts: Sequence[ref.Named], along: ref.Labels, as_: ref.Extent) -> ref.Named:
    """The entries of all parts in a row."""
    entries = [
        ref.replaced(part, label, (), lambda x, at=at: x[..., at])  # type: ignore[misc]
        for part, label in zip(parts, along, strict=True)
        for at in range(part.size(label))
    ]
    return side_by_side(entries, as_)


def side_by_side(parts: Sequence[ref.Named], as_: ref.Extent) -> ref.Named:
    """One part at each position of a new axis."""
    labels = ref.union(*parts)
    return ref.Named(torch.stack(ref.aligned(labels, *parts)), (as_.label, *labels))


def regrouped(x: ref.Named, from_: ref.Labels, to: tuple[ref.Extent, ...]) -> ref.Named:
    """Old and new places counted in row-major order."""
    rest = tuple(label for label in x.labels if label not in from_)
    flat = x.ordered((*rest, *from_)).reshape(*(x.size(label) for label in rest), -1)
    places = torch.arange(prod(axis.size for axis in to)).reshape([axis.size for axis in to])
    return ref.Named(flat[..., places], (*rest, *(axis.label for axis in to)))


def surrounded(x: ref.Named, axis: Symbol, before: int, after: int, value: float, as_: ref.Extent) -> ref.Named:
    """The value in front and behind."""

    def line(entries: Tensor) -> Tensor:
        side = torch.full_like(entries[..., :1], value)
        return torch.cat([side] * before + [entries] + [side] * after, -1)

    return ref.replaced(x, axis, (as_.label,), line)


def framed(
    x: ref.Named, axis: Symbol, size: int, stride: int, dilation: int, as_: ref.Extent, within: ref.Extent
) -> ref.Named:
    """Each window by its places."""
    places = stride * torch.arange(as_.size)[:, None] + dilation * torch.arange(size)
    return ref.replaced(x, axis, (as_.label, within.label), lambda entries: entries[..., places])


# --- dependence ---


def after_others(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Position t sees t less the sizes of the operands in front."""
    along = call.attr("along")
    if axis.label != along[at]:
        return own(call, at, axis)
    start = Dim.of(0)
    for operand, label in zip(call.operands[:at], along, strict=False):
        before = operand.axis(label)
        assert before is not None
        start = start - before.size
    return (Reach(call.attr("as").label, HERE, start, start),)


def from_start(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Position t of the part sees start + t."""
    if axis.label != call.attr("axis"):
        return own(call, at, axis)
    start = Dim.of(call.attr("start"))
    return (Reach(call.attr("as").label, HERE, start, start),)


def regrouping(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Splitting one axis: position t of the slowest part sees a block. Merging: the merged axis sees every position."""
    old, new = call.attr("from"), call.attr("to")
    if axis.label not in old:
        return own(call, at, axis)
    if len(old) == 1 and len(new) > 1:
        inner = Dim.of(1)
        for part in new[1:]:
            inner = inner * part.size
        return (Reach(new[0].label, inner, NOTHING, inner - 1),)
    if len(old) == 1 and len(new) == 1:
        return (Reach(new[0].label, HERE, NOTHING, NOTHING),)
    return tuple(Reach(part.label) for part in new) or (Reach(None),)


def after_padding(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Position t sees t - before."""
    if axis.label != call.attr("axis"):
        return own(call, at, axis)
    back = -Dim.of(call.attr("before"))
    return (Reach(call.attr("as").label, HERE, back, back),)


def windowing(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Window p sees stride * p up to its last place; place w sees dilation * w and every stride from there."""
    if axis.label != call.attr("axis"):
        return own(call, at, axis)
    size, stride, dilation = (Dim.of(call.attr(name)) for name in ("size", "stride", "dilation"))
    new, within = call.attr("as"), call.attr("within")
    return (
        Reach(new.label, stride, NOTHING, dilation * (size - 1)),
        Reach(within.label, dilation, NOTHING, stride * (new.size - 1)),
    )


# --- lowerings ---


def concat_text(call: LowerCall) -> str:
    """The runtime's function, every operand laid out as the result."""
    new, along = call.attr("as"), call.attr("along")
    parts = []
    for at, label in enumerate(along):
        labels = [label if own == new.label else own for own in call.result.labels]
        parts.append(laid_out(call, at, labels))
    function = call.runtime("functional", "concat")
    return f"{function}([{', '.join(parts)}], {call.result_dim(new.label)})"


def stack_text(call: LowerCall) -> str:
    """The runtime's function, every operand laid out as the rest of the result."""
    labels = call.result.labels[1:]
    dtype = "torch.int64" if call.result.kind.name in ("int", "index") else ""
    parts = [laid_out(call, at, labels, dtype) for at in range(len(call.types))]
    return f"{call.runtime('functional', 'stack')}([{', '.join(parts)}], {-len(labels) - 1})"


def split_text(call: LowerCall) -> str:
    """A slice."""
    label, new, start = call.attr("axis"), call.attr("as"), Dim.of(call.attr("start"))
    axis = call.types[0].axis(label)
    assert axis is not None
    stop = start + new.size
    head = "" if start.constant == 0 else call.size(start)
    tail = "" if call.facts.equal(stop, axis.size) else call.size(stop)
    return f"{call.operands[0]}[..., {head}:{tail}{', :' * (-call.dim(label) - 1)}]"


def reshape_text(call: LowerCall) -> str:
    """The axes brought together, made one, and split."""
    old, new = call.attr("from"), call.attr("to")
    labels = call.types[0].labels
    text = call.operands[0]
    if not old:
        text, at = f"{text}.unsqueeze(-1)", -1
    else:
        place = next(at for at, label in enumerate(labels) if label in old)
        order = [*(own for own in labels[:place]), *old, *(own for own in labels[place:] if own not in old)]
        text = moved(text, labels, order)
        at = place + len(old) - len(labels) - 1
        if len(old) > 1:
            text = f"{text}.flatten({at - len(old) + 1}, {at})"
    if len(new) == 1:
        return text
    if not new:
        return f"{text}.squeeze({at})"
    return f"{text}.unflatten({at}, ({', '.join(call.size(axis.size) for axis in new)}))"


def pad_text(call: LowerCall) -> str:
    """`F.pad` counts pairs from the last dim."""
    behind = -call.dim(call.attr("axis")) - 1
    pairs = ", ".join(["0, 0"] * behind + [f"{call.size(call.attr('before'))}, {call.size(call.attr('after'))}"])
    value = call.attr("value")
    tail = "" if value == 0 else f", value={call.number(value)}"
    return f"F.pad({call.operands[0]}, ({pairs}){tail})"


def windows_text(call: LowerCall) -> str:
    """The runtime's function."""
    size, stride, dilation = (call.size(call.attr(name)) for name in ("size", "stride", "dilation"))
    tail = f", {stride}, {dilation}" if dilation != "1" else f", {stride}" if stride != "1" else ""
    return f"{call.runtime('functional', 'windows')}({call.operands[0]}, {call.dim(call.attr('axis'))}, {size}{tail})"


def transpose_text(call: LowerCall) -> str:
    """Dims moved."""
    return moved(call.operands[0], call.types[0].labels, call.attr("order"))


def record_text(call: LowerCall) -> str:
    """A tuple in the order of the names; the plan knows which is which."""
    return f"({', '.join(call.operands)}{',' * (len(call.operands) == 1)})"


def field_text(call: LowerCall) -> str:
    """The entry of that name of a tuple in the order of the record's fields."""
    names = [name for name, _ in call.types[0].fields]
    return f"{call.operands[0]}[{names.index(call.attr('name'))}]"


# --- declarations ---


def new(label: Symbol, size: Dim | int) -> Axis:
    """An axis of a space of its own."""
    return Axis(label, Dim.of(size), "plain", label)


@op
class Concat(Shape):
    doc = "One axis of each operand, one after the other, as one axis."
    example = "z = concat(x, y, along: B, as: M)"
    operands = XS
    attributes = (Attr("along", "axes", "The axis of each operand that is joined."), AS)
    result = staticmethod(concatenated)
    reference = Reference(lambda *parts, along, as_: entry_by_entry(parts, along, as_))
    lower = Written(concat_text)
    depends = Depends(after_others)
    samples = Samples(
        (
            case(floats(A, B), floats(C, A), along=(B, C), as_=new(M, Dim.of(B) + C)),
            case(floats(A, B), floats(C), along=(B, C), as_=new(B, Dim.of(B) + C)),
            case(floats(B, A), floats(B, A), floats(B, A), along=(B, B, B), as_=new(M, 3 * Dim.of(B))),
        )
    )


@op
class Split(Shape):
    doc = "A part of an axis, from `start` on, as an axis of its own."
    example = "y, z = split(x, along: D, as: [E, F])"
    operands = X
    attributes = (AXIS, Attr("start", "size", "The first entry."), AS)
    result = staticmethod(split_off)
    reference = Reference(lambda x, axis, start, as_: part_of(x, axis, start, as_.size, as_.label))
    lower = Written(split_text)
    depends = Depends(from_start)
    samples = Samples(
        (
            case(floats(A, B), axis=B, start=Dim.of(2), as_=new(M, 3)),
            case(floats(A, B), axis=A, start=Dim.of(0), as_=new(M, 2)),
        )
    )


@op
class Reshape(Shape):
    doc = "Axes merged and split, row-major."
    example = "y = reshape(x, D -> [H, K])"
    operands = X
    attributes = (
        Attr("from", "axes", "The axes that are merged, slowest first."),
        Attr("to", "new axes", "The axes that they become, slowest first."),
    )
    result = staticmethod(reshaped)
    reference = Reference(regrouped)
    lower = Written(reshape_text)
    depends = Depends(regrouping)
    samples = Samples(
        (
            case(floats(A, B), from_=(A, B), to=(new(M, Dim.of(A) * B),)),
            case(floats(A, B, C), from_=(C, A), to=(new(M, Dim.of(A) * C),)),
            case(floats(A, B), from_=(A, B), to=(axis_of(B), axis_of(A))),
            case(floats(A, C), from_=(A, C), to=(new(M, 2), new(E, 3))),
            case(floats(A, B), from_=(), to=(new(M, 1),)),
        ),
        dense=False,
    )


@op
class Pad(Shape):
    doc = "Entries of one value before and after those of an axis."
    example = "y = pad(x, over: T, before: 1, value: 0)"
    operands = X
    attributes = (
        AXIS,
        Attr("before", "size", "How many in front.", False, Dim.of(0)),
        Attr("after", "size", "How many behind.", False, Dim.of(0)),
        Attr("value", "number", "What they are.", False, 0),
        AS,
    )
    result = staticmethod(padded)
    reference = Reference(surrounded)
    lower = Written(pad_text)
    action = Action(BREAKS, BREAKS, "generic")
    depends = Depends(after_padding)
    samples = Samples(
        (
            case(floats(A, B), axis=B, before=Dim.of(2), as_=new(B, Dim.of(B) + 2)),
            case(floats(A, B), axis=A, before=Dim.of(1), after=Dim.of(3), value=0.5, as_=new(M, Dim.of(A) + 4)),
        )
    )


@op
class Stack(Shape):
    doc = "The operands along a new axis, which stands in front."
    example = "z = stack(x, y, as: V)"
    operands = XS
    attributes = (AS,)
    result = staticmethod(stacked)
    reference = Reference(lambda *parts, as_: side_by_side(parts, as_))
    lower = Written(stack_text)
    action = FREE
    depends = Depends(own)
    samples = Samples(
        (
            case(floats(A, B), floats(A, B), as_=new(M, 2)),
            case(floats(A, B), floats(B), number(0.5), as_=new(M, 3)),
            case(whole(A), whole(A), number(2.0), as_=new(M, 3)),
        ),
        dense=False,
    )


@op
class Windows(Shape):
    doc = "`y[p, w] = x[stride * p + dilation * w]`: all whole windows of an axis."
    example = "y = windows(x, over: T, size: 3)"
    operands = X
    attributes = (
        AXIS,
        Attr("size", "size", "Entries in a window."),
        Attr("stride", "size", "Distance of windows.", False, Dim.of(1)),
        Attr("dilation", "size", "Distance of entries.", False, Dim.of(1)),
        AS,
        Attr("within", "new axis", "The axis of places in a window."),
    )
    result = staticmethod(windowed)
    reference = Reference(framed)
    lower = Written(windows_text)
    depends = Depends(windowing)
    samples = Samples(
        (
            case(floats(A, B), axis=B, size=Dim.of(3), as_=new(M, Dim.of(B) - 2), within=new(C, 3)),
            case(floats(E, A), axis=E, size=Dim.of(2), stride=Dim.of(2), as_=new(M, Dim.of(E) // 2), within=new(C, 2)),
            case(floats(E, A), axis=E, size=Dim.of(3), dilation=Dim.of(2), as_=new(M, Dim.of(E) - 4), within=new(C, 3)),
        ),
        dense=False,
    )


@op
class Transpose(Shape):
    doc = "The same value in another written order."
    example = "y[d, t] = x[t, d]"
    operands = X
    attributes = (Attr("order", "axes", "All labels."),)
    result = staticmethod(transposed)
    reference = Reference(lambda x, order: ref.Named(x.ordered(order), order))
    lower = Written(transpose_text)
    action = FREE
    depends = Depends(own)
    samples = Samples(
        (
            case(floats(A, B), order=(B, A)),
            case(floats(A, B, C), order=(C, A, B)),
            case(floats(A, B, C, E), order=(A, E, C, B)),
        )
    )


@op
class Field(Shape):
    doc = "One value of a record."
    example = "y = r.name"
    operands = (Operand("record"),)
    attributes = (Attr("name", "word", "The name of the field."),)
    result = staticmethod(projected)
    reference = Reference(lambda record, name: record[name])
    lower = Written(field_text)
    action = FREE
    depends = Depends(own)
    samples = Samples((), False)


@op
class MakeRecord(Shape):
    name = "record"
    doc = "Values under names."
    example = "r = (z: z, s: s)"
    operands = XS
    attributes = (Attr("names", "names", "A name for each operand."),)
    result = staticmethod(recorded)
    reference = Reference(lambda *parts, names: dict(zip(names, parts, strict=True)))
    lower = Written(record_text)
    action = FREE
    depends = Depends(own)
    samples = Samples((case(floats(A, B), floats(C), names=("z", "s")),), dense=False)
