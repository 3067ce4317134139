"""Entries sorted, ranked and moved along an axis."""

from __future__ import annotations

from repc.dims import Dim
from repc.ops import ref
from repc.ops.classes import HERE, MASKED, OVER, Mix, own
from repc.ops.declare import Attr, TypeCall, op
from repc.ops.fields import BREAKS, DROPS, KEEPS, ZERO, Action, Cost, Depends, Ragged, Reach, Reference, Samples
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Torch, Written, fill
from repc.ops.mix import Line
from repc.ops.rules import Mixed, need_equal, need_mask, need_unique, position, same_kind, union
from repc.ops.samples import A, B, M, bools, case, floats, whole
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

DESCENDING = Attr("descending", "flag", "Largest first.", False, False)
FILL = Attr("fill", "number", "The value outside.", False, 0)
BY = Attr("by", "size", "How far entries move up; down where negative.")


def selected(call: TypeCall) -> Type:
    """The axis in `over` replaced by the axis `as`, of size `keep`."""
    need_mask(call)
    kind = position(call)
    new = call.attr("as")
    need_equal(call, new.label, Dim.of(call.attr("keep")), new.size)
    over = call.attr("over")
    axes = tuple(new if axis.label in over else axis for axis in union(call.operands, call.facts))
    return Type(need_unique(call, axes), kind)


def ranked(v: Tensor, keep: Tensor, descending: bool) -> Tensor:
    """The positions in order, one after the other: each time the first best of those that are left, kept ones first."""
    count = v.shape[-1]
    better = (v[..., :, None] > v[..., None, :]) if descending else (v[..., :, None] < v[..., None, :])
    places = torch.arange(count)
    first = (v[..., :, None] == v[..., None, :]) & (places[:, None] < places[None, :])
    kept, other = keep[..., :, None], keep[..., None, :]
    ahead = (kept & ~other) | ((kept == other) & torch.where(kept, better | first, places[:, None] < places[None, :]))
    rank = ahead.sum(-2)
    return (rank[..., None, :] == places[:, None]).to(torch.int64).argmax(-1)


def picked_out(x: ref.Named, over: ref.Labels, where: ref.Named | None, keep: int, as_: ref.Extent) -> ref.Named:
    """The first positions of the ranking, largest first."""
    order = ref.along(lambda v, kept: ranked(v, kept, True), over, where, x)
    return ref.replaced(order, over[0], (as_.label,), lambda places: places[..., :keep])


def moved_up(v: Tensor, keep: Tensor, by: int, fill: float) -> Tensor:
    """`y[t] = v[t - by]` entry by entry."""
    count = v.shape[-1]
    filling = torch.full_like(v[..., 0], fill)
    return torch.stack([v[..., t - by] if 0 <= t - by < count else filling for t in range(count)], -1)


