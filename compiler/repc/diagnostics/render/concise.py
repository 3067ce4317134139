"""One line per diagnostic: `file:line:column: error[code] message`."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.spans import Source, Span
from repc.diagnostics.model import Diagnostic
from repc.diagnostics.render.paint import plain

__all__ = ["concise", "place"]


def place(span: Span, sources: Mapping[str, Source]) -> str:
    """`file:line:column`, or the file alone where its text is not at hand."""
    source = sources.get(span.file)
    if source is None:
        return plain(span.file)
    line, column = source.line_col(span.start)
    return f"{plain(span.file)}:{line}:{column}"


def concise(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> str:
    where = f"{place(diagnostic.span, sources)}: " if diagnostic.span else ""
    return f"{where}{diagnostic.severity}[{diagnostic.code}] {plain(diagnostic.message)}"
