"""Reading the resolved fields of a memory.

A coefficient alone in a field (`retain: a`, `scale: 0.5`) is a word with one argument; a field that is left out has the
word that is named as its default.
"""

from __future__ import annotations

from repc.dims import Dim
from repc.ir import MemoryRecord, Word


def field(record: MemoryRecord, name: str, default: str = "none") -> Word:
    """The word of a field."""
    for own, choice in record.fields:
        if own == name:
            return choice.value
    return Word(default)


def argument(word: Word, *names: str, default: object = None) -> object:
    """The argument under one of these names, else the first one, else the default."""
    for name in names:
        value = word.get(name)
        if value is not None:
            return value
    return word.args[0][1] if word.args and not any(name in dict(word.args) for name in names) else default


def named(word: Word, name: str, default: object) -> object:
    """An argument that is only meant by its name."""
    value = word.get(name)
    return default if value is None else value


def whole(value: object) -> Dim | None:
    """A length, as a size; None where it is none."""
    if isinstance(value, Dim):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Dim.of(value)
    return Dim.of(int(value)) if isinstance(value, float) and value == int(value) else None


def is_number(value: object, number: float) -> bool:
    """Whether an argument is this number."""
    if isinstance(value, Dim):
        return value.constant == number
    return isinstance(value, int | float) and not isinstance(value, bool) and value == number
