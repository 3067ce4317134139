"""`repc compile`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from repc.command.parser import CommandParser
    from repc.command.session import Session


def configure(parser: CommandParser) -> None:
    parser.spec()
    parser.add_argument("-o", "--out", metavar="DIR", help="folder of the module; the spec's own unless given")
    parser.add_argument("--print", action="store_true", dest="show", help="print the module, write nothing")
    parser.add_argument("--passes", metavar="NAMES", help="only these passes, `a,b`; `none`: none of them")


def run(options: argparse.Namespace, session: Session) -> int:
    from repc.command.inputs import title
    from repc.command.speccing import checked_spec
    from repc.command.writing import write_files
    from repc.pipeline import generate, module_name

    checked = checked_spec(options.spec, options.overrides, session)
    if isinstance(checked, int):
        return checked
    assert checked.program is not None
    if not checked.program.entries and not checked.program.steps:
        from repc.command.refusal import refuse

        raise refuse("nothing-to-do", None, path=title(options.spec), what="declaration to compile")
    name = module_name("spec" if options.spec == "-" else options.spec)
    made = generate(checked, name, _passes(options.passes))
    if options.show:
        session.output.write(made.text)
        return 0
    folder = options.out if options.out is not None else "" if options.spec == "-" else os.path.dirname(options.spec)
    paths = write_files(folder, made.files)
    if session.json:
        from repc.command.reports import FilesReport, diagnostic_models

        said = diagnostic_models(checked.diagnostics, checked.sources)
        session.model(FilesReport(ok=True, diagnostics=said, files=paths))
    else:
        for path in paths:
            session.line(f"wrote {path}")
    return 0


def _passes(given: str | None) -> list[str] | None:
    """The passes of `--passes`, in the order in which all of them run. Raises Refusal for an unknown one."""
    if given is None:
        return None
    from repc.command.refusal import refuse
    from repc.diagnostics.suggest import nearest
    from repc.passes import PASSES

    known = [one.name for one in PASSES]
    wanted = [] if given == "none" else [name.strip() for name in given.split(",")]
    for name in wanted:
        if name not in known:
            reason = f"there is no pass `{name}`; passes are {', '.join(known)}"
            raise refuse("bad-option", nearest(name, known), option="--passes", reason=reason, command="compile")
    return [name for name in known if name in wanted]
