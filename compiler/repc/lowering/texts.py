"""Where statements come from: lines and columns of a spec's files, for comments and for the line map."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.spans import Source, Span
from repc.ir import Origin
from repc.lowering.records import Place


class Texts:
    """The spec's files by name. A file that is not given leaves its statements without a comment."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._sources = {file: Source(file, text) for file, text in texts.items()}

    def place(self, node: str, origin: Origin | None) -> Place | None:
        """The place of a node: its own span, or else the nearest call that led to it."""
        if origin is None:
            return None
        for span in (origin.span, *origin.via):
            if span.file in self._sources:
                return self._at(node, span)
        return None

    def _at(self, node: str, span: Span) -> Place:
        source = self._sources[span.file]
        line, column = source.line_col(span.start)
        end_line, end_column = source.line_col(span.end)
        return Place(node, span.file, line, column, end_line, end_column, source.line(line))


def comment(place: Place) -> str:
    """`# lm.rep:20`."""
    file = place.file.replace("\\", "/").rpartition("/")[2]
    shown = "".join(c if c.isprintable() else "?" for c in file)
    return f"# {shown}:{place.line}"
