"""Activations, rounding and conversions: more element-wise functions of one operand."""

from __future__ import annotations

from repc.ops.classes import Pointwise
from repc.ops.declare import op
from repc.ops.fields import INF, KEEPS, NONNEGATIVE, POSITIVE, ZERO, Action, Entries, Samples
from repc.ops.lazy import torch
from repc.ops.lowering import Torch
from repc.ops.rules import Elementwise, Made, arithmetic, floating, same_kind
from repc.ops.samples import A, B, C, bools, case, floats, indices, unary, whole
from repc.types import FLOAT, INT, Refinement

ABOVE_MINUS_ONE = Refinement("interval", -1.0, INF)


@op
class Sigmoid(Pointwise):
    doc = "`1 / (1 + exp(-x))`."
    example = "y = sigmoid(x)"
    ranges = Refinement("interval", 0.0, 1.0)
    reference = Entries(lambda v: 1 / (1 + torch.exp(-v)))
    lower = Torch("torch.sigmoid({x})", "1 / (1 + math.exp(-{x}))")
    laws = ("sigmoid(x) + sigmoid(-x) = 1",)


@op
class Relu(Pointwise):
    doc = "`x` where it is positive, else 0."
    example = "y = relu(x)"
    result = Elementwise(arithmetic)
    ranges = NONNEGATIVE
    reference = Entries(lambda v: torch.where(v > 0, v, 0 * v))
    lower = Torch("F.relu({x})", "max({x}, 0)")
    action = Action(KEEPS, KEEPS, "positive")
    laws = ("relu(x) - relu(-x) = x", "relu(x) = maximum(x, 0)")
    samples = unary("away", dense=False)


@op
class Gelu(Pointwise):
    doc = "`x` times the normal distribution function at `x`: the exact form, not the one by tanh."
    example = "y = gelu(x)"
    reference = Entries(lambda v: v * (1 + torch.erf(v / 2**0.5)) / 2)
    lower = Torch("F.gelu({x})", "{x} * (1 + math.erf({x} / math.sqrt(2))) / 2")
    laws = ("gelu(x) - gelu(-x) = x",)


@op
class Silu(Pointwise):
    doc = "`x * sigmoid(x)`."
    example = "y = silu(x)"
    reference = Entries(lambda v: v / (1 + torch.exp(-v)))
    lower = Torch("F.silu({x})", "{x} / (1 + math.exp(-{x}))")
    laws = ("silu(x) = x * sigmoid(x)",)


@op
class Elu(Pointwise):
    doc = "`x` where it is positive, else `exp(x) - 1`."
    example = "y = elu(x)"
    ranges = ABOVE_MINUS_ONE
    reference = Entries(lambda v: torch.where(v > 0, v, torch.exp(v) - 1))
    lower = Torch("F.elu({x})", "{x} if {x} > 0 else math.expm1({x})")
    laws = ("elu(p) = p",)
    samples = unary("away")


@op
class Softplus(Pointwise):
    doc = "`log(1 + exp(x))`."
    example = "y = softplus(x)"
    ranges = POSITIVE
    reference = Entries(lambda v: torch.log(1 + torch.exp(v)))
    lower = Torch("F.softplus({x})", "math.log1p(math.exp({x}))")
    laws = ("softplus(x) - softplus(-x) = x", "softplus(x) = logaddexp(x, 0)")


@op
class Erf(Pointwise):
    doc = "The error function: twice the integral of `exp(-s^2)` from 0 to `x` over `sqrt(pi)`."
    example = "y = erf(x)"
    ranges = Refinement("interval", -1.0, 1.0)
    reference = Entries(lambda v: torch.erf(v))
    lower = Torch("torch.erf({x})", "math.erf({x})")
    action = Action(KEEPS, KEEPS, "odd")
    laws = ("erf(-x) = -erf(x)",)


@op
class Floor(Pointwise):
    doc = "The largest whole number that is not above `x`."
    example = "y = floor(x)"
    reference = Entries(lambda v: v - v % 1)
    lower = Torch("torch.floor({x})", "math.floor({x})")
    grad = ZERO
    action = Action(KEEPS, KEEPS, "generic")
    laws = ("floor(-x) = -ceil(x)",)
    samples = unary("halves", gradients=False)


@op
class Ceil(Pointwise):
    doc = "The smallest whole number that is not below `x`."
    example = "y = ceil(x)"
    reference = Entries(lambda v: v + (-v) % 1)
    lower = Torch("torch.ceil({x})", "math.ceil({x})")
    grad = ZERO
    action = Action(KEEPS, KEEPS, "generic")
    laws = ("ceil(-x) = -floor(x)",)
    samples = unary("halves", gradients=False)


@op
class Round(Pointwise):
    doc = "The nearest whole number, halves to the even one."
    example = "y = round(x)"
    reference = Entries(lambda v: torch.where((v - 0.5) % 2 == 0, v - 0.5, (v + 0.5) - (v + 0.5) % 1))
    lower = Torch("torch.round({x})", "round({x})")
    grad = ZERO
    action = Action(KEEPS, KEEPS, "odd")
    laws = ("round(-x) = -round(x)",)
    samples = unary("halves", gradients=False)


@op
class Square(Pointwise):
    doc = "`x * x`."
    example = "y = square(x)"
    result = Elementwise(arithmetic)
    ranges = NONNEGATIVE
    reference = Entries(lambda v: v * v)
    lower = Torch("{x}.square()", "{x} ** 2")
    action = Action(KEEPS, KEEPS, "even")
    laws = ("square(x) = x * x",)


@op
class Float(Pointwise):
    doc = "An int, bool or index as a float."
    example = "y = float(i)"
    result = Elementwise(Made(FLOAT, ("int", "bool", "index", "code", "float", "number")))
    reference = Entries(lambda v: v.to(torch.float64))
    lower = Torch("{x}.to({dtype})", "float({x})")
    grad = ZERO
    samples = Samples((case(whole(A, B)), case(bools(A, B)), case(indices(C, A))), False)


@op
class Int(Pointwise):
    doc = "A float (its fraction dropped), bool or index as an int."
    example = "y = int(x)"
    result = Elementwise(Made(INT, ("int", "bool", "index", "code", "float", "number")))
    reference = Entries(lambda v: v.to(torch.int64))
    lower = Torch("{x}.to(torch.int64)", "int({x})")
    grad = ZERO
    samples = Samples((case(floats(A, B)), case(bools(A, B)), case(indices(C, A))), False)


@op
class F64(Pointwise):
    doc = "`x` in double precision, whatever the run's precision is."
    example = "y = f64(x)"
    result = Elementwise(floating, keep=True)
    reference = Entries(lambda v: v.to(torch.float64))
    lower = Torch("{x}.double()", "{x}")
    action = Action(KEEPS, KEEPS, "linear")
    laws = ("f64(x) = x",)


@op
class Sg(Pointwise):
    doc = "`x`, through which no gradient flows."
    example = "y = sg(x)"
    result = Elementwise(same_kind, keep=True)
    reference = Entries(lambda v: v.detach())
    lower = Torch("{x}.detach()", "{x}")
    grad = ZERO
    action = Action(KEEPS, KEEPS, "linear")
    laws = ("sg(x) = x",)
    samples = unary(gradients=False)
