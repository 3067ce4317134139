"""Entries chosen, moved and renamed by their positions."""

from __future__ import annotations

from repc.dims import Dim, Symbol
from repc.ops import ref
from repc.ops.classes import HERE, NOTHING, Index, Pointwise, Source, own
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import (
    BREAKS,
    KEEPS,
    ZERO,
    Action,
    Cost,
    Depends,
    Entries,
    Reach,
    Reference,
    Samples,
)
from repc.ops.index_rules import (
    as_index,
    counted_off,
    expanded,
    on_diagonal,
    one_hot,
    picked,
    renamed,
    sliced,
)
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Torch, Written
from repc.ops.rules import Elementwise
from repc.ops.samples import A, B, C, E, I, J, M, case, floats, indices, square
from repc.types import Axis, axis_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

FREE = Action(KEEPS, KEEPS, "linear")


# --- references ---


def diagonal_of(x: ref.Named, labels: ref.Labels, into: Symbol) -> ref.Named:
    """`y[.., i] = x[.., i, i]`."""
    rest, matrix = ref.matrices(x, *labels)
    places = torch.arange(matrix.shape[-1])
    return ref.Named(matrix[..., places, places], (*rest, into))


def part_of(x: ref.Named, axis: Symbol, start: int, count: int, label: Symbol) -> ref.Named:
    """Entries `start` up to `start + count` of an axis."""
    places = torch.arange(start, start + count)
    return ref.replaced(x, axis, (label,), lambda entries: entries[..., places])


def repeated(x: ref.Named, axes: tuple[ref.Extent, ...]) -> ref.Named:
    """The same at every position of the new axes."""
    data = x.data
    for axis in reversed(axes):
        data = torch.stack([data] * axis.size)
    return ref.Named(data, (*(axis.label for axis in axes), *x.labels))


def marked(i: ref.Named, axis: ref.Extent) -> ref.Named:
    """1 where the position along the new axis is the index."""
    hit = i.data[..., None] == torch.arange(axis.size)
    return ref.Named(torch.where(hit, 1.0, 0.0).to(torch.float64), (*i.labels, axis.label))


# --- dependence ---


