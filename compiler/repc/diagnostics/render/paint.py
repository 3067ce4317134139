"""Colour on a terminal, and text made safe and measurable for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO

from repc.diagnostics.model import Severity

__all__ = ["Paint", "plain", "wants_colour", "width"]

STYLES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;34",
    "bold": "1",
    "place": "34",
    "other": "1;34",
    "good": "32",
    "faint": "2",
}
TAB = 4


def wants_colour(stream: IO[str], environment: Mapping[str, str]) -> bool:
    """FORCE_COLOR beats NO_COLOR beats whether `stream` is a terminal that can."""
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    if environment.get("NO_COLOR"):
        return False
    return stream.isatty() and environment.get("TERM") != "dumb"


class Paint:
    """Wraps text in ANSI styles, or not."""

    __slots__ = ("on",)

    def __init__(self, on: bool) -> None:
        self.on = on

    def __call__(self, style: str | Severity, text: str) -> str:
        return f"\033[{STYLES[style]}m{text}\033[0m" if self.on and text else text


def plain(text: str) -> str:
    """The text with tabs as spaces and control characters as pictures: nothing in a spec can drive the terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character == "\t":
        return " " * TAB
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if character.isprintable():
        return character
    return f"<U+{code:04X}>"


def width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    shown = plain(text)
    if shown.isascii():
        return len(shown)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in shown)
