"""Element-wise functions of one operand."""

from __future__ import annotations

from repc.ops.classes import Pointwise
from repc.ops.declare import op
from repc.ops.rules import Elementwise, Made, arithmetic, floating, same_kind
from repc.types import FLOAT, INT, Refinement

INF = float("inf")
POSITIVE = Refinement("interval", 0.0, INF)
NONNEGATIVE = Refinement("interval", 0.0, INF, False)


@op
class Neg(Pointwise):
    doc = "`-x`."
    example = "y = -x"
    result = Elementwise(arithmetic)


@op
class Exp(Pointwise):
    doc = "The exponential."
    example = "y = exp(x)"
    ranges = POSITIVE


@op
class Log(Pointwise):
    doc = "The natural logarithm."
    example = "y = log(x)"


@op
class Log2(Pointwise):
    doc = "The logarithm to base 2."
    example = "y = log2(x)"


@op
class Log1p(Pointwise):
    doc = "`log(1 + x)`, exact near 0."
    example = "y = log1p(x)"


@op
class Expm1(Pointwise):
    doc = "`exp(x) - 1`, exact near 0."
    example = "y = expm1(x)"
    ranges = Refinement("interval", -1.0, INF)


@op
class Sqrt(Pointwise):
    doc = "The square root."
    example = "y = sqrt(x)"
    ranges = NONNEGATIVE


@op
class Rsqrt(Pointwise):
    doc = "`1 / sqrt(x)`."
    example = "y = rsqrt(x)"
    ranges = POSITIVE


@op
class Abs(Pointwise):
    doc = "The absolute value; its gradient at 0 is 0."
    example = "y = abs(x)"
    result = Elementwise(arithmetic)
    ranges = NONNEGATIVE


@op
class Sign(Pointwise):
    doc = "-1, 0 or 1."
    example = "y = sign(x)"
    result = Elementwise(arithmetic)
    ranges = Refinement("interval", -1.0, 1.0, False, False)


@op
class Sin(Pointwise):
    doc = "The sine, of radians."
    example = "y = sin(x)"
    ranges = Refinement("interval", -1.0, 1.0, False, False)


@op
class Cos(Pointwise):
    doc = "The cosine, of radians."
    example = "y = cos(x)"
    ranges = Refinement("interval", -1.0, 1.0, False, False)


@op
class Tan(Pointwise):
    doc = "The tangent, of radians."
    example = "y = tan(x)"


@op
class Tanh(Pointwise):
    doc = "The hyperbolic tangent."
    example = "y = tanh(x)"
    ranges = Refinement("interval", -1.0, 1.0)


@op
class Sigmoid(Pointwise):
    doc = "`1 / (1 + exp(-x))`."
    example = "y = sigmoid(x)"
    ranges = Refinement("interval", 0.0, 1.0)


@op
class Relu(Pointwise):
    doc = "`x` where it is positive, else 0."
    example = "y = relu(x)"
    result = Elementwise(arithmetic)
    ranges = NONNEGATIVE


@op
class Gelu(Pointwise):
    doc = "`x` times the normal distribution function at `x` (the exact form, not the one by tanh)."
    example = "y = gelu(x)"


@op
class Silu(Pointwise):
    doc = "`x * sigmoid(x)`."
    example = "y = silu(x)"


@op
class Elu(Pointwise):
    doc = "`x` where it is positive, else `exp(x) - 1`."
    example = "y = elu(x)"
    ranges = Refinement("interval", -1.0, INF)


@op
class Softplus(Pointwise):
    doc = "`log(1 + exp(x))`."
    example = "y = softplus(x)"
    ranges = POSITIVE


@op
class Erf(Pointwise):
    doc = "The error function."
    example = "y = erf(x)"
    ranges = Refinement("interval", -1.0, 1.0)


@op
class Floor(Pointwise):
    doc = "The largest whole number that is not above `x`."
    example = "y = floor(x)"


@op
class Ceil(Pointwise):
    doc = "The smallest whole number that is not below `x`."
    example = "y = ceil(x)"


@op
class Round(Pointwise):
    doc = "The nearest whole number, halves to the even one."
    example = "y = round(x)"


@op
class Square(Pointwise):
    doc = "`x * x`."
    example = "y = square(x)"
    result = Elementwise(arithmetic)
    ranges = NONNEGATIVE


@op
class Float(Pointwise):
    doc = "An int, bool or index as a float."
    example = "y = float(i)"
    result = Elementwise(Made(FLOAT, ("int", "bool", "index", "code", "float", "number")))


@op
class Int(Pointwise):
    doc = "A float (its fraction dropped), bool or index as an int."
    example = "y = int(x)"
    result = Elementwise(Made(INT, ("int", "bool", "index", "code", "float", "number")))


@op
class F64(Pointwise):
    doc = "`x` in double precision, whatever the run's precision is."
    example = "y = f64(x)"
    result = Elementwise(floating, keep=True)


@op
class Sg(Pointwise):
    doc = "`x`, through which no gradient flows."
    example = "y = sg(x)"
    result = Elementwise(same_kind, keep=True)
