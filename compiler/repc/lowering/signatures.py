"""How every graph is called: a class or a function, its name, its parameters and its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from repc.ir import Graph, Program
from repc.lowering import naming
from repc.lowering.lead import called
from repc.lowering.naming import Names
from repc.lowering.owned import has_modules, is_module, owned, written_here
from repc.lowering.owner import Signature
from repc.lowering.stepping import OUT, STATE, is_step


def module_bodies(program: Program, graphs: Iterable[Graph]) -> dict[str, tuple[Graph, str]]:
    """Bodies of unrolled loops that are classes: graph key -> the graph with the loop, and the loop's label."""
    found: dict[str, tuple[Graph, str]] = {}
    for graph in graphs:
        for part in written_here(program, graph):
            for node in part.nodes:
                if node.kind == "loop" and has_modules(program, node):
                    found.setdefault(node.attrs["body"], (graph, node.attrs["label"]))
    return found


def bodies_in_place(program: Program, graphs: Iterable[Graph]) -> set[str]:
    """Keys of the graphs that are written where they are used, and so are no class or function."""
    found: set[str] = set()
    for graph in graphs:
        for part in written_here(program, graph):
            if part is not graph:
                found.add(part.name)
    return found


def _singular(label: str) -> str:
    last = label.rpartition(".")[2]
    return last[:-1] if last.endswith("s") and len(last) > 1 else last


def _words(text: str) -> str:
    """The identifiers of a setting's text, run together in capitals."""
    cleaned = "".join(c if c.isalnum() or c == "_" else " " for c in text)
    return "".join(part[:1].upper() + part[1:] for word in cleaned.split() for part in word.split("_"))


def _differing(graph: Graph, group: list[Graph]) -> str:
    """What tells a graph from the others of its declaration: settings, numbers of axes, slots that it lacks."""
    made = ""
    for key, value in graph.config:
        if any(dict(other.config).get(key) != value for other in group):
            made += _words(value)
    arities = [_arity(other) for other in group]
    own = _arity(graph)
    if own != min(arities, key=lambda one: (0 in one, sum(one), one)):
        made += "To".join(map(str, own))
    slots = [{node.attrs["path"] for node in other.nodes if node.kind == "slot"} for other in group]
    missing = set().union(*slots) - slots[group.index(graph)]
    return made + "".join(f"No{_words(path)}" for path in sorted(missing))


def _arity(graph: Graph) -> tuple[int, ...]:
    """Numbers of axes of the inputs and results."""
    nodes = graph.by_name()
    public = [node for node in graph.inputs if ":" not in nodes[node].attrs["port"]]
    return tuple(len(nodes[node].type.axes) for node in (*public, *(node for _, node in graph.results)))


def class_names(program: Program, graphs: Iterable[Graph], taken: Names) -> dict[str, str]:
    """A class name for every graph: its declaration's, with what tells it apart where there are several."""
    listed = list(graphs)
    bodies = module_bodies(program, listed)
    groups: dict[str, list[Graph]] = {}
    for graph in listed:
        if graph.name not in bodies:
            groups.setdefault(graph.declaration, []).append(graph)
    found: dict[str, str] = {}
    entries = set(program.entries.values())
    for declaration, group in groups.items():
        base = naming.class_name(declaration)
        group.sort(key=lambda graph: graph.name not in entries)
        for graph in group:
            plain = len(group) == 1 or graph.name in entries
            found[graph.name] = taken.fresh(base if plain else base + _differing(graph, group))
    for key, (outer, label) in bodies.items():
        part = naming.class_name(naming.plain(_singular(label)))
        found[key] = taken.fresh(found.get(outer.name, naming.class_name(outer.declaration)) + part)
    return found


def with_per(program: Program, graphs: Iterable[Graph]) -> set[str]:
    """Keys of the graphs whose slots may have axes in front (3.6): of blocks made `per` an axis, and of their own."""
    found: set[str] = set()

    def visit(key: str) -> None:
        if key in found:
            return
        found.add(key)
        graph = program.graphs[key]
        for part in written_here(program, graph):
            for block in part.blocks:
                visit(block.graph)
            for node in part.nodes:
                if node.kind == "loop" and has_modules(program, node):
                    visit(node.attrs["body"])

    for graph in graphs:
        for block in graph.blocks:
            if block.per:
                visit(block.graph)
    return {key for key in found if not owned(program, program.graphs[key]).nothing}


def takes_draws(program: Program, graph: Graph, known: Mapping[str, bool]) -> bool:
    """Whether a graph, or anything it calls, draws."""
    for node in graph.nodes:
        if node.kind == "draw":
            return True
        for key in called(node):
            inner = program.graphs[key]
            if known[key] if key in known else takes_draws(program, inner, known):
                return True
    return False


def takes_writes(program: Program, graph: Graph) -> bool:
    """Whether a declaration gives cells new values, or a block of it does."""
    if is_step(graph) or graph.keyword == "train":
        return False
    for node in graph.nodes:
        if node.kind == "effect" and node.attrs["action"] == "commit":
            return True
        if any(takes_writes(program, program.graphs[key]) for key in called(node)):
            return True
    return False


def sites_read(program: Program, graphs: Iterable[Graph]) -> dict[str, tuple[str, ...]]:
    """Which sites of each graph some call of it reads."""
    found: dict[str, dict[str, None]] = {}
    for graph in graphs:
        for node in graph.nodes:
            if node.kind == "apply":
                found.setdefault(node.attrs["graph"], {}).update(dict.fromkeys(node.attrs.get("sites", ())))
    return {key: tuple(sites) for key, sites in found.items() if sites}


def base_signature(
    program: Program,
    graph: Graph,
    name: str,
    entry: bool,
    draws: bool,
    sites: tuple[str, ...],
    turn: bool = False,
    stepped: bool = False,
) -> Signature:
    """What is known of a call before the body is written; sizes are added then.

    `turn`: it is the body of a loop. `stepped`: it has a step graph, so it is a class even where it owns nothing.
    """
    nodes = graph.by_name()
    ports = [nodes[node].attrs["port"] for node in graph.inputs]
    ports = [port for port in ports if not (is_step(graph) and port.startswith(STATE))]
    module = entry or stepped or is_module(program, graph.name)
    own = [field for field, _ in graph.results if not (is_step(graph) and field.startswith(STATE))]
    names = Names()
    single = len(own) == 1 and own[0] in ("", OUT if is_step(graph) else "")
    results = () if single else tuple((field, names.fresh(naming.port(field))) for field in own)
    return Signature(
        name,
        module,
        tuple(port for port in ports if ":" not in port),
        tuple((port, naming.joined(port.partition(":")[2])) for port in ports if ":" in port),
        (),
        results,
        draws,
        sites,
        tuple((parameter.name, naming.local(parameter.name)) for parameter in graph.parameters),
        result=f"{name if module else naming.class_name(name)}Result",
        turn=turn,
        lead=draws and not graph.inputs and not turn,
    )
