"""`repeat`, `scan`, `for`, `if` (LANGUAGE.md 0.5, 2.4, 3.5)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.record import Record
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate import turns
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate, select, truth
from repc.elaborate.scope import Scope
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import BlockValue, Fields, Parts, Series, Static, Tensor
from repc.ir import Attrs
from repc.types import Axis, Kind, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value

# Faults that say "this turn must be known while compiling": the loop is then written out.
STATIC_NEEDED = {"config-needs-static", "carried-type-changes", "static-needed", "number-needed"}
LONGEST = 256


class LoopFrame:
    """What the body of a loop gathers for its node."""

    __slots__ = ("axis", "captured", "index", "passed", "stacked")

    def __init__(self, index: str, axis: Axis | None) -> None:
        self.index = index
        self.axis = axis
        self.captured: dict[str, Tensor] = {}
        self.passed: dict[str, BlockValue] = {}
        self.stacked: dict[str, tuple[Tensor, Span]] = {}


class Loop(Record):
    """A loop as it is written."""

    index: str
    count: Dim
    axis: Axis | None
    mode: str
    label: str
    reversed: bool
    body: tree.Block
    span: Span


def repeat(body: Body, statement: tree.RepeatStmt) -> None:
    """Fresh blocks every turn, or one set where `shared`."""
    count, axis = counted(body, statement.count)
    index = statement.index.text if statement.index is not None else ""
    label = "" if statement.shared else statement.label.text if statement.label is not None else "blocks"
    loop = Loop(index, count, axis, "unroll", label, False, statement.body, statement.span)
    if count.constant == 0:
        return
    checkpoint = snapshot(body)
    try:
        as_node(body, loop)
    except Stop as stopped:
        said = [stopped.fault, *body.context.faults[checkpoint[3] :]]
        static = [fault for fault in said if fault is not None and fault.name in STATIC_NEEDED]
        if statement.shared or not static:
            raise
        restore(body, checkpoint)
        written_out(body, loop)


def scan(body: Body, statement: tree.ScanStmt) -> None:
    """One set of blocks, values carried along an axis."""
    count, axis = counted(body, statement.over)
    if axis is None:
        raise stop("axis-expected", statement.over.span)
    index = statement.index.text if statement.index is not None else ""
    as_node(body, Loop(index, count, axis, "scan", "", statement.reversed, statement.body, statement.span))


def counted(body: Body, expr: tree.Expr) -> tuple[Dim, Axis | None]:
    """How often, and along which axis where the count is one."""
    from repc.elaborate.shapes import known, size_of

    if isinstance(expr, tree.Name):
        found = known(body, expr)
        if found is not None and len(found) == 1:
            return found[0].size, found[0]
    return size_of(body, expr), None


def snapshot(body: Body) -> tuple[int, dict[str, Value], set[str], int, set[str]]:
    return len(body.blocks), dict(body.scope.names), set(body.paths), len(body.context.faults), set(body.broken)


def restore(body: Body, state: tuple[int, dict[str, Value], set[str], int, set[str]]) -> None:
    """Forget what an attempt made."""
    del body.blocks[state[0] :]
    body.scope.names, body.paths = dict(state[1]), set(state[2])
    del body.context.faults[state[3] :]
    body.broken.intersection_update(state[4])


# ---- as a node


def as_node(body: Body, loop: Loop) -> None:
    """A loop node with a body graph of its own."""
    carried = carried_names(body, loop.body)
    child = Body(body.context, body.module, f"{body.key}.{loop.label or 'loop'}", body.origin)
    child.key = free_key(body, child.key)
    child.inside(body, LoopFrame(loop.index, loop.axis))
    if not loop.label:
        # Its slots are slots of the declaration, beside those outside the loop.
        child.paths, child.prefix = body.paths, body.prefix
    ports = open_carried(body, child, loop, carried)
    run_turn(child, loop)
    results = close_carried(child, ports, loop)
    frame = child.loop
    assert frame is not None
    stacked = [(name, child.tensor(value, span)) for name, (value, span) in frame.stacked.items()]
    sites = turns.wanted(child, child.sites, loop.axis) if loop.axis is not None and loop.index else {}
    names = turns.ports(sites, {*ports, *(name for name, _ in stacked)})
    every = [*stacked, *((names[name], value) for name, value in sites.items())]
    graph = child.finish(child.key, (*results, *((name, value.node) for name, value in every)), ())
    body.context.graphs[graph.name] = graph
    node = loop_node(body, child, loop, graph.name, ports, results, every)
    rebind(body, child, loop, node, ports, stacked)
    for name in sites:
        body.sites[name] = body.prim("field", [node], loop.span, name=names[name]).node


def free_key(body: Body, wanted: str) -> str:
    key, count = wanted, 1
    while key in body.context.graphs or key in body.context.reserved:
        count += 1
        key = f"{wanted}.{count}"
    body.context.reserved.add(key)
    return key


def carried_names(body: Body, block: tree.Block) -> list[str]:
    """Names bound before the loop and rebound in it."""
    from repc.elaborate.statements import bound_names

    found: dict[str, None] = {}
    for node in tree.statements(block):
        for name in bound_names(node):
            value = body.scope.find(name)
            if value is not None and not body.scope.is_fixed(name) and name not in found:
                found[name] = None
    return list(found)


def open_carried(body: Body, child: Body, loop: Loop, names: list[str]) -> dict[str, tuple[Tensor, Value]]:
    """Inputs of the body graph for what is carried; and the index, a number of the axis."""
    ports: dict[str, tuple[Tensor, Value]] = {}
    for name in names:
        value = body.scope.find(name)
        assert value is not None
        span = body.scope.span_of(name) or loop.span
        for port, part in parts(name, value):
            outer = body.tensor(part, span)
            if outer.type.kind.name == "number":
                outer = body.prim("float", [outer], span)
            inner = child.add("input", (), Attrs(port=port), outer.type.plain(), span)
            child.inputs.append(inner.node)
            ports[port] = (outer, inner)
        child.scope.bind(name, joined(name, value, ports), span)
    if loop.index:
        kind = (
            index_of(loop.axis.space, loop.axis.size)
            if loop.axis is not None
            else index_of(child.fresh("turn"), loop.count)
        )
        value = child.add("input", (), Attrs(port=f"index:{loop.index}"), Type((), kind), loop.span)
        child.inputs.append(value.node)
        child.scope.bind(loop.index, value, loop.span, fixed=True)
    return ports


def parts(name: str, value: Value) -> list[tuple[str, Value]]:
    """A record is carried field by field."""
    if isinstance(value, Fields) and value.items:
        return [pair for field, inner in value.items for pair in parts(f"{name}.{field}", inner)]
    return [(name, value)]


def joined(name: str, value: Value, ports: dict[str, tuple[Tensor, Value]]) -> Value:
    """The carried value inside the loop."""
    if isinstance(value, Fields) and value.items:
        return Fields(tuple((field, joined(f"{name}.{field}", inner, ports)) for field, inner in value.items))
    return ports[name][1]


def run_turn(child: Body, loop: Loop) -> None:
    from repc.elaborate.statements import run_block

    run_block(child, loop.body)
    if child.result is not None:
        raise stop("return-in-loop", loop.span)


def close_carried(child: Body, ports: dict[str, tuple[Tensor, Value]], loop: Loop) -> tuple[tuple[str, str], ...]:
    """Carried types are equal in and out (9.3, rule 5)."""
    results = []
    for port, (outer, _) in ports.items():
        value = child.scope.find(port.split(".")[0])
        assert value is not None
        inner = dict(parts(port.split(".")[0], value)).get(port)
        if inner is None:
            raise stop("carried-type-changes", loop.span, name=port, before=outer.type, after="another record")
        made = child.tensor(inner, loop.span)
        if made.type.kind.name == "number":
            made = child.prim("float", [made], loop.span)
        made = aligned(child, made, outer.type, loop.span, port)
        results.append((port, made.node))
    return tuple(results)


def aligned(child: Body, made: Tensor, wanted: Type, span: Span, name: str) -> Tensor:
    """The new value in the type of the old: same axes in the same order."""
    fits = set(made.type.labels) == set(wanted.labels) and made.type.kind.name == wanted.kind.name
    if fits:
        pairs = ((made.type.axis(axis.label), axis) for axis in wanted.axes)
        fits = all(a is not None and child.facts.equal(a.size, b.size) for a, b in pairs)
    missing = [axis for axis in wanted.axes if made.type.axis(axis.label) is None]
    if not fits and missing and set(made.type.labels) < set(wanted.labels):
        made = child.prim("expand", [made], span, axes=tuple(missing))
        fits = made.type.kind.name == wanted.kind.name
    if not fits:
        raise stop("carried-type-changes", span, name=name, before=wanted, after=made.type)
    if made.type.labels != wanted.labels:
        made = child.prim("transpose", [made], span, order=wanted.labels)
    return made


def loop_node(
    body: Body,
    child: Body,
    loop: Loop,
    key: str,
    ports: dict[str, tuple[Tensor, Value]],
    results: tuple[tuple[str, str], ...],
    stacked: list[tuple[str, Tensor]],
) -> Tensor:
    """The node: carried values, then what the body reads from outside."""
    frame = child.loop
    assert frame is not None
    names = list(ports) + list(frame.captured)
    args = [outer for outer, _ in ports.values()] + [body.tensor(v, loop.span) for v in frame.captured.values()]
    fields = [(port, outer.type.plain()) for port, (outer, _) in ports.items()]
    axis = stack_axis(body, loop)
    fields += [(name, Type((axis, *value.type.axes), value.type.kind)) for name, value in stacked]
    attrs = Attrs(
        body=key,
        mode=loop.mode,
        count=loop.count,
        over=loop.axis.label if loop.axis is not None else "",
        index=f"index:{loop.index}" if loop.index else "",
        reversed=loop.reversed,
        label=loop.label,
        carried=tuple(ports),
        stacked=tuple(name for name, _ in stacked),
        ports=tuple(names),
        blocks=tuple((path, path) for path in frame.passed),
    )
    type_ = Type((), Kind("record"), None, tuple(fields))
    return body.add("loop", tuple(arg.node for arg in args), attrs, type_, loop.span)


def stack_axis(body: Body, loop: Loop) -> Axis:
    """The axis along which definitions with the loop's index are stacked."""
    if loop.axis is not None:
        return loop.axis
    label = body.own(f"{loop.index or 'turn'}")
    return Axis(label, loop.count, "plain", label)


