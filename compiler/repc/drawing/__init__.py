"""Graphs of declarations as pictures: SVG, Graphviz and Mermaid."""

from __future__ import annotations

from repc.drawing.picture import Box, Picture, pictures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Box", "Picture", "draw", "pictures"]


def draw(shown: Sequence[Picture], form: str) -> str:
    """All pictures in one text; `form` is `svg`, `dot` or `mermaid`. Raises ValueError for others."""
    if form == "svg":
        from repc.drawing.svg import svg

        return svg(shown)
    if form == "dot":
        from repc.drawing.dot import dot

        return dot(shown)
    if form == "mermaid":
        from repc.drawing.mermaid import mermaid

        return mermaid(shown)
    raise ValueError(form)
