"""Built-in words: optimizers, schedules, solvers, memory fields and sources, each declared once."""

from __future__ import annotations

from repc.words.declare import REQUIRED, Field, Parameter, Required, Word

__all__ = ["MODULES", "REQUIRED", "Field", "Parameter", "Required", "Word", "all_words", "words_of"]

MODULES = ("std.data", "std.opt")
"""Library modules that have words; `std.opt.sgd` and texts of the library may stand side by side."""


def all_words() -> tuple[Word, ...]:
    """Every built-in word."""
    from repc.words.optimizers import OPTIMIZERS

    return OPTIMIZERS


def words_of(module: str) -> tuple[Word, ...]:
    """The words that are imported from a module."""
    return tuple(word for word in all_words() if word.module == module) if module in MODULES else ()
