"""From a program to a plan: every class, name, axis order and expression of one Python module is decided here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rep_grammar.record import Record
from repc.ir import Graph, Program, Step
from repc.lowering import naming
from repc.lowering.classes import GraphBuilder
from repc.lowering.lead import called, callers_first, port_leads
from repc.lowering.naming import Names
from repc.lowering.owner import Imports, Signature
from repc.lowering.products import contracted
from repc.lowering.records import Import, Plan
from repc.lowering.signatures import (
    base_signature,
    bodies_in_place,
    class_names,
    module_bodies,
    sites_read,
    takes_draws,
    with_per,
)
from repc.lowering.steps import StepBuilder
from repc.lowering.texts import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.records import Unit


class Options(Record):
    """What a caller may ask of a plan. `title`: what the module's docstring says it is made from."""

    title: str = "a .rep text"


def plan(program: Program, texts: Mapping[str, str] | None = None, options: Options | None = None) -> Plan:
    """Decide everything about the Python module of a program.

    `texts`: the spec's files by the names that spans use; statements of files that are missing get no comment.
    """
    chosen = options or Options()
    program = _prepared(program)
    roots = [program.graphs[key] for key in dict.fromkeys(program.entries.values())]
    return _Planner(program, roots, Texts(texts or {})).plan(chosen)


def _prepared(program: Program) -> Program:
    """The program with contractions in place of sums of products."""
    graphs = {key: contracted(graph) for key, graph in program.graphs.items()}
    steps = {name: replace(step, graph=contracted(step.graph)) for name, step in program.steps.items()}
    return replace(program, graphs=graphs, steps=steps)


class _Planner:
    def __init__(self, program: Program, roots: Iterable[Graph], texts: Texts) -> None:
        self.program = program
        self.texts = texts
        self.imports = Imports()
        self.roots = tuple(roots)
        self.steps = tuple(program.steps.values())
        step_graphs = tuple(step.graph for step in self.steps)
        self.graphs = callers_first(program, (*self.roots, *step_graphs))
        self.leads = port_leads(program, self.roots, step_graphs)
        self.bodies = module_bodies(program, self.graphs)
        self.inside = bodies_in_place(program, self.graphs) | {graph.name for graph in step_graphs}
        self.taken = Names(naming.MODULE_NAMES)
        self.trained: list[tuple[str, str]] = []
        self.signatures = self._signatures()

    def _signatures(self) -> dict[str, Signature]:
        program = self.program
        listed = [graph for graph in self.graphs if graph.name not in self.inside]
        taken = self.taken
        names = class_names(program, listed, taken)
        sites = sites_read(program, self.graphs)
        per = with_per(program, self.graphs)
        entries = set(program.entries.values())
        found: dict[str, Signature] = {}
        for graph in reversed(listed):
            draws = takes_draws(program, graph, {key: one.draws for key, one in found.items()})
            read = sites.get(graph.name, ())
            entry = graph.name in entries
            made = base_signature(program, graph, names[graph.name], entry, draws, read)
            if not made.module:
                name = taken.fresh(naming.function_name(naming.plain(graph.declaration)))
                made = base_signature(program, graph, name, entry, draws, read)
            found[graph.name] = replace(made, per=graph.name in per)
        return found

    def plan(self, options: Options) -> Plan:
        units: list[Unit] = []
        names = frozenset(signature.name for signature in self.signatures.values())
        entries = set(self.program.entries.values())
        inner = [graph for graph in self.graphs if graph.keyword != "train"]
        applied = {key for graph in inner for node in graph.nodes if node.kind == "apply" for key in called(node)}
        for graph in reversed(self.graphs):
            if graph.name in self.inside:
                continue
            entry = graph.name in entries
            builder = GraphBuilder(
                self.program,
                graph,
                self.signatures,
                self.leads,
                self.imports,
                self.texts,
                names,
                entry,
                entry and graph.name not in applied,
                graph.name in self.bodies,
            )
            units += builder.units()
            self.signatures[graph.name] = builder.signature
        units += [self._trained(step, names) for step in self.steps]
        listed = [(name, self.signatures[key].name) for name, key in self.program.entries.items()]
        graphs = [(key, signature.name) for key, signature in self.signatures.items()]
        entries_made = (*listed, *self.trained)
        return Plan(options.title, _imports(self.imports), tuple(units), entries_made, tuple(graphs))

    def _trained(self, step: Step, reserved: frozenset[str]) -> Unit:
        chosen = self.taken.fresh(naming.class_name(step.name))
        self.trained.append((step.name, chosen))
        return StepBuilder(
            self.program, step, self.signatures, self.leads, self.imports, self.texts, reserved, chosen
        ).unit()


def _imports(runtime: Imports) -> tuple[Import, ...]:
    grouped: dict[str, list[str]] = {}
    for module, name in runtime.found:
        grouped.setdefault(module, []).append(name)
    return tuple(Import(module, tuple(sorted(names, key=_import_order))) for module, names in sorted(grouped.items()))


def _import_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as import sorters order them."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)
