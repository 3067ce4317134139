"""`repc explain`: a spec, a diagnostic, or a module of the library."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from repc.command.parser import CommandParser
    from repc.command.session import Session

_CODE = re.compile(r"REPW?\d+", re.I)


def configure(parser: CommandParser) -> None:
    parser.spec()
    parser.add_argument("names", metavar="NAME", nargs="*", help="only these declarations")


def run(options: argparse.Namespace, session: Session) -> int:
    subject = options.spec
    if subject == "-" or subject.endswith(".rep") or os.sep in subject or os.path.exists(subject):
        return _spec(options, session)
    if subject == "std" or subject.startswith("std."):
        return _module(subject, session)
    return _diagnostic(subject, session)


def _page(title: str, text: str, session: Session) -> int:
    if session.json:
        from repc.command.reports import PageReport

        session.model(PageReport(ok=True, title=title, text=text))
    else:
        session.line(text)
    return 0


def _diagnostic(subject: str, session: Session) -> int:
    from repc.command.refusal import refuse
    from repc.diagnostics import catalogue, nearest
    from repc.diagnostics.render import Paint, page

    entry = catalogue().find(subject)
    if entry is None:
        is_code = _CODE.fullmatch(subject) is not None
        close = nearest(subject.upper(), catalogue().codes) if is_code else nearest(subject, catalogue().names)
        raise refuse("unknown-code", close, code=subject)
    return _page(entry.code, page(entry, Paint(session.paints(session.output) and not session.json)), session)


def _module(subject: str, session: Session) -> int:
    from repc.explanation.library import module_page

    return _page(subject, module_page(subject), session)


def _spec(options: argparse.Namespace, session: Session) -> int:
    from repc.command.checking import exit_code
    from repc.command.inputs import entry_of
    from repc.explanation import explain_program
    from repc.explanation.text import explanation_text
    from repc.pipeline import check_spec

    checked = check_spec(entry_of(options.spec), options.overrides)
    if checked.program is None:
        session.refused(list(checked.diagnostics), checked.sources)
        return exit_code(list(checked.diagnostics))
    explanation = explain_program(checked.program, tuple(options.names))
    if session.json:
        from repc.command.modelling import explain_report

        session.model(explain_report(explanation, checked))
        return 0
    session.say(checked.diagnostics, checked.sources)
    session.line(explanation_text(explanation, session.paints(session.output)))
    return 0
