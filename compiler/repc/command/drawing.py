"""`repc graph`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from repc.command.parser import CommandParser
    from repc.command.session import Session


def configure(parser: CommandParser) -> None:
    parser.spec()
    parser.add_argument("names", metavar="NAME", nargs="*", help="only these declarations")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--svg", action="store_const", const="svg", dest="form", help="a picture (default)")
    forms.add_argument("--dot", action="store_const", const="dot", dest="form", help="text for Graphviz")
    forms.add_argument("--mermaid", action="store_const", const="mermaid", dest="form", help="text for Mermaid")
    parser.add_argument("-o", "--out", metavar="FILE", help="file to write; standard output unless given")


def run(options: argparse.Namespace, session: Session) -> int:
    from repc.command.speccing import checked_spec
    from repc.command.writing import write_file
    from repc.drawing import draw, pictures

    checked = checked_spec(options.spec, options.overrides, session)
    if isinstance(checked, int):
        return checked
    assert checked.program is not None
    form = options.form or _form_of(options.out)
    text = draw(pictures(checked.program, tuple(options.names)), form)
    if options.out is None:
        session.output.write(text)
        return 0
    write_file(options.out, text)
    if session.json:
        from repc.command.reports import FilesReport

        session.model(FilesReport(ok=True, files=[options.out]))
    else:
        session.line(f"wrote {options.out}")
    return 0


def _form_of(path: str | None) -> str:
    """The form that a file's name asks for."""
    ending = "" if path is None else path.rpartition(".")[2].lower()
    return {"dot": "dot", "gv": "dot", "mmd": "mermaid", "mermaid": "mermaid", "md": "mermaid"}.get(ending, "svg")
