"""Axes, kinds of values and the types made of them."""

from repc.types.axes import Axis, axis_of, fresh_copy
from repc.types.kinds import BOOL, FLOAT, INT, NUMBER, Kind, Refinement, index_of, record_of
from repc.types.values import SCALAR, Type, record, scalar

__all__ = [
    "BOOL",
    "FLOAT",
    "INT",
    "NUMBER",
    "SCALAR",
    "Axis",
    "Kind",
    "Refinement",
    "Type",
    "axis_of",
    "fresh_copy",
    "index_of",
    "record",
    "record_of",
    "scalar",
]
