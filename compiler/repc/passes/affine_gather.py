"""Gathers at sums of indices become slices, shifts, rolls, flips and diagonals (LANGUAGE.md 4.13)."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim, Facts, Symbol
from repc.ir import Attrs, Graph, Node, Program
from repc.ir.check import facts_of
from repc.ops import infer
from repc.passes.affine import Affine, affine, in_order
from repc.passes.record import Pass
from repc.passes.rewrite import each_graph, merged
from repc.types import Axis


def affine_gather(program: Program) -> Program:
    """Every gather along one axis at `i + b`, `b - i` or `(i + b) % n`, for an index i of one axis, without indices."""
    return each_graph(program, lambda program, graph: _Rewriter(program, graph).rewritten())


class _Rewriter:
    def __init__(self, program: Program, graph: Graph) -> None:
        self.graph = graph
        self.facts: Facts = facts_of(program, graph)
        self.nodes: Mapping[str, Node] = graph.by_name()
        self.made: list[Node] = []

    def rewritten(self) -> Graph:
        for node in self.graph.nodes:
            chain = self._shift(node) or self._gather(node)
            if chain is None:
                self.made.append(node)
            else:
                self.made += self._named(node, chain)
        return self.graph.with_(nodes=tuple(self.made))

    def _prim(self, name: str, arg: Node, like: Node, op: str, **attrs: object) -> Node:
        type = infer(op, [arg.type], attrs, self.facts)
        return Node(name, "prim", (arg.name,), Attrs(op=op, **attrs), type, like.origin)

    def _named(self, node: Node, chain: list[Node]) -> list[Node]:
        """The chain, its last node under the name of the one that it stands for."""
        return [*chain[:-1], chain[-1].with_(name=node.name)]

    # ---- x[i + b], x[b - i], x[(i + b) % n]

    def _gather(self, node: Node) -> list[Node] | None:
        if not _is_gather(node):
            return None
        x, axis = self._looked_up(node)
        rolled = self._rolled(node, x, axis)
        if rolled is not None:
            return rolled
        place = affine(self.nodes, node.args[1])
        if place is None or place.clipped or len(place.terms) != 1:
            return None
        ((label, factor),) = place.terms
        index = self.nodes[node.args[1]].type
        if index.labels != (label,) or factor not in (1, -1):
            return None
        running = place.axis(label)
        if x.type.axis(label) is not None and label != axis.label:
            return self._diagonal(node, x, axis, running, place)
        return self._cut(node, x, axis, running, place, factor)

    def _looked_up(self, node: Node) -> tuple[Node, Axis]:
        x = self.nodes[node.args[0]]
        axis = x.type.axis(node.attrs["axes"][0])
        assert axis is not None, "a gather replaces an axis that its operand has"
        return x, axis

    def _cut(self, node: Node, x: Node, axis: Axis, running: Axis, place: Affine, factor: int) -> list[Node] | None:
        """A stretch of the axis, turned round where the factor is -1."""
        low, high = place.bounds()
        if not in_order(self.facts, Dim.of(0), low) or not in_order(self.facts, high, axis.size - 1):
            return None
        chain: list[Node] = []
        current = x
        if not (low == Dim.of(0) and self.facts.equal(running.size, axis.size)):
            kept = axis.resized(running.size, Symbol(axis.space.name, f"{axis.space.scope}[{low}:{high + 1}]"))
            attrs = {"axis": axis.label, "start": low, "stop": high + 1, "as": kept}
            chain.append(self._prim(f"{node.name}.cut", current, node, "slice", **attrs))
            current = chain[-1]
        if factor == -1:
            chain.append(self._prim(f"{node.name}.flip", current, node, "flip", over=(axis.label,)))
            current = chain[-1]
        if axis.label != running.label:
            chain.append(
                self._prim(f"{node.name}.label", current, node, "relabel", labels=((axis.label, running.label),))
            )
        return self._fits(node, chain)

    def _diagonal(self, node: Node, x: Node, axis: Axis, running: Axis, place: Affine) -> list[Node] | None:
        """`x[i, i]`: the axis that is looked up and the one that the index runs along have one position."""
        if place.factor(running.label) != 1 or place.constant != Dim.of(0):
            return None
        if not self.facts.equal(axis.size, running.size):
            return None
        labels = (running.label, axis.label)
        return self._fits(node, [self._prim(node.name, x, node, "diagonal", labels=labels, into=running.label)])

    def _rolled(self, node: Node, x: Node, axis: Axis) -> list[Node] | None:
        """`x[(i + b) % n]` for an axis of n positions: a roll."""
        wrapped = self.nodes[node.args[1]]
        while wrapped.kind == "prim" and wrapped.attrs["op"] in ("index", "relabel") and len(wrapped.args) == 1:
            wrapped = self.nodes[wrapped.args[0]]
        if wrapped.kind != "prim" or wrapped.attrs["op"] != "mod":
            return None
        place, size = (affine(self.nodes, arg) for arg in wrapped.args)
        if place is None or size is None or size.terms or place.clipped or len(place.terms) != 1:
            return None
        ((label, factor),) = place.terms
        running = place.axis(label)
        whole = self.facts.equal(size.constant, axis.size) and self.facts.equal(running.size, axis.size)
        fresh = label == axis.label or x.type.axis(label) is None
        if factor != 1 or not whole or not fresh or self.nodes[node.args[1]].type.labels != (label,):
            return None
        chain = [self._prim(f"{node.name}.roll", x, node, "roll", over=(axis.label,), by=-place.constant)]
        if axis.label != label:
            chain.append(self._prim(f"{node.name}.label", chain[-1], node, "relabel", labels=((axis.label, label),)))
        return self._fits(node, chain)

    # ---- x[i - b; outside: c]

    def _shift(self, node: Node) -> list[Node] | None:
        """`where(0 <= i - b < n, x[clip(i - b)], c)` along a whole axis: a shift."""
        if node.kind != "prim" or node.attrs["op"] != "where":
            return None
        inner, fill = self.nodes[node.args[1]], self.nodes[node.args[2]]
        if not _is_gather(inner) or fill.kind != "const" or not isinstance(fill.attrs["value"], int | float):
            return None
        x, axis = self._looked_up(inner)
        place = affine(self.nodes, inner.args[1])
        if place is None or len(place.terms) != 1 or not place.clipped:
            return None
        ((label, factor),) = place.terms
        running = place.axis(label)
        before = self.nodes[place.clipped].args[0]
        fresh = label == axis.label or x.type.axis(label) is None
        if factor != 1 or not fresh or not self.facts.equal(running.size, axis.size):
            return None
        if inner.args[1] != place.clipped or not self._guards(node.args[0], before, axis.size):
            return None
        chain = [
            self._prim(
                f"{node.name}.shift",
                x,
                node,
                "shift",
                over=(axis.label,),
                by=-place.constant,
                fill=fill.attrs["value"],
            )
        ]
        if axis.label != label:
            chain.append(self._prim(f"{node.name}.label", chain[-1], node, "relabel", labels=((axis.label, label),)))
        chain[0] = chain[0].with_(origin=merged([inner, node]))
        return self._fits(node, chain)

    def _guards(self, condition: str, place: str, size: Dim) -> bool:
        """Whether a condition is `place >= 0 and place < size`."""
        node = self.nodes[condition]
        if node.kind != "prim" or node.attrs["op"] != "and":
            return False
        found = set()
        for arg in node.args:
            part = self.nodes[arg]
            if part.kind != "prim" or part.attrs["op"] not in ("ge", "lt") or part.args[0] != place:
                return False
            bound = self.nodes[part.args[1]]
            wanted = Dim.of(0) if part.attrs["op"] == "ge" else size
            value = bound.attrs.get("value")
            if bound.kind != "const" or not isinstance(value, int | Dim) or Dim.of(value) != wanted:
                return False
            found.add(part.attrs["op"])
        return found == {"ge", "lt"}

    def _fits(self, node: Node, chain: list[Node]) -> list[Node] | None:
        """The chain, if it makes what the node made, in its written order."""
        if not chain:
            return None
        last = chain[-1].type
        if last.labels != node.type.labels:
            if set(last.labels) != set(node.type.labels):
                return None
            chain.append(self._prim(f"{node.name}.order", chain[-1], node, "transpose", order=node.type.labels))
            last = chain[-1].type
        sizes = zip(last.axes, node.type.axes, strict=True)
        same = last.kind == node.type.kind and all(self.facts.equal(a.size, b.size) for a, b in sizes)
        return chain if same else None


def _is_gather(node: Node) -> bool:
    return node.kind == "prim" and node.attrs["op"] == "gather" and len(node.attrs["axes"]) == 1


AFFINE_GATHER = Pass(
    "affine-gather", "Makes gathers at sums of indices slices, shifts, rolls, flips and diagonals.", affine_gather
)
