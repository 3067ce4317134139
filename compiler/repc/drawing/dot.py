"""Pictures for Graphviz."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repc.drawing.picture import Box, Picture

_SHAPES = {
    "input": "ellipse",
    "result": "ellipse",
    "slot": "note",
    "read": "cylinder",
    "draw": "diamond",
    "memory": "box3d",
    "apply": "component",
    "loop": "folder",
    "branch": "diamond",
}


def dot(shown: Sequence[Picture]) -> str:
    """One `digraph` with a cluster for each picture."""
    lines = ["digraph spec {", "  rankdir=TB;", '  node [shape=box, fontname="sans-serif", fontsize=11];']
    lines += ['  edge [fontname="sans-serif", fontsize=9];']
    for number, picture in enumerate(shown):
        lines += _cluster(number, picture)
    return "\n".join([*lines, "}", ""])


def _cluster(number: int, picture: Picture) -> Iterator[str]:
    yield f"  subgraph cluster_{number} {{"
    yield f"    label={_quoted(picture.title)};"
    for box in picture.boxes:
        yield f"    {_key(number, box.key)} [label={_label(box)}, shape={_SHAPES.get(box.kind, 'box')}];"
    for source, target, port in picture.arrows:
        label = f" [label={_quoted(port)}]" if port else ""
        yield f"    {_key(number, source)} -> {_key(number, target)}{label};"
    yield "  }"


def _key(number: int, key: str) -> str:
    return _quoted(f"{number}:{key}")


def _label(box: Box) -> str:
    return _quoted(f"{box.title}\n{box.detail}" if box.detail else box.title)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
