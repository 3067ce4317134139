"""Calls of other graphs: lifted axes go to the front of every argument, and come back where the result has them."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim, Symbol
from repc.ir import Graph, Node
from repc.lowering.body import Body
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.layout import aligned, reordered
from repc.lowering.owner import Signature
from repc.lowering.statements import Assign
from repc.lowering.states import given_state, member
from repc.lowering.stepping import STATE
from repc.lowering.values import NONE, Value, joined_lead
from repc.types import FLOAT, Axis, Type

Labels = tuple[Symbol, ...]


def emit_apply(body: Body, node: Node) -> Value:
    """The value of a call: one tensor, or a record whose fields are read off it."""
    owner, attrs = body.owner, node.attrs
    callee = owner.program.graphs[attrs["graph"]]
    signature = owner.signatures[callee.name]
    values = dict(zip(attrs["ports"], body.arguments(node), strict=True))
    lift = _lifted(body, node)
    lead = joined_lead(value.lead for value in values.values() if value.type.kind.name != "state")
    words = _keywords(body, node, signature)
    if signature.state:
        return _stepped(body, node, callee, signature, values, words, lift, lead)
    called = _call(body, node, callee, signature, values, words, lift)
    plain = not signature.results and not attrs.get("sites")
    if plain:
        # A call's type has the lifted axes first: what follows are the callee's own, by whatever name they go here.
        written = (*lift, *node.type.labels[len(lift) :])
        return _placed(body, node, Value(called, node.type, lead), values, callee, written)
    result = body.bound(Value(called, node.type, lead), body.hint(node), node)
    attribute_of = dict(signature.results)
    fields: list[tuple[str, Value]] = []
    for field, kind in node.type.fields:
        code = expr("{x}." + attribute_of[field], x=result.code) if field in attribute_of else result.code
        fields.append((field, Value(code, kind, lead)))
    for site in attrs.get("sites", ()):
        # Whoever takes the site knows its axes in this graph.
        code = expr("{sites}[{site}]", sites=words["sites"], site=literal(site))
        fields.append((f"@{site}", Value(code, Type((), FLOAT), lead)))
    return Value(result.code, node.type, lead, False, tuple(fields))


def _stepped(
    body: Body,
    node: Node,
    callee: Graph,
    signature: Signature,
    values: Mapping[str, Value],
    words: Mapping[str, Code],
    lift: Labels,
    lead: str,
) -> Value:
    """A call of `step`: its result and the callee's next state, whose parts are read off it."""
    context = body.owner.context
    states = {port: value for port, value in values.items() if port.startswith(STATE)}
    data = {port: value for port, value in values.items() if port not in states}
    labels = dict(node.attrs["labels"])
    given = {port: _argument(callee, port, value, lift, labels) for port, value in data.items()}
    named = {parameter: given[port] for port, parameter in signature.keywords if port in given}
    path = node.attrs["block"] or callee.name.rpartition(".step")[0]
    target = expr("{x}.step", x=body.owner.attribute(path))
    args = [*(given[port] for port in signature.ports), given_state(context, node, states)]
    hint = body.hint(node)
    out, state = body.owner.variables.new(hint), body.owner.variables.new(f"{hint}_state")
    body.statements.append(Assign((out, state), call(target, *args, **named, **words), (node.name,), node.origin))
    attribute_of = dict(signature.results)
    fields: list[tuple[str, Value]] = []
    for field, kind in node.type.fields:
        if field.startswith(STATE):
            code = expr("{x}." + member(context, callee, field)[0], x=state)
            fields.append((field, Value(code, kind, lead)))
        elif field in attribute_of:
            fields.append((field, Value(expr("{x}." + attribute_of[field], x=out), kind, lead)))
        elif not field.startswith("@"):
            written = (*lift, *kind.labels[len(lift) :])
            fields.append((field, Value(reordered(name(out), written, kind.labels), kind, lead)))
    for site in node.attrs.get("sites", ()):
        code = expr("{sites}[{site}]", sites=words["sites"], site=literal(site))
        fields.append((f"@{site}", Value(code, Type((), FLOAT), lead)))
    return Value(name(out), node.type, lead, False, tuple(fields))


