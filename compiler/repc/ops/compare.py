"""Comparisons, logic and choice."""

from __future__ import annotations

from repc.ops.classes import Binary, Pointwise
from repc.ops.declare import Operand, TypeCall, op
from repc.ops.fields import INF, KEEPS, ZERO, Action, Entries, Samples
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Torch, Written, fill
from repc.ops.rules import Elementwise, Made, alternatives, compared, equated, logical, need_kind
from repc.ops.samples import A, B, bools, case, floats, number, unary, whole
from repc.types import BOOL, Kind


def chosen(call: TypeCall) -> Kind:
    """The kind of the branches, under a bool."""
    need_kind(call, 0, "bool")
    return alternatives(call)


def choice(call: LowerCall) -> str:
    """`torch.where`; two numbers must not fall back to the default precision, and a known condition is a tensor too."""
    if call.is_number(0) and not (call.is_number(1) and call.is_number(2)):
        return fill(call, "torch.where({condition}, {a}, {b})", condition=call.tensor(0, "torch.bool"))
    if call.is_number(1) and call.is_number(2) and call.result.axes:
        return fill(call, "torch.where({condition}, {a}, {b})", a=call.tensor(1), b=call.tensor(2))
    return fill(call, "torch.where({condition}, {a}, {b})")


@op
class Eq(Binary):
    doc = "Whether `x` equals `y`."
    example = "z = x == y"
    result = Elementwise(equated)
    reference = Entries(lambda v, w: v == w)
    lower = Torch("{x} == {y}")
    grad = ZERO
    laws = ("x == x = true",)
    samples = Samples((case(whole(A, B), whole(A, B)), case(floats(A, B), floats(B)), case(whole(A), number(1))), False)


@op
class Ne(Binary):
    doc = "Whether `x` differs from `y`."
    example = "z = x != y"
    result = Elementwise(equated)
    reference = Entries(lambda v, w: v != w)
    lower = Torch("{x} != {y}")
    grad = ZERO
    laws = ("x != y = not (x == y)",)
    samples = Samples((case(whole(A, B), whole(A, B)), case(floats(A, B), floats(B)), case(whole(A), number(1))), False)


@op
class Lt(Binary):
    doc = "Whether `x` is less than `y`."
    example = "z = x < y"
    result = Elementwise(compared)
    reference = Entries(lambda v, w: v < w)
    lower = Torch("{x} < {y}")
    grad = ZERO
    laws = ("x < y = y > x",)
    samples = Samples((case(whole(A, B), whole(A, B)), case(floats(A, B), floats(B)), case(whole(A), number(1))), False)


@op
class Le(Binary):
    doc = "Whether `x` is at most `y`."
    example = "z = x <= y"
    result = Elementwise(compared)
    reference = Entries(lambda v, w: v <= w)
    lower = Torch("{x} <= {y}")
    grad = ZERO
    laws = ("x <= y = not (x > y)",)
    samples = Samples((case(whole(A, B), whole(A, B)), case(floats(A, B), floats(B)), case(whole(A), number(1))), False)


@op
class Gt(Binary):
    doc = "Whether `x` is greater than `y`."
    example = "z = x > y"
    result = Elementwise(compared)
    reference = Entries(lambda v, w: v > w)
    lower = Torch("{x} > {y}")
    grad = ZERO
    laws = ("x > y = not (x <= y)",)
    samples = Samples((case(whole(A, B), whole(A, B)), case(floats(A, B), floats(B)), case(whole(A), number(1))), False)


@op
class Ge(Binary):
    doc = "Whether `x` is at least `y`."
    example = "z = x >= y"
    result = Elementwise(compared)
    reference = Entries(lambda v, w: v >= w)
    lower = Torch("{x} >= {y}")
    grad = ZERO
    laws = ("x >= y = x > y or x == y",)
    samples = Samples((case(whole(A, B), whole(A, B)), case(floats(A, B), floats(B)), case(whole(A), number(1))), False)


@op
class And(Binary):
    doc = "Whether both hold."
    example = "z = a and b"
    result = Elementwise(logical)
    reference = Entries(lambda v, w: v & w)
    lower = Torch("{x} & {y}")
    grad = ZERO
    laws = ("a and b = not (not a or not b)",)
    samples = Samples((case(bools(A, B), bools(A, B)), case(bools(A, B), bools(B))), False)


@op
class Or(Binary):
    doc = "Whether either holds."
    example = "z = a or b"
    result = Elementwise(logical)
    reference = Entries(lambda v, w: v | w)
    lower = Torch("{x} | {y}")
    grad = ZERO
    laws = ("a or b = b or a",)
    samples = Samples((case(bools(A, B), bools(A, B)), case(bools(A, B), bools(B))), False)


@op
class Xor(Binary):
    doc = "Whether exactly one holds."
    example = "z = a != b"
    result = Elementwise(logical)
    reference = Entries(lambda v, w: v ^ w)
    lower = Torch("{x} ^ {y}")
    grad = ZERO
    laws = ("xor(a, b) = a != b",)
    samples = Samples((case(bools(A, B), bools(A, B)), case(bools(A, B), bools(B))), False)


@op
class Not(Pointwise):
    doc = "Whether it does not hold."
    example = "z = not a"
    result = Elementwise(logical)
    reference = Entries(lambda v: ~v)
    lower = Torch("~{x}")
    grad = ZERO
    laws = ("not (not a) = a",)
    samples = Samples((case(bools(A, B)),), False)


@op
class Isfinite(Pointwise):
    doc = "Whether `x` is neither infinite nor NaN."
    example = "z = isfinite(x)"
    result = Elementwise(Made(BOOL, ("float", "number")))
    reference = Entries(lambda v: (v == v) & (v < INF) & (v > -INF))
    lower = Torch("torch.isfinite({x})", "math.isfinite({x})")
    grad = ZERO
    samples = unary(gradients=False)


@op
class Where(Pointwise):
    doc = "`a` where the condition holds, else `b`. What is not chosen reaches neither value nor gradient."
    example = "z[t, d] = where(t > 0, x[t, d], 0)"
    operands = (Operand("condition"), Operand("a"), Operand("b"))
    result = Elementwise(chosen)
    reference = Entries(lambda c, a, b: torch.where(c, a, b))
    lower = Written(choice)
    action = Action(KEEPS, KEEPS, "linear")
    laws = ("where(a, x, x) = x", "where(a, x, y) = where(not a, y, x)")
    samples = Samples(
        (
            case(bools(A, B), floats(A, B), floats(A, B)),
            case(bools(A), floats(A, B), number(0.5)),
            case(bools(A, B), number(0.1), number(2.0)),
        ),
        dense=False,
    )
