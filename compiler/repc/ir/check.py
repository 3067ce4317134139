"""Well-formedness of programs (LANGUAGE.md 9.3): run after every pass in tests.

A rule that fails is a fault of the compiler. `verify` raises the first one, `faults` yields all that are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rep_grammar.spans import Span
from repc.dims import Dim, Equal, Facts, Symbol
from repc.ir.check_fault import IllFormed
from repc.ir.check_types import GraphTypes
from repc.ir.graph import ClaimNote, Graph, Node, Origin
from repc.ir.program import Program, Step

__all__ = ["IllFormed", "faults", "verify"]

ClaimHolds = Callable[[Program, Graph, ClaimNote], bool]

# What an attribute of a node names among the graphs of the program.
CALLED = {"apply": ("graph",), "loop": ("body",), "branch": ("then", "other"), "grad": ("graph",)}
BODIES = ("loop", "branch", "grad")


def verify(program: Program, claims: ClaimHolds | None = None) -> None:
    """Raises `IllFormed` where a rule is broken. `claims`: re-derives a recorded claim (rule 14)."""
    for fault in faults(program, claims):
        raise fault


def faults(program: Program, claims: ClaimHolds | None = None) -> Iterator[IllFormed]:
    """Every rule that is broken; a graph whose structure is broken is not looked at further."""
    graphs = {**program.graphs, **{f"step {name}": graph for name, graph in _step_graphs(program)}}
    broken = [*_cycles(program)]
    yield from broken
    known = _known_symbols(program, graphs)
    for key, graph in graphs.items():
        found = [*_structure(program, key, graph)]
        yield from found
        broken += found
        if found:
            continue
        facts = facts_of(program, graph)
        if facts.contradictions:
            yield IllFormed(11, key, f"the facts contradict each other: {facts.contradictions[0]}")
        yield from _effects(key, graph, key.startswith("step "))
        yield from GraphTypes(program, key, graph, facts, known[key]).faults()
        if claims is not None:
            for claim in graph.claims:
                if not claim.assumed and not claims(program, graph, claim):
                    yield IllFormed(14, key, f"the claim {claim.name} does not hold any more")
    if not broken:
        yield from _text(program)


def facts_of(program: Program, graph: Graph) -> Facts:
    """All that is known of sizes in a graph: the program's facts and formulas, and its own."""
    formulas = (Equal(Dim.of(symbol), formula) for symbol, formula in program.formulas.items())
    merged = program.facts.with_(*formulas, *graph.facts.facts)
    return merged.with_values({**program.values, **dict(graph.facts.values)})


def _step_graphs(program: Program) -> Iterator[tuple[str, Graph]]:
    def inside(name: str, step: Step) -> Iterator[tuple[str, Graph]]:
        yield name, step.graph
        for stage in step.stages:
            yield from inside(f"{name}.{stage.name}", stage)

    for name, step in program.steps.items():
        yield from inside(name, step)


def called(node: Node) -> tuple[str, ...]:
    """Keys of the graphs that a node applies or runs."""
    return tuple(node.attrs[name] for name in CALLED.get(node.kind, ()) if name in node.attrs)


def _cycles(program: Program) -> Iterator[IllFormed]:
    """Rule 12: every key exists and no graph reaches itself."""
    done: set[str] = set()

    def visit(key: str, above: tuple[str, ...]) -> Iterator[IllFormed]:
        if key in above:
            yield IllFormed(12, key, f"it applies itself: {' -> '.join((*above[above.index(key) :], key))}")
            return
        if key in done:
            return
        done.add(key)
        for node in program.graphs[key].nodes:
            for inner in called(node):
                if inner not in program.graphs:
                    yield IllFormed(12, f"{key}.{node.name}", f"there is no graph {inner}")
                else:
                    yield from visit(inner, (*above, key))

    for key in program.graphs:
        yield from visit(key, ())
    for name, key in program.entries.items():
        if key not in program.graphs:
            yield IllFormed(12, name, f"there is no graph {key}")
    for name, graph in _step_graphs(program):
        for node in graph.nodes:
            for inner in called(node):
                if inner not in program.graphs:
                    yield IllFormed(12, f"step {name}.{node.name}", f"there is no graph {inner}")


