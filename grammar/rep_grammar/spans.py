"""Places in a text: spans of character offsets, and the lines and columns they stand for."""

from __future__ import annotations

from bisect import bisect_right

from rep_grammar.record import Record


class Span(Record):
    """Characters `start` to `end` (exclusive) of the text of `file`."""

    file: str
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of `other`, in the same file."""
        return Span(self.file, self.start, other.end)


class Source:
    """A text with its name; turns offsets into lines and columns. Offsets past the end are taken as the end."""

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Offset of the first character of every line."""
        if self._starts is None:
            starts, at = [0], self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._starts = starts
        return self._starts

    @property
    def line_count(self) -> int:
        return len(self.starts)

    def line_col(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1, the column in characters."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Text of a line counted from 1, without its line end; empty where there is no such line."""
        if not 1 <= number <= len(self.starts):
            return ""
        start = self.starts[number - 1]
        end = self.starts[number] - 1 if number < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def slice(self, span: Span) -> str:
        """The characters of a span."""
        return self.text[span.start : span.end]
