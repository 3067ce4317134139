"""The words of the language by class, read from the grammar: for editors, highlighters and completion."""

from __future__ import annotations

from functools import cache

from rep_grammar.cache import load_tables
from rep_grammar.record import Record
from rep_grammar.tables import Tables

REDUCERS, STATISTICS = "AXISOP", "STAT"

PATTERNS = {
    "comment": r"#[^\n]*",
    "string": r'"[^"\n]*"',
    "number": r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b",
    "name": r"[A-Za-z_][A-Za-z0-9_]*'*",
}
"""Regular expressions of everything that is neither a word nor a sign, in a dialect that every tool reads."""


class KeywordTable(Record):
    """Words by class, each sorted; no word stands in two classes but those that begin both items and statements.

    `reserved` are never names. `declarations` begin items of a file, `statements` begin statements, `contextual` are
    keywords only inside some of them; all three are names elsewhere. `reducers` and `statistics` are operators where
    a bracket follows. `signs` are the operators and marks, the longest first.
    """

    reserved: tuple[str, ...]
    declarations: tuple[str, ...]
    statements: tuple[str, ...]
    contextual: tuple[str, ...]
    reducers: tuple[str, ...]
    statistics: tuple[str, ...]
    signs: tuple[str, ...]


def item_row(tables: Tables) -> dict[str, int]:
    """What may begin an item of a file."""
    return tables.actions[tables.start]


def statement_row(tables: Tables) -> dict[str, int]:
    """What may stand directly behind the brace that opens a block."""
    return min((row for row in tables.actions if "_RETURN" in row), key=len)


def words_of(tables: Tables, row: dict[str, int]) -> set[str]:
    """The words with a terminal in a row, without the reserved ones."""
    found = {word for word, entries in tables.words.items() if any(terminal in row for terminal, _ in entries)}
    return found - set(tables.reserved)


def build_keyword_table(tables: Tables) -> KeywordTable:
    """The keyword table of some parse tables."""

    def of(terminal: str) -> set[str]:
        return {word for word, entries in tables.words.items() if any(name == terminal for name, _ in entries)}

    items, statements = words_of(tables, item_row(tables)), words_of(tables, statement_row(tables))
    reducers, statistics, reserved = of(REDUCERS), of(STATISTICS), set(tables.reserved)
    contextual = set(tables.words) - items - statements - reducers - statistics - reserved
    signs = tuple(sorted(tables.signs, key=lambda sign: (-len(sign), sign)))
    return KeywordTable(
        reserved=tuple(sorted(reserved)),
        declarations=tuple(sorted(items)),
        statements=tuple(sorted(statements)),
        contextual=tuple(sorted(contextual)),
        reducers=tuple(sorted(reducers)),
        statistics=tuple(sorted(statistics)),
        signs=signs,
    )


@cache
def keyword_table() -> KeywordTable:
    """The keyword table of the language."""
    return build_keyword_table(load_tables())
