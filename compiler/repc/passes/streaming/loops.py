"""Step forms of loops: over another axis the body's step in every turn, over the axis itself one turn."""

from __future__ import annotations

from collections.abc import Callable

from repc.dims import Dim, Symbol
from repc.ir import Graph, Node, Word
from repc.passes.streaming.builder import constant
from repc.passes.streaming.fact import Refused
from repc.passes.streaming.walker import Walker, without
from repc.types import Kind, Type, record

TURNS_STATE = Type((), Kind("state", of="turns"))


def looped(walker: Walker, node: Node, label: Symbol | None, field: str, of: Node) -> str:
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
    return walker.builder.add(node.name, "loop", args, walker.own_blocks(node), node.type, node.origin)


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
        walker.own_blocks(node).with_(
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
