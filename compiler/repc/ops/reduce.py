"""Reductions: one value from a set of entries."""

from __future__ import annotations

from repc.ops import ref
from repc.ops.classes import EMPTY, MASKED, OVER, Reduce, reductions
from repc.ops.declare import Attr, TypeCall, op
from repc.ops.fields import (
    DROPS,
    INF,
    KEEPS,
    NONNEGATIVE,
    ZERO,
    Action,
    Cost,
    Ragged,
    Reference,
    Samples,
    Split,
)
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Masked, Written, fill
from repc.ops.rules import Reduced, arithmetic, logical, position
from repc.ops.samples import A, B, bools, case, floats, number, whole
from repc.types import INT, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    Formula = Callable[[Tensor, Tensor], Tensor]

DDOF = Attr("ddof", "number", "What is taken off the number of entries in the divisor.", False, 0)


def counted(call: TypeCall) -> Kind:
    """An int, from bools."""
    logical(call)
    return INT


def ordered(call: TypeCall) -> Kind:
    """The kind of the operand, if it has an order: an index stays an index."""
    kind = arithmetic(call)
    return call.operands[0].kind if kind.name == "int" else kind


class Sets(Reference):
    """A reference that is a formula of one set of entries `[.., n]` and of the condition of equal shape."""

    def __call__(self, *operands: ref.Named, **attrs: object) -> ref.Named:
        given = {name: value for name, value in attrs.items() if name not in ("over", "where", "empty")}
        return ref.reduced(
            lambda *entries: self.compute(*entries, **given),
            attrs["over"],  # type: ignore[arg-type]
            attrs["where"],  # type: ignore[arg-type]
            *operands,
            empty=attrs.get("empty") if attrs.get("empty") != "skip" else 0.0,  # type: ignore[arg-type]
        )


def mean_of(v: Tensor, keep: Tensor) -> Tensor:
    """The mean of the kept entries, the axis kept."""
    return torch.where(keep, v, 0).sum(-1, keepdim=True) / keep.sum(-1, keepdim=True)


def spread(v: Tensor, w: Tensor, keep: Tensor, ddof: float) -> Tensor:
    """The mean product of distances from the means."""
    product = torch.where(keep, v - mean_of(v, keep), 0) * torch.where(keep, w - mean_of(w, keep), 0)
    return product.sum(-1) / (keep.sum(-1) - ddof)


def chosen(v: Tensor, keep: Tensor, best: Tensor) -> Tensor:
    """The first kept entry that equals the best, `[.., n]` -> its position `[..]`."""
    places = torch.arange(v.shape[-1])
    return torch.where(keep & (v == best[..., None]), places, v.shape[-1]).amin(-1)


def largest(v: Tensor, keep: Tensor) -> Tensor:
    """The position of the largest kept entry."""
    low = -INF if v.is_floating_point() else torch.iinfo(torch.int64).min if v.dtype == torch.int64 else False
    return chosen(v, keep, torch.where(keep, v, low).amax(-1))


def smallest(v: Tensor, keep: Tensor) -> Tensor:
    """The position of the smallest kept entry."""
    high = INF if v.is_floating_point() else torch.iinfo(torch.int64).max if v.dtype == torch.int64 else True
    return chosen(v, keep, torch.where(keep, v, high).amin(-1))


def entry(v: Tensor, at: Tensor) -> Tensor:
    """The entry at a position."""
    return v.gather(-1, at[..., None])[..., 0]


def summed_exp(v: Tensor, keep: Tensor) -> Tensor:
    """`log(sum(exp))`, less the largest first."""
    top = entry(v, largest(v, keep)).detach()
    terms = torch.where(keep, torch.exp(torch.where(keep, v - top[..., None], 0)), 0)
    return torch.log(terms.sum(-1)) + top