def rebind(
    body: Body,
    child: Body,
    loop: Loop,
    node: Tensor,
    ports: dict[str, tuple[Tensor, Value]],
    stacked: list[tuple[str, Tensor]],
) -> None:
    """After the loop: carried names mean their last value, stacked ones all turns."""
    frame = child.loop
    assert frame is not None
    last: dict[str, tuple[Tensor, Value]] = {}
    for port, (outer, _) in ports.items():
        last[port] = (outer, body.prim("field", [node], loop.span, name=port))
    for name in dict.fromkeys(port.split(".")[0] for port in ports):
        value = body.scope.find(name)
        assert value is not None
        whole = joined(name, value, last)
        body.scope.bind(name, whole, loop.span)
        if isinstance(whole, Tensor):
            body.sites[name] = whole.node
    for name, _ in stacked:
        made = body.prim("field", [node], loop.span, name=name)
        body.scope.bind(name, made, loop.span)
        body.sites[name] = made.node


# ---- stacked definitions


def stacks(body: Body, target: tree.Index) -> bool:
    """Whether a definition has the loop's index on its left."""
    frame = body.loop
    if frame is None or not frame.index:
        return False
    return any(
        isinstance(s, tree.SubExpr) and isinstance(s.value, tree.Name) and s.value.text == frame.index
        for s in target.subs.items
    )


