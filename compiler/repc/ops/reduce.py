"""Reductions: one value from a set of entries."""

from __future__ import annotations

from repc.ops.classes import EMPTY, MASKED, OVER, Reduce
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import NONNEGATIVE
from repc.ops.rules import Reduced, arithmetic, logical, position
from repc.types import INT, Kind, Refinement

DDOF = Attr("ddof", "number", "What is taken off the number of entries in the divisor.", False, 0)


def counted(call: TypeCall) -> Kind:
    """An int, from bools."""
    logical(call)
    return INT


def ordered(call: TypeCall) -> Kind:
    """The kind of the operand, if it has an order: an index stays an index."""
    kind = arithmetic(call)
    return call.operands[0].kind if kind.name == "int" else kind


@op
class Sum(Reduce):
    doc = "The sum along `over`; 0 on an empty set."
    example = "y = sum(x, over: T)"
    result = Reduced(arithmetic)


@op
class Prod(Reduce):
    doc = "The product along `over`; 1 on an empty set."
    example = "y = prod(x, over: T)"
    result = Reduced(arithmetic)


@op
class Mean(Reduce):
    doc = "The arithmetic mean along `over`."
    example = "y = mean(x, over: T)"


@op
class Max(Reduce):
    doc = "The largest along `over`; the gradient goes to the first of equals."
    example = "y = max(x, over: T)"
    result = Reduced(ordered)


@op
class Min(Reduce):
    doc = "The smallest along `over`; the gradient goes to the first of equals."
    example = "y = min(x, over: T)"
    result = Reduced(ordered)


@op
class Any(Reduce):
    doc = "Whether it holds anywhere along `over`."
    example = "y = any(a, over: T)"
    result = Reduced(logical)


@op
class All(Reduce):
    doc = "Whether it holds everywhere along `over`."
    example = "y = all(a, over: T)"
    result = Reduced(logical)


@op
class Count(Reduce):
    doc = "At how many places along `over` it holds."
    example = "y = count(a, over: T)"
    result = Reduced(counted)


@op
class Logsumexp(Reduce):
    doc = "`log(sum(exp(x)))` along `over`, without overflow."
    example = "y = logsumexp(x, over: T)"


@op
class Var(Reduce):
    doc = "The mean squared distance from the mean along `over`, divided by `n - ddof`."
    example = "y = var(x, over: T, ddof: 1)"
    attributes = (OVER, MASKED, EMPTY, DDOF)
    ranges = NONNEGATIVE


@op
class Std(Reduce):
    doc = "The square root of `var`."
    example = "y = std(x, over: T)"
    attributes = (OVER, MASKED, EMPTY, DDOF)
    ranges = NONNEGATIVE


@op
class Median(Reduce):
    doc = "The middle value along `over`; the mean of the middle two where their number is even."
    example = "y = median(x, over: T)"


@op
class Norm(Reduce):
    doc = "The Euclidean length along `over`; its gradient at 0 is 0."
    example = "y = norm(x, over: K)"
    ranges = NONNEGATIVE


@op
class Argmax(Reduce):
    doc = "Where the largest is along the one axis in `over`; the first of equals."
    example = "i = argmax(x, over: K)"
    result = Reduced(position)


@op
class Argmin(Reduce):
    doc = "Where the smallest is along the one axis in `over`; the first of equals."
    example = "i = argmin(x, over: K)"
    result = Reduced(position)


@op
class Cov(Reduce):
    doc = "The mean product of the distances from the means along `over`, divided by `n - ddof`."
    example = "c = cov[b](x[b, d], x[b, e])"
    operands = (Operand("x"), Operand("y"))
    attributes = (OVER, MASKED, EMPTY, DDOF)


@op
class Corr(Reduce):
    doc = "The correlation along `over`: the covariance over the product of the standard deviations."
    example = "c = corr[b](x[b, d], x[b, e])"
    operands = (Operand("x"), Operand("y"))
    attributes = (OVER, MASKED, EMPTY, DDOF)
    ranges = Refinement("interval", -1.0, 1.0, False, False)
