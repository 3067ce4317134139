"""Maps along an axis: entries depend on each other and the axis stays."""

from __future__ import annotations

from repc.ops import ref
from repc.ops.classes import MASKED, OVER, Mix, before, maps
from repc.ops.declare import Attr, op
from repc.ops.fields import BREAKS, INF, Action, Cost, Depends, Ragged, Reference, Split
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Masked, Written, fill
from repc.ops.rules import Mixed, arithmetic, floating
from repc.types import Refinement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

EPS = Attr("eps", "number", "What keeps the divisor from 0.", False, 1e-6)


class Line(Reference):
    """A reference that is a formula of the entries along an axis, `[.., n]`, and of the condition of equal shape."""

    def __call__(self, *operands: ref.Named, **attrs: object) -> ref.Named:
        given = {name: value for name, value in attrs.items() if name not in ("over", "where")}
        return ref.along(
            lambda *entries: self.compute(*entries, **given),
            attrs["over"],  # type: ignore[arg-type]
            attrs.get("where"),  # type: ignore[arg-type]
            *operands,
        )


def shares(v: Tensor, keep: Tensor) -> Tensor:
    """Exponentials of the kept entries over their sum."""
    top = torch.where(keep, v, -INF).amax(-1, keepdim=True).detach()
    made = torch.where(keep, torch.exp(torch.where(keep, v - top, 0)), 0)
    return made / made.sum(-1, keepdim=True)


def log_shares(v: Tensor, keep: Tensor) -> Tensor:
    """The logarithm of the shares."""
    top = torch.where(keep, v, -INF).amax(-1, keepdim=True).detach()
    apart = torch.where(keep, v - top, 0)
    total = torch.where(keep, torch.exp(apart), 0).sum(-1, keepdim=True)
    return torch.where(keep, apart - torch.log(total), -INF)


def up_to(v: Tensor, keep: Tensor, filling: float) -> Tensor:
    """`[.., t, s]`: the kept entries s <= t, the others filled."""
    places = torch.arange(v.shape[-1])
    seen = (places[None, :] <= places[:, None]) & keep[..., None, :]
    return torch.where(seen, v[..., None, :], filling)


def scaled(v: Tensor, keep: Tensor, eps: float) -> Tensor:
    """Over the root of the sum of squares and `eps`."""
    kept = torch.where(keep, v, 0)
    return kept / ((kept * kept).sum(-1, keepdim=True) + eps) ** 0.5


def portions(v: Tensor, keep: Tensor, eps: float) -> Tensor:
    """Over the sum of absolute values and `eps`."""
    kept = torch.where(keep, v, 0)
    return kept / (torch.where(kept < 0, -kept, kept).sum(-1, keepdim=True) + eps)


def softmax_text(name: str) -> Written:
    """PyTorch's own along one dim, the runtime's along several or under a condition."""

    def write(call: LowerCall) -> str:
        x = call.tensor(0)
        if call.masked:
            return fill(call, f"{call.runtime('functional', f'masked_{name}')}({{x}}, {{where}}, {{over}})", x=x)
        if len(call.attr("over")) == 1:
            return fill(call, f"torch.{name}({{x}}, dim={{over}})", x=x)
        return fill(call, f"{call.runtime('functional', name)}({{x}}, {{over}})", x=x)

    return Written(write)


def scaling(name: str) -> Written:
    """The runtime's function."""

    def write(call: LowerCall) -> str:
        if call.masked:
            function = call.runtime("functional", f"masked_{name}")
            return fill(call, f"{function}({{x}}, {{where}}, {{over}}, {{eps}})", x=call.tensor(0))
        return fill(call, f"{call.runtime('functional', name)}({{x}}, {{over}}, {{eps}})", x=call.tensor(0))

    return Written(write)


@op
class Softmax(Mix):
    doc = "Exponentials along `over`, divided by their sum; 0 where the condition does not hold."
    example = "p = softmax(s, over: K)"
    result = Mixed(floating, "simplex")
    reference = Line(shares)
    lower = softmax_text("softmax")
    cost = Cost(4, saved="result")
    ragged = Ragged("fill", -INF)
    split = Split("moments")
    laws = ("softmax(x + c, over: A) = softmax(x, over: A)", "sum(softmax(x, over: A), over: A) = 1 + 0 * c")


@op
class LogSoftmax(Mix):
    doc = "The logarithm of `softmax`; `-inf` where the condition does not hold."
    example = "p = log_softmax(s, over: K)"
    ranges = Refinement("interval", -INF, 0.0, True, False)
    reference = Line(log_shares)
    lower = softmax_text("log_softmax")
    cost = Cost(4, saved="result")
    ragged = Ragged("fill", -INF)
    split = Split("moments")
    laws = (
        "log_softmax(x, over: A) = x - logsumexp(x, over: A)",
        "exp(log_softmax(x, over: A)) = softmax(x, over: A)",
    )


@op
class L2norm(Mix):
    doc = "`x / sqrt(sum(x^2) + eps)` along `over`: on the sphere up to `eps`, smooth at 0."
    example = "y = l2norm(x, over: K)"
    attributes = (OVER, MASKED, EPS)
    result = Mixed(floating, "sphere")
    reference = Line(scaled)
    lower = scaling("l2norm")
    split = Split("moments")
    laws = ("l2norm(-x, over: A) = -l2norm(x, over: A)",)


@op
class L1norm(Mix):
    doc = "`x / (sum(abs(x)) + eps)` along `over`."
    example = "y = l1norm(x, over: K)"
    attributes = (OVER, MASKED, EPS)
    ranges = Refinement("interval", -1.0, 1.0, True, True)
    reference = Line(portions)
    lower = scaling("l1norm")
    split = Split("moments")
    laws = ("l1norm(-x, over: A) = -l1norm(x, over: A)",)


class Running(Mix):
    """A value from all entries up to each."""

    result = Mixed(arithmetic)
    action = Action(BREAKS, BREAKS, "positive")
    depends = Depends(before)
    cost = Cost(1)
    ragged = Ragged("own")
    samples = maps(several=False)


@op
class Cumsum(Running):
    doc = "The sums of all entries up to each, along the one axis in `over`."
    example = "y = cumsum(x, over: T)"
    reference = Line(lambda v, keep: up_to(v, keep, 0).sum(-1))
    lower = Masked("{x}.cumsum({over})", "torch.where({where}, {x}, 0).cumsum({over})")
    action = Action(BREAKS, BREAKS, "linear")
    laws = ("cumsum(x + y, over: A) = cumsum(x, over: A) + cumsum(y, over: A)",)


@op
class Cumprod(Running):
    doc = "The products of all entries up to each, along the one axis in `over`."
    example = "y = cumprod(x, over: T)"
    reference = Line(lambda v, keep: up_to(v, keep, 1).prod(-1))
    lower = Masked("{x}.cumprod({over})", "torch.where({where}, {x}, 1).cumprod({over})")
    action = Action(BREAKS, BREAKS, "generic")
    laws = ("cumprod(x * y, over: A) = cumprod(x, over: A) * cumprod(y, over: A)",)


@op
class Cummax(Running):
    doc = "The largest of all entries up to each, along the one axis in `over`; `-inf` where there is none."
    example = "y = cummax(x, over: T)"
    result = Mixed(floating)
    reference = Line(lambda v, keep: up_to(v, keep, -INF).max(-1).values)
    lower = Masked("{x}.cummax({over}).values", "torch.where({where}, {x}, -math.inf).cummax({over}).values")
    laws = ("cummax(x + c, over: A) = cummax(x, over: A) + c",)
    samples = maps(several=False, dense=False)
