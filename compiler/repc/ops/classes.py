"""Structural classes: what most ops of one shape have in common (LANGUAGE.md 10.2)."""

from __future__ import annotations

from repc.ops.declare import Attr, Op, Operand
from repc.ops.rules import Elementwise, Mixed, Reduced, arithmetic, floating

OVER = Attr("over", "axes", "The axes it works along.")
MASKED = Attr("masked", "flag", "Whether the last operand is a condition.", False, False)
EMPTY = Attr("empty", "number", "The value on an empty set, or `skip`.", False, None)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.ops.declare import TypeRule


class Pointwise(Op):
    """Each entry from the entries at the same place."""

    operands: tuple[Operand, ...] = (Operand("x"),)
    result: TypeRule = Elementwise(floating)


class Binary(Pointwise):
    """An element-wise op of two operands."""

    operands: tuple[Operand, ...] = (Operand("x"), Operand("y"))
    result: TypeRule = Elementwise(arithmetic)


class Reduce(Op):
    """One value from all entries along `over` at which the condition holds."""

    operands: tuple[Operand, ...] = (Operand("x"),)
    attributes: tuple[Attr, ...] = (OVER, MASKED, EMPTY)
    result: TypeRule = Reduced(floating)


class Mix(Op):
    """Entries along `over` depend on each other; the axes stay."""

    operands: tuple[Operand, ...] = (Operand("x"),)
    attributes: tuple[Attr, ...] = (OVER, MASKED)
    result: TypeRule = Mixed(floating)


class Contract(Op):
    """Sums of products over labels."""


class Index(Op):
    """Entries chosen, moved or renamed."""


class Shape(Op):
    """The same entries over other axes."""


class Source(Op):
    """Values from attributes alone."""

    operands: tuple[Operand, ...] = ()


class Opaque(Op):
    """A function of whole matrices, of which nothing is known entry by entry."""
