"""Comparisons, logic and choice."""

from __future__ import annotations

from repc.ops.classes import Binary, Pointwise
from repc.ops.declare import Operand, TypeCall, op
from repc.ops.rules import Elementwise, Made, alternatives, compared, equated, logical, need_kind
from repc.types import BOOL, Kind


def chosen(call: TypeCall) -> Kind:
    """The kind of the branches, under a bool."""
    need_kind(call, 0, "bool")
    return alternatives(call)


@op
class Eq(Binary):
    doc = "Whether `x` equals `y`."
    example = "z = x == y"
    result = Elementwise(equated)


@op
class Ne(Binary):
    doc = "Whether `x` differs from `y`."
    example = "z = x != y"
    result = Elementwise(equated)


@op
class Lt(Binary):
    doc = "Whether `x` is less than `y`."
    example = "z = x < y"
    result = Elementwise(compared)


@op
class Le(Binary):
    doc = "Whether `x` is at most `y`."
    example = "z = x <= y"
    result = Elementwise(compared)


@op
class Gt(Binary):
    doc = "Whether `x` is greater than `y`."
    example = "z = x > y"
    result = Elementwise(compared)


@op
class Ge(Binary):
    doc = "Whether `x` is at least `y`."
    example = "z = x >= y"
    result = Elementwise(compared)


@op
class And(Binary):
    doc = "Whether both hold."
    example = "z = a and b"
    result = Elementwise(logical)


@op
class Or(Binary):
    doc = "Whether either holds."
    example = "z = a or b"
    result = Elementwise(logical)


@op
class Xor(Binary):
    doc = "Whether exactly one holds."
    example = "z = a != b"
    result = Elementwise(logical)


@op
class Not(Pointwise):
    doc = "Whether it does not hold."
    example = "z = not a"
    result = Elementwise(logical)


@op
class Isfinite(Pointwise):
    doc = "Whether `x` is neither infinite nor NaN."
    example = "z = isfinite(x)"
    result = Elementwise(Made(BOOL, ("float", "number")))


@op
class Where(Pointwise):
    doc = "`a` where the condition holds, else `b`. What is not chosen reaches neither value nor gradient."
    example = "z = x if x > y else y"
    operands = (Operand("condition"), Operand("a"), Operand("b"))
    result = Elementwise(chosen)
