"""What verification found: one row a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from rep_grammar.record import Record

COLUMNS = ("declaration", "what", "cases", "largest error", "allowed", "")


class Row(Record):
    """One comparison.

    `subject`: the declaration. `what`: `values`, `gradients`, `step`, ... `cases`: how many were tried.
    `largest_error`: the largest difference, as a part of the largest number of the reference where that is above 1.
    `note`: what was tried, or why it could not be.
    """

    subject: str
    what: str
    cases: int
    largest_error: float
    tolerance: float
    passed: bool
    note: str = ""


class Report(Record):
    """All rows, in order."""

    rows: tuple[Row, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing differs."""
        return all(row.passed for row in self.rows)

    def table(self) -> str:
        """The rows as a table for people."""
        return table(self.rows)


def table(rows: Sequence[Row]) -> str:
    """Rows under their columns, the verdict and the note at the end of each line."""
    cells = [COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(COLUMNS) - 1)]
    lines = []
    for line in cells:
        columns = enumerate(zip(line, widths, strict=False))
        padded = [text.ljust(width) if place < 2 else text.rjust(width) for place, (text, width) in columns]
        lines.append("  ".join([*padded, line[-1]]).rstrip())
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    error = "-" if row.cases == 0 else f"{row.largest_error:.1e}"
    verdict = "failed" if not row.passed and not row.cases else "ok" if row.passed else "differs"
    last = f"{verdict}: {row.note}" if row.note else verdict
    return row.subject, row.what, str(row.cases), error, f"{row.tolerance:.0e}", last
