"""`repc verify`."""

from __future__ import annotations

from repc.command.parser import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from repc.command.parser import CommandParser
    from repc.command.session import Session
    from repc.ir import Program


def configure(parser: CommandParser) -> None:
    parser.spec()
    parser.add_argument("names", metavar="NAME", nargs="*", help="only these declarations")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of the inputs and parameters")


def run(options: argparse.Namespace, session: Session) -> int:
    from repc.command.speccing import checked_spec
    from repc.verify import verify

    checked = checked_spec(options.spec, options.overrides, session)
    if isinstance(checked, int):
        return checked
    assert checked.program is not None
    _require(checked.program, options.names)
    report = verify(checked, tuple(options.names), options.seed)
    if session.json:
        from repc.command.reports import VerifyReport, VerifyRow, diagnostic_models

        rows = [
            VerifyRow(
                subject=row.subject,
                what=row.what,
                cases=row.cases,
                largest_error=row.largest_error if row.largest_error < float("inf") else None,
                tolerance=row.tolerance,
                passed=row.passed,
                note=row.note,
            )
            for row in report.rows
        ]
        said = diagnostic_models(checked.diagnostics, checked.sources)
        session.model(VerifyReport(ok=report.passed, diagnostics=said, rows=rows))
    else:
        session.output.write(report.table())
    return 0 if report.passed else 1


def _require(program: Program, names: list[str]) -> None:
    known = [*program.entries, *program.steps]
    for name in names:
        if name not in known:
            from repc.command.refusal import refuse
            from repc.diagnostics.suggest import nearest

            close = nearest(name, known)
            reason = "only what the spec declares can be verified"
            raise refuse("missing-entry", close, where="the spec", name=name, reason=reason, known=known)
