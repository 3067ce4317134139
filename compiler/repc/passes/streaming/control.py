"""Step forms of nodes that run graphs, and of memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repc.dims import Dim, Symbol
from repc.ir import Attrs, Graph, MemoryRecord, Node, Word
from repc.passes.streaming.builder import constant
from repc.passes.streaming.fact import Refused
from repc.passes.streaming.walker import Walker, without
from repc.types import Kind, Type, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.passes.streaming.context import Made

MEMORY_STATE = Type((), Kind("state", of="memory"))
TURNS_STATE = Type((), Kind("state", of="turns"))
SEES_ALL = ("full", "selected", "matrix")


def memory_step(walker: Walker, node: Node, label: Symbol | None) -> str:
    """A memory along the axis carries its state; one along another axis is the same at every position."""
    declared: MemoryRecord = node.attrs["record"]
    types = {name: walker.nodes[name].type for name in node.args}
    along = label is not None and label == declared.sequence
    if not along or label not in (declared.source,):
        args = [walker.argument(arg, label) for arg in node.args]
        if label is None:
            return walker.copied(node, args)
        return walker.builder.add(node.name, "memory", args, node.attrs, without(node.type, label), node.origin)
    assert label is not None
    fields = dict(declared.fields)
    if "weights" in fields and fields["weights"].value.name in SEES_ALL:
        walker.refuse(node, "memory", f"its weights are `{fields['weights'].value.name}`")
    args = [walker.argument(arg, label) for arg in node.args]
    ports: tuple[str, ...] = node.attrs["ports"]
    timed = tuple(port for port, arg in zip(ports, node.args, strict=True) if label in types[arg].labels)
    builder = walker.builder
    port, before = builder.state("memory", MEMORY_STATE, Word("memory"), node.origin)
    whole_type = node.type.fields[0][1] if node.type.kind.name == "record" else node.type
    out = without(whole_type, label)
    attrs = node.attrs.with_(mode="step", timed=timed, ports=("state", *ports))
    made = builder.add(
        f"{node.name}.step",
        "memory",
        (before, *args),
        attrs,
        record((("out", out), ("state", MEMORY_STATE))),
        node.origin,
    )
    builder.carry(port, builder.prim(f"{node.name}.state", "field", (made,), node.origin, name="state"))
    return builder.prim(node.name, "field", (made,), node.origin, name="out")


def field_step(walker: Walker, node: Node, label: Symbol | None) -> str:
    """One result of a node with several."""
    source, field = walker.nodes[node.args[0]], node.attrs["name"]
    if source.kind == "apply":
        return _applied(walker, source, label, field, node)
    if source.kind == "loop":
        return _looped(walker, source, label, field, node)
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
    return walker.builder.add(node.name, "apply", args, _blocks(walker, node), node.type, node.origin)


def _blocks(walker: Walker, node: Node) -> Attrs:
    """The node's attributes, its blocks by their names in the step graph."""
    passed = tuple((own, walker.own_block(path)) for own, path in node.attrs.get("blocks", ()))
    block = node.attrs.get("block", "")
    changed = {"block": walker.own_block(block)} if block else {}
    return node.attrs.with_(blocks=passed, **changed)


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
    attrs = _blocks(walker, node)
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
    builder, attrs = walker.builder, _blocks(walker, node)
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


# ---- loops


def _looped(walker: Walker, node: Node, label: Symbol | None, field: str, of: Node) -> str:
    """A result of a loop: over another axis the body's step in every turn, over the axis itself one turn."""
    attrs, builder = node.attrs, walker.builder
    body = walker.context.program.graphs[attrs["body"]]
    along = label if label is not None else walker.label
    if along is not None and attrs.get("over") == along:
        if label is None or field not in attrs["stacked"]:
            walker.refuse(of, "all-positions", f"`{field}` after the last turn")
        if attrs.get("reversed", False):
            walker.refuse(node, "later", f"`{field}`, counted from the end,")
        return one_turn(walker, node, body, label).whole(dict(body.results)[field])
    if label is None:
        made = walker.record(node, None, lambda: _whole_loop(walker, node))
    else:
        made = walker.record(node, label, lambda: _each_turn(walker, node, label))
    return builder.prim(of.name, "field", (made,), of.origin, name=field)


def _whole_loop(walker: Walker, node: Node) -> str:
    args = [walker.whole(arg) for arg in node.args]
    return walker.builder.add(node.name, "loop", args, _blocks(walker, node), node.type, node.origin)


