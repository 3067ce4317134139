"""The page of one code: what `repc explain REP0203` prints."""

from __future__ import annotations

from textwrap import fill, indent

from repc.diagnostics.entry import Entry
from repc.diagnostics.render.paint import Paint

__all__ = ["page"]


def page(entry: Entry, paint: Paint) -> str:
    """Code and name, the story, a text that is refused and one that is not."""
    parts = [
        f"{paint(entry.severity, entry.code)} {paint('bold', entry.name)}",
        fill(entry.story, 100),
        paint("bold", "Refused:" if entry.severity == "error" else "Reported:"),
        indent(entry.bad.strip("\n"), "    "),
        paint("bold", "Instead:"),
        indent(entry.good.strip("\n"), "    "),
    ]
    return "\n\n".join(parts)
