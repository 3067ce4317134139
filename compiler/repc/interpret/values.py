"""Values of nodes: named tensors, records of values, states of memories, texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, Union

from repc.dims import Dim, Symbol
from repc.interpret.memory import History
from repc.interpret.named import Named, extents, relabelled
from repc.types import Axis, Type

Value: TypeAlias = Union[Named, "dict[str, Value]", History, str]


def mapped(value: Value, change: Callable[[Named], Named]) -> Value:
    """The value with every tensor inside changed."""
    if isinstance(value, Named):
        return change(value)
    if isinstance(value, dict):
        return {name: mapped(inner, change) for name, inner in value.items()}
    if isinstance(value, History):
        return History({name: change(inner) for name, inner in value.inputs.items()})
    return value


def renamed(value: Value, new: Mapping[Symbol, Symbol]) -> Value:
    """The value with its axes under other labels."""
    return mapped(value, lambda tensor: relabelled(tensor, new))


def tensors(value: Value) -> tuple[Named, ...]:
    """All tensors inside."""
    if isinstance(value, Named):
        return (value,)
    if isinstance(value, dict):
        return tuple(tensor for inner in value.values() for tensor in tensors(inner))
    if isinstance(value, History):
        return tuple(value.inputs.values())
    return ()


def labels_of(type: Type) -> frozenset[Symbol]:
    """Labels of all axes of a type, those of its fields among them."""
    inner = (label for _, field in type.fields for label in labels_of(field))
    return frozenset((*type.labels, *inner))


def extra_axes(value: Value, type: Type) -> dict[Symbol, int]:
    """The axes of a value that its type does not have: the lifted ones, in order of appearance."""
    own = labels_of(type)
    return {label: size for tensor in tensors(value) for label, size in extents(tensor).items() if label not in own}


def lifted_type(type: Type, lifted: Mapping[Symbol, int]) -> Type:
    """The type with the lifted axes in front, in its fields too."""
    if type.kind.name == "record":
        fields = tuple((name, lifted_type(inner, lifted)) for name, inner in type.fields)
        return Type(type.axes, type.kind, type.refine, fields, type.action)
    axes = tuple(Axis(label, Dim.of(size), "plain", label) for label, size in lifted.items())
    return Type((*axes, *type.axes), type.kind, type.refine, type.fields, type.action)
