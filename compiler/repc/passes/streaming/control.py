"""Step forms of applications and branches, and of their results."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim, Symbol
from repc.ir import Graph, Node, Word
from repc.passes.streaming.fact import Refused
from repc.passes.streaming.loops import looped
from repc.passes.streaming.memories import memory_step
from repc.passes.streaming.walker import Walker, without
from repc.types import Type, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.passes.streaming.context import Made


def field_step(walker: Walker, node: Node, label: Symbol | None) -> str:
    """One result of a node with several."""
    source, field = walker.nodes[node.args[0]], node.attrs["name"]
    if source.kind == "apply":
        return _applied(walker, source, label, field, node)
    if source.kind == "loop":
        return looped(walker, source, label, field, node)
    if source.kind == "prim" and source.attrs["op"] == "record":
        return walker.argument(source.args[source.attrs["names"].index(field)], label)
    if label is None:
        return walker.copied(node, [walker.whole(node.args[0])])
    if source.kind == "memory" and node.type.kind.name != "state":
        return memory_step(walker, source, label)
    if source.kind != "branch":
        walker.refuse(node, "unsupported")
    made = walker.at(node.args[0], label)
    return walker.builder.prim(node.name, "field", (made,), node.origin, name=field)


# ---- apply


def apply_step(walker: Walker, node: Node, label: Symbol | None) -> str:
    """An application with one result; one with several is taken apart by `field_step`."""
    if node.type.kind.name == "record":
        if label is not None:
            walker.refuse(node, "unsupported")
        return walker.record(node, None, lambda: _whole_apply(walker, node))
    return _applied(walker, node, label, "", node)


def _whole_apply(walker: Walker, node: Node) -> str:
    args = [walker.whole(arg) for arg in node.args]
    return walker.builder.add(node.name, "apply", args, walker.own_blocks(node), node.type, node.origin)


def _applied(walker: Walker, node: Node, label: Symbol | None, field: str, of: Node) -> str:
    """A result of an application: the graph as it is at every lifted position, or its own step graph."""
    builder = walker.builder
    several = node.type.kind.name == "record"

    def taken(made: str, name: str) -> str:
        return builder.prim(of.name, "field", (made,), of.origin, name=name) if several else made

    if label is None:
        made = walker.record(node, None, lambda: _whole_apply(walker, node))
        return taken(made, field)
    if label in node.attrs["lift"]:
        return taken(walker.record(node, label, lambda: _lifted(walker, node, label)), field)
    key = node.attrs["graph"]
    inner = _inner_label(walker, node, label, field)
    step = walker.context.step(key, inner)
    for name, fact in step.refused:
        if name == field:
            raise Refused(fact)
    made = walker.record(node, label, lambda: _stepped(walker, node, step, inner, label))
    name = dict(step.results).get(field, field)
    if builder.type(made).kind.name == "record":
        return builder.prim(of.name, "field", (made,), of.origin, name=name)
    return made


def _lifted(walker: Walker, node: Node, label: Symbol) -> str:
    """The axis is lifted: the callee does not know it."""
    attrs = walker.own_blocks(node)
    lift = tuple(own for own in attrs["lift"] if own != label)
    args = [walker.argument(arg, label) for arg in node.args]
    type = without(node.type, label)
    return walker.builder.add(node.name, "apply", args, attrs.with_(lift=lift), type, node.origin)


def _inner_label(walker: Walker, node: Node, label: Symbol, field: str) -> Symbol:
    """What the callee calls the axis."""
    callee = walker.context.program.graphs[node.attrs["graph"]]
    labels = dict(node.attrs.get("labels", ()))
    results = {**{f"@{name}": inner for name, inner in callee.sites}, **dict(callee.results)}
    for own in callee.node(results[field]).type.labels:
        if labels.get(own, own) == label:
            return own
    walker.refuse(node, "unsupported")


def _stepped(walker: Walker, node: Node, step: Made, inner: Symbol, label: Symbol) -> str:
    """The callee's step graph, its states among those of the caller."""
    builder, attrs = walker.builder, walker.own_blocks(node)
    callee = walker.context.program.graphs[node.attrs["graph"]]
    along = dict(step.ports)
    args: list[str] = []
    for port, arg in zip(attrs["ports"], node.args, strict=True):
        args.append(walker.at(arg, label) if along[port] is not None else walker.whole(arg))
    gone = {inner} | {s for n in callee.nodes if (a := n.type.axis(inner)) is not None for s in a.size.symbols()}
    labels = {own: caller for own, caller in attrs.get("labels", ()) if own != inner}
    sizes = {own: Dim.of(size) for own, size in attrs.get("sizes", ()) if own not in gone}
    hint = attrs["block"] or callee.declaration
    carried: list[tuple[str, str, Type]] = []
    for state in step.states:
        name = f"{hint}.{state.port.removeprefix('state.')}"
        port, before = builder.state(
            name, state.type.subst(labels, sizes), renamed(state.init, labels, sizes), node.origin
        )
        carried.append((state.port, port, builder.type(before)))
        args.append(before)
    results = _results(node, callee, step, label, carried)
    attrs = attrs.with_(
        graph=step.graph.name,
        ports=(*attrs["ports"], *(own for own, _, _ in carried)),
        labels=tuple(labels.items()),
        sizes=tuple(sizes.items()),
    )
    if not carried and node.type.kind.name != "record":
        return builder.add(node.name, "apply", args, attrs, without(node.type, label), node.origin)
    made = builder.add(f"{node.name}.step", "apply", args, attrs, record(results), node.origin)
    for own, port, _ in carried:
        builder.carry(port, builder.prim(f"{node.name}.{own}", "field", (made,), node.origin, name=own))
    return made


