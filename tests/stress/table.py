"""How far each text of some folders gets through the compiler: `python table.py FOLDER...`.

One line for each text: the stages that it passed, and the first thing in its way. Then the counts, and the names of
the library that do not exist. A text passes `compiled` where every declaration has generated code, and `verified`
where that agrees with the interpreter in every row of `repc verify`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

STAGES = ("parsed", "formatted", "resolved", "elaborated", "compiled", "verified")
# Faults that say that a name of the library or of another file does not exist.
NAMES = ("unknown-module", "not-exported")
# A generous bound: it ends what would not end, and decides nothing about a text of the table.
LIMIT = 120


@dataclass(frozen=True, slots=True)
class Reached:
    """A text: how many of STAGES it passed, what stopped it, the names that do not exist, and whether only they do."""

    name: str
    passed: int
    obstacle: str
    missing: tuple[str, ...]
    else_elaborated: bool


class OutOfTime(BaseException):
    """A text took longer than LIMIT seconds."""


@contextmanager
def limit(seconds: int) -> Iterator[None]:
    """Raises OutOfTime in what runs longer."""

    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Trial:
    """One text on its way; `verifying`: also through `repc verify`, which takes most of the time."""

    def __init__(self, path: str, verifying: bool = True) -> None:
        self.path = path
        self.verifying = verifying
        self.passed = 0
        self.obstacle = ""
        self.missing: tuple[str, ...] = ()
        self.else_elaborated = False

    def run(self) -> Reached:
        """As far as it gets; an exception of the compiler is an obstacle like any other, and told as what it is."""
        name = os.path.splitext(os.path.basename(self.path))[0]
        try:
            with limit(LIMIT):
                self.obstacle = self.stages()
        except OutOfTime:
            self.obstacle = f"more than {LIMIT} s"
        except Exception as error:
            self.obstacle = f"TRACEBACK {type(error).__name__}: {error}".splitlines()[0]
        return Reached(name, self.passed, self.obstacle, self.missing, self.else_elaborated)

    def stages(self) -> str:
        """The first obstacle, "" where there is none."""
        from rep_grammar import FormatterFault, SyntaxFaults, parse
        from rep_grammar.formatter import format_text
        from repc.pipeline import SpecError, check_spec, generate, module_name

        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        try:
            parse(text, self.path)
        except SyntaxFaults as error:
            return str(error.faults[0])
        self.passed = 1
        try:
            made = format_text(text, self.path)
            if format_text(made, self.path) != made:
                return "formatting twice gives another text"
        except FormatterFault as error:
            return str(error)
        self.passed = 2
        obstacle = self.elaborated()
        if obstacle:
            return obstacle
        checked = check_spec(self.path)
        try:
            generate(checked, module_name(self.path))
        except SpecError as error:
            return said(error.diagnostics[0], error.sources)
        self.passed = 5
        if not self.verifying:
            return ""
        from repc.verify import verify

        for row in verify(checked).rows:
            if not row.passed:
                return f"{row.subject}, {row.what}: {row.note or f'off by {row.largest_error:.1e}'}"
        self.passed = 6
        return ""

    def elaborated(self) -> str:
        """Names and types; elaborated as far as it goes even where a name does not exist."""
        from repc.elaborate import elaborate
        from repc.names import Workspace
        from repc.pipeline import in_words

        workspace, troubles = Workspace.load(self.path)
        lacking = [fault for fault in troubles if getattr(fault, "name", "") in NAMES]
        self.missing = tuple(name for fault in lacking for name in missing_names(workspace, fault))
        _, faults = elaborate(workspace)
        own = [*(fault for fault in troubles if fault not in lacking), *faults]
        self.else_elaborated = not own
        if not troubles:
            self.passed = 3
        elif not own:
            return f"library: {', '.join(self.missing)}"
        if own:
            return said(in_words(own)[0], workspace.sources)
        self.passed = 4
        return ""


def said(diagnostic: object, sources: object) -> str:
    """Code, line and message of a diagnostic."""
    span = diagnostic.span  # type: ignore[attr-defined]
    source = sources.get(span.file) if span is not None else None  # type: ignore[attr-defined]
    line = f"{os.path.basename(span.file)}:{source.line_col(span.start)[0]}: " if source is not None else ""
    return f"{diagnostic.code} {line}{diagnostic.message}"  # type: ignore[attr-defined]


def missing_names(workspace: object, fault: object) -> list[str]:
    """`std.loss bce` for each name that a fault says is not there."""
    from rep_grammar import tree

    values = fault.values  # type: ignore[attr-defined]
    if fault.name == "not-exported":  # type: ignore[attr-defined]
        return [f"{values['module']} {values['name']}"]
    span = fault.span  # type: ignore[attr-defined]
    for item in workspace.entry.file.items:  # type: ignore[attr-defined]
        if isinstance(item, tree.Use) and item.path is not None and item.path.span == span:
            return [f"{values['module']} {used.name.text}" for used in item.imports]
    return [str(values["module"])]


def texts(folders: list[str]) -> list[str]:
    """The texts of some folders, sorted by name; a path of a text stands for itself."""
    found: list[str] = []
    for folder in folders:
        if os.path.isdir(folder):
            found += (os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".rep"))
        else:
            found.append(folder)
    return found


def counts(rows: list[Reached]) -> dict[str, int]:
    """How many texts passed each stage."""
    return {stage: sum(row.passed >= place for row in rows) for place, stage in enumerate(STAGES, 1)}


def but_for_names(rows: list[Reached]) -> int:
    """How many texts elaborate, those included of which only names of the library are missing."""
    return sum(row.else_elaborated for row in rows)


def show(rows: list[Reached]) -> None:
    """The counts, and the names that do not exist."""
    print()
    for stage, count in counts(rows).items():
        print(f"{stage:>12} {count:4d} of {len(rows)}")
    print(f"\n{but_for_names(rows)} elaborate but for names of the library that do not exist")
    missing = Counter(name for row in rows for name in row.missing)
    if missing:
        print(f"\n{len(missing)} names of the library that do not exist, and how many texts use them:")
        for name, count in sorted(missing.items(), key=lambda pair: (-pair[1], pair[0])):
            print(f"  {count:4d}  {name}")
    known = {stage: index for index, stage in enumerate(STAGES, 1)}
    codes = Counter(row.obstacle.split()[0] for row in rows if known["resolved"] <= row.passed < known["compiled"])
    if codes:
        print("\nwhat stops the texts whose names all exist: " + ", ".join(f"{c} {n}" for c, n in codes.most_common()))


def main(arguments: list[str]) -> int:
    """The table of the folders given."""
    if not arguments:
        print("usage: python table.py FOLDER...", file=sys.stderr)
        return 2
    rows: list[Reached] = []
    for path in texts(arguments):
        row = Trial(path).run()
        rows.append(row)
        print(f"{row.name:36} {STAGES[row.passed - 1] if row.passed else 'nothing':11} {row.obstacle}", flush=True)
    show(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
