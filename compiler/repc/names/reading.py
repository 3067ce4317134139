"""Texts of files, with every way in which a file can fail to be one."""

from __future__ import annotations

import os

from rep_grammar.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rep_grammar.spans import Span
    from repc.diagnostics.model import Fault

MOST_BYTES = 4_000_000
"""Largest text that is read. A spec has some kilobytes; this is room for generated ones."""


class Reading(Record):
    """What came of reading a file: its text, or why there is none."""

    text: str = ""
    fault: Fault | None = None


def read_text(path: str, span: Span | None = None, written: str = "") -> Reading:
    """The text of a file; an import asks for it at `span` as `written`. Line ends are left as they are."""
    try:
        with open(path, "rb") as file:
            stored = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        if span is None:
            return _refused("missing-file", path, span, suggestion=_similar(path, path))
        near = _similar(path, written)
        return _refused("file-not-found", written, span, near and f'"{near}"', looked=path)
    except IsADirectoryError:
        return _refused("not-a-file", path, span)
    except (OSError, ValueError) as error:
        # ValueError: a path with a NUL character in it.
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is not a path"
        return _refused("unreadable-file", path, span, reason=reason)
    return decode(stored, path, span)


def decode(stored: bytes, path: str, span: Span | None = None) -> Reading:
    """The text that `stored` is the UTF-8 of, within the limit of size."""
    if len(stored) > MOST_BYTES:
        return _refused("file-too-large", path, span, limit=f"{MOST_BYTES // 1_000_000} MB")
    try:
        return Reading(stored.decode("utf-8"))
    except UnicodeDecodeError as error:
        return _refused("not-utf8", path, span, offset=error.start, line=stored.count(b"\n", 0, error.start) + 1)


def _refused(name: str, path: str, span: Span | None, suggestion: str | None = None, **values: object) -> Reading:
    from repc.diagnostics.model import Fault

    return Reading("", Fault(name, span, {"path": path, **values}, (), suggestion))


def _similar(path: str, written: str) -> str | None:
    """A file beside `path` with nearly its name, spelled like `written`."""
    from repc.diagnostics.suggest import nearest

    folder, name = os.path.split(path)
    try:
        names = [entry for entry in os.listdir(folder or ".") if entry.endswith(".rep")]
    except (OSError, ValueError):
        return None
    found = f"{name}.rep" if f"{name}.rep" in names else nearest(name, names)
    return None if found is None else os.path.join(os.path.dirname(written), found)
