"""Independence along an axis: position t of a result depends on position t of the inputs alone (LANGUAGE.md 8.2).

Each value is followed by the label under which the axis is seen in it: none where it does not depend on the axis, one
label where its position t holds position t, and a leak where positions are mixed. What ops do is what they declare in
`depends`.
"""

from __future__ import annotations

from collections.abc import Mapping

from repc.checks.reach import Leak
from repc.dims import Dim, Symbol
from repc.ir import Graph, Node, Program
from repc.ops import REGISTRY
from repc.ops.declare import TypeCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Seen: TypeAlias = Symbol | Leak | None

ZERO = Dim.of(0)
ROUNDS = 4


def mixed(program: Program, graph: Graph, axis: Symbol) -> Leak | None:
    """The operation that first mixes positions of an axis on the way to a result, None where none does."""
    nodes = graph.by_name()
    ports = {nodes[name].attrs["port"]: axis for name in graph.inputs if nodes[name].type.axis(axis) is not None}
    for _, seen in Apart(program, graph, ports).results():
        if isinstance(seen, Leak):
            return seen
        if seen is not None and seen != axis:
            return Leak(graph.origin, f"axis {seen} of the result, which holds positions of {axis},", True)
    return None


class Apart:
    """One graph with what is known of its inputs."""

    def __init__(self, program: Program, graph: Graph, ports: Mapping[str, Seen]) -> None:
        self.program = program
        self.graph = graph
        self.ports = ports
        self.nodes = graph.by_name()
        self.seen: dict[str, Seen] = {}

    def results(self) -> list[tuple[str, Seen]]:
        """What is seen in each result."""
        for node in self.graph.nodes:
            self.seen[node.name] = self.of(node)
        return [(name, self.seen[node]) for name, node in self.graph.results]

    def of(self, node: Node) -> Seen:
        if node.kind == "input":
            return self.ports.get(node.attrs["port"])
        before = joined(node, [self.seen.get(name) for name in node.args])
        if node.kind in {"const", "slot", "read", "draw"} or isinstance(before, Leak):
            return before
        if node.kind == "prim":
            return self.prim(node)
        if node.kind == "apply":
            return self.applied(node)
        if before is None:
            return None
        if node.kind == "memory":
            record = node.attrs["record"]
            along = before in {record.sequence, record.source}
            return Leak(node.origin, f"a memory along {before}", True) if along else before
        if node.kind == "loop":
            return self.loop(node)
        if node.kind == "branch":
            inner = [self.inside(node, node.attrs[side]) for side in ("then", "other")]
            return joined(node, [before, *inner])
        return Leak(node.origin, f"a {node.kind}", False)

    def prim(self, node: Node) -> Seen:
        op = REGISTRY[node.attrs["op"]]
        types = tuple(self.nodes[name].type for name in node.args)
        call = TypeCall(op, types, node.attrs, self.graph.facts)
        made: list[Seen] = []
        for at, name in enumerate(node.args):
            label = self.seen.get(name)
            axis = types[at].axis(label) if isinstance(label, Symbol) else None
            if axis is None:
                made.append(label)
                continue
            for reach in op.depends(call, at, axis):
                here = reach.to is not None and reach.stride == Dim.of(1) and reach.low == ZERO == reach.high
                if not here:
                    certain = reach.to is None and not call.masked and not op.depends.data
                    return Leak(node.origin, f"`{op.name}` along {label}", certain)
                made.append(reach.to)
        return joined(node, made)

    def applied(self, node: Node) -> Seen:
        """The callee over its own axes; lifted axes pass straight through."""
        inner = {caller: callee for callee, caller in node.attrs["labels"]}
        through: list[Seen] = []
        ports: dict[str, Seen] = {}
        for port, name in zip(node.attrs["ports"], node.args, strict=True):
            label = self.seen.get(name)
            if isinstance(label, Symbol) and label not in node.attrs["lift"]:
                ports[port] = inner.get(label, label)
            else:
                through.append(label)
        outer = dict(node.attrs["labels"])
        found = Apart(self.program, self.program.graphs[node.attrs["graph"]], ports).results() if ports else []
        return joined(node, [*through, *(outer.get(s, s) if isinstance(s, Symbol) else s for _, s in found)])

    def loop(self, node: Node) -> Seen:
        """The body until what it carries settles; a loop along the axis carries from position to position."""
        before = joined(node, [self.seen.get(name) for name in node.args])
        if node.attrs["mode"] == "scan" and node.attrs.get("over") == before:
            return Leak(node.origin, f"a scan along {before}", True)
        ports = {port: self.seen.get(name) for port, name in zip(node.attrs["ports"], node.args, strict=True)}
        for _ in range(ROUNDS):
            found = dict(Apart(self.program, self.program.graphs[node.attrs["body"]], ports).results())
            again = {port: joined(node, [seen, found.get(port)]) for port, seen in ports.items()}
            if again == ports:
                return joined(node, list(found.values()))
            ports = again
        return Leak(node.origin, "a loop", False)

    def inside(self, node: Node, key: str) -> Seen:
        ports = {port: self.seen.get(name) for port, name in zip(node.attrs["ports"], node.args[1:], strict=False)}
        return joined(node, [seen for _, seen in Apart(self.program, self.program.graphs[key], ports).results()])


def joined(node: Node, parts: Iterable[Seen]) -> Seen:
    """What depends on all of these; the axis under two labels at once is a pair of positions."""
    found = list(dict.fromkeys(part for part in parts if part is not None))
    leaks = [part for part in found if isinstance(part, Leak)]
    if leaks:
        return next((leak for leak in leaks if leak.certain), leaks[0])
    if len(found) > 1:
        return Leak(node.origin, f"a value over pairs of positions, {found[0]} and {found[1]},", True)
    return found[0] if found else None
