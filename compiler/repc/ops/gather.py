"""Entries read and written at positions that are values."""

from __future__ import annotations

from repc.dims import Symbol
from repc.ops import ref
from repc.ops.classes import HERE, NOTHING, Index, own
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import KEEPS, Action, Cost, Depends, Reach, Reference, Samples
from repc.ops.index_rules import gathered, scattered
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Written, laid_out
from repc.ops.rules import union
from repc.ops.samples import A, B, C, E, case, floats, indices, number, whole
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


WHOLE_DTYPE = "torch.int64"


def written_at(base: ref.Named, index: ref.Named, value: ref.Named, axis: Symbol, accumulate: bool) -> ref.Named:
    """`out[.., n] = base[.., n]` with the value of every position that equals n, or plus the sum of those values."""
    rest = tuple(label for label in base.labels if label != axis)
    new = tuple(label for label in ref.union(index, value) if label not in rest)
    # A new axis may bear the label of the axis that is written along: here both are needed.
    inner = {label: Symbol(label.name, f"{label.scope}written") for label in new}
    at, what = (
        ref.Named(part.data, tuple(inner.get(label, label) for label in part.labels)) for part in (index, value)
    )
    places = ref.Named(torch.arange(base.size(axis)), (axis,))
    hit = ref.entrywise(lambda i, n: i == n, at, places)
    gone = tuple(inner.values())
    kept = ref.reduced(lambda v, h, keep: torch.where(h, v, 0).sum(-1), gone, None, what, hit)
    some = ref.reduced(lambda h, keep: h.any(-1), gone, None, hit)
    if accumulate:
        return ref.entrywise(lambda b, k: b + k, base, kept)
    return ref.entrywise(lambda b, k, s: torch.where(s, k, b), base, kept, some)


def positions_of(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Entries of `x` are seen whole along the replaced axes; an index at its own position."""
    if at == 0 and axis.label in call.attr("axes"):
        return (Reach(None),)
    return own(call, at, axis)


def written_to(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """An entry may come from every position of the values; from the base at its own."""
    base = call.operands[0]
    if at > 0 and (base.axis(axis.label) is None or axis.label == call.attr("axis")):
        return (Reach(None),)
    return (Reach(axis.label, HERE, NOTHING, NOTHING),)


def gather_text(call: LowerCall) -> str:
    """`take` where no axis is shared, else `gather` by an index over the axes that stay and the new ones."""
    x, gone = call.types[0], call.attr("axes")
    kept = [label for label in x.labels if label not in gone]
    indices = union(call.types[1:], call.facts)
    new = [axis.label for axis in indices if axis.label not in kept]
    rank = len(x.labels)
    if len(gone) == 1 and len(new) == len(indices):
        function = call.runtime("functional", "take")
        return (
            f"{function}({call.operands[0]}, {call.tensor(1, 'torch.int64')}, {call.dim(gone[0])}, {rank}, {len(new)})"
        )
    layout = [*kept, *new]
    position = laid_out(call, 1, layout, WHOLE_DTYPE)
    for at, label in enumerate(gone[1:], 2):
        axis = x.axis(label)
        assert axis is not None
        position = f"({position}) * {call.size(axis.size)} + {laid_out(call, at, layout, WHOLE_DTYPE)}"
    dims = ", ".join(str(call.dim(label)) for label in gone)
    tail = f", {len(new)}" if len(new) != 1 else ""
    function = call.runtime("functional", "gather")
    return f"{function}({call.operands[0]}, {position}, ({dims}{',' * (len(gone) == 1)}), {rank}{tail})"


def scatter_text(call: LowerCall) -> str:
    """The runtime's function, by index and value over the axes that stay and the new ones."""
    base, label = call.types[0], call.attr("axis")
    kept = [own for own in base.labels if own != label]
    new = [axis.label for axis in union(call.types[1:], call.facts) if axis.label not in kept]
    layout = [*kept, *new]
    index, value = laid_out(call, 1, layout, WHOLE_DTYPE), laid_out(call, 2, layout)
    tail = ", accumulate=True" if call.attr("accumulate") else ""
    function = call.runtime("functional", "scatter")
    rank = len(base.labels)
    return f"{function}({call.operands[0]}, {index}, {value}, {call.dim(label)}, {rank}, {len(new)}{tail})"


@op
class Gather(Index):
    doc = "The entries at the positions given by indices; axes that `x` and an index share are aligned."
    example = "y[b] = x[b, label[b]]"
    operands = (Operand("x"), Operand("index", variadic=True))
    attributes = (Attr("axes", "axes", "The axes of `x` that the indices replace, in their order."),)
    result = staticmethod(gathered)
    reference = Reference(lambda x, *indices, axes: ref.gathered(x, axes, indices))
    lower = Written(gather_text)
    action = Action(KEEPS, KEEPS, "linear")
    depends = Depends(positions_of, data=True)
    cost = Cost(1)
    samples = Samples(
        (
            case(floats(A, B), indices(A, C), axes=(A,)),
            case(floats(A, B), indices(B, C, E), axes=(B,)),
            case(floats(A, B), indices(B, A), axes=(B,)),
            case(floats(A, B, C), indices(B, C, E), axes=(B,)),
            case(floats(A, B), indices(A, A), axes=(A,)),
            case(floats(A, B, C), indices(A, E), indices(C, E), axes=(A, C)),
            case(floats(A, B, C), indices(C, E), indices(A, E, B), axes=(C, A)),
            case(floats(A, B), indices(B), axes=(B,)),
            case(whole(A, B), indices(A, C), axes=(A,)),
        ),
        dense=False,
    )


@op
class Scatter(Index):
    doc = "`base` with values written at the positions along `axis`, or added there where `accumulate`."
    example = "bank[id[b], e] := z[b, e]"
    operands = (Operand("base"), Operand("index"), Operand("value"))
    attributes = (
        Attr("axis", "axis", "The axis that is written along."),
        Attr("accumulate", "flag", "Add to what is there; else the positions are distinct.", False, False),
    )
    result = staticmethod(scattered)
    reference = Reference(written_at)
    lower = Written(scatter_text)
    action = Action(KEEPS, KEEPS, "generic")
    depends = Depends(written_to, data=True)
    cost = Cost(1)
    samples = Samples(
        (
            case(floats(E, A), indices(E, B, values="distinct"), floats(B, A), axis=E),
            case(floats(A, E), indices(E, B), floats(B), axis=E, accumulate=True),
            case(floats(A, E), indices(E, A, B, values="distinct"), floats(A, B), axis=E),
            case(floats(E), indices(E), floats(), axis=E),
            case(floats(E, A), indices(E, B), number(1.5), axis=E, accumulate=True),
        ),
        dense=False,
    )
