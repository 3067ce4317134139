"""Structural classes: what most ops of one shape have in common (LANGUAGE.md 10.2)."""

from __future__ import annotations

from repc.dims import Dim
from repc.ops.declare import Attr, Op, Operand, TypeCall
from repc.ops.fields import (
    AUTOGRAD,
    BREAKS,
    DROPS,
    KEEPS,
    Action,
    Cost,
    Depends,
    Ragged,
    Reach,
    Samples,
    Split,
)
from repc.ops.rules import Elementwise, Mixed, Reduced, arithmetic, floating
from repc.ops.samples import A, B, bools, case, floats, unary
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.ops.declare import TypeRule

OVER = Attr("over", "axes", "The axes it works along.")
MASKED = Attr("masked", "flag", "Whether the last operand is a condition.", False, False)
EMPTY = Attr("empty", "number", "The value on an empty set, or `skip`.", False, None)

NOTHING = Dim.of(0)
HERE = Dim.of(1)


def own(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Each position sees its own."""
    return (Reach(axis.label, HERE, NOTHING, NOTHING),)


def summed(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Every result sees all positions along `over`."""
    return (Reach(None),) if axis.label in call.attr("over") else own(call, at, axis)


def mixed(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Along `over` every position sees all."""
    return (Reach(axis.label),) if axis.label in call.attr("over") else own(call, at, axis)


def before(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Along `over` every position sees those up to its own."""
    if axis.label in call.attr("over"):
        return (Reach(axis.label, HERE, None, NOTHING),)
    return own(call, at, axis)


def reductions(
    values: str = "normal", gradients: bool = True, dense: bool = True, empty: bool = True, **attrs: object
) -> Samples:
    """One axis, several axes, under a condition of the same axes and of others; `empty`: also over an empty set."""
    x = floats(A, B, values=values)
    gap = case(x, bools(A, B, values="gaps"), over=(B,), masked=True, empty=0.5, **attrs)
    return Samples(
        (
            *((gap,) if empty else ()),
            case(x, over=(B,), **attrs),
            case(x, over=(A,), **attrs),
            case(x, over=(A, B), **attrs),
            case(x, bools(A, B), over=(B,), masked=True, **attrs),
            case(x, bools(B), over=(B,), masked=True, **attrs),
            case(floats(B, values=values), bools(A, B), over=(B,), masked=True, **attrs),
        ),
        gradients,
        dense,
    )


def maps(values: str = "normal", gradients: bool = True, dense: bool = True, several: bool = True) -> Samples:
    """As `reductions`, for ops that keep the axis; `several`: also along two axes at once."""
    x = floats(A, B, values=values)
    cases = [
        case(x, over=(B,)),
        case(x, over=(A,)),
        case(x, bools(A, B), over=(B,), masked=True),
        case(floats(B, values=values), bools(A, B), over=(B,), masked=True),
    ]
    if several:
        cases.append(case(x, over=(A, B)))
    return Samples(tuple(cases), gradients, dense)


class Pointwise(Op):
    """Each entry from the entries at the same place."""

    operands: tuple[Operand, ...] = (Operand("x"),)
    result: TypeRule = Elementwise(floating)
    grad = AUTOGRAD
    action = Action(KEEPS, KEEPS, "generic")
    depends = Depends(own)
    cost = Cost()
    ragged = Ragged("own")
    split = Split("separable")
    samples = unary()
    aligned = True


class Binary(Pointwise):
    """An element-wise op of two operands."""

    operands = (Operand("x"), Operand("y"))
    result = Elementwise(arithmetic)


class Reduce(Op):
    """One value from all entries along `over` at which the condition holds."""

    operands: tuple[Operand, ...] = (Operand("x"),)
    attributes: tuple[Attr, ...] = (OVER, MASKED, EMPTY)
    result: TypeRule = Reduced(floating)
    grad = AUTOGRAD
    action = Action(DROPS, DROPS, "generic")
    depends = Depends(summed)
    cost = Cost(1, "operands")
    ragged = Ragged("fill")
    split = Split("other")
    samples = reductions()
    aligned = True


class Mix(Op):
    """Entries along `over` depend on each other; the axes stay."""

    operands: tuple[Operand, ...] = (Operand("x"),)
    attributes: tuple[Attr, ...] = (OVER, MASKED)
    result: TypeRule = Mixed(floating)
    grad = AUTOGRAD
    action = Action(KEEPS, KEEPS, "generic")
    depends = Depends(mixed)
    cost = Cost(4)
    ragged = Ragged("fill")
    split = Split("other")
    samples = maps()
    aligned = True


class Contract(Op):
    """Sums of products over labels."""

    grad = AUTOGRAD
    action = Action(KEEPS, KEEPS, "multilinear")
    ragged = Ragged("fill")
    split = Split("moments")


class Index(Op):
    """Entries chosen, moved or renamed."""

    grad = AUTOGRAD
    action = Action(BREAKS, BREAKS, "linear")
    cost = Cost(0)
    ragged = Ragged("own")
    split = Split("other")


class Shape(Op):
    """The same entries over other axes."""

    grad = AUTOGRAD
    action = Action(BREAKS, BREAKS, "linear")
    cost = Cost(0, saved="nothing")
    ragged = Ragged("refused")
    split = Split("other")


class Source(Op):
    """Values from attributes alone."""

    operands: tuple[Operand, ...] = ()
    grad = AUTOGRAD
    action = Action(BREAKS, BREAKS, "generic")
    depends = Depends(own)
    cost = Cost(0, saved="nothing")
    ragged = Ragged("own")
    split = Split("separable")


class Opaque(Op):
    """A function of whole matrices, of which nothing is known entry by entry."""

    grad = AUTOGRAD
    action = Action(BREAKS, BREAKS, "generic")
    ragged = Ragged("refused")
    split = Split("other")