def _structure(program: Program, key: str, graph: Graph) -> Iterator[IllFormed]:
    """Rules 1, 4, 9 and 10, as far as they need no types."""
    seen: dict[str, Node] = {}
    paths: dict[tuple[str, str], str] = {}
    for node in graph.nodes:
        where = f"{key}.{node.name}"
        if node.name in seen:
            yield IllFormed(1, where, "two nodes have this name")
        for arg in node.args:
            if arg not in seen:
                yield IllFormed(1, where, f"%{arg} is not defined before it")
        seen[node.name] = node
        if not isinstance(node.origin, Origin) or not isinstance(node.origin.span, Span):
            yield IllFormed(10, where, "it has no origin")
        if node.kind in ("draw", "slot", "read") and graph.keyword == "def":
            yield IllFormed(9, where, f"a def has no {node.kind} of its own")
        if node.kind in ("slot", "read"):
            name = "path" if node.kind == "slot" else "cell"
            if node.attrs.get(name) is None:
                yield IllFormed(4, where, "it has no path")
            elif node.kind == "slot" and paths.setdefault(("slot", node.attrs[name]), node.name) != node.name:
                yield IllFormed(4, where, f"two slots have the path {node.attrs[name]}")
        if node.kind == "prim" and "op" not in node.attrs:
            yield IllFormed(3, where, "it has no op")
    blocks = [block.path for block in graph.blocks]
    for path in blocks:
        if blocks.count(path) > 1 or ("slot", path) in paths:
            yield IllFormed(4, key, f"two blocks or slots have the path {path}")
            break
    for cell in {cell.path for cell in graph.cells}:
        if [own.path for own in graph.cells].count(cell) > 1:
            yield IllFormed(4, key, f"two cells have the path {cell}")
    for name in graph.inputs:
        if name not in seen or seen[name].kind != "input":
            yield IllFormed(1, key, f"the input %{name} is no input node")
    for what, pairs in (("result", graph.results), ("site", graph.sites)):
        for name, node_name in pairs:
            if node_name not in seen:
                yield IllFormed(1, key, f"the {what} {name or '%' + node_name} is not defined")


def _effects(key: str, graph: Graph, in_step: bool) -> Iterator[IllFormed]:
    """Rules 7 and 8."""
    commits: set[str] = set()
    phase = 0
    for node in graph.nodes:
        where = f"{key}.{node.name}"
        if node.kind != "effect":
            continue
        if not in_step and node.attrs.get("action") != "commit":
            yield IllFormed(7, where, "an effect stands outside of a step")
        if node.attrs.get("action") == "commit":
            target = node.attrs["target"]
            if target in commits:
                yield IllFormed(7, where, f"the cell {target} is written twice")
            commits.add(target)
        if node.attrs.get("action") == "descend" and any(graph.node(arg).type.axes for arg in node.args):
            yield IllFormed(8, where, "what is descended is no scalar")
        if node.attrs.get("phase", phase) < phase:
            yield IllFormed(7, where, "its phase comes before that of an earlier effect")
        phase = node.attrs.get("phase", phase)


def _known_symbols(program: Program, graphs: dict[str, Graph]) -> dict[str, frozenset[Symbol]]:
    """Size symbols that each graph may use; a body may use those of the graphs that run it."""
    everywhere = {*program.values, *program.formulas}
    known: dict[str, set[Symbol]] = {}
    for key, graph in graphs.items():
        own = {*everywhere, *graph.formals}
        own.update(symbol for fact in graph.facts.facts for symbol in _symbols_of(fact))
        for node in graph.nodes:
            if node.kind in ("input", "slot", "read"):
                own.update(symbol for axis in node.type.axes for symbol in axis.size.symbols())
                if node.type.kind.size is not None:
                    own.update(node.type.kind.size.symbols())
        known[key] = own
    # As deep as bodies are nested.
    for _ in range(len(graphs)):
        before = sum(map(len, known.values()))
        for key, graph in graphs.items():
            for node in graph.nodes:
                if node.kind in BODIES:
                    for inner in called(node):
                        if inner in known:
                            known[inner] |= known[key]
        if sum(map(len, known.values())) == before:
            break
    return {key: frozenset(symbols) for key, symbols in known.items()}


def _symbols_of(fact: object) -> Iterator[Symbol]:
    for side in ("left", "right", "by", "of"):
        dim = getattr(fact, side, None)
        if dim is not None:
            yield from dim.symbols()


def _text(program: Program) -> Iterator[IllFormed]:
    """Rule 13."""
    from repc.ir.text import print_program, read_program

    text = print_program(program)
    if read_program(text) != program:
        yield IllFormed(13, "the program", "it does not read back from its text as itself")
