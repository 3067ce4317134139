"""The parameters of a declaration, through all the blocks that it owns."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.ir import Block, Program
from repc.lowering.owned import owned
from repc.ops.fields import size
from repc.types import Axis


class Holding(Record):
    """Parameters of one path; `times`: how many of them there are, beside the entries of their axes."""

    path: str
    axes: tuple[Axis, ...]
    times: Dim

    @property
    def numbers(self) -> Dim:
        """Numbers in all of them together."""
        return self.times * size(self.axes)


class Holdings:
    """Looks up what a graph owns; each graph is asked once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, tuple[Holding, ...]] = {}

    def of(self, key: str) -> tuple[Holding, ...]:
        """The trained parameters of a graph, in its own dims."""
        if key not in self._known:
            self._known[key] = self._find(key)
        return self._known[key]

    def total(self, key: str) -> Dim:
        """How many numbers they are."""
        total = Dim.of(0)
        for holding in self.of(key):
            total = total + holding.numbers
        return total

    def _find(self, key: str) -> tuple[Holding, ...]:
        graph = self._program.graphs[key]
        own = owned(self._program, graph)
        found = [
            Holding(node.attrs["path"], node.type.axes, Dim.of(1))
            for node in own.slots
            if node.attrs.get("trained", True)
        ]
        for block in own.blocks:
            # A treated block (`held`, `ema`, ..) has no parameters of its own.
            if not block.treatment:
                found += self._inside(block)
        for loop in own.loops:
            label, count = loop.attrs["label"], loop.attrs["count"]
            for inner in self.of(loop.attrs["body"]):
                found.append(Holding(f"{label}.<i>.{inner.path}", inner.axes, inner.times * count))
        return tuple(found)

    def _inside(self, block: Block) -> list[Holding]:
        times = Dim.of(1)
        for axis in block.per:
            times = times * (axis.size if isinstance(axis, Axis) else Dim.of(axis))  # type: ignore[arg-type]
        if block.family is not None:
            times = times * Dim.of(block.family)
        sizes = {symbol: value for symbol, value in block.sizes if isinstance(value, Dim)}
        return [
            Holding(f"{block.path}.{inner.path}", _replaced(inner.axes, sizes), inner.times.subst(sizes) * times)
            for inner in self.of(block.graph)
        ]


def _replaced(axes: tuple[Axis, ...], sizes: dict[Symbol, Dim]) -> tuple[Axis, ...]:
    made = []
    for axis in axes:
        size = axis.size.subst(sizes)
        label = size.symbol if axis.size == Dim.of(axis.label) else None
        made.append(Axis(label or axis.label, size, axis.kind, axis.space, axis.ragged))
    return tuple(made)
