"""Element-wise functions of several operands."""

from __future__ import annotations

from repc.ops.classes import Binary, Pointwise
from repc.ops.declare import Operand, op
from repc.ops.rules import Elementwise, arithmetic, floating


@op
class Add(Binary):
    doc = "The sum."
    example = "z = x + y"


@op
class Sub(Binary):
    doc = "The difference."
    example = "z = x - y"


@op
class Mul(Binary):
    doc = "The product."
    example = "z = x * y"


@op
class Div(Binary):
    doc = "The quotient of floats."
    example = "z = x / y"
    result = Elementwise(floating)


@op
class Pow(Binary):
    doc = "`x` to the power `y`."
    example = "z = x^y"


@op
class Floordiv(Binary):
    doc = "The floor of the quotient."
    example = "z = i // 2"


@op
class Mod(Binary):
    doc = "The remainder, of the sign of the divisor: never negative for a positive one."
    example = "z = i % 2"


@op
class Minimum(Binary):
    doc = "The smaller of two."
    example = "z = minimum(x, y)"


@op
class Maximum(Binary):
    doc = "The larger of two."
    example = "z = maximum(x, y)"


@op
class Atan2(Binary):
    doc = "The angle of the point `(y, x)`, in `(-pi, pi]`: the first operand is the height."
    example = "z = atan2(y, x)"
    result = Elementwise(floating)


@op
class Logaddexp(Binary):
    doc = "`log(exp(x) + exp(y))`, without overflow."
    example = "z = logaddexp(x, y)"
    result = Elementwise(floating)


@op
class Clip(Pointwise):
    doc = "`x`, brought between `low` and `high`."
    example = "y = clip(x, -1, 1)"
    operands = (Operand("x"), Operand("low"), Operand("high"))
    result = Elementwise(arithmetic)


@op
class Lerp(Pointwise):
    doc = "`a + t * (b - a)`."
    example = "c = lerp(a, b, 0.1)"
    operands = (Operand("a"), Operand("b"), Operand("t"))


@op
class StraightThrough(Pointwise):
    doc = "The value of `hard` with the gradient of `soft`."
    example = "y = straight_through(hard, soft)"
    operands = (Operand("hard"), Operand("soft"))
