"""How diagnostics are shown: for people, for editors, for build servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rep_grammar.spans import Source
from repc.diagnostics.model import Diagnostic
from repc.diagnostics.render.concise import concise
from repc.diagnostics.render.full import full, summary
from repc.diagnostics.render.page import page
from repc.diagnostics.render.paint import Paint, wants_colour

__all__ = ["FORMATS", "Paint", "concise", "full", "page", "render", "summary", "wants_colour"]

FORMATS = ("full", "concise", "json", "jsonl", "github", "sarif")


def render(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], form: str = "full", colour: bool = False
) -> str:
    """All diagnostics in one of `FORMATS`, without a line end after the last line. Raises ValueError for others."""
    items = list(diagnostics)
    if form == "full":
        paint = Paint(colour)
        return "\n\n".join([*(full(item, sources, paint) for item in items), summary(items)]) if items else ""
    if form == "concise":
        return "\n".join(concise(item, sources) for item in items)
    # The machine formats need `json`, which people's output does not.
    from repc.diagnostics.render import machine

    writers = {"json": machine.json_list, "jsonl": machine.json_lines, "github": machine.github, "sarif": machine.sarif}
    if form not in writers:
        raise ValueError(form)
    return writers[form](items, sources)
