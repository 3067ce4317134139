"""Drops nodes that nothing needs."""

from __future__ import annotations

from repc.ir import Graph, Program
from repc.ir.check import called
from repc.passes.record import Pass
from repc.passes.rewrite import each_graph


def dead_nodes(program: Program) -> Program:
    """Keeps what results, effects, terms and read sites need; inputs and slots stay, they are part of the signature."""
    read = sites_read(program)
    wanted = {name: _wanted(program, name) for name in program.steps}

    def live(program: Program, graph: Graph) -> Graph:
        keys = [key for key, own in program.graphs.items() if own is graph]
        sites = set().union(*(read.get(key, set()) for key in keys))
        extra = set().union(*(nodes for name, nodes in wanted.items() if program.steps[name].graph is graph))
        return without_dead(graph, sites, extra)

    return each_graph(program, live)


def sites_read(program: Program) -> dict[str, set[str]]:
    """Sites of each graph that some application reads, or that a memory or probe may ask for by name."""
    found: dict[str, set[str]] = {}
    graphs = [*program.graphs.values(), *(step.graph for step in program.steps.values())]
    for graph in graphs:
        for node in graph.nodes:
            for key in called(node):
                found.setdefault(key, set()).update(node.attrs.get("sites", ()))
    return found


def _wanted(program: Program, step: str) -> set[str]:
    """Nodes of a step's graph that its players, measures and commits name."""
    made = program.steps[step]
    terms = {term.node for player in made.players for term in player.terms}
    return terms | {measure.node for measure in made.measures} | {commit.node for commit in made.commits}


def _is_law(graph: Graph, site: str) -> bool:
    """Whether a site is what a law requires, which is all that a law is for."""
    return not graph.results and site.startswith("require.")


def without_dead(graph: Graph, sites: set[str], extra: set[str]) -> Graph:
    """The graph without nodes that nothing wanted reaches."""
    nodes = graph.by_name()
    wanted = {node for _, node in graph.results} | extra
    wanted |= {node for site, node in graph.sites if site in sites or _is_law(graph, site)}
    wanted |= {node for _, _, node in graph.terms if node in nodes}
    wanted |= {node.name for node in graph.nodes if node.kind in ("input", "slot", "effect")}
    waiting = list(wanted)
    while waiting:
        for arg in nodes[waiting.pop()].args:
            if arg not in wanted:
                wanted.add(arg)
                waiting.append(arg)
    if len(wanted) == len(graph.nodes):
        return graph
    kept = tuple(node for node in graph.nodes if node.name in wanted)
    return graph.with_(nodes=kept, sites=tuple((site, node) for site, node in graph.sites if node in wanted))


DEAD_NODES = Pass("dead-nodes", "Drops nodes that no result, no effect and no site that is read needs.", dead_nodes)
