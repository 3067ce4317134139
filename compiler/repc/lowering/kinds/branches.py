"""Branches on values: both sides are made, and every position takes its own; a known number picks one side."""

from __future__ import annotations

from repc.ir import Graph, Node
from repc.lowering.body import Body
from repc.lowering.expression import Code, expr, name
from repc.lowering.layout import aligned
from repc.lowering.naming import local
from repc.lowering.statements import Assign, If
from repc.lowering.values import NONE, Value, joined_lead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.statements import Statement


def _side(body: Body, node: Node, key: str, ports: dict[str, Value]) -> tuple[Graph, Body]:
    graph = body.owner.program.graphs[key]
    inner = Body(body.owner, graph, ports)
    inner.run()
    return graph, inner


def emit_branch(body: Body, node: Node) -> Value:
    """The results of the side that is taken."""
    predicate = body.value(node.args[0])
    ports = {
        port: body.atom(body.value(arg), body.called(arg, port), node)
        for port, arg in zip(node.attrs["ports"], node.args[1:], strict=True)
    }
    sides = [_side(body, node, node.attrs[key], ports) for key in ("then", "other")]
    names = [field for field, _ in sides[0][0].results]
    if predicate.plain:
        return _by_statement(body, node, predicate, sides, names)
    predicate = body.atom(predicate, "taken", node)
    fields: list[tuple[str, Value]] = []
    for _, inner in sides:
        body.statements += inner.statements
    for place, field in enumerate(names):
        then, other = (inner.value(graph.results[place][1]) for graph, inner in sides)
        fields.append((field, _chosen(predicate, then, other)))
    if len(fields) == 1 and not fields[0][0]:
        return fields[0][1]
    return Value(fields[0][1].code, node.type, joined_lead(value.lead for _, value in fields), False, tuple(fields))


def _chosen(predicate: Value, then: Value, other: Value) -> Value:
    wanted = then.type.labels

    def fitted(value: Value) -> Code:
        return value.code if value.plain else aligned(value.code, value.labels, wanted, value.lead != NONE)

    lead = joined_lead([predicate.lead, then.lead, other.lead])
    condition, yes, no = fitted(predicate), fitted(then), fitted(other)
    return Value(expr("torch.where({c}, {a}, {b})", c=condition, a=yes, b=no), then.type, lead)


def _by_statement(body: Body, node: Node, predicate: Value, sides: list[tuple[Graph, Body]], names: list[str]) -> Value:
    """`if` and `else`: the predicate is a Python number, for instance of a loop's counter."""
    variables = [body.owner.variables.new(local(field or "chosen")) for field in names]
    blocks: list[tuple[Statement, ...]] = []
    for graph, inner in sides:
        given = (inner.value(result) for _, result in graph.results)
        ends = [Assign((variable,), value.code, (node.name,)) for variable, value in zip(variables, given, strict=True)]
        blocks.append((*inner.statements, *ends))
    body.statements.append(If(predicate.code, blocks[0], blocks[1], (node.name,), node.origin))
    graph, inner = sides[0]
    fields = tuple(
        (field, Value(name(variable), inner.value(result).type, inner.value(result).lead))
        for field, variable, (_, result) in zip(names, variables, graph.results, strict=True)
    )
    if len(fields) == 1 and not fields[0][0]:
        return fields[0][1]
    return Value(fields[0][1].code, node.type, joined_lead(value.lead for _, value in fields), False, fields)
