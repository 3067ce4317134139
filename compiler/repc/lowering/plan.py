"""From a program to a plan: every class, name, axis order and expression of one Python module is decided here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rep_grammar.record import Record
from repc.ir import Graph, Program, Step
from repc.lowering import naming
from repc.lowering.classes import GraphBuilder
from repc.lowering.lead import called, callers_first, port_leads
from repc.lowering.legs import every_step, legs, sources_of
from repc.lowering.naming import Names
from repc.lowering.owner import Context, Imports, Signature
from repc.lowering.products import contracted
from repc.lowering.records import Import, Plan
from repc.lowering.signatures import (
    base_signature,
    bodies_in_place,
    class_names,
    module_bodies,
    sites_read,
    takes_draws,
    takes_writes,
    with_per,
)
from repc.lowering.stepping import is_step, state_leads, step_of, steppable, without_steps
from repc.lowering.steps import StepBuilder
from repc.lowering.texts import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.records import Unit


class Options(Record):
    """What a caller may ask of a plan.

    `title`: what the module's docstring says it is made from. `steps`: whether causal declarations get a `step`.
    `algorithm`: the algorithm of every memory whose class has one of that name; "": each class's usual one.
    """

    title: str = "a .rep text"
    steps: bool = True
    algorithm: str = ""


def plan(program: Program, texts: Mapping[str, str] | None = None, options: Options | None = None) -> Plan:
    """Decide everything about the Python module of a program.

    `texts`: the spec's files by the names that spans use; statements of files that are missing get no comment.
    """
    chosen = options or Options()
    program = _prepared(program, chosen.steps)
    entries = {name: key for name, key in program.entries.items() if program.graphs[key].results}
    program = replace(program, entries=entries)
    roots = [program.graphs[key] for key in dict.fromkeys(entries.values())]
    return _Planner(program, roots, Texts(texts or {})).plan(chosen)


def _prepared(program: Program, stepping: bool) -> Program:
    """The program with its step graphs, and with contractions in place of sums of products."""
    if stepping and not any(is_step(graph) for graph in program.graphs.values()):
        from repc.passes.streaming import stream_all

        program, _ = stream_all(program)
    kept = without_steps(program, steppable(program) if stepping else ())
    graphs = {key: contracted(_with_result(graph)) for key, graph in kept.items()}
    steps = {name: _contracted(step) for name, step in program.steps.items()}
    return replace(program, graphs=graphs, steps=steps)


def _contracted(step: Step) -> Step:
    """A step and its stages, with contractions."""
    return replace(step, graph=contracted(step.graph), stages=tuple(_contracted(stage) for stage in step.stages))


def _with_result(graph: Graph) -> Graph:
    """A law, which returns nothing, gives what it requires."""
    if graph.results:
        return graph
    return graph.with_(results=tuple(site for site in graph.sites if site[0].startswith("require.")))


def source_graphs(steps: Iterable[Step]) -> Iterator[str]:
    """Keys of the `data` declarations that trains take samples from, and those within them."""
    waiting = [use for step in steps for one in every_step(step) for use in sources_of(one)]
    while waiting:
        use = waiting.pop()
        waiting += use.inner
        if use.word is None:
            yield use.graph


class _Planner:
    def __init__(self, program: Program, roots: Iterable[Graph], texts: Texts) -> None:
        self.program = program
        self.texts = texts
        self.imports = Imports()
        self.steps = tuple(program.steps.values())
        sampled = (program.graphs[key] for key in source_graphs(self.steps))
        self.roots = tuple({graph.name: graph for graph in (*roots, *sampled)}.values())
        step_graphs = tuple(one.graph for step in self.steps for one in every_step(step))
        self.stepped = tuple(graph for graph in program.graphs.values() if is_step(graph))
        self.graphs = callers_first(program, (*self.roots, *step_graphs, *self.stepped))
        self.leads = port_leads(program, (*self.roots, *self.stepped), step_graphs)
        for graph in self.stepped:
            self.leads[graph.name].update(state_leads(graph))
        self.bodies = module_bodies(program, self.graphs)
        self.inside = bodies_in_place(program, self.graphs) | {graph.name for graph in step_graphs}
        self.taken = Names(naming.MODULE_NAMES)
        self.trained: list[tuple[str, str]] = []
        self.entries = set(program.entries.values())
        self.signatures = self._signatures()

    def _signatures(self) -> dict[str, Signature]:
        program = self.program
        listed = [graph for graph in self.graphs if graph.name not in self.inside and not is_step(graph)]
        names = class_names(program, listed, self.taken)
        sites = sites_read(program, self.graphs)
        per = with_per(program, self.graphs)
        found: dict[str, Signature] = {}
        for graph in reversed(listed):
            draws = takes_draws(program, graph, {key: one.draws for key, one in found.items()})
            read = sites.get(graph.name, ())
            entry, turn = graph.name in self.entries, graph.name in self.bodies
            step = step_of(program, graph.name)
            made = base_signature(program, graph, names[graph.name], entry, draws, read, turn, step is not None)
            if not made.module:
                name = self.taken.fresh(naming.function_name(naming.plain(graph.declaration)))
                made = base_signature(program, graph, name, entry, draws, read, turn)
            elif made.results and not turn:
                made = replace(made, result=self.taken.fresh(made.result))
            found[graph.name] = replace(made, per=graph.name in per, writes=takes_writes(program, graph))
            if step is not None:
                found[step.name] = self._step_signature(step, found[graph.name], sites.get(step.name, ()))
        return found

    def _step_signature(self, step: Graph, base: Signature, sites: tuple[str, ...]) -> Signature:
        """A step graph is a method of the class of its graph."""
        draws = takes_draws(self.program, step, {})
        made = base_signature(self.program, step, base.name, True, draws, sites, base.turn)
        state = self.taken.fresh(f"{base.name}State")
        ports = tuple(sorted(made.ports, key=base.ports.index))
        return replace(made, ports=ports, per=base.per, result=base.result, state=state)

    def plan(self, options: Options) -> Plan:
        units: list[Unit] = []
        names = frozenset(
            name for one in self.signatures.values() for name in (one.name, one.state, one.result) if name
        )
        inner = [graph for graph in self.graphs if graph.keyword != "train" and not is_step(graph)]
        applied = {key for graph in inner for node in graph.nodes if node.kind == "apply" for key in called(node)}
        context = Context(self.program, self.signatures, self.leads, self.imports, self.texts, names, options.algorithm)
        for graph in reversed(inner):
            if graph.name not in self.inside:
                entry = graph.name in self.entries
                checked = entry and graph.name not in applied
                step = step_of(self.program, graph.name)
                units += GraphBuilder(context, graph, entry, checked, step).units()
        for trained in self.steps:
            units += self._trained(trained, context)
        listed = [(name, self.signatures[key].name) for name, key in self.program.entries.items()]
        graphs = [(key, signature.name) for key, signature in self.signatures.items()]
        entries_made = (*listed, *self.trained)
        return Plan(options.title, _imports(self.imports), tuple(units), entries_made, tuple(graphs))

    def _trained(self, step: Step, context: Context) -> list[Unit]:
        """The class of a train, and one for each of its stages that does something."""
        chosen = self.taken.fresh(naming.class_name(step.name))
        self.trained.append((step.name, chosen))
        whole = StepBuilder(context, step, chosen)
        if not step.stages:
            return [whole.unit()]
        order = tuple(legs(step, chosen, self.taken.fresh))
        stages = {leg.class_name: leg.step for leg in order if leg.class_name != chosen}
        inner = [StepBuilder(context, stage, name, whole).unit() for name, stage in stages.items()]
        return [whole.unit(order), *inner]


def _imports(runtime: Imports) -> tuple[Import, ...]:
    grouped: dict[str, list[str]] = {}
    for module, name in runtime.found:
        grouped.setdefault(module, []).append(name)
    return tuple(Import(module, tuple(sorted(names, key=_import_order))) for module, names in sorted(grouped.items()))


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as import sorters order them."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)