def relabelled(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Each position sees its own, under the new label."""
    return (Reach(dict(call.attr("labels")).get(axis.label, axis.label), HERE, NOTHING, NOTHING),)


def on_both(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Both axes are seen at the position of the one that is left."""
    label = call.attr("into") if axis.label in call.attr("labels") else axis.label
    return (Reach(label, HERE, NOTHING, NOTHING),)


def from_start(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Position t of the part sees start + t."""
    if axis.label != call.attr("axis"):
        return own(call, at, axis)
    start = Dim.of(call.attr("start"))
    return (Reach(call.attr("as").label, HERE, start, start),)


def at_one(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """The one position alone."""
    if axis.label != call.attr("axis"):
        return own(call, at, axis)
    place = Dim.of(call.attr("at"))
    return (Reach(None, HERE, place, place),)


# --- lowerings ---


def diagonal_text(call: LowerCall) -> str:
    """`torch.diagonal` puts the axis last; it goes where the first of the two stood."""
    first, second = (call.dim(label) for label in call.attr("labels"))
    place = call.result_dim(call.attr("into"))
    made = f"{call.operands[0]}.diagonal(dim1={first}, dim2={second})"
    return made if place == -1 else f"{made}.movedim(-1, {place})"


def subscripted(call: LowerCall, label: Symbol, entry: str) -> str:
    """`x[..., entry, :]` with the entry at an axis."""
    behind = -call.dim(label) - 1
    return f"{call.operands[0]}[..., {entry}{', :' * behind}]"


def slice_text(call: LowerCall) -> str:
    """A slice, its ends left out where they are those of the axis."""
    label = call.attr("axis")
    axis = call.types[0].axis(label)
    assert axis is not None
    start, stop = Dim.of(call.attr("start")), Dim.of(call.attr("stop"))
    head = "" if start.constant == 0 else call.size(start)
    tail = "" if call.facts.equal(stop, axis.size) else call.size(stop)
    return subscripted(call, label, f"{head}:{tail}")


def pick_text(call: LowerCall) -> str:
    """A subscript."""
    return subscripted(call, call.attr("axis"), call.size(call.attr("at")))


def expand_text(call: LowerCall) -> str:
    """The runtime's function."""
    sizes = "".join(f"{call.size(axis.size)}, " for axis in call.attr("axes"))
    function = call.runtime("functional", "expand_front")
    rank = len(call.types[0].axes)
    return f"{function}({call.tensor(0)}, ({sizes.strip() if len(call.attr('axes')) == 1 else sizes[:-2]}), {rank})"


def onehot_text(call: LowerCall) -> str:
    """The runtime's function, in the run's precision."""
    size = call.size(call.attr("axis").size)
    return f"{call.runtime('functional', 'onehot')}({call.tensor(0)}, {size}, {call.dtype})"


def iota_text(call: LowerCall) -> str:
    """`torch.arange`."""
    return f"torch.arange({call.size(call.attr('axis').size)}, device={call.device})"


# --- declarations ---

X = (Operand("x"),)


@op
class IndexOf(Pointwise):
    name = "index"
    doc = "A whole number as an index of an axis; that it is in range is proved before."
    example = "j = index((i + 1) % N, of: N)"
    operands = (Operand("i"),)
    attributes = (Attr("space", "axis", "The space it may subscript."), Attr("size", "size", "The size of that space."))
    result = Elementwise(as_index)
    reference = Entries(lambda i: i)
    lower = Torch("{i}")
    grad = ZERO
    cost = Cost(0)
    samples = Samples((case(indices(C, A, B), space=C, size=Dim.of(C)),), False)


@op
class Relabel(Index):
    doc = "The same value with its axes under other labels."
    example = "y = rename(x, T -> S)"
    operands = X
    attributes = (Attr("labels", "pairs", "Old and new labels."),)
    result = staticmethod(renamed)
    reference = Reference(
        lambda x, labels: ref.Named(x.data, tuple(dict(labels).get(label, label) for label in x.labels))
    )
    lower = Torch("{x}")
    action = FREE
    depends = Depends(relabelled)
    samples = Samples((case(floats(A, B), labels=((A, M),)), case(floats(A, B), labels=((A, B), (B, A)))))


@op
class Diagonal(Index):
    doc = "The entries at which two axes have the same position."
    example = "c[i] = C[i, i]"
    operands = X
    attributes = (Attr("labels", "axes", "The two axes."), Attr("into", "axis", "The label of the one that is left."))
    result = staticmethod(on_diagonal)
    reference = Reference(diagonal_of)
    lower = Written(diagonal_text)
    action = FREE
    depends = Depends(on_both)
    samples = Samples(
        (case(square(A), labels=(I, J), into=M), case(square(), labels=(J, I), into=I)),
    )


@op
class Slice(Index):
    doc = "The entries `start` to `stop`, exclusive, of one axis."
    example = "y = x[T = 1:]"
    operands = X
    attributes = (
        Attr("axis", "axis", "The axis that is cut."),
        Attr("start", "size", "The first entry."),
        Attr("stop", "size", "The entry after the last."),
        Attr("as", "new axis", "What is left."),
    )
    result = staticmethod(sliced)
    reference = Reference(lambda x, axis, start, stop, as_: part_of(x, axis, start, stop - start, as_.label))
    lower = Written(slice_text)
    depends = Depends(from_start)
    samples = Samples(
        (
            case(floats(A, B), axis=B, start=Dim.of(1), stop=Dim.of(B), as_=axis_of(B).resized(Dim.of(B) - 1, M)),
            case(floats(A, B), axis=A, start=Dim.of(0), stop=Dim.of(2), as_=Axis(M, Dim.of(2), "plain", M)),
        )
    )


@op
class Pick(Index):
    doc = "One entry of an axis, which is removed."
    example = "y = x[T = 0]"
    operands = X
    attributes = (Attr("axis", "axis", "The axis."), Attr("at", "size", "The position."))
    result = staticmethod(picked)
    reference = Reference(lambda x, axis, at: ref.replaced(x, axis, (), lambda entries: entries[..., at]))
    lower = Written(pick_text)
    depends = Depends(at_one)
    samples = Samples((case(floats(A, B), axis=A, at=Dim.of(1)), case(floats(A, B), axis=B, at=Dim.of(B) - 1)))


@op
class Onehot(Index):
    doc = "1 at the position of the index along a new axis, 0 elsewhere."
    example = "y = onehot(i, over: V)"
    operands = (Operand("i"),)
    attributes = (Attr("axis", "new axis", "The axis."),)
    result = staticmethod(one_hot)
    reference = Reference(marked)
    lower = Written(onehot_text)
    grad = ZERO
    action = Action(KEEPS, KEEPS, "generic")
    depends = Depends(own)
    samples = Samples((case(indices(E, A, B), axis=axis_of(E)),), False)


@op
class Expand(Index):
    doc = "The same value at every position of new axes, which stand in front."
    example = "y[t, d] = b[d]"
    operands = X
    attributes = (Attr("axes", "new axes", "The axes."),)
    result = staticmethod(expanded)
    reference = Reference(repeated)
    lower = Written(expand_text)
    action = FREE
    depends = Depends(own)
    samples = Samples((case(floats(A, B), axes=(axis_of(C),)), case(floats(A), axes=(axis_of(C), axis_of(E)))))


@op
class Iota(Source):
    doc = "The positions of an axis, 0 and up."
    example = "y[t] = float(t)"
    attributes = (Attr("axis", "new axis", "The axis."),)
    result = staticmethod(counted_off)
    reference = Reference(lambda axis: ref.Named(torch.arange(axis.size), (axis.label,)))
    lower = Written(iota_text)
    grad = ZERO
    action = Action(BREAKS, BREAKS, "generic")
    samples = Samples((case(axis=axis_of(B)),), False)
