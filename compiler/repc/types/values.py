"""Types of values: named axes and a kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.types.axes import Axis
from repc.types.kinds import FLOAT, RECORD, Kind, Refinement


class Type(Record):
    """`[axes] of kind`, refined. The order of `axes` is the written order and carries no meaning beyond 1.9.

    `fields` belong to records. `action` says how groups act: pairs (group name, representation), empty = permutation of
    the axes of the group's space only.
    """

    axes: tuple[Axis, ...]
    kind: Kind
    refine: Refinement | None = None
    fields: tuple[tuple[str, Type], ...] = ()
    action: tuple[tuple[str, str], ...] = ()

    @property
    def labels(self) -> tuple[Symbol, ...]:
        """Labels of the axes in written order."""
        return tuple(axis.label for axis in self.axes)

    def axis(self, label: Symbol) -> Axis | None:
        """The axis of that label, if the value has it."""
        for axis in self.axes:
            if axis.label == label:
                return axis
        return None

    def field(self, name: str) -> Type | None:
        """Type of a field of a record."""
        for own, kind in self.fields:
            if own == name:
                return kind
        return None

    def with_axes(self, axes: Iterable[Axis]) -> Type:
        """The same kind over other axes, nothing else known."""
        return Type(tuple(axes), self.kind)

    def plain(self) -> Type:
        """The same axes and kind without refinement and action."""
        return Type(self.axes, self.kind, None, self.fields)

    def subst(self, labels: Mapping[Symbol, Symbol], sizes: Mapping[Symbol, Dim]) -> Type:
        """This type with labels renamed and sizes replaced (a callee's type in its caller's names)."""
        axes = tuple(
            Axis(
                labels.get(axis.label, axis.label),
                axis.size.subst(sizes),
                axis.kind,
                labels.get(axis.space, axis.space),
                axis.ragged,
            )
            for axis in self.axes
        )
        kind = self.kind
        if kind.size is not None:
            space = kind.space if kind.space is None else labels.get(kind.space, kind.space)
            kind = Kind(kind.name, space, kind.size.subst(sizes), kind.of)
        refine = self.refine
        if refine is not None and refine.axes:
            refine = Refinement(
                refine.name,
                refine.low,
                refine.high,
                refine.low_open,
                refine.high_open,
                tuple(labels.get(label, label) for label in refine.axes),
            )
        fields = tuple((name, inner.subst(labels, sizes)) for name, inner in self.fields)
        return Type(axes, kind, refine, fields, self.action)

    def __str__(self) -> str:
        if self.kind.name == "record":
            return "(" + ", ".join(f"{name}: {inner}" for name, inner in self.fields) + ")"
        text = f"[{', '.join(map(str, self.axes))}] {self.kind}"
        return text if self.refine is None else f"{text} {self.refine}"


def scalar(kind: Kind) -> Type:
    """A value without axes."""
    return Type((), kind)


def record(fields: Iterable[tuple[str, Type]]) -> Type:
    """A record of named values."""
    return Type((), RECORD, None, tuple(fields))


SCALAR = scalar(FLOAT)
