"""Reads the resolved fields of a memory: words, and coefficients that are numbers or inputs.

A coefficient alone in a field (`retain: a`, `scale: 0.5`, `per: 16`) is a word with one argument.
"""

from __future__ import annotations

from repc.interpret.memory.fault import MemoryFault
from repc.ir import MemoryRecord, Ref, Word


def field(record: MemoryRecord, name: str, default: str) -> Word:
    """The word of a field; `default` where the record leaves the field out."""
    for own, choice in record.fields:
        if own == name:
            return choice.value
    return Word(default)


def only(word: Word, *names: str) -> object:
    """The argument under one of these names, else the first one. Raises `MemoryFault` where there is none."""
    for name in names:
        if word.get(name) is not None:
            return word.get(name)
    if not word.args:
        raise MemoryFault(f"`{word.name}` needs an argument")
    return word.args[0][1]


def number(value: object, what: str) -> float:
    """A coefficient that must be a number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MemoryFault(f"{what} must be a number, not {value}")
    return float(value)


def whole(value: object, what: str) -> int:
    """A coefficient that must be a whole number of at least 1."""
    made = number(value, what)
    if made != int(made) or made < 1:
        raise MemoryFault(f"{what} must be a whole number of at least 1, not {value}")
    return int(made)


def is_one(value: object) -> bool:
    """Whether a coefficient is the number 1."""
    return isinstance(value, int | float) and value == 1


def port(value: object) -> str | None:
    """The input that a coefficient names, if it is one."""
    return value.node if isinstance(value, Ref) else None
