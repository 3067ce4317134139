"""Sizes of axes and what is known about them."""

from repc.dims.faults import DimFault, DivisionByZero, NotWhole, Unbound
from repc.dims.polynomial import Dim, FloorDiv, Inverse, Mod, Sized, Symbol

__all__ = [
    "Dim",
    "DimFault",
    "DivisionByZero",
    "FloorDiv",
    "Inverse",
    "Mod",
    "NotWhole",
    "Sized",
    "Symbol",
    "Unbound",
]