def _keywords(body: Body, node: Node, signature: Signature) -> dict[str, Code]:
    """What a call passes besides the values: blocks, draws, a dictionary for sites, sizes."""
    owner, attrs = body.owner, node.attrs
    words: dict[str, Code] = {}
    for parameter, path in attrs.get("blocks", ()):
        words[dict(signature.blocks)[parameter]] = owner.attribute(path)
    if signature.draws:
        words["draws"] = body.draws_of(node)
    if signature.writes and body.writes and not _is_target(body, node):
        words["writes"] = call("writes.inside", literal(attrs["block"])) if attrs["block"] else name("writes")
    if attrs.get("sites"):
        variable = owner.variables.new("sites")
        body.statements.append(Assign((variable,), expr("{}"), (node.name,), node.origin, "dict[str, Tensor]"))
        words["sites"] = name(variable)
    if not signature.module:
        sizes = dict(attrs.get("sizes", ()))
        for symbol, parameter in signature.sizes:
            words[parameter] = owner.sizes.size(Dim.of(sizes.get(symbol, symbol)))
    return words


def _call(
    body: Body,
    node: Node,
    callee: Graph,
    signature: Signature,
    values: Mapping[str, Value],
    words: Mapping[str, Code],
    lift: Labels,
) -> Code:
    labels = dict(node.attrs["labels"])
    given = {port: _argument(callee, port, value, lift, labels) for port, value in values.items()}
    named = {parameter: given[port] for port, parameter in signature.keywords if port in given}
    args = [given[port] for port in signature.ports]
    path = node.attrs["block"] or callee.name
    target = body.owner.attribute(path) if signature.module else name(signature.name)
    return call(target, *args, **named, **words)


def _argument(callee: Graph, port: str, value: Value, lift: Labels, labels: Mapping[Symbol, Symbol]) -> Code:
    """An argument with the axes `[*lifted, *written]`."""
    if value.plain or value.type.kind.name == "record":
        return value.code
    written = _labels(input_type(callee, port), labels)
    # Lifted axes that it lacks come by broadcasting, unless it has leading dims of its own to keep apart from them.
    wanted = (*lift, *written) if value.lead != NONE or any(label in value.labels for label in lift) else written
    return aligned(value.code, value.labels, wanted, value.lead != NONE)


def input_type(graph: Graph, port: str) -> Type:
    """The declared type of an input."""
    return next(node.type for node in graph.nodes if node.kind == "input" and node.attrs["port"] == port)


def _labels(declared: Type, labels: Mapping[Symbol, Symbol]) -> Labels:
    return tuple(labels.get(label, label) for label in declared.labels)


def _is_target(body: Body, node: Node) -> bool:
    """Whether a block only follows another, so that its cells are written by what it follows."""
    return any(block.path == node.attrs["block"] and block.treatment for block in body.owner.blocks)


def _per(body: Body, node: Node) -> Labels:
    """Axes that every slot of the block has in front."""
    for block in body.owner.blocks:
        if block.path == node.attrs["block"]:
            return tuple(axis.label for axis in block.per if isinstance(axis, Axis))
    return ()


def _lifted(body: Body, node: Node) -> Labels:
    """The lifted axes in the order in which arguments have them: those of the slots next to the written ones."""
    own = _per(body, node)
    lift = tuple(node.attrs["lift"])
    return (*(label for label in lift if label not in own), *(label for label in own if label in lift))


def _placed(body: Body, node: Node, value: Value, values: Mapping[str, Value], callee: Graph, written: Labels) -> Value:
    """The result with the axes in the order of the node's type; a lifted axis that no input brought is made."""
    reaching = reaching_ports(callee, callee.results[0][1])
    brought = {label for port in reaching if port in values for label in values[port].labels} | {*_per(body, node)}
    if all(label in brought for label in node.attrs["lift"]):
        return Value(reordered(value.code, written, node.type.labels), node.type, value.lead)
    one = body.atom(value, body.hint(node), node)
    by_label = {axis.label: axis.size for axis in node.type.axes}
    sizes = [body.owner.sizes.size(by_label[label]) for label in written]
    spread = expr("{x}.expand(*{x}.shape[:{n}], *{sizes})", x=one.code, n=-len(written), sizes=sizes)
    return Value(reordered(spread, written, node.type.labels), node.type, value.lead)


def reaching_ports(graph: Graph, result: str) -> set[str]:
    """Inputs that a node of a graph depends on, so that their leading dims are in it."""
    nodes = graph.by_name()
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [result]
    while waiting:
        node = nodes[waiting.pop()]
        if node.name in seen:
            continue
        seen.add(node.name)
        if node.kind == "input":
            found.add(node.attrs["port"])
        waiting += node.args
    return found