def middle(v: Tensor, keep: Tensor) -> Tensor:
    """The mean of the entries of which as many are below as above."""
    order = torch.where(keep, v, INF).argsort(-1)
    count = keep.sum(-1)
    ranked = v.gather(-1, order)
    return (entry(ranked, (count - 1) // 2) + entry(ranked, count // 2)) / 2


def length(v: Tensor, keep: Tensor) -> Tensor:
    """The root of the sum of squares; where all are 0 the gradient is 0."""
    square = torch.where(keep, v * v, 0).sum(-1)
    return torch.where(square > 0, torch.where(square > 0, square, 1) ** 0.5, 0)


def written(plain: str, masked: str, *options: str) -> Written:
    """A call of PyTorch or of the runtime, and the runtime's masked function with the value on an empty set."""

    def write(call: LowerCall) -> str:
        x = call.tensor(0)
        keywords = "".join(f", {option}={call.number(call.attr(option))}" for option in options)
        if not call.masked:
            if "." not in plain and "{" not in plain:
                return fill(call, f"{call.runtime('functional', plain)}({{x}}, {{over}}{keywords})", x=x)
            return fill(call, plain, x=x)
        empty = call.attr("empty")
        if empty is not None:
            keywords += f", empty={call.number(0.0 if empty == 'skip' else empty)}"
        return fill(call, f"{call.runtime('functional', masked)}({{x}}, {{where}}, {{over}}{keywords})", x=x)

    return Written(write)


def masked_text(plain: str, masked: str) -> Written:
    """Two templates; a plain number becomes a tensor."""
    template = Masked(plain, masked)
    return Written(lambda call: fill(call, template.masked if call.masked else template.plain, x=call.tensor(0)))


LINEAR = Action(DROPS, DROPS, "linear")
POSITIVE = Action(DROPS, DROPS, "positive")


@op
class Sum(Reduce):
    doc = "The sum along `over`; 0 on an empty set."
    example = "y = sum(x, over: T)"
    attributes = (OVER, MASKED)
    result = Reduced(arithmetic)
    reference = Sets(lambda v, keep: torch.where(keep, v, 0).sum(-1))
    lower = masked_text("{x}.sum({over})", "torch.where({where}, {x}, 0).sum({over})")
    action = LINEAR
    split = Split("separable")
    laws = ("sum(x + y, over: A) = sum(x, over: A) + sum(y, over: A)", "sum(x * c, over: A) = sum(x, over: A) * c")
    samples = Samples((*reductions(empty=False).cases, case(number(1.0), bools(A, B), over=(B,), masked=True)))


@op
class Prod(Reduce):
    doc = "The product along `over`; 1 on an empty set."
    example = "y = prod(x, over: T)"
    attributes = (OVER, MASKED)
    result = Reduced(arithmetic)
    reference = Sets(lambda v, keep: torch.where(keep, v, 1).prod(-1))
    lower = written("prod", "masked_prod")
    laws = ("prod(x * y, over: A) = prod(x, over: A) * prod(y, over: A)",)
    samples = reductions(empty=False)


@op
class Mean(Reduce):
    doc = "The arithmetic mean along `over`."
    example = "y = mean(x, over: T)"
    reference = Sets(lambda v, keep: torch.where(keep, v, 0).sum(-1) / keep.sum(-1))
    lower = written("{x}.mean({over})", "masked_mean")
    action = LINEAR
    split = Split("separable")
    laws = ("mean(x + c, over: A) = mean(x, over: A) + c",)


@op
class Max(Reduce):
    doc = "The largest along `over`; the gradient goes to the first of equals."
    example = "y = max(x, over: T)"
    result = Reduced(ordered)
    reference = Sets(lambda v, keep: entry(v, largest(v, keep)))
    lower = written("largest", "masked_max")
    action = POSITIVE
    laws = ("max(x + c, over: A) = max(x, over: A) + c", "max(x, over: A) = -min(-x, over: A)")
    samples = Samples((*reductions().cases, case(whole(A, B), bools(A, B), over=(B,), masked=True)), dense=False)


@op
class Min(Reduce):
    doc = "The smallest along `over`; the gradient goes to the first of equals."
    example = "y = min(x, over: T)"
    result = Reduced(ordered)
    reference = Sets(lambda v, keep: entry(v, smallest(v, keep)))
    lower = written("smallest", "masked_min")
    action = POSITIVE
    laws = ("min(x + c, over: A) = min(x, over: A) + c",)
    samples = Samples((*reductions().cases, case(whole(A, B), bools(A, B), over=(B,), masked=True)), dense=False)


TRUTHS = Samples(
    (
        case(bools(A, B), over=(B,)),
        case(bools(A, B), over=(A, B)),
        case(bools(A, B), bools(B), over=(B,), masked=True),
        case(bools(B), bools(A, B), over=(B,), masked=True),
    ),
    False,
)


class Truth(Reduce):
    """A reduction of bools."""

    attributes = (OVER, MASKED)
    grad = ZERO
    samples = TRUTHS


@op
class Any(Truth):
    doc = "Whether it holds anywhere along `over`; false on an empty set."
    example = "y = any(a, over: T)"
    result = Reduced(logical)
    reference = Sets(lambda v, keep: (v & keep).sum(-1) > 0)
    lower = Masked("{x}.any({over})", "({x} & {where}).any({over})")
    laws = ("any(a, over: A) = not all(not a, over: A)",)


@op
class All(Truth):
    doc = "Whether it holds everywhere along `over`; true on an empty set."
    example = "y = all(a, over: T)"
    result = Reduced(logical)
    reference = Sets(lambda v, keep: (~v & keep).sum(-1) == 0)
    lower = Masked("{x}.all({over})", "({x} | ~{where}).all({over})")
    laws = ("all(a, over: A) = not any(not a, over: A)",)


@op
class Count(Truth):
    doc = "At how many places along `over` it holds."
    example = "y = count(a, over: T)"
    result = Reduced(counted)
    reference = Sets(lambda v, keep: torch.where(v & keep, 1, 0).sum(-1))
    lower = Masked("{x}.sum({over})", "({x} & {where}).sum({over})")
    split = Split("separable")
    laws = ("count(a, over: A) = sum(int(a), over: A)",)


@op
class Logsumexp(Reduce):
    doc = "`log(sum(exp(x)))` along `over`, without overflow."
    example = "y = logsumexp(x, over: T)"
    reference = Sets(summed_exp)
    lower = written("{x}.logsumexp({over})", "masked_logsumexp")
    cost = Cost(2, "operands")
    ragged = Ragged("fill", -INF)
    split = Split("pairs")
    laws = (
        "logsumexp(x + c, over: A) = logsumexp(x, over: A) + c",
        "logsumexp(x, over: A) = log(sum(exp(x), over: A))",
    )


@op
class Var(Reduce):
    doc = "The mean squared distance from the mean along `over`, divided by `n - ddof`."
    example = "y = var(x, over: T, ddof: 1)"
    attributes = (OVER, MASKED, EMPTY, DDOF)
    ranges = NONNEGATIVE
    reference = Sets(lambda v, keep, ddof: spread(v, v, keep, ddof))
    lower = written("torch.var({x}, {over}, correction={ddof})", "masked_var", "ddof")
    cost = Cost(4, "operands")
    split = Split("moments")
    laws = ("var(x + c, over: A) = var(x, over: A)", "var(x, over: A) = mean(x^2, over: A) - mean(x, over: A)^2")
    samples = Samples((*reductions().cases, *reductions(ddof=1).cases[:4]))


@op
class Std(Reduce):
    doc = "The square root of `var`."
    example = "y = std(x, over: T)"
    attributes = (OVER, MASKED, EMPTY, DDOF)
    ranges = NONNEGATIVE
    reference = Sets(lambda v, keep, ddof: spread(v, v, keep, ddof) ** 0.5)
    lower = written("torch.std({x}, {over}, correction={ddof})", "masked_std", "ddof")
    action = POSITIVE
    cost = Cost(4, "operands")
    split = Split("moments")
    laws = ("std(x + c, over: A) = std(x, over: A)", "std(x, over: A) = sqrt(var(x, over: A))")
    samples = Samples((*reductions().cases[:4], *reductions(ddof=1).cases[:4]))


@op
class Median(Reduce):
    doc = "The middle value along `over`; the mean of the middle two where their number is even."
    example = "y = median(x, over: T)"
    reference = Sets(middle)
    lower = written("median", "masked_median")
    action = POSITIVE
    laws = ("median(x + c, over: A) = median(x, over: A) + c",)
    samples = reductions(dense=False)


@op
class Norm(Reduce):
    doc = "The Euclidean length along `over`; its gradient at 0 is 0."
    example = "y = norm(x, over: K)"
    attributes = (OVER, MASKED)
    ranges = NONNEGATIVE
    reference = Sets(length)
    lower = masked_text(
        "torch.linalg.vector_norm({x}, dim={over})",
        "torch.linalg.vector_norm(torch.where({where}, {x}, 0), dim={over})",
    )
    action = POSITIVE
    cost = Cost(2, "operands")
    split = Split("moments")
    laws = ("norm(x, over: A) = sqrt(sum(x^2, over: A))",)
    samples = reductions(empty=False)


class Best(Reduce):
    """A position along one axis."""

    result = Reduced(position)
    grad = ZERO
    action = Action(KEEPS, KEEPS, "invariant")
    samples = Samples(
        (
            case(floats(A, B), over=(B,)),
            case(whole(A, B), over=(A,)),
            case(floats(A, B), bools(A, B), over=(B,), masked=True),
            case(floats(B), bools(A, B), over=(B,), masked=True),
            case(whole(A, B), bools(A, B, values="gaps"), over=(B,), masked=True, empty=2),
        ),
        False,
    )


@op
class Argmax(Best):
    doc = "Where the largest is along the one axis in `over`; the first of equals."
    example = "i = argmax(x, over: K)"
    reference = Sets(largest)
    lower = written("argmax", "masked_argmax")
    laws = ("argmax(x + c, over: A) = argmax(x, over: A)",)


@op
class Argmin(Best):
    doc = "Where the smallest is along the one axis in `over`; the first of equals."
    example = "i = argmin(x, over: K)"
    reference = Sets(smallest)
    lower = written("argmin", "masked_argmin")
    laws = ("argmin(x, over: A) = argmax(-x, over: A)",)
