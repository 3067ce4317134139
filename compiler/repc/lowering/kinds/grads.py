"""Inner derivatives: a function of the values that it is differentiated by, handed to `torch.func.grad`."""

from __future__ import annotations

from repc.ir import Node
from repc.lowering import naming
from repc.lowering.body import Body
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.layout import reordered
from repc.lowering.statements import Define, Return
from repc.lowering.values import NONE, Value, joined_lead


def emit_grad(body: Body, node: Node) -> Value:
    """The derivatives of a scalar graph by some of its inputs, at every carried position its own."""
    owner, attrs = body.owner, node.attrs
    graph = owner.program.graphs[attrs["graph"]]
    wrt: tuple[str, ...] = tuple(attrs["wrt"])
    ports = {
        port: body.atom(body.value(arg), body.called(arg, port), node)
        for port, arg in zip(attrs["ports"], node.args, strict=True)
    }
    whole = joined_lead(value.lead for value in ports.values())
    parameters = {port: owner.variables.new(naming.port(port)) for port in wrt}
    inner_ports = {
        port: Value(name(parameters[port]), value.type, whole) if port in parameters else value
        for port, value in ports.items()
    }
    inner = Body(owner, graph, inner_ports, draws=body.draws)
    inner.run()
    result = inner.value(graph.results[0][1])
    # Carried positions do not meet, so the derivative of their sum is the derivative of each.
    total = result.code if whole == NONE else expr("{x}.sum()", x=result.code)
    function = owner.variables.new("objective")
    returned = Return(total, (node.name,), node.origin)
    lines = (*inner.statements, returned)
    body.statements.append(Define(function, tuple(parameters.values()), lines, (node.name,), node.origin))
    points = [_point(body, ports[port], whole) for port in wrt]
    numbers = None if len(wrt) == 1 else literal(tuple(range(len(wrt))))
    made = call(call("torch.func.grad", name(function), argnums=numbers), *points)
    found = body.bound(Value(made, node.type, whole), "gradient", node)
    if len(wrt) == 1:
        return Value(
            reordered(found.code, ports[wrt[0]].labels, node.type.labels or ports[wrt[0]].labels), node.type, whole
        )
    fields = tuple(
        (port, Value(expr("{x}[{i}]", x=found.code, i=literal(place)), ports[port].type, whole))
        for place, port in enumerate(wrt)
    )
    return Value(found.code, node.type, whole, False, fields)


def _point(body: Body, value: Value, whole: str) -> Code:
    """The point of differentiation, with an entry of its own at every carried position."""
    if value.lead == whole or whole == NONE:
        return value.code
    count = len(value.labels)
    shape = expr("{x}.shape[{n}:]", x=value.code, n=literal(-count)) if count else expr("()")
    lead = body.owner.lead_shape() if body.owner.lead_of else expr("()")
    return expr("{x}.expand(*{lead}, *{own})", x=value.code, lead=lead, own=shape)
