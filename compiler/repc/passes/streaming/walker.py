"""Walks a graph backwards from what is wanted: each node once as it is at this position, or as a whole.

`at(node, label)`: the value of a node at this position of its axis `label`. `whole(node)`: its value as it is, which no
input along the axis may reach. Which axis of an operand is meant follows from what the op declares it depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn

from repc.dims import Dim, Symbol
from repc.ir import Attrs, Graph, Node
from repc.passes.streaming.builder import Builder
from repc.passes.streaming.fact import NotStreamable, Refused
from repc.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.passes.streaming.context import Streaming


def without(type: Type, label: Symbol | None) -> Type:
    """The type at one position of an axis; what was known along it is no more."""
    if label is None:
        return type
    refine = type.refine
    if refine is not None and label in refine.axes:
        refine = None
    axes = tuple(axis for axis in type.axes if axis.label != label)
    fields = tuple((name, without(inner, label)) for name, inner in type.fields)
    return Type(axes, type.kind, refine, fields, type.action)


class Walker:
    """One graph on its way to a step graph. `label`: its time axis, None for the body of a loop over time."""

    def __init__(
        self,
        context: Streaming,
        graph: Graph,
        key: str,
        builder: Builder,
        label: Symbol | None,
        given: Mapping[str, Callable[[Symbol | None], str]] | None = None,
        here: Mapping[str, Symbol] | None = None,
        blocks: Mapping[str, str] | None = None,
    ) -> None:
        self.context = context
        self.graph = graph
        self.key = key
        self.builder = builder
        self.label = label
        self.given = given
        self.here = dict(here or {})
        self.blocks = dict(blocks or {})
        self.nodes = graph.by_name()
        self.ports: dict[str, Symbol | None] = {}
        self.reached: set[str] = set()
        self.turns: dict[str, Walker] = {}
        self.extent = self._extent()
        self.length = frozenset() if self.extent is None else self.extent.symbols() - context.program.values.keys()
        self._made: dict[tuple[str, Symbol | None], str] = {}
        self._declared: dict[str, str] = {}
        self._records: dict[tuple[str, Symbol | None], str] = {}
        for name in graph.inputs:
            node = self.nodes[name]
            if given is None:
                along = label if label in node.type.labels else None
                self.ports[node.attrs["port"]] = along

    def _extent(self) -> Dim | None:
        """The number of positions."""
        for node in self.graph.nodes:
            axis = node.type.axis(self.label) if self.label is not None else None
            if axis is not None:
                return axis.size
        return None

    # ---- facts

    def refuse(self, node: Node, reason: str, what: str = "") -> NoReturn:
        """There is no step graph, and this is why."""
        axis = self.label or next(iter(self.here.values()), Symbol("time"))
        raise Refused(NotStreamable(self.key, node.name, axis, reason, what or self.name_of(node), node.origin))

    def name_of(self, node: Node) -> str:
        """What a node is called in the text: the name it is bound to, its port, or what it does."""
        for site, bound in self.graph.sites:
            if bound == node.name:
                return f"`{site}`"
        if node.kind == "input":
            return f"`{node.attrs['port']}`"
        return f"`{node.attrs['op']}`" if node.kind == "prim" else f"a {node.kind}"

    # ---- demands

    def demanded(self, name: str) -> str:
        """A result: at this position where it has the axis, else as a whole."""
        node = self.nodes[name]
        along = self.label if self.label in node.type.labels else None
        return self.whole(name) if along is None else self.at(name, along)

    def at(self, name: str, label: Symbol) -> str:
        """The value of a node at this position of its axis `label`."""
        return self._once(name, label)

    def whole(self, name: str) -> str:
        """The value of a node that no input along the axis reaches."""
        return self._once(name, None)

    def _once(self, name: str, label: Symbol | None) -> str:
        if (name, label) not in self._made:
            self.reached.add(name)
            self._made[name, label] = self._ordered(self._step(self.nodes[name], label), self.nodes[name], label)
        return self._made[name, label]

    def _ordered(self, made: str, node: Node, label: Symbol | None) -> str:
        """The written order of the graph, less the axis."""
        if node.type.kind.name == "record":
            return made
        wanted = tuple(own for own in node.type.labels if own != label)
        found = self.builder.type(made).labels
        if found == wanted or set(found) != set(wanted):
            return made
        return self.builder.prim(f"{node.name}.order", "transpose", (made,), node.origin, order=wanted)

    def _step(self, node: Node, label: Symbol | None) -> str:
        from repc.passes.streaming.control import apply_step, branch_step, field_step
        from repc.passes.streaming.memories import memory_step
        from repc.passes.streaming.prims import prim_step

        match node.kind:
            case "input":
                return self._input(node, label)
            case "const":
                return self._const(node)
            case "slot" | "read":
                return self._stored(node, label)
            case "draw":
                return self._draw(node, label)
            case "prim" if node.attrs["op"] == "field":
                return field_step(self, node, label)
            case "prim":
                return prim_step(self, node, label)
            case "apply":
                return apply_step(self, node, label)
            case "memory":
                return memory_step(self, node, label)
            case "branch":
                return branch_step(self, node, label)
            case "grad" if label is None:
                return self.copied(node, [self.whole(arg) for arg in node.args])
            case _:
                self.refuse(node, "unsupported")

    # ---- sources

    def _input(self, node: Node, label: Symbol | None) -> str:
        port = node.attrs["port"]
        if self.given is not None:
            return self.given[port](label)
        if label is None and self.label in node.type.labels:
            self.refuse(node, "all-positions")
        if label is not None and label != self.label:
            self.refuse(node, "pairs")
        return self.declare(port)

    def declare(self, port: str) -> str:
        """The input of the step graph for a port."""
        if port not in self._declared:
            node = next(n for n in self.graph.nodes if n.kind == "input" and n.attrs["port"] == port)
            rest = {name: value for name, value in node.attrs.items() if name != "port"}
            type = without(node.type, self.ports[port])
            self._declared[port] = self.builder.input(port, node.name, type, rest, node.origin)
        return self._declared[port]

    def _const(self, node: Node) -> str:
        value = node.attrs["value"]
        if isinstance(value, Dim) and value.symbols() & self.length:
            self.refuse(node, "length", str(value))
        return self.copied(node, [])

    def _stored(self, node: Node, label: Symbol | None) -> str:
        """A slot or cell; one with the axis is a table, of which this position is taken."""
        held = self._made.get((node.name, None)) or self.copied(node, [])
        self._made[node.name, None] = held
        if label is None:
            return held
        hint = f"{node.name}.here"
        return self.builder.prim(hint, "gather", (held, self.builder.counter()), node.origin, axes=(label,))

    def _draw(self, node: Node, label: Symbol | None) -> str:
        if label is None and (self.label is not None or self.here) and not node.attrs.get("has_eval", False):
            self.refuse(node, "draw", f"`{node.attrs['site']}`")
        args = [
            self.at(arg, label) if label is not None and label in self.nodes[arg].type.labels else self.whole(arg)
            for arg in node.args
        ]
        return self.builder.add(node.name, "draw", args, node.attrs, without(node.type, label), node.origin)

    def copied(self, node: Node, args: list[str]) -> str:
        """The node as it is, over other arguments."""
        if any(axis.size.symbols() & self.length for axis in node.type.axes):
            self.refuse(node, "all-positions")
        return self.builder.add(node.name, node.kind, args, node.attrs, node.type, node.origin)

    def own_block(self, path: str) -> str:
        """What a block of this graph is called in the step graph; its declaration comes along."""
        head, dot, rest = path.partition(".")
        if head in self.blocks:
            return f"{self.blocks[head]}{dot}{rest}"
        for block in self.graph.blocks:
            if block.path == path:
                self.builder.blocks.setdefault(path, block)
        return path

    def own_blocks(self, node: Node) -> Attrs:
        """The attributes of a node, its blocks by their names in the step graph."""
        passed = tuple((own, self.own_block(path)) for own, path in node.attrs.get("blocks", ()))
        block = node.attrs.get("block", "")
        changed = {"block": self.own_block(block)} if block else {}
        return node.attrs.with_(blocks=passed, **changed)

    # ---- nodes with several values

    def record(self, node: Node, label: Symbol | None, make: Callable[[], str]) -> str:
        """A node with several results, made once for each axis."""
        if (node.name, label) not in self._records:
            self._records[node.name, label] = make()
        return self._records[node.name, label]

    def argument(self, name: str, label: Symbol | None) -> str:
        """An argument at this position where it has the axis, else as a whole."""
        has = label is not None and label in self.nodes[name].type.labels
        return self.at(name, label) if has and label is not None else self.whole(name)
