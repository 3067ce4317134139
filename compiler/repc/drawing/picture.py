"""What is drawn of a graph: a box for each input, parameter, call, memory, operation and result, and what flows where.

Constants are left out, and a loop or a branch is one box that says what it repeats: the picture of its body stands
beside it.
"""

from __future__ import annotations

from rep_grammar.record import Record
from repc.explanation.names import Names
from repc.ir import Graph, Node, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SILENT = frozenset({"const"})


class Box(Record):
    """A box: its key in the picture, its kind (a node kind, or `result`), its words and its type."""

    key: str
    kind: str
    title: str
    detail: str


class Picture(Record):
    """A graph as boxes and arrows; an arrow is (from, to, the name of the value's port or "")."""

    name: str
    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[tuple[str, str, str], ...]


def pictures(program: Program, names: tuple[str, ...] = ()) -> tuple[Picture, ...]:
    """The pictures of all declarations and trains, or of those of `names`. Raises Refusal for an unknown name."""
    roots = {name: program.graphs[key] for name, key in program.entries.items()}
    roots.update((name, step.graph) for name, step in program.steps.items())
    for name in names:
        if name not in roots:
            from repc.command.refusal import refuse
            from repc.diagnostics.suggest import nearest

            close = nearest(name, roots)
            reason = "only what the spec declares can be drawn"
            raise refuse("missing-entry", close, where="the spec", name=name, reason=reason, known=list(roots))
    made: list[Picture] = []
    for name, graph in roots.items():
        if not names or name in names:
            made += _pictures(program, name, graph, set())
    return tuple(made)


def _pictures(program: Program, name: str, graph: Graph, seen: set[str]) -> Iterator[Picture]:
    yield _picture(program, name, graph)
    for node in graph.nodes:
        for label, key in _bodies(node):
            if key not in seen:
                seen.add(key)
                yield from _pictures(program, f"{name}: {label}", program.graphs[key], seen)


def _bodies(node: Node) -> tuple[tuple[str, str], ...]:
    if node.kind == "loop":
        return ((_loop(node), node.attrs["body"]),)
    if node.kind == "branch":
        return (("then", node.attrs["then"]), ("else", node.attrs["other"]))
    return ()


def _loop(node: Node) -> str:
    label = node.attrs.get("label") or ("scan" if node.attrs["mode"] == "scan" else "repeat")
    over = node.attrs.get("over")
    return f"{label} {over if over is not None else node.attrs['count']}"


def _picture(program: Program, name: str, graph: Graph) -> Picture:
    names = Names(program)
    nodes = graph.by_name()
    drawn = {key: node for key, node in nodes.items() if node.kind not in _SILENT and not _is_field(node)}
    # Taking a field out of a record is no step of its own: the arrow comes from the record.
    origin: dict[str, str] = {}
    for key, node in nodes.items():
        origin[key] = origin[node.args[0]] if _is_field(node) else key
    boxes = [Box(key, node.kind, _title(program, node), names.type(node.type)) for key, node in drawn.items()]
    arrows = [
        (origin[source], key, port)
        for key, node in drawn.items()
        for source, port in zip(node.args, _ports(node), strict=True)
        if origin[source] in drawn
    ]
    for number, (label, source) in enumerate(graph.results):
        key = f"result {number}"
        boxes.append(Box(key, "result", label or "result", names.type(nodes[source].type)))
        if origin[source] in drawn:
            arrows.append((origin[source], key, ""))
    return Picture(name, f"{graph.keyword} {name}".strip(), tuple(boxes), tuple(arrows))


def _is_field(node: Node) -> bool:
    return node.kind == "prim" and node.attrs["op"] == "field"


def _ports(node: Node) -> tuple[str, ...]:
    ports: tuple[str, ...] = tuple(node.attrs.get("ports", ()))
    if node.kind == "branch":
        ports = ("if", *ports)
    # A port says something where there are several.
    return ports if len(ports) == len(node.args) > 1 else ("",) * len(node.args)


def _title(program: Program, node: Node) -> str:
    attrs = node.attrs
    match node.kind:
        case "input":
            return str(attrs["port"])
        case "slot":
            return str(attrs["path"])
        case "read":
            return str(attrs["cell"])
        case "draw":
            return f"{attrs['site']} ~ {attrs['law']}"
        case "prim":
            return str(attrs["op"])
        case "apply":
            block, called = str(attrs["block"]), program.graphs[attrs["graph"]].declaration
            return f"{block}: {called}" if block and block != called else called
        case "memory":
            record = attrs["record"]
            return f"memory {record.field('regressor').name}, {record.field('optimizer').name}"
        case "loop":
            return _loop(node)
        case "branch":
            return "if"
        case _:
            return node.kind
