"""Element-wise functions of several operands."""

from __future__ import annotations

from repc.ops.classes import Binary, Pointwise
from repc.ops.declare import Operand, TypeCall, op
from repc.ops.fields import (
    ANY,
    KEEPS,
    NONNEGATIVE,
    POSITIVE,
    STRAIGHT_THROUGH,
    ZERO,
    Action,
    Domain,
    Entries,
    Samples,
)
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Torch, Written, fill
from repc.ops.rules import Elementwise, arithmetic, floating
from repc.ops.samples import A, B, binary, case, floats, number, whole
from repc.types import Kind, Refinement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor


def between(v: Tensor, w: Tensor) -> Tensor:
    """Half of each gradient, in the operands' own kind."""
    return ((v + w) / 2).to(torch.promote_types(v.dtype, w.dtype))


PI = 3.141592653589793


def quotient(call: TypeCall) -> Kind:
    """A float; two whole numbers are refused."""
    kinds = [operand.kind.name for operand in call.operands]
    if not any(kind == "float" for kind in kinds) and any(kind in ("int", "index", "code") for kind in kinds):
        raise call.fault("int-division", left="a", right="b")
    return floating(call)


def extremum(name: str) -> Callable[[LowerCall], str]:
    """`torch.maximum` of tensors, `clamp` by a number, Python's own of numbers."""
    bound, python = ("min", "max") if name == "maximum" else ("max", "min")

    def write(call: LowerCall) -> str:
        x, y = call.operands
        if call.is_number(0) and call.is_number(1):
            return f"{python}({x}, {y})"
        if call.is_number(0) or call.is_number(1):
            tensor, number = (y, x) if call.is_number(0) else (x, y)
            return f"{tensor}.clamp({bound}={number})"
        return f"torch.{name}({x}, {y})"

    return write


def of_tensors(text: str, number: str) -> Callable[[LowerCall], str]:
    """A function that takes tensors only: a number among them becomes one."""

    def write(call: LowerCall) -> str:
        if call.is_number(0) and call.is_number(1):
            return fill(call, number)
        return fill(call, text, x=call.tensor(0), y=call.tensor(1))

    return write


def clipped(call: LowerCall) -> str:
    """One `clamp`, or two where only one bound is a number."""
    x, low, high = call.operands
    numbers = [call.is_number(at) for at in range(3)]
    if all(numbers):
        return f"min(max({x}, {low}), {high})"
    if numbers[0]:
        x = call.tensor(0)
    if numbers[1] == numbers[2]:
        return f"torch.clamp({x}, {low}, {high})"
    return f"torch.clamp(torch.clamp({x}, min={low}), max={high})"


def interpolated(call: LowerCall) -> str:
    """`torch.lerp` of tensors."""
    if call.is_number(0) or call.is_number(1):
        return fill(call, "{t} * {b} + (1 - {t}) * {a}")
    return fill(call, "torch.lerp({a}, {b}, {t})")


def passed_through(call: LowerCall) -> str:
    """The runtime's own, so that each operand stands once."""
    function = call.runtime("functional", "straight_through")
    return f"{function}({call.operands[0]}, {call.operands[1]})"


@op
class Add(Binary):
    doc = "The sum."
    example = "z = x + y"
    reference = Entries(lambda v, w: v + w)
    lower = Torch("{x} + {y}")
    action = Action(KEEPS, KEEPS, "linear")
    laws = ("x + y = y + x", "(x + y) + z = x + (y + z)", "x + 0 = x")
    samples = binary()


@op
class Sub(Binary):
    doc = "The difference."
    example = "z = x - y"
    reference = Entries(lambda v, w: v - w)
    lower = Torch("{x} - {y}")
    action = Action(KEEPS, KEEPS, "linear")
    laws = ("x - y = x + (-y)", "x - x = 0 * x")
    samples = binary()


@op
class Mul(Binary):
    doc = "The product."
    example = "z = x * y"
    reference = Entries(lambda v, w: v * w)
    lower = Torch("{x} * {y}")
    action = Action(KEEPS, KEEPS, "multilinear")
    laws = ("x * y = y * x", "(x * y) * z = x * (y * z)", "x * (y + z) = x * y + x * z", "x * 1 = x")
    samples = binary()


@op
class Div(Binary):
    doc = "The quotient of floats."
    example = "z = x / y"
    result = Elementwise(quotient)
    reference = Entries(lambda v, w: v / w)
    lower = Torch("{x} / {y}")
    action = Action(KEEPS, KEEPS, "positive")
    partial = (Domain(1, ANY, ANY, 1.0, (0.0,)),)
    laws = ("(x * p) / p = x", "(x + y) / p = x / p + y / p")
    samples = binary("normal", "away")


@op
class Pow(Binary):
    doc = "`x` to the power `y`."
    example = "z = x^y"
    reference = Entries(lambda v, w: v**w)  # a whole power of a negative number has no logarithm to go through
    lower = Torch("{x} ** {y}")
    partial = (Domain(0, NONNEGATIVE, POSITIVE, 1.0),)
    laws = ("p^2 = p * p", "p^(x + y) = p^x * p^y", "p^0.5 = sqrt(p)")
    samples = binary("positive", "normal")