def stack(body: Body, target: tree.Index, value: tree.Expr) -> None:
    """`out[t, d] = e` inside `scan t in T`: one slice a turn."""
    from repc.elaborate.definitions import as_float, indexed

    frame = body.loop
    assert frame is not None
    assert isinstance(target.base, tree.Name)
    name = target.base.text
    rest = tuple(
        s for s in target.subs.items
        if not (isinstance(s, tree.SubExpr) and isinstance(s.value, tree.Name) and s.value.text == frame.index)
    )  # fmt: skip
    if rest:
        made = indexed(body, tree.Index(target.span, target.base, tree.Subs(target.subs.span, rest, ())), value)
    else:
        made = as_float(body, body.tensor(evaluate(body, value), value.span), value.span)
    frame.stacked[name] = (made, target.span)
    body.scope.bind(name, made, target.span)


# ---- written out


def written_out(body: Body, loop: Loop) -> None:
    """Every turn elaborated on its own: types may change, the index is a number."""
    from repc.elaborate.statements import run_block

    count = body.known_size(loop.count, loop.span, "the number of turns")
    if count > LONGEST:
        raise stop("too-many-turns", loop.span, count=count, most=LONGEST)
    prefix, outer = body.prefix, body.scope
    names = carried_names(body, loop.body)
    before, each = body.sites, []
    for turn in range(count):
        body.sites = {}
        body.scope = Scope(outer)
        body.turn = (*body.turn, turn)
        body.prefix = f"{prefix}{loop.label}.{turn}." if loop.label else prefix
        if loop.index:
            body.scope.bind(loop.index, Static(turn), loop.span, fixed=True)
        try:
            run_block(body, loop.body)
        finally:
            inner, body.scope = body.scope, outer
            body.turn, body.prefix = body.turn[:-1], prefix
            each.append(body.sites)
        for name in names:
            if name in inner.names:
                outer.bind(name, inner.names[name], loop.span)
    body.sites = before | {name: node for name, node in each[-1].items() if name.split(".")[0] in names}
    if loop.axis is not None and loop.index:
        turns.written(body, each, loop.axis, loop.span)


