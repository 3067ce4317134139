"""What is said about a text that cannot be read."""

from __future__ import annotations

from rep_grammar.record import Record
from rep_grammar.spans import Span


class SyntaxFault(Record):
    """One fault of a text: code and kebab name, place, headline, reason and hint.

    `related` are further places with what each is; `replacement` is the text to put in place of `span`, where one
    is certain.
    """

    code: str
    name: str
    span: Span
    message: str
    reason: str
    hint: str
    related: tuple[tuple[Span, str], ...] = ()
    replacement: str | None = None


class SyntaxFaults(Exception):
    """Raised by `parse`; all faults found, in the order of the text."""

    def __init__(self, faults: tuple[SyntaxFault, ...]) -> None:
        super().__init__("; ".join(f"{fault.code} {fault.message}" for fault in faults))
        self.faults = faults


class FormatterFault(Exception):
    """A fault of the formatter itself, found by its own checks; the text is left as it is."""
