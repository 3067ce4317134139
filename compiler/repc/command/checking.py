"""`repc check`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from rep_grammar.spans import Source
    from repc.command.parser import CommandParser
    from repc.command.session import Session
    from repc.diagnostics.model import Diagnostic

FORMATS = ("full", "concise", "jsonl", "github", "sarif")


def configure(parser: CommandParser) -> None:
    parser.spec(many=True)
    parser.add_argument("--format", choices=FORMATS, default="full", help="form of the diagnostics")
    parser.add_argument("--quiet", action="store_true", help="print diagnostics alone")


def run(options: argparse.Namespace, session: Session) -> int:
    from repc.command.inputs import entry_of, title
    from repc.pipeline import check_spec

    found: list[Diagnostic] = []
    sources: dict[str, Source] = {}
    for given in options.specs:
        checked = check_spec(entry_of(given), options.overrides)
        if checked.diagnostics:
            found += checked.diagnostics
            sources.update(checked.sources)
    failed = any(diagnostic.is_error for diagnostic in found)
    if session.json:
        from repc.command.reports import CheckReport, diagnostic_models

        files = [title(given) for given in options.specs]
        session.model(CheckReport(ok=not failed, diagnostics=diagnostic_models(found, sources), files=files))
    else:
        if found:
            session.say(found, sources, session.output, options.format)
        if not failed and not options.quiet and options.format == "full":
            session.line(f"{', '.join(title(given) for given in options.specs)}: ok")
    return exit_code(found)


def exit_code(diagnostics: list[Diagnostic]) -> int:
    """0 without errors, 2 where every error is one of the call, else 1."""
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    if not errors:
        return 0
    from repc.command.refusal import OF_THE_CALL
    from repc.names.overrides import OUTSIDE

    def of_the_call(item: Diagnostic) -> bool:
        return item.name in OF_THE_CALL if item.span is None else item.span.file == OUTSIDE

    return 2 if all(map(of_the_call, errors)) else 1
