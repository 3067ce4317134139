"""Common mistakes: each with bad examples, how it is recognised, and what to say. The examples are tests.

Rows are tried in order; the first that recognises the place speaks. A message may use {found} and {previous}, and
what the recogniser puts into its finding.
"""

from __future__ import annotations

from rep_grammar.highlight import item_row, statement_row, words_of
from rep_grammar.place import Place
from rep_grammar.record import Record
from rep_grammar.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Finding(Record):
    """A recognised mistake: its span, words for the message, a replacement for the span, further places."""

    span: Span
    words: dict[str, str] | None = None
    replacement: str | None = None
    related: tuple[tuple[Span, str], ...] = ()


class Mistake(Record):
    """A row of the table; `examples` are texts that must be recognised by exactly this row."""

    code: str
    name: str
    recognise: Callable[[Place], Finding | None]
    message: str
    reason: str
    hint: str
    examples: tuple[str, ...]


def item_words(place: Place) -> frozenset[str]:
    """The words that begin an item of a file."""
    tables = place.automaton.tables
    return frozenset(words_of(tables, item_row(tables)))


def statement_words(place: Place) -> frozenset[str]:
    """The words that begin a statement or an item."""
    tables = place.automaton.tables
    return item_words(place) | words_of(tables, statement_row(tables)) | {"if"}


def nearest(word: str, known: frozenset[str]) -> str | None:
    """The known word most like `word`, if any is like it."""
    from difflib import get_close_matches

    close = get_close_matches(word, sorted(known), n=1, cutoff=0.7)
    return close[0] if close else None
