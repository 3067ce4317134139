"""Element-wise functions of one operand."""

from __future__ import annotations

from repc.ops.classes import Pointwise
from repc.ops.declare import op
from repc.ops.fields import INF, KEEPS, NONNEGATIVE, POSITIVE, ZERO, Action, Domain, Entries
from repc.ops.lazy import torch
from repc.ops.lowering import Torch
from repc.ops.rules import Elementwise, arithmetic
from repc.ops.samples import unary
from repc.types import Refinement

ABOVE_MINUS_ONE = Refinement("interval", -1.0, INF)


@op
class Neg(Pointwise):
    doc = "`-x`."
    example = "y = -x"
    result = Elementwise(arithmetic)
    reference = Entries(lambda v: -v)
    lower = Torch("-{x}")
    action = Action(KEEPS, KEEPS, "linear")
    laws = ("-(-x) = x",)


@op
class Exp(Pointwise):
    doc = "The exponential."
    example = "y = exp(x)"
    ranges = POSITIVE
    reference = Entries(lambda v: torch.exp(v))
    lower = Torch("torch.exp({x})", "math.exp({x})")
    laws = ("exp(x + y) = exp(x) * exp(y)", "log(exp(x)) = x")


@op
class Log(Pointwise):
    doc = "The natural logarithm."
    example = "y = log(x)"
    reference = Entries(lambda v: torch.log(v))
    lower = Torch("torch.log({x})", "math.log({x})")
    partial = (Domain(0, POSITIVE, POSITIVE, 1.0),)
    laws = ("log(p * q) = log(p) + log(q)",)
    samples = unary("positive")


@op
class Log2(Pointwise):
    doc = "The logarithm to base 2."
    example = "y = log2(x)"
    reference = Entries(lambda v: torch.log(v) / torch.log(torch.tensor(2.0, dtype=v.dtype)))
    lower = Torch("torch.log2({x})", "math.log2({x})")
    partial = (Domain(0, POSITIVE, POSITIVE, 1.0),)
    laws = ("log2(p) * log(2) = log(p)",)
    samples = unary("positive")


@op
class Log1p(Pointwise):
    doc = "`log(1 + x)`, exact near 0."
    example = "y = log1p(x)"
    reference = Entries(lambda v: torch.log(1 + v))
    lower = Torch("torch.log1p({x})", "math.log1p({x})")
    partial = (Domain(0, ABOVE_MINUS_ONE, ABOVE_MINUS_ONE, 0.0),)
    laws = ("log1p(p) = log(1 + p)",)
    samples = unary("positive")


@op
class Expm1(Pointwise):
    doc = "`exp(x) - 1`, exact near 0."
    example = "y = expm1(x)"
    ranges = ABOVE_MINUS_ONE
    reference = Entries(lambda v: torch.exp(v) - 1)
    lower = Torch("torch.expm1({x})", "math.expm1({x})")
    laws = ("expm1(x) = exp(x) - 1",)


@op
class Sqrt(Pointwise):
    doc = "The square root; its gradient at 0 is infinite."
    example = "y = sqrt(x)"
    ranges = NONNEGATIVE
    reference = Entries(lambda v: v**0.5)
    lower = Torch("torch.sqrt({x})", "math.sqrt({x})")
    partial = (Domain(0, NONNEGATIVE, POSITIVE, 1.0),)
    laws = ("sqrt(p)^2 = p",)
    samples = unary("positive")


@op
class Rsqrt(Pointwise):
    doc = "`1 / sqrt(x)`."
    example = "y = rsqrt(x)"
    ranges = POSITIVE
    reference = Entries(lambda v: 1 / v**0.5)
    lower = Torch("torch.rsqrt({x})", "1 / math.sqrt({x})")
    partial = (Domain(0, POSITIVE, POSITIVE, 1.0),)
    laws = ("rsqrt(p) = 1 / sqrt(p)",)
    samples = unary("positive")


@op
class Abs(Pointwise):
    doc = "The absolute value; its gradient at 0 is 0."
    example = "y = abs(x)"
    result = Elementwise(arithmetic)
    ranges = NONNEGATIVE
    reference = Entries(lambda v: torch.where(v > 0, v, torch.where(v < 0, -v, 0 * v)))
    lower = Torch("torch.abs({x})", "abs({x})")
    action = Action(KEEPS, KEEPS, "even")
    laws = ("abs(-x) = abs(x)",)
    samples = unary("away")


@op
class Sign(Pointwise):
    doc = "-1, 0 or 1."
    example = "y = sign(x)"
    result = Elementwise(arithmetic)
    ranges = Refinement("interval", -1.0, 1.0, False, False)
    reference = Entries(lambda v: torch.where(v > 0, 1, torch.where(v < 0, -1, 0)).to(v.dtype))
    lower = Torch("torch.sign({x})", "math.copysign({x} != 0, {x})")
    grad = ZERO
    action = Action(KEEPS, KEEPS, "invariant")
    laws = ("sign(-x) = -sign(x)",)
    samples = unary(gradients=False)


@op
class Sin(Pointwise):
    doc = "The sine, of radians."
    example = "y = sin(x)"
    ranges = Refinement("interval", -1.0, 1.0, False, False)
    reference = Entries(lambda v: torch.sin(v))
    lower = Torch("torch.sin({x})", "math.sin({x})")
    action = Action(KEEPS, KEEPS, "odd")
    laws = ("sin(x)^2 + cos(x)^2 = 1",)


@op
class Cos(Pointwise):
    doc = "The cosine, of radians."
    example = "y = cos(x)"
    ranges = Refinement("interval", -1.0, 1.0, False, False)
    reference = Entries(lambda v: torch.cos(v))
    lower = Torch("torch.cos({x})", "math.cos({x})")
    action = Action(KEEPS, KEEPS, "even")
    laws = ("cos(-x) = cos(x)",)


@op
class Tan(Pointwise):
    doc = "The tangent, of radians."
    example = "y = tan(x)"
    reference = Entries(lambda v: torch.sin(v) / torch.cos(v))
    lower = Torch("torch.tan({x})", "math.tan({x})")
    action = Action(KEEPS, KEEPS, "odd")
    laws = ("tan(x) = sin(x) / cos(x)",)


@op
class Tanh(Pointwise):
    doc = "The hyperbolic tangent."
    example = "y = tanh(x)"
    ranges = Refinement("interval", -1.0, 1.0)
    reference = Entries(lambda v: (torch.exp(v) - torch.exp(-v)) / (torch.exp(v) + torch.exp(-v)))
    lower = Torch("torch.tanh({x})", "math.tanh({x})")
    action = Action(KEEPS, KEEPS, "odd")
    laws = ("tanh(x) = 2 * sigmoid(2 * x) - 1",)
