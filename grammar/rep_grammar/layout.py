"""Layouts: texts with places where a line may break, and the renderer that decides where one does.

The algebra of Wadler's "A prettier printer" (2003), with lists that fill their lines and with comments that wait for
the end of the line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Layout: TypeAlias = "str | Join | Break | Group | Either | Indent | Align | Suffix"


class Join:
    """Parts one after the other; `hard` says that a line must break inside."""

    __slots__ = ("hard", "parts")

    def __init__(self, *parts: Layout) -> None:
        self.parts = parts
        self.hard = any(is_hard(part) for part in parts)


class Break:
    """A place where the line may break; `flat` stands there where it does not."""

    __slots__ = ("blank", "flat", "hard")

    def __init__(self, flat: str = " ", *, hard: bool = False, blank: bool = False) -> None:
        self.flat = flat
        self.hard = hard
        self.blank = blank


class Group:
    """Breaks all of its own places or none; all where it is too long or must break."""

    __slots__ = ("hard", "inner")

    def __init__(self, *parts: Layout) -> None:
        self.inner = Join(*parts)
        self.hard = self.inner.hard


class Either:
    """One of two layouts: the first where `test` fits on the rest of the line, else the second."""

    __slots__ = ("first", "hard", "second", "test")

    def __init__(self, test: Layout, first: Layout, second: Layout) -> None:
        self.test = test
        self.first = first
        self.second = second
        self.hard = is_hard(first)


class Indent:
    """Lines that begin inside stand `by` further to the right."""

    __slots__ = ("by", "hard", "inner")

    def __init__(self, by: int, *parts: Layout) -> None:
        self.by = by
        self.inner = Join(*parts)
        self.hard = self.inner.hard


class Align:
    """Lines that begin inside stand below its first character."""

    __slots__ = ("hard", "inner")

    def __init__(self, *parts: Layout) -> None:
        self.inner = Join(*parts)
        self.hard = self.inner.hard


class Suffix:
    """A comment at the end of the line, at `column` where there is room; the line breaks behind it."""

    __slots__ = ("column", "hard", "text")

    def __init__(self, text: str, column: int) -> None:
        self.text = text
        self.column = column
        self.hard = True


HARD = Break(hard=True)
BLANK = Break(hard=True, blank=True)
SOFT = Break("")
SPACE = Break()


def is_hard(layout: Layout) -> bool:
    """Whether a line must break inside."""
    return not isinstance(layout, str) and layout.hard


def render(layout: Layout, width: int) -> str:
    """The text of a layout: every group on one line where that is at most `width` long. Ends with a line end."""
    lines: list[str] = []
    line, column = "", 0
    suffix: Suffix | None = None
    stack: list[tuple[int, bool, Layout]] = [(0, True, layout)]

    def finish(line: str, suffix: Suffix | None) -> str:
        if suffix is None:
            return line.rstrip()
        bare = line.rstrip()
        return (bare.ljust(max(suffix.column, len(bare) + 2)) if bare else line) + suffix.text

    while stack:
        indent, broken, part = stack.pop()
        if isinstance(part, str):
            line += part
            column += len(part)
        elif isinstance(part, Join):
            stack.extend((indent, broken, inner) for inner in reversed(part.parts))
        elif isinstance(part, Indent):
            stack.append((indent + part.by, broken, part.inner))
        elif isinstance(part, Align):
            stack.append((column, broken, part.inner))
        elif isinstance(part, Suffix):
            suffix = part
        elif isinstance(part, Either):
            chosen = part.first if fits(width - column, [(indent, False, part.test)]) else part.second
            stack.append((indent, broken, chosen))
        elif isinstance(part, Group):
            breaks = part.hard or not fits(width - column, [*stack, (indent, False, part.inner)])
            stack.append((indent, breaks, part.inner))
        elif broken or part.hard:
            lines.append(finish(line, suffix))
            if part.blank:
                lines.append("")
            line, column, suffix = " " * indent, indent, None
        else:
            line += part.flat
            column += len(part.flat)
    lines.append(finish(line, suffix))
    return "\n".join(lines).strip("\n") + "\n"


def fits(room: int, stack: list[tuple[int, bool, Layout]]) -> bool:
    """Whether what is on the stack fits into `room` up to its first line break."""
    while room >= 0:
        if not stack:
            return True
        indent, broken, part = stack.pop()
        if isinstance(part, str):
            room -= len(part)
        elif isinstance(part, Join):
            stack.extend((indent, broken, inner) for inner in reversed(part.parts))
        elif isinstance(part, Suffix):
            return True
        elif isinstance(part, Group):
            stack.append((indent, broken or part.hard, part.inner))
        elif isinstance(part, (Indent, Align)):
            stack.append((indent, broken, part.inner))
        elif isinstance(part, Either):
            stack.append((indent, broken, part.first))
        elif broken or part.hard:
            return True
        else:
            room -= len(part.flat)
    return False
