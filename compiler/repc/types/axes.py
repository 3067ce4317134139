"""Axes: what a value is spread over (LANGUAGE.md 1.1)."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Dim, Symbol

# The kinds of axis that may be written after a dim's name.
AXIS_KINDS = ("plain", "batch", "seq", "set", "grid", "feature")


class Axis(Record):
    """One axis: its label (unique inside one value), its size, its kind and the index set it was born with.

    Groups act on spaces: `S(N)` permutes every axis of space `N` at once; labels tell copies of one space apart.
    """

    label: Symbol
    size: Dim
    kind: str
    space: Symbol
    ragged: bool = False

    def same(self, other: Axis) -> bool:
        """Whether the labels resolve to one symbol; equal sizes are a matter of facts."""
        return self.label == other.label

    def relabelled(self, label: Symbol) -> Axis:
        """This axis under another label, of the same space."""
        return Axis(label, self.size, self.kind, self.space, self.ragged)

    def resized(self, size: Dim, space: Symbol) -> Axis:
        """A slice, pad or filter of this axis: same label, another size and a space of its own (a set turns plain)."""
        kind = "plain" if self.kind == "set" else self.kind
        return Axis(self.label, size, kind, space, self.ragged)

    def __str__(self) -> str:
        if self.size == Dim.of(self.label):
            return str(self.label)
        return f"{self.label}: {self.size}"


def axis_of(symbol: Symbol, kind: str = "plain", ragged: bool = False) -> Axis:
    """The axis that a bare dim makes in a shape."""
    return Axis(symbol, Dim.of(symbol), kind, symbol, ragged)


def fresh_copy(axis: Axis, label: Symbol) -> Axis:
    """A second axis of the same space, `j: N`."""
    return axis.relabelled(label)