def renamed(init: Word, labels: Mapping[Symbol, Symbol], sizes: Mapping[Symbol, Dim]) -> Word:
    """The start of a callee's state in the names of its caller."""

    def one(value: object) -> object:
        if isinstance(value, Word):
            return renamed(value, labels, sizes)
        if isinstance(value, Type):
            return value.subst(labels, sizes)
        return value.subst(sizes) if isinstance(value, Dim) else value

    return Word(init.name, tuple((name, one(value)) for name, value in init.args))


def _results(
    node: Node, callee: Graph, step: Made, label: Symbol, carried: list[tuple[str, str, Type]]
) -> tuple[tuple[str, Type], ...]:
    """Fields of an applied step graph: its results, the sites that are read, its states."""
    names = dict(step.results)
    several = node.type.kind.name == "record"
    made: list[tuple[str, Type]] = []
    for result, _ in callee.results:
        if result in names:
            own = node.type.field(result) if several else node.type
            if own is not None:
                made.append((names[result], without(own, label)))
    made += [(own, kind) for own, _, kind in carried]
    for site in node.attrs.get("sites", ()):
        own = node.type.field(f"@{site}")
        if own is not None and f"@{site}" in names:
            made.append((f"@{site}", without(own, label)))
    return tuple(made)


# ---- branch


def branch_step(walker: Walker, node: Node, label: Symbol | None) -> str:
    """Both sides position by position, where neither keeps anything."""
    if label is None:
        return walker.record(node, None, lambda: walker.copied(node, [walker.whole(arg) for arg in node.args]))
    ports = node.attrs["ports"]
    keys: list[str] = []
    for key in (node.attrs["then"], node.attrs["other"]):
        made = walker.context.step(key, label)
        if made.states:
            walker.refuse(node, "unsupported", "a branch that keeps a state")
        for _, fact in made.refused:
            raise Refused(fact)
        keys.append(made.graph.name)
    args = [walker.whole(node.args[0]), *(walker.argument(arg, label) for arg in node.args[1:])]
    attrs = node.attrs.with_(then=keys[0], other=keys[1], ports=ports)
    return walker.builder.add(node.name, "branch", args, attrs, without(node.type, label), node.origin)
