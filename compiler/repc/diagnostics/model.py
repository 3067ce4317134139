"""What is said to a user, as data: a `Fault` before it has words, a `Diagnostic` after."""

from __future__ import annotations

from enum import StrEnum

from rep_grammar.record import Record
from rep_grammar.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NOTHING: Mapping[str, object] = {}

__all__ = ["Applicability", "Diagnostic", "Fault", "Fix", "Label", "Severity"]


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Applicability(StrEnum):
    """Whether a tool may apply a fix unasked."""

    SAFE = "safe"
    MAYBE = "maybe"


class Fix(Record):
    """The text of `span` replaced by `replacement`."""

    span: Span
    replacement: str
    applicability: Applicability = Applicability.MAYBE


class Label(Record):
    """A place and what it has to do with the fault. The primary one is where the fault is."""

    span: Span
    text: str = ""
    primary: bool = False


class Fault(Record):
    """A fault without prose: which one, where, and the values that its entry in the catalogue puts into words.

    `name` is an entry's name. `values` are its placeholders: anything with a readable `str`, or a list of such.
    `related` are other places with a word on each. `suggestion` is the text that should stand at `span` instead;
    where it should stand elsewhere, give the whole `fix`. `notes` are facts of this case, one line or table each.
    """

    name: str
    span: Span | None
    values: Mapping[str, object] = NOTHING
    related: tuple[tuple[Span, str], ...] = ()
    suggestion: str | None = None
    notes: tuple[str, ...] = ()
    fix: Fix | None = None


class Diagnostic(Record):
    """One fault in words. `message` stands alone in one line; `reason` says why, `help` what to do."""

    code: str
    name: str
    severity: Severity
    message: str
    span: Span | None
    labels: tuple[Label, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    help: str = ""
    fix: Fix | None = None

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR
