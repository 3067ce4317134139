"""State classes of step graphs: which fields they have, and how a state is taken apart and put together.

What a block or the turns of a loop carry is one field, of the block's own state class; all else is a field of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from rep_grammar.record import Record
from repc.ir import Graph, Node
from repc.lowering import naming
from repc.lowering.expression import Code, call, expr, name
from repc.lowering.naming import Names
from repc.lowering.owned import has_modules
from repc.lowering.owner import Context, Signature
from repc.lowering.stepping import STATE, state_ports
from repc.lowering.values import FULL, Value


class Field(Record):
    """A field of a state class: its ports, and the node whose state they are if it is a block's or a loop's.

    `own`: the ports of the callee, one for each of `ports`.
    """

    name: str
    ports: tuple[str, ...]
    node: Node | None
    own: tuple[str, ...] = ()


def fields(context: Context, graph: Graph) -> tuple[Field, ...]:
    """The fields of the state class of a step graph, in the order of its states."""
    taken = Names()
    owners = _owners(context, graph)
    made: dict[str, Field] = {}
    for node in state_ports(graph):
        port = node.attrs["port"]
        owner = owners.get(port)
        if owner is None:
            plain = naming.port(port.removeprefix(STATE))
            made[port] = Field(taken.fresh(_field_name(plain)), (port,), None)
        elif owner.name not in made:
            ports, own = _passed(graph, owner)
            hint = str(owner.attrs.get("label") or owner.attrs.get("block") or "")
            if not hint:
                hint = naming.function_name(context.program.graphs[owner.attrs["graph"]].declaration)
            plain = "_".join(naming.plain(part) if not part.isdigit() else part for part in hint.split("."))
            made[owner.name] = Field(taken.fresh(_field_name(naming.local(plain))), ports, owner, own)
    return tuple(made.values())


def _field_name(plain: str) -> str:
    """No field of a named tuple begins with an underscore or bears the name of one of its methods."""
    made = plain.lstrip("_") or "inner"
    return f"{made}_" if made in ("count", "index") else made


def _passed(graph: Graph, node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The graph's state ports that a node is given, and what the callee calls them."""
    nodes = graph.by_name()
    pairs = [
        (nodes[arg].attrs["port"], port)
        for port, arg in zip(node.attrs["ports"], node.args, strict=True)
        if port.startswith(STATE) and nodes[arg].kind == "input"
    ]
    return tuple(outer for outer, _ in pairs), tuple(own for _, own in pairs)


def _owners(context: Context, graph: Graph) -> dict[str, Node]:
    """The apply or loop over modules whose state a port is, where all states of that callee are such ports."""
    found: dict[str, Node] = {}
    for node in graph.nodes:
        modules = node.kind == "loop" and bool(node.attrs.get("each")) and has_modules(context.program, node)
        if not (node.kind == "apply" or modules):
            continue
        key = node.attrs["graph" if node.kind == "apply" else "body"]
        callee = context.program.graphs[key]
        outer, own = _passed(graph, node)
        if outer and set(own) == {one.attrs["port"] for one in state_ports(callee)}:
            found.update(dict.fromkeys(outer, node))
    return found


def class_of(context: Context, node: Node) -> Signature:
    return context.signatures[node.attrs["graph" if node.kind == "apply" else "body"]]


def state_values(context: Context, graph: Graph, leads: Mapping[str, str]) -> dict[str, Value]:
    """The state ports as fields of `state`."""
    nodes = {node.attrs["port"]: node for node in state_ports(graph)}
    found: dict[str, Value] = {}
    for field in fields(context, graph):
        whole = name(f"state.{field.name}")
        for place, port in enumerate(field.ports):
            code = whole
            if field.node is not None and field.node.kind == "apply":
                callee = context.program.graphs[field.node.attrs["graph"]]
                code = expr("{x}." + member(context, callee, field.own[place])[0], x=whole)
            found[port] = Value(code, nodes[port].type, leads.get(port, FULL))
    return found


def member(context: Context, callee: Graph, port: str) -> tuple[str, str]:
    """Where a state port of a callee lies in its state class: the path of fields, and the first field."""
    for field in fields(context, callee):
        if port in field.ports:
            if field.node is None or field.node.kind != "apply":
                return field.name, field.name
            inner = context.program.graphs[field.node.attrs["graph"]]
            return f"{field.name}.{member(context, inner, field.own[field.ports.index(port)])[0]}", field.name
    raise KeyError(port)


def given_state(context: Context, node: Node, values: Mapping[str, Value]) -> Code:
    """The state that a callee is called with: a field of this state where it is one, else made from its parts."""
    callee = context.program.graphs[node.attrs["graph"]]
    return assembled(context, callee, {port: value.code for port, value in values.items()})


def assembled(context: Context, graph: Graph, codes: Mapping[str, Code]) -> Code:
    """A state of a graph from the codes of its ports."""
    words: dict[str, Code] = {}
    for field in fields(context, graph):
        if field.node is not None and field.node.kind == "apply":
            inner = context.program.graphs[field.node.attrs["graph"]]
            parts = dict(zip(field.own, (codes[port] for port in field.ports), strict=True))
            words[field.name] = assembled(context, inner, parts)
        else:
            words[field.name] = codes[field.ports[0]]
    whole = _common(words)
    return call(context.signatures[graph.name].state, **words) if whole is None else whole


def _common(words: Mapping[str, Code]) -> Code | None:
    """`x`, where every field is taken from the same `x` under its own name."""
    base: Code | None = None
    for field, code in words.items():
        if not isinstance(code, ast.Attribute) or code.attr != field:
            return None
        if base is not None and ast.dump(base) != ast.dump(code.value):
            return None
        base = code.value
    return base
