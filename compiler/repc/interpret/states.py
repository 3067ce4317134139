"""States of step graphs before the first position."""

from __future__ import annotations

from collections.abc import Callable

import torch

from repc.dims import Dim
from repc.interpret.faults import InterpretFault
from repc.interpret.memory import History
from repc.interpret.named import Named
from repc.interpret.values import Value
from repc.ir import Node, Word
from repc.types import Type

STATE = "state."
DTYPES = {"int": torch.int64, "index": torch.int64, "bool": torch.bool}


def is_state(port: str) -> bool:
    """Whether an input or a result is a state."""
    return port.startswith(STATE)


def keeps_labels(port: str, value: Value) -> bool:
    """Whether a value keeps the labels of the graph it belongs to when it goes in or out: a state that no caller names.

    The state of a memory, and that of the turns of a loop, has no axes in its type; one that is a tensor has.
    """
    return is_state(port) and not isinstance(value, Named)


def first_state(node: Node, size: Callable[[Dim], int]) -> Value:
    """The value of a state's input before the first position."""
    init = node.attrs.get("init")
    if not isinstance(init, Word):
        raise InterpretFault(node.attrs["port"], "this state has no value")
    return _first(init, node.type, size)


def _first(init: Word, type: Type, size: Callable[[Dim], int]) -> Value:
    if init.name == "memory":
        return History({})
    inner, kind = init.get("init"), init.get("type")
    if init.name == "turns" and isinstance(inner, Word) and isinstance(kind, Type):
        count = init.get("count")
        turns = size(count) if isinstance(count, Dim) else 0
        return {str(turn): _first(inner, kind, size) for turn in range(turns)}
    value = init.get("value")
    shape = [size(axis.size) for axis in type.axes]
    dtype = DTYPES.get(type.kind.name, torch.float64)
    return Named(torch.full(shape, value if isinstance(value, int | float) else 0, dtype=dtype), type.labels)
