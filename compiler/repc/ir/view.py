"""Programs as networkx graphs: for shortest paths, cuts, components and isomorphism (LANGUAGE.md 10.6)."""

from __future__ import annotations

from repc.ir.check import called
from repc.ir.graph import Graph, Node
from repc.ir.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Key: TypeAlias = tuple[str, str]


def to_networkx(program: Program) -> Any:
    """A directed multigraph of all nodes, keyed (graph key, node name); `step <name>` is the key of a step's graph.

    Node data: `kind`, `op`, `type` (text), `node`. Edges go where values go, with `how`: `argument` (and its `port`)
    inside a graph, `enters` from an argument to the input that it is bound to, `leaves` from a result of a graph to
    the node that applied it.
    """
    import networkx

    view = networkx.MultiDiGraph()
    graphs = {**program.graphs, **{f"step {name}": step.graph for name, step in program.steps.items()}}
    for key, graph in graphs.items():
        for node in graph.nodes:
            view.add_node((key, node.name), kind=node.kind, op=node.attrs.get("op", ""), type=str(node.type), node=node)
    for key, graph in graphs.items():
        for node in graph.nodes:
            ports = argument_ports(node)
            for place, arg in enumerate(node.args):
                view.add_edge((key, arg), (key, node.name), how="argument", port=ports[place])
            for inner in called(node):
                _connect(view, key, node, inner, program.graphs[inner], ports)
    return view


def _connect(view: Any, key: str, node: Node, inner: str, callee: Graph, ports: tuple[str, ...]) -> None:
    bound = dict(zip(ports, node.args, strict=True))
    for name in callee.inputs:
        port = callee.node(name).attrs["port"]
        if port in bound:
            view.add_edge((key, bound[port]), (inner, name), how="enters", port=port)
    for result, made in callee.results:
        view.add_edge((inner, made), (key, node.name), how="leaves", port=result)


def argument_ports(node: Node) -> tuple[str, ...]:
    """The port of each argument, "" where it has none."""
    ports = tuple(node.attrs.get("ports", ()))
    return ("",) * (len(node.args) - len(ports)) + ports


def calls_to_networkx(program: Program) -> Any:
    """Which graph applies which: a directed graph of keys, each edge with the names of the nodes that do, `nodes`."""
    import networkx

    view = networkx.DiGraph()
    view.add_nodes_from(program.graphs)
    for key, graph in program.graphs.items():
        for node in graph.nodes:
            for inner in called(node):
                if view.has_edge(key, inner):
                    view.edges[key, inner]["nodes"] += (node.name,)
                else:
                    view.add_edge(key, inner, nodes=(node.name,))
    return view
