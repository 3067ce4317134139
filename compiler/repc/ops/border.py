"""What lies beyond the ends of an axis."""

from __future__ import annotations

from repc.dims import Dim
from repc.ops import ref
from repc.ops.classes import Shape, own
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import BREAKS, Action, Depends, Reach, Reference, Samples
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Written
from repc.ops.samples import A, B, M, case, floats
from repc.ops.shape import new
from repc.ops.shape_rules import padded
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.dims import Symbol


def going_round(x: ref.Named, axis: Symbol, before: int, after: int, as_: ref.Extent) -> ref.Named:
    """Entry t of the result is entry t - before of the axis, counted round."""
    places = (torch.arange(as_.size) - before) % x.size(axis)
    return ref.replaced(x, axis, (as_.label,), lambda entries: entries[..., places])


def anywhere(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """The first positions see the last entries, and the other way round."""
    return (Reach(call.attr("as").label),) if axis.label == call.attr("axis") else own(call, at, axis)


def wrap_text(call: LowerCall) -> str:
    """The runtime's function."""
    before, after = (call.size(call.attr(name)) for name in ("before", "after"))
    return f"{call.runtime('functional', 'wrap')}({call.operands[0]}, {call.dim(call.attr('axis'))}, {before}, {after})"


@op
class Wrap(Shape):
    doc = "`y[t] = x[(t - before) % T]`: an axis that goes round, `before` and `after` entries longer."
    example = "y = pad(x, over: T, before: 1, after: 1, border: wrap)"
    operands = (Operand("x"),)
    attributes = (
        Attr("axis", "axis", "The axis."),
        Attr("before", "size", "How many entries of its end stand in front.", False, Dim.of(0)),
        Attr("after", "size", "How many entries of its start stand behind.", False, Dim.of(0)),
        Attr("as", "new axis", "The axis of the result."),
    )
    result = staticmethod(padded)
    reference = Reference(going_round)
    lower = Written(wrap_text)
    action = Action(BREAKS, BREAKS, "linear")
    depends = Depends(anywhere)
    samples = Samples(
        (
            case(floats(A, B), axis=B, before=Dim.of(2), as_=new(B, Dim.of(B) + 2)),
            case(floats(A, B), axis=A, before=Dim.of(1), after=Dim.of(4), as_=new(M, Dim.of(A) + 5)),
        ),
        dense=False,
    )