def _each_turn(walker: Walker, node: Node, label: Symbol) -> str:
    """A loop over something else: every turn keeps states of its own."""
    attrs, builder = node.attrs, walker.builder
    step = walker.context.step(attrs["body"], label)
    wanted = (*attrs["carried"], *attrs["stacked"])
    for name, fact in step.refused:
        if name in wanted:
            raise Refused(fact)
    along = dict(step.ports)
    args: list[str] = []
    for port, arg in zip(attrs["ports"], node.args, strict=True):
        args.append(walker.at(arg, label) if along.get(port) is not None else walker.whole(arg))
    hint = attrs["label"] or "turns"
    each: list[tuple[str, str]] = []
    for state in step.states:
        start = Word("turns", (("init", state.init), ("type", state.type), ("count", Dim.of(attrs["count"]))))
        port, before = builder.state(f"{hint}.{state.port.removeprefix('state.')}", TURNS_STATE, start, node.origin)
        each.append((state.port, port))
        args.append(before)
    fields = tuple((name, without(inner, label)) for name, inner in node.type.fields)
    made = builder.add(
        f"{node.name}.step",
        "loop",
        args,
        _blocks(walker, node).with_(
            body=step.graph.name,
            ports=(*attrs["ports"], *(own for own, _ in each)),
            each=tuple(own for own, _ in each),
        ),
        record((*fields, *((own, TURNS_STATE) for own, _ in each))),
        node.origin,
    )
    for own, port in each:
        builder.carry(port, builder.prim(f"{node.name}.{own}", "field", (made,), node.origin, name=own))
    return made


def one_turn(walker: Walker, node: Node, body: Graph, label: Symbol) -> Walker:
    """A loop over the axis itself: the body once, in place; what it carries are states of the step."""
    if node.name in walker.turns:
        return walker.turns[node.name]
    attrs, builder = node.attrs, walker.builder
    ports = dict(zip(attrs["ports"], node.args, strict=True))
    given: dict[str, Callable[[Symbol | None], str]] = {}
    states: dict[str, str] = {}
    for name in attrs["carried"]:
        inner = body.node(dict(body.results)[name])
        states[name], before = _carried(walker, node, name, ports[name], inner.type)
        given[name] = _only_whole(walker, node, before, name)
    for port, arg in ports.items():
        if port not in given:
            given[port] = lambda at, arg=arg: walker.whole(arg) if at is None else walker.at(arg, at)  # type: ignore[misc]
    here: dict[str, Symbol] = {}
    if attrs.get("index"):
        here[attrs["index"]] = label
        given[attrs["index"]] = _only_whole(walker, node, None, attrs["index"])
    blocks = {own: walker.own_block(path) for own, path in attrs.get("blocks", ())}
    turn = Walker(walker.context, body, attrs["body"], builder, None, given, here, blocks)
    turn.length, turn.extent = walker.length, walker.extent
    walker.turns[node.name] = turn
    for name, port in states.items():
        builder.carry(port, turn.whole(dict(body.results)[name]))
    return turn


def _only_whole(walker: Walker, node: Node, value: str | None, port: str) -> Callable[[Symbol | None], str]:
    """An input of a body without the axis: a value, or the position itself."""

    def give(at: Symbol | None) -> str:
        if at is not None:
            walker.refuse(node, "pairs", f"`{port}`")
        return walker.builder.counter() if value is None else value

    return give


def _carried(walker: Walker, node: Node, name: str, start: str, type: Type) -> tuple[str, str]:
    """The state of a carried value: its port, and its value in this turn."""
    builder = walker.builder
    known = number_of(walker, start)
    port, before = builder.state(name, type, constant(0 if known is None else known), node.origin)
    if known is not None:
        return port, before
    first = builder.prim(f"{name}.first", "eq", (builder.counter(), builder.number(0, node.origin)), node.origin)
    return port, builder.prim(f"{name}.before", "where", (first, walker.whole(start), before), node.origin)


def number_of(walker: Walker, name: str) -> float | None:
    """The one number that all entries of a node are, if that is seen at once."""
    node = walker.nodes[name]
    if node.kind == "const" and isinstance(node.attrs["value"], int | float):
        return float(node.attrs["value"])
    if node.kind == "prim" and node.attrs["op"] in ("float", "relabel", "expand", "transpose"):
        return number_of(walker, node.args[0])
    return None
