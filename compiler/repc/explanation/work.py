"""Floating point operations of a forward pass, from the costs that the primitives declare."""

from __future__ import annotations

from repc.dims import Dim, Symbol
from repc.ir import Graph, Node, Program
from repc.ops import REGISTRY
from repc.ops.declare import TypeCall
from repc.types import Type


class Work:
    """Operations of graphs; each graph is asked once. Both branches of a choice between values are counted.

    `decoding`: memories run one position after the other, else by the algorithm that training takes.
    """

    def __init__(self, program: Program, decoding: bool = False) -> None:
        self._program = program
        self._decoding = decoding
        self._known: dict[str, Dim] = {}

    def of(self, key: str) -> Dim:
        """Operations of one application of a graph, in its own dims, without lifted axes."""
        if key not in self._known:
            graph = self._program.graphs[key]
            types = {node.name: node.type for node in graph.nodes}
            total = Dim.of(0)
            for node in graph.nodes:
                total = total + self._node(graph, node, types)
            self._known[key] = total
        return self._known[key]

    def _node(self, graph: Graph, node: Node, types: dict[str, Type]) -> Dim:
        match node.kind:
            case "prim":
                op = REGISTRY[node.attrs["op"]]
                operands = tuple(types[name] for name in node.args)
                call = TypeCall(op, operands, node.attrs, graph.facts)
                flops: Dim = op.cost.flops(call, node.type)
                return flops
            case "apply":
                return self._apply(node, types)
            case "loop":
                count: Dim = node.attrs["count"]
                return self.of(node.attrs["body"]) * count
            case "branch":
                return self.of(node.attrs["then"]) + self.of(node.attrs["other"])
            case "grad":
                # A backward pass makes two products where the forward pass made one.
                return self.of(node.attrs["graph"]) * 3
            case "memory":
                from repc.explanation.memories import memory_cost

                cost, positions, copies = memory_cost(node, types)
                if cost is None:
                    return Dim.of(0)
                return (cost.decoding if self._decoding else cost.training) * positions * copies
            case _:
                return Dim.of(0)

    def _apply(self, node: Node, types: dict[str, Type]) -> Dim:
        sizes: dict[Symbol, Dim] = {
            callee: Dim.of(caller) for callee, caller in node.attrs["labels"] if callee != caller
        }
        sizes.update(node.attrs["sizes"])
        return self.of(node.attrs["graph"]).subst(sizes) * lifted(node, types)


def lifted(node: Node, types: dict[str, Type]) -> Dim:
    """How many times an application runs: the product of the sizes of its lifted axes."""
    total = Dim.of(1)
    seen = [node.type, *(types[name] for name in node.args)]
    for label in node.attrs["lift"]:
        for kind in seen:
            axis = kind.axis(label)
            if axis is not None:
                total = total * axis.size
                break
    return total
