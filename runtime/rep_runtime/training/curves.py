"""The picture of a run: every column of its log over the steps."""

from __future__ import annotations

import io
import math
from pathlib import Path

from rep_runtime.training.files import disk_faults, write_atomic
from rep_runtime.training.log import read_log

_COLUMNS = 3
_SMOOTH = 20


def _smoothed(values: list[float]) -> list[float]:
    """A running mean over the last few entries, so that a noisy term shows its trend."""
    width = max(1, min(_SMOOTH, len(values) // 10))
    return [
        sum(values[max(0, at - width + 1) : at + 1]) / len(values[max(0, at - width + 1) : at + 1])
        for at in range(len(values))
    ]


def draw_curves(log: Path, picture: Path, title: str = "") -> bool:
    """Draw `log.csv` into a PNG, one panel per column; False where matplotlib is absent or the log is empty."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return False
    columns, rows = read_log(log)
    names = [name for name in columns if name != "step"]
    if not rows or not names:
        return False
    across = min(_COLUMNS, len(names))
    down = math.ceil(len(names) / across)
    figure = Figure(figsize=(4.2 * across, 3.0 * down), layout="constrained")
    FigureCanvasAgg(figure)
    for place, name in enumerate(names, start=1):
        points = [(int(row["step"]), float(row[name])) for row in rows if row[name]]
        points = [(step, value) for step, value in points if math.isfinite(value)]
        panel = figure.add_subplot(down, across, place)
        steps, values = [step for step, _ in points], [value for _, value in points]
        few = len(points) <= 2 * _SMOOTH
        panel.plot(steps, values, color="#4878a8", alpha=1.0 if few else 0.3, marker="o" if few else "", markersize=3)
        if not few:
            panel.plot(steps, _smoothed(values), color="#1f4e79")
        panel.set_title(name, fontsize=10)
        panel.set_xlabel("step", fontsize=8)
        panel.tick_params(labelsize=8)
        panel.grid(alpha=0.25)
    if title:
        figure.suptitle(title, fontsize=11)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=110)
    with disk_faults(f"the picture `{picture}`"):
        write_atomic(picture, content.getvalue())
    return True
