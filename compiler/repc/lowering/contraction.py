"""Sums of products: a linear map or a matrix product where the axes already lie so, else einsum over labels."""

from __future__ import annotations

import ast
import string
from collections.abc import Callable, Iterable, Sequence

from repc.dims import Dim, Symbol
from repc.lowering.expression import Code, call, expr, literal
from repc.lowering.values import NONE, Value

Labels = tuple[Symbol, ...]
Sizes = Callable[[Dim], Code]


def contraction(operands: Sequence[Value], out: Labels, sizes: Sizes) -> Code:
    """The product of the operands, summed over all labels that are not in `out`."""
    tensors = [value for value in operands if not value.plain]
    made: Code | None = None
    if len(tensors) == 2:
        a, b = tensors
        made = _linear(a, b, out, sizes) or _linear(b, a, out, sizes) or _matrix(a, b, out)
    if made is None:
        made = _einsum(tensors, out)
    for value in operands:
        if value.plain:
            made = expr("{x} * {y}", x=made, y=value.code)
    return made


def _linear(x: Value, weight: Value, out: Labels, sizes: Sizes) -> Code | None:
    """`F.linear`: `weight` has no leading dims, its own axes first, the summed ones last, as those of `x` are."""
    if weight.lead != NONE or (x.lead == NONE and len(x.labels) < 2):
        return None
    summed = tuple(label for label in weight.labels if label in x.labels and label not in out)
    new = tuple(label for label in weight.labels if label not in x.labels)
    kept = tuple(label for label in x.labels if label not in summed)
    if not summed or weight.labels != (*new, *summed) or x.labels != (*kept, *summed) or out != (*kept, *new):
        return None
    many = len(summed)
    source = x.code if many == 1 else expr("{x}.flatten({at}, -1)", x=x.code, at=-many)
    matrix = weight.code if many == 1 else expr("{x}.flatten({at}, -1)", x=weight.code, at=-many)
    if not new:
        return expr("{x} @ {w}", x=source, w=matrix)
    if len(new) == 1:
        return expr("F.linear({x}, {w})", x=source, w=matrix)
    if len(weight.labels) > len(new) + many:
        return None
    matrix = expr("{w}.flatten(0, {last})", w=matrix, last=len(new) - 1)
    shape = [sizes(axis.size) for axis in weight.type.axes[: len(new)]]
    return expr("F.linear({x}, {w}).unflatten(-1, {shape})", x=source, w=matrix, shape=shape)


def with_bias(product: Value, bias: Value) -> Code | None:
    """`F.linear(x, weight, bias)` for the sum of a linear map and a parameter over the axis that it makes."""
    if bias.lead != NONE or bias.plain or not bias.labels or bias.labels != product.labels[-len(bias.labels) :]:
        return None
    match product.code:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="F"), attr="linear"), args=[x, weight]):
            return call("F.linear", x, weight, bias.code) if len(bias.labels) == 1 else None
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id="F"), attr="linear"), args=[x, weight]),
                attr="unflatten",
            ),
            args=[last, ast.Tuple(elts=parts)],
        ) if len(parts) == len(bias.labels):
            made = call("F.linear", x, weight, expr("{b}.flatten()", b=bias.code))
            return expr("{x}.unflatten({last}, {parts})", x=made, last=last, parts=parts)
        case _:
            return None


def _matrix(left: Value, right: Value, out: Labels) -> Code | None:
    """`a @ b`, either of them transposed: one axis each of its own, one summed, any in common in front."""
    if len(left.labels) < 2 or len(left.labels) != len(right.labels) or len(out) != len(left.labels):
        return None
    common = left.labels[:-2]
    if right.labels[:-2] != common or out[:-2] != common:
        return None
    row, column = out[-2:]
    pairs = set(left.labels[-2:]), set(right.labels[-2:])
    if row not in pairs[0] or column not in pairs[1] or row in pairs[1] or column in pairs[0]:
        return None
    first = left.code if left.labels[-2] == row else expr("{x}.transpose(-2, -1)", x=left.code)
    second = right.code if right.labels[-1] == column else expr("{x}.transpose(-2, -1)", x=right.code)
    return expr("{a} @ {b}", a=first, b=second)


def letters(labels: Iterable[Symbol]) -> dict[Symbol, str]:
    """A letter for every label, the label's own where it is free."""
    found: dict[Symbol, str] = {}
    for label in labels:
        if label in found:
            continue
        own = [c for c in label.name.lower() if c in string.ascii_lowercase] + [label.name[0].upper()]
        free = (c for c in [*own, *string.ascii_lowercase, *string.ascii_uppercase] if c not in found.values())
        found[label] = next(c for c in free if c in string.ascii_letters)
    return found


def _einsum(operands: Sequence[Value], out: Labels) -> Code:
    letter = letters(label for value in operands for label in value.labels)

    def part(labels: Labels, led: bool) -> str:
        return ("..." if led else "") + "".join(letter[label] for label in labels)

    sources = ",".join(part(value.labels, value.lead != NONE) for value in operands)
    target = part(out, any(value.lead != NONE for value in operands))
    return call("torch.einsum", literal(f"{sources}->{target}"), *(value.code for value in operands))
