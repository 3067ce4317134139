"""The log of a run: one CSV row per logged step, numbers written so that they read back bit-equal."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from rep_runtime.training.files import disk_faults, write_atomic


def read_log(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Columns and rows of a log; a torn last line (a crash while writing) is left out."""
    if not path.is_file():
        return ["step"], []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    lines = list(csv.reader(io.StringIO(whole)))
    if not lines:
        return ["step"], []
    columns, rest = lines[0], lines[1:]
    rows = [dict(zip(columns, line, strict=True)) for line in rest if len(line) == len(columns)]
    return columns, [row for row in rows if row["step"].isdigit()]


class Log:
    """Appends rows to `log.csv`. A column that appears later is added to the header and left empty above.

    Opening it with `step` drops rows after that step: what a resumed run will write again.
    """

    def __init__(self, path: Path, step: int = 0) -> None:
        self.path = path
        columns, rows = read_log(path)
        self._columns = columns if rows else ["step"]
        self._rows = [row for row in rows if int(row["step"]) <= step]
        self._rewrite()

    def _text(self, rows: list[dict[str, str]], header: bool) -> str:
        text = io.StringIO()
        writer = csv.DictWriter(text, self._columns, restval="", lineterminator="\n")
        if header:
            writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()

    def _rewrite(self) -> None:
        with disk_faults(f"the log `{self.path}`"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self.path, self._text(self._rows, header=True).encode())

    def add(self, step: int, values: Mapping[str, float]) -> None:
        """Write one row."""
        row = {"step": str(step), **{name: repr(float(value)) for name, value in values.items()}}
        new = [name for name in row if name not in self._columns]
        self._rows.append(row)
        if new:
            self._columns = [*self._columns, *new]
            self._rewrite()
            return
        with disk_faults(f"the log `{self.path}`"), self.path.open("a", encoding="utf-8") as file:
            file.write(self._text([row], header=False))

    def last(self) -> dict[str, float]:
        """The newest value of every column."""
        newest: dict[str, float] = {}
        for row in self._rows:
            newest.update({name: float(text) for name, text in row.items() if text and name != "step"})
        return newest
