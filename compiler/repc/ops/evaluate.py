"""Evaluating an op by its reference: attributes become numbers, the result takes its written order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword

from repc.dims import Dim
from repc.ops.arithmetic import quotient
from repc.ops.declare import Op
from repc.ops.lazy import torch
from repc.ops.ref import Extent, Named
from repc.ops.rules import Elementwise, floating
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Value: TypeAlias = "Named | dict[str, Value]"


def evaluate(
    op: Op,
    operands: Sequence[Value],
    attrs: Mapping[str, object],
    size: Callable[[Dim], int],
    result: Type,
) -> Value:
    """What the op makes of `operands`, in float64, its dims in the order of `result.axes`; records are dicts.

    `size` gives sizes as numbers. A number among the operands is a `Named` without labels.
    """
    named: dict[str, object] = {}
    for attribute in op.attributes:
        if attribute.name != "masked":
            key = f"{attribute.name}_" if iskeyword(attribute.name) else attribute.name
            named[key] = evaluated(op.attr(attrs, attribute.name), size)
    values = [in_double(value) for value in operands] if takes_floats(op) else list(operands)
    if any(attribute.name == "masked" for attribute in op.attributes):
        named["where"] = values.pop() if attrs.get("masked", False) else None
    return settled(op.reference(*values, **named), result)


def takes_floats(op: Op) -> bool:
    """Whether the op is a function of floats, to which a whole number is one too."""
    return isinstance(op.result, Elementwise) and op.result.kind in (floating, quotient)


def in_double(value: Value) -> Value:
    """A whole number in float64: torch would take its logarithm, root or quotient in single precision."""
    if isinstance(value, Named) and value.data.dtype == torch.int64:
        return Named(value.data.double(), value.labels)
    return value


def evaluated(value: object, size: Callable[[Dim], int]) -> object:
    """An attribute with its sizes as ints and its new axes as `Extent`."""
    if isinstance(value, Dim):
        return size(value)
    if isinstance(value, Axis):
        return Extent(value.label, size(value.size))
    if isinstance(value, tuple):
        return tuple(evaluated(item, size) for item in value)
    return value


def settled(value: Value, type: Type) -> Value:
    """The value in the written order of its type; an array of plain numbers that is a float becomes one."""
    if isinstance(value, dict):
        return {name: settled(inner, type.field(name) or type) for name, inner in value.items()}
    if type.kind.name == "record":
        return value
    data = value.ordered(type.labels)
    if type.kind.name == "float" and not data.is_floating_point():
        data = data.to(torch.float64)
    return Named(data, type.labels)
