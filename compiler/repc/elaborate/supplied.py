"""A declaration applied with given parameters: `F(x, params: w)` (LANGUAGE.md 3.7).

The graph of F is written once more: it owns no slot, and reads all of them off one vector that it is given, in the
order of `F.params`. So parameters need no labels that could meet those of the caller, and may carry lifted axes.
"""

from __future__ import annotations

from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.context import Context
from repc.elaborate.parameters import slots_of
from repc.elaborate.stop import stop
from repc.ir import Attrs, Graph, Node, Origin
from repc.types import FLOAT, Axis, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PORT = "slot:params"


def supplied(context: Context, key: str, span: Span) -> str:
    """The key of the graph of `key` with its parameters as an input; made once."""
    made = f"{key}.supplied"
    if made not in context.graphs:
        context.graphs[made] = Writing(context, context.graphs[key], made, span).graph()
    return made


def vector(key: str) -> Symbol:
    """The label of the vector of parameters inside the graph of that key."""
    return Symbol("Params", key)


def count(axes: Sequence[Axis]) -> Dim:
    size = Dim.of(1)
    for axis in axes:
        size = size * axis.size
    return size


class Writing:
    """One graph, node by node. `places`: where each slot's numbers start in the vector, and how many there are."""

    def __init__(self, context: Context, graph: Graph, key: str, span: Span) -> None:
        self.context = context
        self.old = graph
        self.key = key
        self.span = span
        self.nodes: list[Node] = []
        self.places: dict[str, tuple[Dim, Dim]] = {}
        self.total = Dim.of(0)
        for path, axes in slots_of(context.graphs, graph, ""):
            self.places[path] = (self.total, count(axes))
            self.total = self.total + count(axes)
        label = vector(key)
        self.axis = Axis(label, self.total, "plain", label)
        self.origin = Origin(graph.origin.span, (span, *graph.origin.via))
        self.vector = self.add("input", (), Attrs(port=PORT), (self.axis,))
        self.pieces: dict[str, Node] = {}

    def add(self, kind: str, args: tuple[str, ...], attrs: Attrs, axes: Sequence[Axis], name: str = "") -> Node:
        made = Node(name or f"p{len(self.nodes)}", kind, args, attrs, Type(tuple(axes), FLOAT), self.origin)  # type: ignore[arg-type]
        self.nodes.append(made)
        return made

    def fresh(self, name: str, size: Dim) -> Axis:
        label = Symbol(name, f"{self.key}/{len(self.nodes)}")
        return Axis(label, size, "plain", label)

    def graph(self) -> Graph:
        blocks = {block.path: block for block in self.old.blocks}
        for node in self.old.nodes:
            self.write(node)
        kept = []
        for block in blocks.values():
            if self.below(f"{block.path}."):
                inner = self.context.graphs[supplied(self.context, block.graph, self.span)]
                if inner.cells or inner.blocks:
                    kept.append(
                        type(block)(
                            block.path, inner.name, block.sizes, block.origin, block.per, block.family, block.treatment
                        )
                    )
            else:
                kept.append(block)
        config = (*self.old.config, ("params", "supplied"))
        return self.old.with_(
            name=self.key, nodes=tuple(self.nodes), inputs=(*self.old.inputs, self.vector.name), blocks=tuple(kept),
            config=config,
        )  # fmt: skip

    def below(self, prefix: str) -> list[str]:
        return [path for path in self.places if path.startswith(prefix)]

    def write(self, node: Node) -> None:
        if node.kind == "slot" and node.attrs["path"] in self.places and "of" not in node.attrs:
            self.slot(node)
        elif node.kind == "apply" and node.attrs["block"] and self.below(f"{node.attrs['block']}."):
            self.apply(node)
        elif node.kind == "loop" and self.inside(node):
            self.loop(node)
        elif node.kind in {"branch", "grad"} or (node.kind == "slot" and "of" in node.attrs):
            raise stop("params-not-reached", self.span, name=self.old.declaration)
        else:
            self.nodes.append(node)

    def slot(self, node: Node) -> None:
        """The slot's numbers, in its own shape."""
        piece = self.piece(node.attrs["path"])
        if not node.type.axes:
            self.add(
                "prim", (piece.name,), Attrs(op="pick", axis=piece.type.axes[0].label, at=Dim.of(0)), (), node.name
            )
            return
        attrs = Attrs(**{"op": "reshape", "from": (piece.type.axes[0].label,), "to": node.type.axes})
        self.add("prim", (piece.name,), attrs, node.type.axes, node.name)

    def piece(self, path: str) -> Node:
        """The numbers of one slot, a slice of the vector."""
        if path not in self.pieces:
            start, size = self.places[path]
            axis = self.fresh("piece", size)
            named = Axis(self.axis.label, size, "plain", axis.space)
            attrs = Attrs(**{"op": "slice", "axis": self.axis.label, "start": start, "stop": start + size, "as": named})
            cut = self.add("prim", (self.vector.name,), attrs, (named,))
            labels = ((self.axis.label, axis.label),)
            moved = Axis(axis.label, size, "plain", axis.space)
            self.pieces[path] = self.add("prim", (cut.name,), Attrs(op="relabel", labels=labels), (moved,))
        return self.pieces[path]

    def gathered(self, paths: Sequence[str], front: Sequence[Axis]) -> Node:
        """The numbers of several slots as one vector, with axes in front that all of them have."""
        parts: list[Node] = []
        for path in paths:
            piece = self.piece(path)
            own = piece.type.axes[0]
            if front:
                rest = self.fresh("piece", own.size / count(front))
                attrs = Attrs(**{"op": "reshape", "from": (own.label,), "to": (*front, rest)})
                piece = self.add("prim", (piece.name,), attrs, (*front, rest))
            parts.append(piece)
        if len(parts) == 1:
            return parts[0]
        sizes = Dim.of(0)
        for part in parts:
            sizes = sizes + part.type.axes[-1].size
        whole = self.fresh("pieces", sizes)
        along = tuple(part.type.axes[-1].label for part in parts)
        attrs = Attrs(**{"op": "concat", "along": along, "as": whole})
        return self.add("prim", tuple(part.name for part in parts), attrs, (*front, whole))

    def apply(self, node: Node) -> None:
        """A block inside is given its part."""
        path = node.attrs["block"]
        block = next(own for own in self.old.blocks if own.path == path)
        inner = supplied(self.context, node.attrs["graph"], self.span)
        part = self.gathered(self.below(f"{path}."), [axis for axis in block.per if isinstance(axis, Axis)])
        made = self.context.graphs[inner]
        attrs = node.attrs.with_(
            graph=inner,
            block=path if made.cells or made.blocks else "",
            ports=(*node.attrs["ports"], PORT),
            labels=(*node.attrs["labels"], (vector(inner), part.type.axes[-1].label)),
        )
        self.nodes.append(node.with_(args=(*node.args, part.name), attrs=attrs))

    def inside(self, node: Node) -> list[str]:
        """Slots of the turns of a loop."""
        label = node.attrs["label"]
        if label:
            return self.below(f"{label}.")
        own = [path for path, _ in slots_of(self.context.graphs, self.context.graphs[node.attrs["body"]], "")]
        return [path for path in self.places if path in own]

    def loop(self, node: Node) -> None:
        """Turns with parameters of their own look theirs up by the turn's number."""
        body = supplied(self.context, node.attrs["body"], self.span)
        size = Dim.of(node.attrs["count"])
        if not node.attrs["label"]:
            part = self.gathered(self.inside(node), ())
            attrs = node.attrs.with_(body=self.renamed(body, part), ports=(*node.attrs["ports"], PORT))
            self.nodes.append(node.with_(args=(*node.args, part.name), attrs=attrs))
            return
        turns = self.fresh("turns", size)
        part = self.gathered(self.inside(node), (turns,))
        index = node.attrs["index"] or "index:turn"
        key = self.counted(body, part, index, node.attrs["index"] == "")
        ports = (*node.attrs["ports"], PORT)
        attrs = node.attrs.with_(body=key, ports=ports, index=index, label="", mode="unroll")
        self.nodes.append(node.with_(args=(*node.args, part.name), attrs=attrs))

    def renamed(self, key: str, part: Node) -> str:
        """The body of a loop has the labels of the graph around it."""
        graph = self.context.graphs[key]
        first = graph.node(graph.inputs[-1])
        outer = first.with_(name="given", type=part.type)
        labels = ((part.type.axes[-1].label, vector(key)),)
        inner = Node(first.name, "prim", ("given",), Attrs(op="relabel", labels=labels), first.type, first.origin)
        nodes = (outer, *(inner if node.name == first.name else node for node in graph.nodes))
        self.context.graphs[key] = graph.with_(nodes=nodes, inputs=(*graph.inputs[:-1], "given"))
        return key

    def counted(self, key: str, part: Node, index: str, new: bool) -> str:
        """The body of a loop that reads its turn's row of all parameters."""
        graph = self.context.graphs[key]
        first = graph.node(graph.inputs[-1])
        turns, row = part.type.axes
        outer = first.with_(name="given", type=part.type)
        nodes = [outer]
        found = [node.name for node in graph.nodes if node.kind == "input" and node.attrs["port"] == index]
        place = found[0] if found else "place"
        inputs = [*graph.inputs[:-1], "given"]
        if new:
            kind = index_of(turns.space, turns.size)
            nodes.append(Node(place, "input", (), Attrs(port=index), Type((), kind), first.origin))
            inputs.append(place)
        elif found:
            nodes.append(graph.node(place))
        taken = Type((row,), FLOAT)
        nodes.append(
            Node("row", "prim", ("given", place), Attrs(op="gather", axes=(turns.label,)), taken, first.origin)
        )
        labels = ((row.label, vector(key)),)
        nodes.append(Node(first.name, "prim", ("row",), Attrs(op="relabel", labels=labels), first.type, first.origin))
        nodes += [node for node in graph.nodes if node.name not in {first.name, place}]
        self.context.graphs[key] = graph.with_(nodes=tuple(nodes), inputs=tuple(inputs))
        return key
