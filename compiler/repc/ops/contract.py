"""Contractions: sums of products over labels."""

from __future__ import annotations

from repc.ops.classes import Contract
from repc.ops.declare import Attr, Operand, op
from repc.ops.rules import contracted


@op
class ContractLabels(Contract):
    name = "contract"
    doc = "The product of the operands, summed over every label that is not in `out`."
    example = "s[m, n] = sum[d] u[m, d] * v[n, d]"
    operands = (Operand("x", variadic=True),)
    attributes = (Attr("out", "axes", "Labels of the result, in its order."),)
    result = staticmethod(contracted)
