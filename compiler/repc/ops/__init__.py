"""The primitives: one declaration each, with all of its rules (LANGUAGE.md 10.2)."""

from repc.ops import activation, arithmetic, compare, contract, index, linalg, mix, pointwise, reduce, shape
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
    "compare",
    "contract",
    "index",
    "infer",
    "linalg",
    "mix",
    "pointwise",
    "reduce",
    "shape",
]
