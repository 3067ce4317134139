"""From a line of generated code back to the `.rep` text it came from.

The side file `NAME.map.json` of a generated module:

    {"version": 1, "module": "lm.py", "lines": {"41": {"node": "%3", "file": "lm.rep", "line": 20, "column": 7,
     "end_line": 20, "end_column": 36, "text": "  q = l2norm(linear(x, D -> [H, K]), over: K)"}}}

Lines and columns count from 1, `end_column` is exclusive. A line that is not listed belongs to the nearest listed line
above it. Only `file` and `line` are required.
"""

from __future__ import annotations

import bisect
import json
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rep_runtime.faults import Place, RuntimeFault

VERSION = 1


@dataclass(frozen=True, slots=True)
class LineMap:
    """The places of one generated module: `lines` ascending, `places` beside them."""

    module: Path
    lines: tuple[int, ...]
    places: tuple[Place, ...]

    def place(self, line: int) -> Place | None:
        """Where a line of the module comes from; None above the first mapped line."""
        at = bisect.bisect_right(self.lines, line) - 1
        return self.places[at] if at >= 0 else None


def parse_map(text: str, module: Path) -> LineMap:
    """Read the text of a map; ValueError where it is none of this version."""
    content = json.loads(text)
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise ValueError("not a line map of this version")
    found: list[tuple[int, Place]] = []
    for line, entry in content["lines"].items():
        place = Place(
            file=str(entry["file"]),
            line=int(entry["line"]),
            column=int(entry.get("column", 1)),
            end_line=int(entry.get("end_line", entry["line"])),
            end_column=int(entry.get("end_column", 0)),
            text=str(entry.get("text", "")),
        )
        found.append((int(line), place))
    found.sort(key=lambda item: item[0])
    return LineMap(module, tuple(line for line, _ in found), tuple(place for _, place in found))


def load_map(module: str | Path) -> LineMap | None:
    """The map beside a generated module (`lm.py` -> `lm.map.json`); None where there is none that can be read."""
    path = Path(module)
    try:
        return parse_map(path.with_suffix(".map.json").read_text(encoding="utf-8"), path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _same_file(frame_file: str, module: Path) -> bool:
    return frame_file == str(module) or Path(frame_file).resolve() == module.resolve()


def locate(error: BaseException, maps: Sequence[LineMap]) -> Place | None:
    """The `.rep` place of the innermost frame of `error` that lies in a mapped module."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        for known in maps:
            if frame.lineno is not None and _same_file(frame.filename, known.module):
                return known.place(frame.lineno)
    return None


def _is_memory(error: BaseException) -> bool:
    text = str(error)
    return isinstance(error, MemoryError) or "out of memory" in text or "can't allocate memory" in text


def translate(error: Exception, maps: Sequence[LineMap]) -> RuntimeFault | None:
    """An exception of generated code as RuntimeFault REP0710 at its place; None where no mapped module raised it."""
    place = locate(error, maps)
    if place is None:
        return None
    if _is_memory(error):
        return RuntimeFault(
            "REP0710", "the memory of the device is full here", "use a smaller `batch:`, or `accumulate:` it", place
        )
    first = (str(error).strip().splitlines() or [""])[0]
    told = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return RuntimeFault("REP0710", f"running this failed: {told}", "check the inputs, or run `repc verify`", place)


@contextmanager
def rep_spans(*modules: str | Path | LineMap | None) -> Iterator[None]:
    """Within it, an exception raised in one of these generated modules becomes a RuntimeFault with its `.rep` place."""
    try:
        yield
    except RuntimeFault:
        raise
    except Exception as error:
        loaded = [given if isinstance(given, LineMap) else load_map(given) for given in modules if given is not None]
        fault = translate(error, [known for known in loaded if known is not None])
        if fault is None:
            raise
        raise fault from error