@op
class Floordiv(Binary):
    doc = "The floor of the quotient."
    example = "z = i // 2"
    reference = Entries(lambda v, w: torch.floor(v.double() / w.double()).to(torch.promote_types(v.dtype, w.dtype)))
    lower = Torch("{x} // {y}")
    grad = ZERO
    partial = (Domain(1, ANY, ANY, 1.0, (0.0,)),)
    laws = ("(i // n) * n + i % n = i",)
    samples = Samples(
        (case(whole(A, B), whole(A, B, values="counts")), case(whole(A, B), whole(B, values="counts"))), False
    )


@op
class Mod(Binary):
    doc = "The remainder, of the sign of the divisor: never negative for a positive one."
    example = "z = i % 2"
    reference = Entries(lambda v, w: v - w * torch.floor(v.double() / w.double()).to(v.dtype))
    lower = Torch("{x} % {y}")
    partial = (Domain(1, ANY, ANY, 1.0, (0.0,)),)
    laws = ("(i + n) % n = i % n",)
    samples = Samples(
        (case(whole(A, B), whole(A, B, values="counts")), case(whole(A, B), whole(B, values="counts"))), False
    )


@op
class Minimum(Binary):
    doc = "The smaller of two; where they are equal they share the gradient, unless one is a plain number."
    example = "z = minimum(x, y)"
    reference = Entries(lambda v, w: torch.where(v < w, v, torch.where(v > w, w, between(v, w))))
    lower = Written(extremum("minimum"))
    laws = ("minimum(x, y) = -maximum(-x, -y)", "minimum(x, x) = x")
    samples = binary(dense=False)


@op
class Maximum(Binary):
    doc = "The larger of two; where they are equal they share the gradient, unless one is a plain number."
    example = "z = maximum(x, y)"
    reference = Entries(lambda v, w: torch.where(v > w, v, torch.where(v < w, w, between(v, w))))
    lower = Written(extremum("maximum"))
    laws = ("maximum(x, y) + minimum(x, y) = x + y", "maximum(x, maximum(y, z)) = maximum(maximum(x, y), z)")
    samples = binary(dense=False)


@op
class Atan2(Binary):
    doc = "The angle of the point `(y, x)`, in `(-pi, pi]`: the first operand is the height."
    example = "z = atan2(y, x)"
    result = Elementwise(floating)
    ranges = Refinement("interval", -PI, PI, False, False)
    reference = Entries(lambda v, w: torch.atan2(v, w))
    lower = Written(of_tensors("torch.atan2({x}, {y})", "math.atan2({x}, {y})"))
    laws = ("atan2(p * x, p * y) = atan2(x, y)",)
    samples = binary()


@op
class Logaddexp(Binary):
    doc = "`log(exp(x) + exp(y))`, without overflow."
    example = "z = logaddexp(x, y)"
    result = Elementwise(floating)
    reference = Entries(lambda v, w: torch.log(torch.exp(v) + torch.exp(w)))
    lower = Written(of_tensors("torch.logaddexp({x}, {y})", "math.log(math.exp({x}) + math.exp({y}))"))
    laws = ("logaddexp(x, y) = log(exp(x) + exp(y))", "logaddexp(x + z, y + z) = logaddexp(x, y) + z")
    samples = binary()


@op
class Clip(Pointwise):
    doc = "`x`, brought between `low` and `high`."
    example = "y = clip(x, -1, 1)"
    operands = (Operand("x"), Operand("low"), Operand("high"))
    result = Elementwise(arithmetic)
    reference = Entries(lambda v, a, b: torch.where(v > b, b, torch.where(v < a, a, v)))
    lower = Written(clipped)
    laws = ("clip(x, -1, 1) = maximum(minimum(x, 1), -1)",)
    samples = Samples(
        (
            case(floats(A, B), number(-0.5), number(0.7)),
            case(floats(A, B), floats(B, values="below"), number(0.7)),
            case(floats(A, B), floats(B, values="below"), floats(A, B, values="above")),
        ),
        dense=False,
    )


@op
class Lerp(Pointwise):
    doc = "`a + t * (b - a)`."
    example = "c = lerp(a, b, 0.1)"
    operands = (Operand("a"), Operand("b"), Operand("t"))
    reference = Entries(lambda v, w, s: v + s * (w - v))
    lower = Written(interpolated)
    laws = ("lerp(x, y, 0) = x", "lerp(x, y, 1) = y", "lerp(x, y, 0.25) = 0.75 * x + 0.25 * y")
    samples = Samples(
        (
            case(floats(A, B), floats(A, B), number(0.3)),
            case(floats(A, B), floats(B), floats(A, values="unit")),
            case(number(2.0), floats(B), floats(A, B, values="unit")),
        )
    )


@op
class StraightThrough(Pointwise):
    doc = "The value of `hard` with the gradient of `soft`."
    example = "y = straight_through(hard, soft)"
    operands = (Operand("hard"), Operand("soft"))
    reference = Entries(lambda h, s: h.detach() + (s - s.detach()))
    lower = Written(passed_through)
    grad = STRAIGHT_THROUGH
    action = Action(KEEPS, KEEPS, "generic")
    laws = ("straight_through(x, y) = x",)
    samples = Samples((case(floats(A, B), floats(A, B)), case(floats(B), floats(A, B))), True, False)
