"""The stages of the compiler in their order, for the command line and for Python alike."""

from __future__ import annotations

import os

from rep_grammar.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rep_grammar.spans import Source
    from repc.diagnostics.model import Diagnostic
    from repc.ir import Program
    from repc.names import Workspace
    from repc.names.workspace import Trouble


class Checked(Record):
    """A spec as far as it could be understood: `program` is None where a fault prevents it."""

    workspace: Workspace
    program: Program | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error; warnings may be there."""
        return not any(diagnostic.is_error for diagnostic in self.diagnostics)

    @property
    def sources(self) -> Mapping[str, Source]:
        """The texts that diagnostics point into, by file."""
        return self.workspace.sources


class SpecError(Exception):
    """A spec with errors. Attributes: `diagnostics`, and the texts they point into, `sources`."""

    def __init__(self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> None:
        from repc.diagnostics.render import render

        self.diagnostics = tuple(diagnostics)
        self.sources = sources
        super().__init__("\n" + render(self.diagnostics, sources))


def check_spec(entry: str | tuple[str, str], overrides: Iterable[str] = ()) -> Checked:
    """Everything that can be said about a spec without running it: a path, or (name, text).

    `overrides`: texts `path=value`. No fault of the spec raises.
    """
    from repc.names import Workspace

    workspace, troubles = Workspace.load(entry, overrides=overrides)
    program: Program | None = None
    if not troubles:
        from repc.elaborate import elaborate

        program, faults = elaborate(workspace)
        troubles = list(faults)
        if not troubles:
            from repc.checks import check, unused

            # Where something is wrong, what is unused may be for that reason.
            troubles = [*(check(program) or unused.check(workspace))]
    diagnostics = tuple(in_words(troubles)) if troubles else ()
    checked = Checked(workspace, program, diagnostics)
    return checked if checked.ok else Checked(workspace, None, diagnostics)


def in_words(troubles: Iterable[Trouble]) -> list[Diagnostic]:
    """Faults of the stages as diagnostics, in the order of the text, each said once."""
    from rep_grammar.faults import SyntaxFault
    from repc.diagnostics import from_syntax, ordered, to_diagnostic

    return ordered(from_syntax(item) if isinstance(item, SyntaxFault) else to_diagnostic(item) for item in troubles)


class Generated(Record):
    """The Python module of a spec: its name, its text, its line map as JSON text, and the class of each declaration."""

    name: str
    text: str
    line_map: str
    classes: tuple[tuple[str, str], ...]

    @property
    def files(self) -> dict[str, str]:
        """Its texts by file name."""
        return {f"{self.name}.py": self.text, f"{self.name}.map.json": self.line_map}

    def class_of(self, declaration: str) -> str | None:
        """The class that a declaration or a train became."""
        return dict(self.classes).get(declaration)


def generate(checked: Checked, name: str, passes: Iterable[str] | None = None) -> Generated:
    """The module of a spec; `name` is that of its file without `.py`.

    `passes`: names of those to run, all unless given; the module means the same whichever they are.
    Raises SpecError where the spec has errors, or says something that has no lowering.
    """
    from repc.lowering import Options, plan, render
    from repc.lowering.faults import LoweringFault
    from repc.passes import PASSES, by_name, run

    if checked.program is None:
        raise SpecError(checked.diagnostics, checked.sources)
    texts = {file: source.text for file, source in checked.sources.items()}
    title = os.path.basename(checked.workspace.entry.path)
    try:
        program = run(checked.program, PASSES if passes is None else map(by_name, passes))
        made = render(plan(program, texts, Options(title=title)), f"{name}.py")
    except LoweringFault as error:
        from repc.diagnostics.model import Fault

        calls = tuple((span, "called here") for span in error.origin.via)
        fault = Fault(error.name, error.origin.span, error.values, calls)
        raise SpecError(in_words([fault]), checked.sources) from error
    return Generated(name, made.text, made.line_map, made.entries)


def module_name(path: str) -> str:
    """The Python module's name for a spec: that of its file, made an identifier."""
    import keyword
    import re

    stem = os.path.basename(path)
    stem = re.sub(r"[^A-Za-z0-9_]", "_", stem[:-4] if stem.endswith(".rep") else stem).strip("_") or "spec"
    if stem[0].isdigit():
        stem = f"spec_{stem}"
    return f"{stem}_" if keyword.iskeyword(stem) or keyword.issoftkeyword(stem) else stem
