"""Places of boxes: layers along the arrows, boxes of a layer ordered so that few arrows cross (Sugiyama's method)."""

from __future__ import annotations

from rep_grammar.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SWEEPS = 8
GAP_X, GAP_Y = 24.0, 44.0


class Placed(Record):
    """Centre and size of a box."""

    x: float
    y: float
    width: float
    height: float


def layers(keys: Sequence[str], arrows: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The layer of each box: one more than the deepest that it takes from; sources close to their first use.

    `keys` must come in an order that the arrows follow.
    """
    before: dict[str, list[str]] = {key: [] for key in keys}
    after: dict[str, list[str]] = {key: [] for key in keys}
    for source, target in arrows:
        before[target].append(source)
        after[source].append(target)
    depth: dict[str, int] = {}
    for key in keys:
        depth[key] = 1 + max((depth[source] for source in before[key]), default=-1)
    for key in keys:
        # A parameter beside what it is used for says more than one in the first row.
        if not before[key] and after[key]:
            depth[key] = min(depth[target] for target in after[key]) - 1
    return depth


def routed(
    arrows: Sequence[tuple[str, str]], depth: dict[str, int], width: float
) -> tuple[list[list[str]], dict[str, tuple[float, float]]]:
    """The way of each arrow through the layers: its ends, and a narrow place in every layer between them.

    The places are added to `depth`; their sizes are returned too.
    """
    ways: list[list[str]] = []
    sizes: dict[str, tuple[float, float]] = {}
    for number, (source, target) in enumerate(arrows):
        way = [source]
        for level in range(depth[source] + 1, depth[target]):
            key = f"way {number} {level}"
            depth[key] = level
            sizes[key] = (width, 0.0)
            way.append(key)
        ways.append([*way, target])
    return ways, sizes


def ordered_rows(keys: Sequence[str], arrows: Sequence[tuple[str, str]], depth: Mapping[str, int]) -> list[list[str]]:
    """The boxes of each layer from left to right, by the mean place of their neighbours, swept down and up."""
    rows: list[list[str]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for key in keys:
        rows[depth[key]].append(key)
    near: dict[str, list[str]] = {key: [] for key in keys}
    for source, target in arrows:
        near[source].append(target)
        near[target].append(source)
    for sweep in range(SWEEPS):
        place = {key: number / max(1, len(row)) for row in rows for number, key in enumerate(row)}
        down = sweep % 2 == 0
        for level in range(len(rows)) if down else reversed(range(len(rows))):
            row = rows[level]

            def mean(key: str, level: int = level, down: bool = down, place: dict[str, float] = place) -> float:
                sides = [other for other in near[key] if (depth[other] < level) == down and depth[other] != level]
                return sum(place[other] for other in sides) / len(sides) if sides else place[key]

            row.sort(key=mean)
            place.update((key, number / max(1, len(row))) for number, key in enumerate(row))
    return rows


def placed(rows: Sequence[Sequence[str]], sizes: Mapping[str, tuple[float, float]]) -> dict[str, Placed]:
    """Rows under each other, each centred on the widest."""
    widths = [sum(sizes[key][0] for key in row) + GAP_X * max(0, len(row) - 1) for row in rows]
    widest = max(widths, default=0.0)
    found: dict[str, Placed] = {}
    y = 0.0
    for row, total in zip(rows, widths, strict=True):
        height = max((sizes[key][1] for key in row), default=0.0)
        x = (widest - total) / 2
        for key in row:
            width = sizes[key][0]
            found[key] = Placed(x + width / 2, y + height / 2, width, sizes[key][1])
            x += width + GAP_X
        y += height + GAP_Y
    return found