def for_each(body: Body, statement: tree.ForStmt) -> None:
    """`for m in { 8, 16 }`: fresh blocks per element of a static list; `for a in Over`: of a list of axes."""
    from repc.elaborate.statements import run_block

    listed = body.scope.find_axes(statement.over.text) if isinstance(statement.over, tree.Name) else None
    values = listed if listed is not None else elements(body, statement)
    outer = body.scope
    names = carried_names(body, statement.body)
    for turn, value in enumerate(values):
        body.scope = Scope(outer)
        body.turn = (*body.turn, turn)
        if isinstance(value, Axis):
            body.scope.axes[statement.index.text] = (value,)
        else:
            body.scope.bind(statement.index.text, value, statement.index.span, fixed=True)
        try:
            run_block(body, statement.body)
        finally:
            inner, body.scope = body.scope, outer
            body.turn = body.turn[:-1]
        for name in names:
            if name in inner.names:
                outer.bind(name, inner.names[name], statement.span)


def elements(body: Body, statement: tree.ForStmt) -> tuple[Value, ...]:
    """The members of a static list or range."""
    value = evaluate(body, statement.over)
    if isinstance(statement.over, tree.Binary) and statement.over.op == ".." and isinstance(value, Series):
        low, high = (int(body.number(item, statement.over.span, "a range")) for item in value.items)
        return tuple(Static(i) for i in range(low, high + 1))
    if isinstance(value, Series):
        return value.items
    if isinstance(value, Parts):
        return tuple(Static(i) for i in range(value.count))
    if isinstance(value, Static) and isinstance(value.value, int | Dim):
        return tuple(Static(i) for i in range(int(body.number(value, statement.over.span, "a range"))))
    raise stop("static-needed", statement.over.span)


def branch(body: Body, statement: tree.IfStmt) -> None:
    """A static condition takes one branch; a value condition chooses between what both bind."""
    from repc.elaborate.statements import run

    test = evaluate(body, statement.test)
    if isinstance(test, Static):
        taken = statement.then if truth(body, test, statement.test) else statement.other
        for inner in taken.stmts if taken is not None else ():
            run(body, inner)
        return
    condition = body.tensor(test, statement.test.span)
    outer = body.scope
    scopes = []
    for block in (statement.then, statement.other):
        body.scope = Scope(outer)
        for inner in block.stmts if block is not None else ():
            run(body, inner)
        scopes.append(body.scope)
        body.scope = outer
    then, other = scopes
    for name in dict.fromkeys([*then.names, *other.names]):
        left = then.names.get(name) or outer.find(name)
        right = other.names.get(name) or outer.find(name)
        if left is not None and right is not None:
            outer.bind(name, select(body, condition, left, right, statement.test), statement.span)


__all__ = ["LoopFrame", "Symbol", "branch", "for_each", "repeat", "scan", "stack", "stacks"]
