"""Ways to make a changed program: every graph, every node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from repc.ir import Graph, Node, Origin, Program, Step

GraphChange = Callable[[Program, Graph], Graph]


def each_graph(program: Program, change: GraphChange) -> Program:
    """The program with every graph changed, those of its steps too."""
    graphs = {key: change(program, graph) for key, graph in program.graphs.items()}
    steps = {name: _step(program, step, change) for name, step in program.steps.items()}
    return Program(
        graphs,
        program.entries,
        steps,
        program.values,
        program.formulas,
        program.facts,
        program.cells,
        program.overrides,
    )


def _step(program: Program, step: Step, change: GraphChange) -> Step:
    fields = {name: getattr(step, name) for name in Step.__match_args__}
    graph = fields["graph"] = change(program, step.graph)
    fields["stages"] = tuple(_step(program, stage, change) for stage in step.stages)
    if graph.results != step.graph.results:
        _follow(fields, step, graph)
    return Step(**fields)


def _follow(fields: dict[str, object], step: Step, graph: Graph) -> None:
    """Terms, measures and commits name nodes of the graph, as its results do: where those moved, they follow."""
    places: dict[str, list[str]] = {}
    for name, node in graph.results:
        places.setdefault(name, []).append(node)

    def now(result: str, node: str) -> str:
        return places[result].pop(0) if places.get(result) else node

    fields["players"] = tuple(
        replace(use, terms=tuple(replace(t, node=now(f"term:{t.name}", t.node)) for t in use.terms))
        for use in step.players
    )
    fields["measures"] = tuple(replace(m, node=now(f"measure:{m.name}", m.node)) for m in step.measures)
    fields["commits"] = tuple(replace(c, node=now(f"commit:{c.cell}", c.node)) for c in step.commits)


def merged(nodes: Sequence[Node]) -> Origin:
    """The origin of a node that stands for several: where the last of them comes from, then the others."""
    last = nodes[-1].origin
    others = (node.origin.span for node in nodes[:-1] if node.origin.span not in (last.span, *last.via))
    return Origin(last.span, (*last.via, *dict.fromkeys(others)))


def replaced(graph: Graph, nodes: Iterable[Node], instead: Mapping[str, str]) -> Graph:
    """The graph with other nodes, and every reference to a node in `instead` to the node that stands for it."""
    if not instead:
        return graph.with_(nodes=tuple(nodes))

    def final(name: str) -> str:
        while name in instead:
            name = instead[name]
        return name

    return graph.with_(
        nodes=tuple(node.with_(args=tuple(map(final, node.args))) for node in nodes),
        results=tuple((name, final(node)) for name, node in graph.results),
        sites=tuple((name, final(node)) for name, node in graph.sites),
        terms=tuple((name, sign, final(node)) for name, sign, node in graph.terms),
    )
