"""The primitives: one declaration each, with all of its rules (LANGUAGE.md 10.2)."""

from repc.ops import (
    activation,
    arithmetic,
    border,
    compare,
    contract,
    convolution,
    gather,
    index,
    linalg,
    mix,
    order,
    outside,
    pointwise,
    reduce,
    shape,
    statistics,
    tables,
)
from repc.ops.declare import REGISTRY, Attr, Op, Operand, infer
from repc.ops.faults import OpFault

__all__ = [
    "REGISTRY",
    "Attr",
    "Op",
    "OpFault",
    "Operand",
    "activation",
    "arithmetic",
    "border",
    "compare",
    "contract",
    "convolution",
    "gather",
    "index",
    "infer",
    "linalg",
    "mix",
    "order",
    "outside",
    "pointwise",
    "reduce",
    "shape",
    "statistics",
    "tables",
]
