"""What evaluating or dividing a size can meet. They carry values and no prose; `repc.diagnostics` words them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fractions import Fraction

    from repc.dims.polynomial import Dim, Symbol

__all__ = ["DimFault", "DivisionByZero", "NotWhole", "TooLarge", "Unbound"]


class DimFault(Exception):
    """Any of the facts below; never shown to a user as it is."""


class Unbound(DimFault):
    """A symbol without a value was met where a number is needed."""

    def __init__(self, symbol: Symbol) -> None:
        super().__init__(symbol)
        self.symbol = symbol


class NotWhole(DimFault):
    """A size came out as a fraction: an exact division that does not divide."""

    def __init__(self, dim: Dim, value: Fraction) -> None:
        super().__init__(dim, value)
        self.dim = dim
        self.value = value


class DivisionByZero(DimFault):
    """The divisor `by` of a size is zero."""

    def __init__(self, by: Dim) -> None:
        super().__init__(by)
        self.by = by


class TooLarge(DimFault):
    """A power or product with more terms than any real size has; refused before it takes time or memory."""

    def __init__(self, dim: Dim, exponent: int) -> None:
        super().__init__(dim, exponent)
        self.dim = dim
        self.exponent = exponent
