"""Pictures for Mermaid."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repc.drawing.picture import Box, Picture

_BRACKETS = {
    "input": ("([", "])"),
    "result": ("([", "])"),
    "slot": ("[/", "/]"),
    "read": ("[(", ")]"),
    "draw": ("{{", "}}"),
    "memory": ("[[", "]]"),
    "branch": ("{", "}"),
}


def mermaid(shown: Sequence[Picture]) -> str:
    """One flow chart with a subgraph for each picture."""
    lines = ["flowchart TB"]
    for number, picture in enumerate(shown):
        lines += _subgraph(number, picture)
    return "\n".join([*lines, ""])


def _subgraph(number: int, picture: Picture) -> Iterator[str]:
    keys = {box.key: f"n{number}_{place}" for place, box in enumerate(picture.boxes)}
    yield f"  subgraph s{number}[{_quoted(picture.title)}]"
    for box in picture.boxes:
        left, right = _BRACKETS.get(box.kind, ("[", "]"))
        yield f"    {keys[box.key]}{left}{_label(box)}{right}"
    for source, target, port in picture.arrows:
        arrow = f"-->|{_quoted(port)}|" if port else "-->"
        yield f"    {keys[source]} {arrow} {keys[target]}"
    yield "  end"


def _label(box: Box) -> str:
    return _quoted(f"{box.title}\n{box.detail}" if box.detail else box.title)


def _quoted(text: str) -> str:
    escaped = text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
    return '"' + escaped.replace("\n", "<br/>") + '"'
