"""Faults that a user can cause while a generated program runs, each with a stable code.

The command line prints a `RuntimeFault` as a diagnostic, never as a traceback.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

# One line per code: the heading of `repc explain REP07xx`.
CODES: Final = MappingProxyType(
    {
        "REP0701": "the run folder cannot be used as asked",
        "REP0702": "a checkpoint of another spec",
        "REP0703": "a checkpoint is missing or damaged",
        "REP0704": "the disk is full or a file cannot be written",
        "REP0705": "training was interrupted",
        "REP0706": "a value became infinite or not a number",
        "REP0707": "a data source cannot give what was asked of it",
        "REP0708": "a package that this needs is not installed",
        "REP0709": "inputs do not fit the declared axes",
        "REP0710": "generated code failed",
        "REP0711": "the optimizer settings do not fit the parameters",
        "REP0712": "a sampling option is out of range",
        "REP0713": "the step cannot be split into micro-batches",
        "REP0714": "a function of your own cannot be used",
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a `.rep` text; lines and columns count from 1, `end_column` is exclusive."""

    file: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class RuntimeFault(Exception):
    """A fault of the user's program, data, or machine, told in the user's words.

    Attributes: `code` (a key of `CODES`), `message` (one line or a short table), `hint` (what to do, may be
    empty), `place` (where in the `.rep` text, if known).
    """

    def __init__(self, code: str, message: str, hint: str = "", place: Place | None = None) -> None:
        if code not in CODES:
            raise ValueError(f"unknown fault code {code}")
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.place = place

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        tail = f"\nhint: {self.hint}" if self.hint else ""
        return f"{where}[{self.code}] {self.message}{tail}"


class Interrupted(RuntimeFault):
    """Ctrl-C: the run stopped between two steps and its last checkpoint is whole."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__("REP0705", message, hint)
