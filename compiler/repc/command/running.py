"""Faults of a running program as diagnostics of the spec it came from."""

from __future__ import annotations

from textwrap import dedent

from rep_grammar.spans import Source, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rep_runtime.faults import Place, RuntimeFault
    from repc.diagnostics.model import Diagnostic

# A run folder in use, no disk, a missing package, an impossible option: the call or the machine, not the spec.
_OF_THE_CALL = frozenset({"REP0701", "REP0703", "REP0704", "REP0708", "REP0712"})
_INTERRUPTED = "REP0705"


def at_run_time(error: RuntimeFault) -> tuple[Diagnostic, dict[str, Source], int]:
    """The fault in words, the text that it points into, and the exit code."""
    from repc.diagnostics.wording import worded

    sources: dict[str, Source] = {}
    span: Span | None = None
    if error.place is not None:
        span = _span(error.place, sources)
    headline, _, rest = error.message.partition("\n")
    notes = (dedent(rest),) if rest else ()
    diagnostic = worded(error.code, headline, span, hint=error.hint, notes=notes)
    code = 130 if error.code == _INTERRUPTED else 2 if error.code in _OF_THE_CALL else 1
    return diagnostic, sources, code


def _span(place: Place, sources: dict[str, Source]) -> Span:
    """The place in its text, which is read if it is still there."""
    from repc.names.reading import read_text

    reading = read_text(place.file)
    if reading.fault is not None:
        return Span(place.file, 0, 0)
    source = sources[place.file] = Source(place.file, reading.text)
    start = _offset(source, place.line, place.column)
    end = _offset(source, place.end_line or place.line, place.end_column or place.column + 1)
    return Span(place.file, start, max(start, end))


def _offset(source: Source, line: int, column: int) -> int:
    if not 1 <= line <= source.line_count:
        return 0
    return min(source.starts[line - 1] + max(0, column - 1), len(source.text))
