"""Pictures as SVG, laid out here: nothing has to be installed to look at a spec."""

from __future__ import annotations

from html import escape
from itertools import pairwise

from repc.drawing.layers import Placed, layers, ordered_rows, placed, routed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repc.drawing.picture import Box, Picture

CHARACTER, LINE, PADDING, MARGIN = 6.8, 15.0, 10.0, 24.0
LONGEST = 46
NARROW = 14.0

_FILLS = {
    "input": "#e8f0fe",
    "result": "#e8f0fe",
    "slot": "#fff4d6",
    "read": "#fff4d6",
    "draw": "#f3e8fd",
    "memory": "#d9f2e6",
    "apply": "#e6f4ea",
    "loop": "#eceff1",
    "branch": "#fce8e6",
}
_STYLE = (
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#202124}"
    ".d{fill:#5f6368;font-size:11px}.t{font-weight:bold;font-size:14px}.p{fill:#5f6368;font-size:10px}"
    "path{fill:none;stroke:#80868b}rect{stroke:#9aa0a6}"
)


def svg(shown: Sequence[Picture]) -> str:
    """One SVG image, the pictures under each other."""
    parts: list[str] = []
    y, width = MARGIN, 0.0
    for picture in shown:
        boxes, height, wide = _picture(picture, MARGIN, y)
        parts += boxes
        y += height + MARGIN
        width = max(width, wide + 2 * MARGIN)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y:.0f}"'
    return "\n".join(
        [
            f'{head} viewBox="0 0 {width:.0f} {y:.0f}">',
            f"<style>{_STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0,0 L8,4 L0,8 z" style="fill:#80868b;stroke:none"/></marker></defs>',
            f'<rect width="{width:.0f}" height="{y:.0f}" style="fill:#fff;stroke:none"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _picture(picture: Picture, left: float, top: float) -> tuple[list[str], float, float]:
    keys = [box.key for box in picture.boxes]
    arrows = [(source, target) for source, target, _ in picture.arrows]
    sizes = {box.key: _size(box) for box in picture.boxes}
    depth = layers(keys, arrows)
    ways, narrow = routed(arrows, depth, NARROW)
    steps = [step for way in ways for step in pairwise(way)]
    rows = ordered_rows([*keys, *narrow], steps, depth)
    places = placed(rows, {**sizes, **narrow})
    down = top + LINE + PADDING
    parts = [f'<text class="t" x="{left:.1f}" y="{top + LINE - 3:.1f}">{escape(picture.title)}</text>']
    for way, (_, _, port) in zip(ways, picture.arrows, strict=True):
        parts += _arrow([places[key] for key in way], port, left, down)
    for box in picture.boxes:
        parts += _box(box, places[box.key], left, down)
    width = max((place.x + place.width / 2 for place in places.values()), default=0.0)
    height = max((place.y + place.height / 2 for place in places.values()), default=0.0)
    title = len(picture.title) * CHARACTER * 1.25
    return parts, height + LINE + PADDING, max(width, title)


def _lines(box: Box) -> list[str]:
    return [_cut(line) for line in (box.title, box.detail) if line]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _size(box: Box) -> tuple[float, float]:
    lines = _lines(box)
    return max(map(len, lines)) * CHARACTER + 2 * PADDING, len(lines) * LINE + PADDING


def _box(box: Box, place: Placed, left: float, top: float) -> Iterator[str]:
    x, y = left + place.x - place.width / 2, top + place.y - place.height / 2
    round_ = place.height / 2 if box.kind in {"input", "result"} else 4
    fill = _FILLS.get(box.kind, "#ffffff")
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{place.width:.1f}" height="{place.height:.1f}" rx="{round_:.1f}" '
        f'fill="{fill}"/>'
    )
    for number, line in enumerate(_lines(box)):
        at = y + PADDING / 2 + LINE * (number + 1) - 4
        style = ' class="d"' if number else ""
        yield f'<text{style} x="{left + place.x:.1f}" y="{at:.1f}" text-anchor="middle">{escape(line)}</text>'


def _arrow(way: Sequence[Placed], port: str, left: float, top: float) -> Iterator[str]:
    """A curve from below the first box, straight through the places between, to the top of the last."""
    first, last = way[0], way[-1]
    x, y = left + first.x, top + first.y + first.height / 2
    path = [f"M{x:.1f},{y:.1f}"]
    before = x
    for place in way[1:]:
        x2 = left + place.x
        y2 = top + place.y - (last.height / 2 if place is last else 0.0)
        bend = max(12.0, (y2 - y) / 2)
        path.append(f"C{x:.1f},{y + bend:.1f} {x2:.1f},{y2 - bend:.1f} {x2:.1f},{y2:.1f}")
        before, x, y = x, x2, y2
    yield f'<path d="{" ".join(path)}" marker-end="url(#tip)"/>'
    if port:
        yield f'<text class="p" x="{(before + 3 * x) / 4 + 3:.1f}" y="{y - 8:.1f}">{escape(port)}</text>'
