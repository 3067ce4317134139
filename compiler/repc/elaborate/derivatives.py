"""`grad(e, x)`: the derivative of a scalar by a value that it is made from (LANGUAGE.md 6.7).

What lies between the two is a graph of its own, differentiated by its input; everything else is read from outside.
"""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.stop import stop
from repc.elaborate.values import Tensor
from repc.ir import Attrs, Block, Graph, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from repc.elaborate.values import Value


def gradient(body: Body, call: tree.Call) -> Value:
    """The derivative, with the axes of `x`; carried positions have each their own."""
    from repc.elaborate.builtins.given import Given

    given = Given(body, call, 2, ())
    scalar, by = given.tensor(0), differentiable(body, given.values[1])
    axes = [axis for axis in scalar.type.axes if axis.label not in body.lifted]
    if scalar.type.kind.name != "float" or axes:
        raise stop("scalar-needed", given.values[0].span, found=scalar.type)
    between = path(body, by.node, scalar.node)
    if not between:
        raise stop("derivative-of-other", given.values[0].span, name=spelled(given.values[1]))
    outside = dict.fromkeys(arg for node in between for arg in node.args if arg not in {own.name for own in between})
    outside.setdefault(by.node, None)
    key = free_key(body, f"{body.key}.grad")
    ports = tuple(outside)
    attrs = Attrs(graph=key, ports=ports, wrt=(by.node,))
    body.derivatives[key] = (ports, tuple(node.name for node in between), scalar.node)
    # What stands for the derivative until the body is finished is a graph without blocks.
    body.context.graphs[key] = between_graph(body, key, between, ports, ())
    return body.add("grad", ports, attrs, by.type.plain(), call.span)


def differentiable(body: Body, expr: tree.Expr) -> Tensor:
    """What a derivative is taken by: a float value."""
    value = evaluate(body, expr)
    if not isinstance(value, Tensor) or value.type.kind.name != "float":
        raise stop("kind-mismatch", expr.span, wanted="float", found=describe(value))
    return body.tensor(value, expr.span)


def spelled(expr: tree.Expr) -> str:
    return f"`{expr.text}`" if isinstance(expr, tree.Name) else "this value"


def free_key(body: Body, wanted: str) -> str:
    from repc.elaborate.flow import free_key as free

    return free(body, wanted)


def path(body: Body, start: str, end: str) -> list[Node]:
    """Nodes on the ways from one to the other, in order, without the first."""
    reached = {start}
    for name, node in body.nodes.items():
        if any(arg in reached for arg in node.args):
            reached.add(name)
    needed: set[str] = set()
    waiting = [end]
    while waiting:
        name = waiting.pop()
        if name in reached and name != start and name not in needed:
            needed.add(name)
            waiting.extend(body.nodes[name].args)
    return [node for name, node in body.nodes.items() if name in needed]


def between_graph(
    body: Body, key: str, nodes: Iterable[Node], ports: tuple[str, ...], blocks: tuple[Block, ...]
) -> Graph:
    """The nodes as a graph; what they read from outside comes in by the outer node's name."""
    inputs = [
        Node(port, "input", (), Attrs(port=port), body.nodes[port].type.plain(), body.nodes[port].origin)
        for port in ports
    ]
    inner = tuple(nodes)
    return Graph(
        name=key,
        declaration=key,
        keyword=body.keyword,
        inputs=ports,
        nodes=(*inputs, *inner),
        results=(("", inner[-1].name),),
        origin=body.origin,
        blocks=blocks,
        facts=body.facts,
    )


def settle(body: Body, nodes: dict[str, Node], blocks: tuple[Block, ...]) -> None:
    """The graphs of all derivatives of a finished body, their blocks in their final names."""
    for key, (ports, names, _) in body.derivatives.items():
        if all(name in nodes for name in (*ports, *names)):
            inner = [nodes[name] for name in names]
            used = {node.attrs["block"] for node in inner if node.kind == "apply"}
            own = tuple(block for block in blocks if block.path in used)
            body.context.graphs[key] = between_graph(body, key, inner, ports, own)
