"""Named values of an application, and members of a block (LANGUAGE.md 3.11)."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Symbol
from repc.elaborate.body import Body, describe
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Callee, Fields, Static, Tensor
from repc.ir import Attrs, Graph, Node
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def site(body: Body, base: Fields, expr: tree.Attr) -> Value:
    """`r.h`: the value of site `h` in the application that made `r`; or a field of a record-valued primitive."""
    wanted = expr.name.text
    call = base.call
    if call is not None and call.type.kind.name == "record":
        inner = call.type.field(wanted)
        if inner is not None:
            return body.prim("field", [call], expr.span, name=wanted)
    node = application(body, call)
    if node is None:
        raise stop("no-such-field", expr.name.span, name=wanted, found="the value")
    graph = body.context.graphs[node.attrs["graph"]]
    sites = dict(graph.sites)
    if wanted in sites:
        return taken(body, node, graph, wanted, expr)
    under = tuple((name[len(wanted) + 1 :], name) for name in sites if name.startswith(f"{wanted}."))
    if under:
        return Fields(tuple((short, taken(body, node, graph, name, expr)) for short, name in under))
    from repc.elaborate.shapes import closest

    names = [name for name in sites if not name.startswith("require.")]
    raise stop(
        "no-such-site",
        expr.name.span,
        suggestion=closest(wanted, names),
        name=wanted,
        callee=graph.declaration,
        sites=names,
    )


def application(body: Body, call: Tensor | None) -> Node | None:
    """The apply node behind a value; relabelling does not change which application it is."""
    owner: Body | None = body
    while call is not None and owner is not None:
        node = owner.nodes.get(call.node)
        if node is None:
            owner = owner.parent
            continue
        if node.kind == "apply":
            return node
        if node.kind == "prim" and node.attrs["op"] in {"relabel", "transpose"}:
            call = Tensor(node.args[0], owner.nodes[node.args[0]].type)
            continue
        return None
    return None


def taken(body: Body, node: Node, graph: Graph, name: str, expr: tree.Attr) -> Tensor:
    """A projection of the application, which is asked to give the site too."""
    inner = graph.node(dict(graph.sites)[name]).type
    type_ = in_caller(body, node, inner)
    owner: Body = body
    while node.name not in owner.nodes and owner.parent is not None:
        owner = owner.parent
    owner.site_requests.setdefault(node.name, set()).add(name)
    made = owner.add("prim", (node.name,), Attrs(op="field", name=f"@{name}"), type_, expr.span)
    return body.tensor(made, expr.span)


def in_caller(body: Body, node: Node, type_: Type) -> Type:
    """A callee's type in the caller's names, lifted axes first."""
    labels: dict[Symbol, Symbol] = dict(node.attrs["labels"])
    moved = type_.subst(labels, dict(node.attrs["sizes"]))
    lift: list[Axis] = []
    for label in node.attrs["lift"]:
        found = next((axis for arg in node.args for axis in axes_of_node(body, arg) if axis.label == label), None)
        if found is not None:
            lift.append(found)
    axes = list(lift)
    for axis in moved.axes:
        label = axis.label
        if any(label == other.label for other in axes):
            label = body.fresh(str(label))
        axes.append(Axis(label, axis.size, axis.kind, axis.space, axis.ragged))
    return Type(tuple(axes), moved.kind, moved.refine, moved.fields)


def axes_of_node(body: Body, name: str) -> tuple[Axis, ...]:
    owner: Body | None = body
    while owner is not None:
        if name in owner.nodes:
            return owner.nodes[name].type.axes
        owner = owner.parent
    return ()


def block_member(body: Body, base: BlockValue | Callee, expr: tree.Attr) -> Value:
    """`e.weight` of a named block: its slot as a value, shared with the block."""
    wanted = expr.name.text
    if isinstance(base, Callee):
        raise stop("no-such-field", expr.name.span, name=wanted, found=describe(base))
    value = base.shared.get(wanted)
    if value is not None:
        return value
    return slot_of(body, base, expr)


def slot_of(body: Body, block: BlockValue, expr: tree.Attr) -> Tensor:
    """The slot of a block as a node of this graph: a `slot` with the path `block.name`, owned by the block."""
    wanted = expr.name.text
    graph = block_graph(body, block, expr)
    for node in graph.nodes:
        if node.kind == "slot" and node.attrs["path"] == wanted:
            labels = dict(block.labels)
            type_ = node.type.subst(labels, block.sizes)
            type_ = distinct(body, type_)
            attrs = Attrs(
                path=f"{block.path}.{wanted}", init=node.attrs["init"], trained=node.attrs["trained"], of=block.path
            )
            return body.add("slot", (), attrs, type_, expr.span)
    slots = [node.attrs["path"] for node in graph.nodes if node.kind == "slot"]
    from repc.elaborate.shapes import closest

    raise stop(
        "no-such-slot", expr.name.span, suggestion=closest(wanted, slots), name=wanted, block=block.path, slots=slots
    )


def distinct(body: Body, type_: Type) -> Type:
    """Two axes of one label are told apart by a name of their own."""
    axes: list[Axis] = []
    for axis in type_.axes:
        label = axis.label
        while any(label == other.label for other in axes):
            label = body.own(f"{label.name.lower()}2")
        axes.append(axis.relabelled(label))
    return Type(tuple(axes), type_.kind, type_.refine)


def block_graph(body: Body, block: BlockValue, expr: tree.Attr) -> Graph:
    """The graph of a block, made from what was written where it has not been applied yet."""
    if not block.graph:
        from repc.elaborate.transformers import unapplied

        unapplied(body, block, expr.span)
    return body.context.graphs[block.graph]


__all__ = ["Static", "block_member", "site"]
