"""Built-in words: optimizers, schedules, solvers, memory fields and sources, each declared once."""

from __future__ import annotations

from repc.words.declare import REQUIRED, Parameter, Required, Word

__all__ = [
    "FAMILIES",
    "MODULES",
    "REQUIRED",
    "Parameter",
    "Required",
    "Word",
    "all_words",
    "families",
    "find",
    "words_of",
]

MODULES = ("std.data", "std.opt")
"""Library modules that have words; words and texts of a module stand side by side."""

FAMILIES = (
    *("optimizer", "schedule", "solver", "source", "portion", "transformer"),
    *("weights", "selection", "regressor", "kernel", "activation"),
    *("feature map", "loss", "regularizer", "memory optimizer"),
    *("order", "read", "normalize", "keys", "init", "coefficient"),
)


def all_words() -> tuple[Word, ...]:
    """Every built-in word."""
    from repc.words.memories import MEMORY_WORDS
    from repc.words.optimizers import OPTIMIZERS
    from repc.words.portions import PORTIONS
    from repc.words.schedules import SCHEDULES
    from repc.words.solvers import EVOLUTION, MEMORY_OPTIMIZERS, SOLVERS
    from repc.words.sources import SOURCES
    from repc.words.transformers import TRANSFORMERS

    training = (*OPTIMIZERS, *SCHEDULES, *SOLVERS, EVOLUTION, *TRANSFORMERS)
    return (*training, *SOURCES, *PORTIONS, *MEMORY_WORDS, *MEMORY_OPTIMIZERS)


def words_of(module: str) -> tuple[Word, ...]:
    """The words that are imported from a module."""
    if module == "std.opt":
        from repc.words.optimizers import OPTIMIZERS
        from repc.words.schedules import SCHEDULES
        from repc.words.solvers import EVOLUTION
        from repc.words.transformers import TRANSFORMERS

        transformers = (word for word in TRANSFORMERS if word.module == module)
        return (*OPTIMIZERS, *SCHEDULES, EVOLUTION, *transformers)
    if module == "std.data":
        from repc.words.portions import PORTIONS
        from repc.words.sources import SOURCES

        return (*SOURCES, *PORTIONS)
    return ()


def families(*names: str) -> dict[str, Word]:
    """The words of some families by name; of two with one name the first family's."""
    found: dict[str, Word] = {}
    for family in names:
        for word in all_words():
            if word.family == family:
                found.setdefault(word.name, word)
    return found


def find(name: str, *names: str) -> Word | None:
    """The word of that name in some families."""
    return families(*names).get(name)
