"""Entry points of streaming, and the step graphs that are made on the way."""

from __future__ import annotations

from collections.abc import Iterable

from rep_grammar.record import Record
from repc.dims import Symbol
from repc.ir import Graph, Program, Word
from repc.ir.check import called, facts_of
from repc.passes.streaming.builder import Builder
from repc.passes.streaming.fact import NotStreamable, Refused
from repc.passes.streaming.walker import Walker
from repc.types import Type

OUT = "out"


class State(Record):
    """A state of a step graph: its port, its type, and what it is before the first position."""

    port: str
    type: Type
    init: Word


class Stepped(Record):
    """The step graph of a graph: its key in `program`, its states, and the time label of each port (None: it has none).

    `results`: the results of the graph that have a step form, by their names there.
    """

    program: Program
    key: str
    states: tuple[State, ...]
    ports: tuple[tuple[str, Symbol | None], ...]
    results: tuple[tuple[str, str], ...]

    @property
    def graph(self) -> Graph:
        """The step graph."""
        return self.program.graphs[self.key]


class Made(Record):
    """A step graph with the facts about results that have none."""

    graph: Graph
    states: tuple[State, ...]
    ports: tuple[tuple[str, Symbol | None], ...]
    results: tuple[tuple[str, str], ...]
    refused: tuple[tuple[str, NotStreamable], ...]


class Streaming:
    """Makes step graphs of one program; every (graph, label) is made once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.made: dict[tuple[str, Symbol], Made] = {}
        self.graphs: dict[str, Graph] = {}

    def key(self, graph: str, label: Symbol) -> str:
        """The key of a step graph: `Mixer.step`; a second axis of one graph is named in it."""
        plain = f"{graph}.step"
        taken = {own: at for (own, at), _ in self.made.items()}
        if taken.get(graph, label) != label or plain in self.program.graphs:
            return f"{graph}.step_{label.name}"
        return plain

    def step(self, key: str, label: Symbol) -> Made:
        """The step graph of a graph along one of its labels; the states of its parts are its own."""
        if (key, label) in self.made:
            return self.made[key, label]
        graph = self.program.graphs[key]
        name = self.key(key, label)
        builder = Builder(name, facts_of(self.program, graph), graph.origin)
        walker = Walker(self, graph, key, builder, label)
        found: dict[str, str] = {}
        refused: dict[str, NotStreamable] = {}
        named = [*graph.results, *((f"@{site}", node) for site, node in graph.sites)]
        for result, node in named:
            if result.startswith("@") and node not in walker.reached:
                continue
            try:
                found[result] = walker.demanded(node)
            except Refused as stop:
                refused[result] = stop.fact
        made = self._finished(graph, name, walker, label, found, refused)
        self.made[key, label] = made
        self.graphs[name] = made.graph
        return made

    def _finished(
        self,
        graph: Graph,
        name: str,
        walker: Walker,
        label: Symbol,
        found: dict[str, str],
        refused: dict[str, NotStreamable],
    ) -> Made:
        builder = walker.builder
        for port in walker.ports:
            walker.declare(port)
        kept = needed(builder, found.values())
        builder.states = {port: node for port, node in builder.states.items() if port in kept}
        builder.nodes = {node: made for node, made in builder.nodes.items() if node in kept or made.kind == "input"}
        builder.nodes = {n: m for n, m in builder.nodes.items() if not n.startswith("state.") or n in builder.states}
        builder.inputs = [node for node in builder.inputs if node in builder.nodes]
        own = [(result, node) for result, node in found.items() if not result.startswith("@")]
        if builder.states and [result for result, _ in own] == [""]:
            own = [(OUT, own[0][1])]
        states = tuple(State(port, builder.type(port), builder.nodes[port].attrs["init"]) for port in builder.states)
        places = {port: at for at, port in enumerate(walker.ports)}
        data = [node for node in builder.inputs if node not in builder.states]
        data.sort(key=lambda node: places[builder.nodes[node].attrs["port"]])
        inputs = (*data, *builder.states)
        made = graph.with_(
            name=name,
            inputs=inputs,
            nodes=tuple(builder.nodes.values()),
            results=(*own, *builder.states.items()),
            sites=tuple((result[1:], node) for result, node in found.items() if result.startswith("@")),
            blocks=tuple(builder.blocks.values()),
            formals=tuple(symbol for symbol in graph.formals if symbol != label),
            claims=tuple(claim for claim in graph.claims if label not in claim.args),
            terms=(),
            config=(*graph.config, ("step", label.name)),
        )
        names = tuple((result, OUT if own[:1] == [(OUT, node)] else result) for result, node in found.items())
        return Made(made, states, tuple(walker.ports.items()), names, tuple(refused.items()))


def needed(builder: Builder, results: Iterable[str]) -> set[str]:
    """Nodes that the results need, and those that the states need which they need."""
    found: set[str] = set()
    waiting = [*results]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found.add(node)
        waiting += builder.nodes[node].args
        if node in builder.states:
            waiting.append(builder.states[node])
    return found


def stream(program: Program, key: str, axis: Symbol) -> Stepped | NotStreamable:
    """The step graph of graph `key` along `axis`, or why there is none."""
    context = Streaming(program)
    try:
        made = context.step(key, axis)
    except Refused as stop:
        return stop.fact
    for result, fact in made.refused:
        if not result.startswith("@"):
            return fact
    whole = with_graphs(program, context.graphs)
    return Stepped(whole, made.graph.name, made.states, made.ports, made.results)


def with_graphs(program: Program, graphs: dict[str, Graph]) -> Program:
    """The program with further graphs."""
    return Program(
        {**program.graphs, **graphs},
        program.entries,
        program.steps,
        program.values,
        program.formulas,
        program.facts,
        program.cells,
        program.overrides,
    )


def causal_axes(graph: Graph) -> tuple[Symbol, ...]:
    """Axes along which a graph is claimed to be causal."""
    return tuple(
        claim.args[0]
        for claim in graph.claims
        if claim.name == "causal" and len(claim.args) == 1 and isinstance(claim.args[0], Symbol)
    )


def stream_all(program: Program) -> tuple[Program, dict[str, NotStreamable]]:
    """The program with a step graph for every graph that is claimed to be causal; and why others have none."""
    context = Streaming(program)
    facts: dict[str, NotStreamable] = {}
    wanted: list[str] = []
    for key, graph in program.graphs.items():
        for axis in causal_axes(graph)[:1]:
            try:
                made = context.step(key, axis)
            except Refused as stop:
                facts[key] = stop.fact
                continue
            broken = [fact for result, fact in made.refused if not result.startswith("@")]
            if broken:
                facts[key] = broken[0]
            else:
                wanted.append(made.graph.name)
    used: dict[str, Graph] = {}
    while wanted:
        key = wanted.pop()
        if key in context.graphs and key not in used:
            used[key] = context.graphs[key]
            wanted += [inner for node in used[key].nodes for inner in called(node)]
    return with_graphs(program, {key: graph for key, graph in context.graphs.items() if key in used}), facts
