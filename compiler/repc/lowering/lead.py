"""Which inputs of every graph bring all leading dims that its callers carry along (LANGUAGE.md 1.5).

A call may lift an axis over one argument and not over another. The argument without it gets size 1 there, which is
enough for everything that broadcasts; what does not broadcast has to know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from repc.ir import Graph, Node, Program
from repc.lowering.values import FULL, NONE, PARTIAL, joined_lead, weakest_lead

Ports = Mapping[str, str]


def called(node: Node) -> tuple[str, ...]:
    """Keys of the graphs that a node runs."""
    match node.kind:
        case "apply" | "grad":
            return (node.attrs["graph"],)
        case "loop":
            return (node.attrs["body"],)
        case "branch":
            return (node.attrs["then"], node.attrs["other"])
        case _:
            return ()


def callers_first(program: Program, roots: Iterable[Graph]) -> tuple[Graph, ...]:
    """Every graph that the roots reach, each before those that it calls."""
    done: dict[str, Graph] = {}

    def visit(graph: Graph, path: frozenset[str]) -> None:
        for node in graph.nodes:
            for key in called(node):
                if key not in path and key not in done:
                    visit(program.graphs[key], path | {key})
        done.setdefault(graph.name, graph)

    for root in roots:
        visit(root, frozenset({root.name}))
    return tuple(reversed(done.values()))


def node_leads(graph: Graph, ports: Ports, slots: str = NONE) -> dict[str, str]:
    """Leading dims of every node, given those of the inputs."""
    leads: dict[str, str] = {}
    alone = not ports and graph.keyword != "train"
    whole = FULL if alone or any(lead != NONE for lead in ports.values()) else NONE
    for node in graph.nodes:
        match node.kind:
            case "input":
                leads[node.name] = ports.get(node.attrs["port"], FULL)
            case "const" | "read":
                leads[node.name] = NONE
            case "slot":
                leads[node.name] = slots
            case "draw":
                leads[node.name] = NONE if node.attrs["once"] else whole
            case _:
                leads[node.name] = joined_lead(leads[arg] for arg in node.args)
    return leads


def _into(node: Node, graph: Graph, leads: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What each port of a called graph gets at one call."""
    nodes = {one.name: one for one in graph.nodes}
    lifted = set(node.attrs["lift"]) if node.kind == "apply" else set()
    together = joined_lead(leads[arg] for arg in node.args)
    args = node.args[1:] if node.kind == "branch" else node.args
    for port, arg in zip(node.attrs["ports"], args, strict=True):
        whole = lifted <= set(nodes[arg].type.labels) and leads[arg] == together
        if node.kind == "apply":
            yield port, FULL if whole and together != PARTIAL else PARTIAL
        else:
            yield port, leads[arg]


def port_leads(program: Program, roots: Iterable[Graph], steps: Iterable[Graph] = ()) -> dict[str, dict[str, str]]:
    """For every graph that is reached: what its inputs bring, over all calls of it.

    `roots` are called from outside, with the same leading dims on all inputs; `steps` name every axis.
    """
    roots, steps = tuple(roots), tuple(steps)
    found: dict[str, dict[str, str]] = {}
    for root in roots:
        found[root.name] = dict.fromkeys(ports_of(root), FULL)
    for step in steps:
        found[step.name] = dict.fromkeys(ports_of(step), NONE)
    for graph in callers_first(program, (*roots, *steps)):
        leads = node_leads(graph, found.setdefault(graph.name, {}))
        for node in graph.nodes:
            for key in called(node):
                ports = found.setdefault(key, {})
                for port, lead in _into(node, graph, leads):
                    ports[port] = weakest_lead([ports.get(port, FULL), lead])
    return found


def ports_of(graph: Graph) -> tuple[str, ...]:
    """The ports of a graph's input nodes."""
    return tuple(node.attrs["port"] for node in graph.nodes if node.kind == "input")
