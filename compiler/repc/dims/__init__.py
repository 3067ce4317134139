"""Sizes of axes and what is known about them."""

from repc.dims.facts import AtLeast, Divides, Equal, Fact, Facts, Values, Violation, check, solved_for
from repc.dims.faults import DimFault, DivisionByZero, NotWhole, TooLarge, Unbound
from repc.dims.polynomial import Dim, FloorDiv, Inverse, Mod, Sized, Symbol
from repc.dims.solve import (
    Conflict,
    Equation,
    Mismatch,
    Observed,
    Sizes,
    Solution,
    solve,
    solve_sizes,
)

__all__ = [
    "AtLeast",
    "Conflict",
    "Dim",
    "DimFault",
    "Divides",
    "DivisionByZero",
    "Equal",
    "Equation",
    "Fact",
    "Facts",
    "FloorDiv",
    "Inverse",
    "Mismatch",
    "Mod",
    "NotWhole",
    "Observed",
    "Sized",
    "Sizes",
    "Solution",
    "Symbol",
    "TooLarge",
    "Unbound",
    "Values",
    "Violation",
    "check",
    "solve",
    "solve_sizes",
    "solved_for",
]
