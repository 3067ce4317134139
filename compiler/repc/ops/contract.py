"""Contractions: sums of products over labels."""

from __future__ import annotations

from collections.abc import Sequence

from repc.dims import Dim, Symbol
from repc.ops import ref
from repc.ops.classes import HERE, NOTHING, Contract
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import Cost, Depends, Reach, Reference, Samples, size
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Written
from repc.ops.rules import contracted, union
from repc.ops.samples import A, B, C, E, case, floats, number
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letters(types: Sequence[Type]) -> dict[Symbol, str]:
    """A letter for each label: the first of its name that is free, so that an equation reads like the spec."""
    made: dict[Symbol, str] = {}
    for type in types:
        for label in type.labels:
            if label not in made:
                own = [c for c in label.name.lower() + ALPHABET if c in ALPHABET]
                made[label] = next(c for c in own if c not in made.values())
    return made


def equation(call: LowerCall) -> str:
    """`torch.einsum` of the tensors, times the plain numbers."""
    tensors = [at for at in range(len(call.types)) if not call.is_number(at)]
    numbers = [call.operands[at] for at in range(len(call.types)) if call.is_number(at)]
    named = letters(call.types)
    sides = ["..." + "".join(named[label] for label in call.types[at].labels) for at in tensors]
    out = "..." + "".join(named[label] for label in call.result.labels)
    operands = ", ".join(call.operands[at] for at in tensors)
    formula = f"{','.join(sides)}->{out}"
    made = f"torch.einsum({formula!r}, {operands})"
    return " * ".join([*numbers, made])


def products(*operands: ref.Named, out: tuple[Symbol, ...]) -> ref.Named:
    """The product over all labels, then the sum over those that are not in `out`."""
    labels = ref.union(*operands)
    total: Tensor = torch.ones((), dtype=torch.int64)
    for tensor in ref.aligned(labels, *operands):
        total = total * tensor
    gone = [place for place, label in enumerate(labels) if label not in out]
    kept = tuple(label for label in labels if label in out)
    return ref.Named(total.sum(gone) if gone else total, kept)


def contraction_flops(call: TypeCall, result: Type) -> Dim:
    """Two for each product of one operand with the next, left to right; a label goes when nothing later needs it."""
    tensors = [operand for operand in call.operands if operand.kind.name != "number"]
    if len(tensors) == 1:
        return size(tensors[0].axes)
    total, done = Dim.of(0), tensors[0]
    for at, operand in enumerate(tensors[1:], 1):
        both = union((done, operand), call.facts)
        total = total + 2 * size(both)
        needed = {label for later in tensors[at + 1 :] for label in later.labels} | set(result.labels)
        done = Type(tuple(axis for axis in both if axis.label in needed), operand.kind)
    return total


def seen(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """A label of the result is seen at its own position, any other whole."""
    return (Reach(axis.label, HERE, NOTHING, NOTHING) if axis.label in call.attr("out") else Reach(None),)


@op
class ContractLabels(Contract):
    name = "contract"
    doc = "The product of the operands, summed over every label that is not in `out`."
    example = "s[m, n] = sum[d] u[m, d] * v[n, d]"
    operands = (Operand("x", variadic=True),)
    attributes = (Attr("out", "axes", "Labels of the result, in its order."),)
    result = staticmethod(contracted)
    reference = Reference(products)
    lower = Written(equation)
    depends = Depends(seen)
    cost = Cost(formula=contraction_flops)
    samples = Samples(
        (
            case(floats(A, B), floats(C, B), out=(A, C)),
            case(floats(A, B), floats(C, B), out=(C, A)),
            case(floats(A, B), floats(A, B), out=(A,)),
            case(floats(A, B), floats(B, C), floats(C, E), out=(A, E)),
            case(floats(A, B), floats(C), out=(A, B, C)),
            case(floats(A, B), out=(B,)),
            case(floats(A, B), number(0.5), floats(B), out=(A,)),
            case(floats(A, B), floats(A, B), out=()),
        )
    )
