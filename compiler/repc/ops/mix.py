"""Maps along an axis: entries depend on each other and the axis stays."""

from __future__ import annotations

from repc.dims import Dim
from repc.ops.classes import MASKED, OVER, Mix
from repc.ops.declare import Attr, TypeCall, op
from repc.ops.rules import Mixed, arithmetic, floating, need_equal, need_mask, need_unique, position, same_kind, union
from repc.types import Refinement, Type

INF = float("inf")
EPS = Attr("eps", "number", "Added under the root.", False, 1e-6)
FILL = Attr("fill", "number", "The value outside.", False, 0)


def selected(call: TypeCall) -> Type:
    """The axis in `over` replaced by the axis `as`, of size `keep`."""
    need_mask(call)
    kind = position(call)
    new = call.attr("as")
    need_equal(call, new.label, Dim.of(call.attr("keep")), new.size)
    over = call.attr("over")
    axes = tuple(new if axis.label in over else axis for axis in union(call.operands, call.facts))
    return Type(need_unique(call, axes), kind)


@op
class Softmax(Mix):
    doc = "Exponentials along `over`, divided by their sum."
    example = "p = softmax(s, over: K)"
    result = Mixed(floating, "simplex")


@op
class LogSoftmax(Mix):
    doc = "The logarithm of `softmax`."
    example = "p = log_softmax(s, over: K)"
    ranges = Refinement("interval", -INF, 0.0, True, False)


@op
class L2norm(Mix):
    doc = "`x / sqrt(sum(x^2) + eps)` along `over`: on the sphere up to `eps`, smooth at 0."
    example = "y = l2norm(x, over: K)"
    result = Mixed(floating, "sphere")
    attributes = (OVER, MASKED, EPS)


@op
class L1norm(Mix):
    doc = "`x / (sum(abs(x)) + eps)` along `over`."
    example = "y = l1norm(x, over: K)"
    attributes = (OVER, MASKED, EPS)


@op
class Cumsum(Mix):
    doc = "The sums of all entries up to each, along the one axis in `over`."
    example = "y = cumsum(x, over: T)"
    result = Mixed(arithmetic)


@op
class Cumprod(Mix):
    doc = "The products of all entries up to each, along the one axis in `over`."
    example = "y = cumprod(x, over: T)"
    result = Mixed(arithmetic)


@op
class Cummax(Mix):
    doc = "The largest of all entries up to each, along the one axis in `over`."
    example = "y = cummax(x, over: T)"
    result = Mixed(arithmetic)


@op
class Sort(Mix):
    doc = "The entries along the one axis in `over`, smallest first (largest first where `descending`)."
    example = "y = sort(x, over: T)"
    result = Mixed(arithmetic)
    attributes = (OVER, MASKED, Attr("descending", "flag", "Largest first.", False, False))


@op
class Argsort(Mix):
    doc = "The positions of the entries along the one axis in `over`, smallest first; equals keep their order."
    example = "i = argsort(x, over: T)"
    result = Mixed(position)
    attributes = (OVER, MASKED, Attr("descending", "flag", "Largest first.", False, False))


@op
class Flip(Mix):
    doc = "The entries along `over` in reverse."
    example = "y = flip(x, over: T)"
    result = Mixed(same_kind)


@op
class Roll(Mix):
    doc = "`y[t] = x[(t - by) % n]` along the one axis in `over`."
    example = "y = roll(x, over: T, by: 1)"
    result = Mixed(same_kind)
    attributes = (OVER, Attr("by", "size", "How far entries move up."))


@op
class Shift(Mix):
    doc = "`y[t] = x[t - by]` along the one axis in `over`, `fill` where that does not exist."
    example = "y = shift(x, over: T, by: 1, fill: 0)"
    result = Mixed(same_kind)
    attributes = (OVER, Attr("by", "size", "How far entries move up."), FILL)


@op
class Top(Mix):
    doc = "The positions of the `keep` largest entries along the one axis in `over`, best first."
    example = "i = top[k; keep: 5] s[t, k]"
    attributes = (OVER, MASKED, Attr("keep", "size", "How many."), Attr("as", "new axis", "The axis of the positions."))
    result = staticmethod(selected)
