"""Kinds of value and their refinements (LANGUAGE.md 1.10)."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Dim, Symbol


class Kind(Record):
    """What the entries of a value are.

    `name`: `float | int | bool | number | index | code | gaussian | element | record | state | params | string | none`.
    A `number` is a literal or a dim: it takes the kind that is needed. `space` and `size` belong to `index` and `code`
    (the axis it may subscript, the number of its values); `of` names the group of an `element`, the declaration of
    `state` and `params`.
    """

    name: str
    space: Symbol | None = None
    size: Dim | None = None
    of: str = ""

    def __str__(self) -> str:
        if self.name == "index":
            return f"index({self.space if self.space is not None and not self.space.scope else self.size})"
        return f"{self.name}({self.of})" if self.of else self.name


FLOAT = Kind("float")
INT = Kind("int")
BOOL = Kind("bool")
NUMBER = Kind("number")
RECORD = Kind("record")


def index_of(space: Symbol, size: Dim) -> Kind:
    """Positions of an axis of this space, `0 .. size - 1`."""
    return Kind("index", space, size)


def record_of(declaration: str = "") -> Kind:
    """A record of named values."""
    return Kind("record", None, None, declaration)


class Refinement(Record):
    """What is known of the entries beyond their kind.

    `name`: `interval` (with bounds, open or closed) or a manifold `sphere | ball | simplex | stiefel | orthogonal`
    along `axes`.
    """

    name: str
    low: float = float("-inf")
    high: float = float("inf")
    low_open: bool = True
    high_open: bool = True
    axes: tuple[Symbol, ...] = ()

    def within(self, other: Refinement) -> bool:
        """Whether every value that satisfies this one satisfies `other`."""
        if self.name != "interval" or other.name != "interval":
            return self == other
        above = self.low > other.low or (self.low == other.low and (self.low_open or not other.low_open))
        below = self.high < other.high or (self.high == other.high and (self.high_open or not other.high_open))
        return above and below

    def __str__(self) -> str:
        if self.name == "interval":
            if self.low_open and self.high_open and self.high != float("inf"):
                return f"in ({self.low:g}, {self.high:g})"
            return f"in {self.low:g} .. {self.high:g}"
        return f"on {self.name}({', '.join(map(str, self.axes))})"
