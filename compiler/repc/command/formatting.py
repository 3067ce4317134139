"""`repc fmt`."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from rep_grammar.spans import Source
    from repc.command.parser import CommandParser
    from repc.command.session import Session
    from repc.diagnostics.model import Diagnostic


def configure(parser: CommandParser) -> None:
    parser.add_argument("specs", metavar="SPEC", nargs="+", help="a .rep file, or - to format standard input")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 where something would change")
    parser.add_argument("--diff", action="store_true", help="change nothing; print what would change")


def run(options: argparse.Namespace, session: Session) -> int:
    from repc.command.inputs import STDIN, read_stdin, title
    from repc.command.writing import write_file

    changed: list[str] = []
    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    code = 0
    for given in options.specs:
        text = read_stdin() if given == "-" else _read(given)
        name = title(given)
        made = _formatted(text, name, found, sources)
        if made is None:
            code = 1
            continue
        if made != text:
            changed.append(name)
        if options.diff:
            _print_diff(text, made, name, session)
        elif options.check:
            pass
        elif name == STDIN:
            session.output.write(made)
        elif made != text:
            write_file(given, made)
    if session.json:
        from repc.command.reports import FormatReport, diagnostic_models

        session.model(FormatReport(ok=code == 0, diagnostics=diagnostic_models(found, sources), changed=changed))
    else:
        session.say(found, sources)
        for name in changed if options.check else ():
            session.line(f"would format {name}")
    return 1 if changed and (options.check or options.diff) else code


def _read(path: str) -> str:
    from repc.command.refusal import Refusal
    from repc.names.reading import read_text

    reading = read_text(path)
    if reading.fault is not None:
        raise Refusal(reading.fault)
    return reading.text


def _formatted(text: str, name: str, found: list[Diagnostic], sources: dict[str, Source]) -> str | None:
    """The text in its normal form, None where it cannot be read; then `found` says why."""
    from rep_grammar.faults import SyntaxFaults
    from rep_grammar.formatter import format_text
    from rep_grammar.spans import Source

    try:
        return format_text(text, name)
    except SyntaxFaults as error:
        from repc.diagnostics import from_syntax

        sources[name] = Source(name, text)
        found.extend(from_syntax(fault) for fault in error.faults)
        return None


def _print_diff(before: str, after: str, name: str, session: Session) -> None:
    from difflib import unified_diff

    lines = unified_diff(before.splitlines(True), after.splitlines(True), name, f"{name} (formatted)")
    stream = sys.stderr if session.json else session.output
    for line in lines:
        stream.write(line if line.endswith("\n") else line + "\n")