def mirrored(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Along `over` position t sees n - 1 - t."""
    if axis.label not in call.attr("over"):
        return own(call, at, axis)
    return (Reach(axis.label, Dim.of(-1), axis.size - 1, axis.size - 1),)


def shifted(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Along `over` position t sees t - by."""
    if axis.label not in call.attr("over"):
        return own(call, at, axis)
    back = -Dim.of(call.attr("by"))
    return (Reach(axis.label, HERE, back, back),)


def kept_places(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Every place of the new axis sees all positions along `over`."""
    return (Reach(call.attr("as").label),) if axis.label in call.attr("over") else own(call, at, axis)


def order_text(call: LowerCall) -> str:
    """The runtime's stable order."""
    name = "masked_argsort" if call.masked else "argsort"
    where = ", {where}" if call.masked else ""
    down = ", descending=True" if call.attr("descending") else ""
    return fill(call, f"{call.runtime('functional', name)}({{x}}{where}, {{over}}{down})")


def sort_text(call: LowerCall) -> str:
    """PyTorch's own."""
    down = ", descending=True" if call.attr("descending") else ""
    return fill(call, f"{{x}}.sort({{over}}{down}).values")


def top_text(call: LowerCall) -> str:
    """The runtime's stable order, cut."""
    name = "masked_top" if call.masked else "top"
    where = ", {where}" if call.masked else ""
    keep = call.size(call.attr("keep"))
    return fill(call, f"{call.runtime('functional', name)}({{x}}{where}, {{over}}, {keep})")


def flip_text(call: LowerCall) -> str:
    """PyTorch wants a tuple of dims."""
    dims = ", ".join(str(call.dim(label)) for label in call.attr("over"))
    return fill(call, f"{{x}}.flip({dims})")


def shift_text(call: LowerCall) -> str:
    """The runtime's function."""
    filling = call.number(call.attr("fill"))
    by = call.size(call.attr("by"))
    tail = "" if filling == "0" else f", {filling}"
    return fill(call, f"{call.runtime('functional', 'shift')}({{x}}, {by}, {{over}}{tail})")


@op
class Sort(Mix):
    doc = "The entries along the one axis in `over`, smallest first; largest first where `descending`."
    example = "y = sort(x, over: T)"
    attributes = (OVER, DESCENDING)
    result = Mixed(same_kind)
    reference = Line(lambda v, keep, descending: v.gather(-1, ranked(v, keep, descending)))
    lower = Written(sort_text)
    action = Action(DROPS, DROPS, "positive")
    cost = Cost(10)
    laws = ("sort(x + c, over: A) = sort(x, over: A) + c",)
    samples = Samples(
        (
            case(floats(A, B), over=(B,)),
            case(floats(A, B), over=(A,), descending=True),
            case(whole(A, B), over=(B,)),
        ),
        dense=False,
    )


@op
class Argsort(Mix):
    doc = "The positions of the entries along the one axis in `over`, smallest first; equals keep their order."
    example = "i = argsort(x, over: T)"
    attributes = (OVER, MASKED, DESCENDING)
    result = Mixed(position)
    reference = Line(ranked)
    lower = Written(order_text)
    grad = ZERO
    action = Action(BREAKS, BREAKS, "invariant")
    cost = Cost(10)
    laws = ("argsort(x + c, over: A) = argsort(x, over: A)",)
    samples = Samples(
        (
            case(floats(A, B), over=(B,)),
            case(whole(A, B), over=(B,), descending=True),
            case(whole(A, B), bools(A, B), over=(B,), masked=True),
            case(floats(B), bools(A, B), over=(B,), masked=True, descending=True),
        ),
        False,
    )


@op
class Top(Mix):
    doc = "The positions of the `keep` largest entries along the one axis in `over`, best first, equals in their order."
    example = "i = top[k; keep: 5] s[t, k]"
    attributes = (OVER, MASKED, Attr("keep", "size", "How many."), Attr("as", "new axis", "The axis of the positions."))
    result = staticmethod(selected)
    reference = Reference(picked_out)
    lower = Written(top_text)
    grad = ZERO
    action = Action(BREAKS, BREAKS, "invariant")
    depends = Depends(kept_places)
    cost = Cost(10)
    samples = Samples(
        (
            case(floats(A, B), over=(B,), keep=Dim.of(2), as_=Axis(M, Dim.of(2), "plain", M)),
            case(whole(A, B), over=(B,), keep=Dim.of(3), as_=Axis(M, Dim.of(3), "plain", M)),
            case(whole(A, B), bools(B), over=(B,), masked=True, keep=Dim.of(1), as_=Axis(M, Dim.of(1), "plain", M)),
        ),
        False,
    )


class Moved(Mix):
    """Entries at other positions of their axis."""

    attributes: tuple[Attr, ...] = (OVER,)
    result = Mixed(same_kind)
    cost = Cost(0, saved="nothing")
    ragged = Ragged("refused")


@op
class Flip(Moved):
    doc = "The entries along `over` in reverse."
    example = "y = flip(x, over: T)"
    reference = Line(lambda v, keep: v[..., torch.arange(v.shape[-1] - 1, -1, -1)])
    lower = Written(flip_text)
    action = Action(BREAKS, BREAKS, "linear")
    depends = Depends(mirrored)
    laws = ("flip(flip(x, over: A), over: A) = x",)
    samples = Samples((case(floats(A, B), over=(B,)), case(floats(A, B), over=(A, B)), case(whole(A, B), over=(A,))))


@op
class Roll(Moved):
    doc = "`y[t] = x[(t - by) % n]` along the one axis in `over`."
    example = "y = roll(x, over: T, by: 1)"
    attributes = (OVER, BY)
    reference = Line(lambda v, keep, by: v[..., (torch.arange(v.shape[-1]) - by) % v.shape[-1]])
    lower = Torch("{x}.roll({by}, {over})")
    action = Action(BREAKS, KEEPS, "linear")
    laws = ("roll(roll(x, over: A, by: 1), over: A, by: -1) = x",)
    samples = Samples(
        (case(floats(A, B), over=(B,), by=Dim.of(2)), case(floats(A, B), over=(A,), by=Dim.of(-1))), dense=False
    )


@op
class Shift(Moved):
    doc = "`y[t] = x[t - by]` along the one axis in `over`, `fill` where that does not exist."
    example = "y = shift(x, over: T, by: 1, fill: 0)"
    attributes = (OVER, BY, FILL)
    reference = Line(moved_up)
    lower = Written(shift_text)
    action = Action(BREAKS, BREAKS, "generic")
    depends = Depends(shifted)
    ragged = Ragged("own")
    laws = ("shift(x + y, over: A, by: 1) = shift(x, over: A, by: 1) + shift(y, over: A, by: 1)",)
    samples = Samples(
        (
            case(floats(A, B), over=(B,), by=Dim.of(2), fill=0.5),
            case(floats(A, B), over=(A,), by=Dim.of(-1)),
            case(floats(A, B), over=(A,), by=Dim.of(5)),
            case(whole(A, B), over=(B,), by=Dim.of(1), fill=-1),
        )
    )
