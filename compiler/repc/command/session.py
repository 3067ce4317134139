"""What a command says, where, and in which form."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping
    from typing import TextIO

    from pydantic import BaseModel

    from rep_grammar.spans import Source
    from repc.diagnostics.model import Diagnostic, Fault


class Session:
    """One run of the command line. Results go to `output`, what is said about a spec or a call to `error`."""

    def __init__(self, arguments: list[str]) -> None:
        # Mistakes in options are said before the options are read.
        self.json = "--json" in arguments
        self.colour = "auto"
        self.output: TextIO = sys.stdout
        self.error: TextIO = sys.stderr

    def configure(self, options: argparse.Namespace) -> None:
        """Takes over the options that every command has."""
        self.json = options.json
        self.colour = options.color

    def line(self, text: str = "") -> None:
        """A line of the result."""
        self.output.write(text + "\n")

    def note(self, text: str) -> None:
        """A line for the person who waits, not part of the result."""
        if not self.json:
            self.error.write(text + "\n")

    def paints(self, stream: TextIO) -> bool:
        """Whether what goes to `stream` is coloured."""
        if self.colour != "auto":
            return self.colour == "always"
        from repc.diagnostics.render import wants_colour

        return wants_colour(stream, os.environ)

    def say(
        self,
        diagnostics: Iterable[Diagnostic],
        sources: Mapping[str, Source],
        stream: TextIO | None = None,
        form: str = "full",
    ) -> None:
        """Diagnostics for people, or in another of the renderers' forms."""
        from repc.diagnostics.render import render

        stream = self.error if stream is None else stream
        text = render(diagnostics, sources, form, self.paints(stream) and form == "full")
        if text:
            stream.write(text + "\n")

    def model(self, report: BaseModel) -> None:
        """A report as JSON."""
        self.output.write(report.model_dump_json(indent=2) + "\n")

    def refuse(self, faults: Iterable[Fault]) -> None:
        """Faults of the call."""
        from repc.diagnostics import to_diagnostic

        self.refused([to_diagnostic(fault) for fault in faults], {})

    def refused(self, diagnostics: list[Diagnostic], sources: Mapping[str, Source]) -> None:
        """Why there is no result, in the form that was asked for."""
        if not self.json:
            self.say(diagnostics, sources)
            return
        from repc.command.reports import Report, diagnostic_models

        self.model(Report(ok=False, diagnostics=diagnostic_models(diagnostics, sources)))

    def runtime_fault(self, error: Exception) -> int | None:
        """Says a fault of the running program and gives the exit code; None where `error` is something else."""
        runtime = sys.modules.get("rep_runtime.faults")
        if runtime is None or not isinstance(error, runtime.RuntimeFault):
            return None
        from repc.command.running import at_run_time

        diagnostic, sources, code = at_run_time(error)
        self.refused([diagnostic], sources)
        return code
