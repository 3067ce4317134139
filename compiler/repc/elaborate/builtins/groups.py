"""Builtins of groups: actions, tables, counts; imported from `std.group`."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body, describe
from repc.elaborate.builtins.given import Given
from repc.elaborate.expressions import evaluate
from repc.elaborate.groups import constructed, element, group_of, inverted, multiplied, of_group
from repc.elaborate.stop import stop
from repc.elaborate.values import Fields, GroupValue, Static, Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rep_grammar.spans import Span
    from repc.elaborate.builtins.given import Handler
    from repc.elaborate.values import Value


def constructor(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        made = constructed(body, name, call)
        if made is None:
            raise stop("wrong-arity", call.span, callee=name, wanted=1, given=len(call.args), signature=f"{name}(n)")
        return made

    return handler


def act(body: Body, call: tree.Call) -> Value:
    """`act(g, x)`: x moved by g, so that what stood at p stands at g p."""
    given = Given(body, call, 2, ())
    mover = body.tensor(evaluate(body, given.values[0]), call.span)
    return moved(body, mover, evaluate(body, given.values[1]), call.span)


def moved(body: Body, mover: Tensor, value: Value, span: Span) -> Value:
    """A value moved; a record field by field."""
    if isinstance(value, Fields):
        return Fields(tuple((name, moved(body, mover, item, span)) for name, item in value.items))
    x = body.tensor(value, span)
    kind = mover.type.kind
    group = of_group(body, mover)
    if group is None:
        own = next((axis for axis in mover.type.axes if axis.space == kind.space), None)
        if kind.name != "index" or own is None:
            raise stop("group-expected", span, found=describe(mover))
        return permuted(body, mover, own, x, span)
    if any(x.type.axis(axis.label) is None for axis in group.acts) or not group.acts:
        raise stop("no-group-action", span, group=group.title, type=x.type)
    if group.kind == "cyclic" and len(group.acts) == 1:
        return shifted(body, group, mover, x, span)
    if group.kind in {"cyclic", "dihedral"} and len(group.acts) == 2:
        return turned(body, group, mover, x, span)
    raise stop("no-group-action", span, group=group.title, type=x.type)


def permuted(body: Body, mover: Tensor, own: Axis, x: Tensor, span: Span) -> Tensor:
    """Every axis of the space that a permutation moves."""
    back = body.prim("argsort", [mover], span, over=(own.label,))
    for axis in x.type.axes:
        if axis.space == own.space:
            index = (
                back
                if axis.label == own.label
                else body.prim("relabel", [back], span, labels=((own.label, axis.label),))
            )
            x = body.prim("gather", [x, index], span, axes=(axis.label,))
    return x


def shifted(body: Body, group: GroupValue, mover: Tensor, x: Tensor, span: Span) -> Tensor:
    """`C(n) on [X]`: a step moves by size / n places, round."""
    assert group.monoid is not None
    own = x.type.axis(group.acts[0].label)
    assert own is not None
    step = own.size // group.monoid.order
    body.divides(Dim.of(group.monoid.order), own.size, span)
    place = body.prim("int", [body.prim("iota", [], span, axis=own)], span)
    gap = body.prim("mul", [body.prim("int", [mover], span), Static(step)], span)
    source = body.prim("mod", [body.prim("sub", [place, gap], span), Static(own.size)], span)
    return body.prim("gather", [x, source], span, axes=(own.label,))


def turned(body: Body, group: GroupValue, mover: Tensor, x: Tensor, span: Span) -> Tensor:
    """Quarter turns, half turns and reflections of a square grid."""
    assert group.monoid is not None
    turns = group.monoid.order // (2 if group.kind == "dihedral" else 1)
    axes = [x.type.axis(axis.label) for axis in group.acts]
    first, second = axes
    assert first is not None and second is not None
    if turns not in {1, 2, 4} or not body.agree(first.size, second.size, span):
        raise stop("no-group-action", span, group=group.title, type=x.type)
    last = Static(first.size - 1)
    u, v = (body.prim("int", [body.prim("iota", [], span, axis=axis)], span) for axis in (first, second))
    far_u, far_v = (body.prim("sub", [last, place], span) for place in (u, v))
    number = body.prim("int", [mover], span)
    step = body.prim("mod", [number, Static(turns)], span)
    # Where the entry at (u, v) comes from after 0, 1, 2, 3 quarter turns.
    sources = ((u, v), (v, far_u), (far_u, far_v), (far_v, u))
    picked = [sources[turn * 4 // turns] for turn in range(turns)]
    at_u, at_v = picked[0]
    for turn, (one, other) in enumerate(picked[1:], 1):
        here = body.prim("eq", [step, Static(turn)], span)
        at_u, at_v = body.prim("where", [here, one, at_u], span), body.prim("where", [here, other, at_v], span)
    if group.kind == "dihedral":
        mirrored = body.prim("ge", [number, Static(turns)], span)
        at_u = body.prim("where", [mirrored, body.prim("sub", [last, at_u], span), at_u], span)
    return body.prim("gather", [x, at_u, at_v], span, axes=(first.label, second.label))


def in_basis(body: Body, call: tree.Call) -> Value:
    """`in_basis(v)`: the numbers of v in the basis at hand; the action on them is dropped."""
    given = Given(body, call, 1, ())
    return evaluate(body, given.values[0])


def cayley(body: Body, call: tree.Call) -> Value:
    """`cayley(G)`: the table of products, [u, v] of the elements."""
    group = finite(body, call)
    assert group.monoid is not None
    order = group.monoid.order
    axes = tuple(Axis(body.own(name), Dim.of(order), "feature", group.space) for name in ("u", "v"))
    values = tuple(v for row in group.monoid.table for v in row)
    return element(body, group, body.prim("table", [], call.span, values=values, axes=axes), call.span)


def finite(body: Body, call: tree.Call) -> GroupValue:
    """The only argument, a finite group."""
    given = Given(body, call, 1, ())
    group = group_of(body, given.values[0])
    if group.monoid is None:
        raise stop("group-not-finite", given.values[0].span, group=group.title)
    return group


def order(body: Body, call: tree.Call) -> Value:
    """`order(G)`: how many elements."""
    group = finite(body, call)
    assert group.monoid is not None
    return Static(group.monoid.order)


def abelian(body: Body, call: tree.Call) -> Value:
    """`abelian(G)`: whether all elements commute."""
    group = finite(body, call)
    assert group.monoid is not None
    return Static(group.monoid.abelian)


def stirling2(body: Body, call: tree.Call) -> Value:
    """`stirling2(n, k)`: partitions of n things into k blocks."""
    given = Given(body, call, 2, ())
    n, k = (int(body.number(evaluate(body, value), value.span, "stirling2")) for value in given.values)
    row = [1]
    for size in range(1, n + 1):
        longer = [*row, 0]
        row = [(block * longer[block] if block else 0) + (row[block - 1] if block else 0) for block in range(size + 1)]
    return Static(row[k] if 0 <= k < len(row) else 0)


def group_convolve(body: Body, call: tree.Call) -> Value:
    """`group_convolve(f, g, G)`: h(w) = sum over u of f(u) g(u^-1 w), over the axis that both have."""
    given = Given(body, call, 3, ())
    left, right = given.tensor(0), given.tensor(1)
    group = group_of(body, given.values[2])
    span = call.span
    if group.monoid is None or not group.monoid.is_group:
        raise stop("group-not-finite", given.values[2].span, group=group.title)
    shared = [axis for axis in left.type.axes if right.type.axis(axis.label) is not None]
    own = [axis for axis in shared if body.facts.equal(axis.size, Dim.of(group.monoid.order))]
    if len(own) != 1:
        raise stop("no-group-action", span, group=group.title, type=left.type)
    label = own[0].label
    summed: Symbol = body.fresh("u")
    u = counted(body, group, own[0].relabelled(summed), span)
    w = counted(body, group, own[0], span)
    place = multiplied(body, group, inverted(body, group, u, span), w, span)
    other = body.prim("gather", [right, place], span, axes=(label,))
    first = body.prim("relabel", [left], span, labels=((label, summed),))
    return body.prim("sum", [body.prim("mul", [first, other], span)], span, over=(summed,))


def counted(body: Body, group: GroupValue, axis: Axis, span: Span) -> Tensor:
    """The elements of a group along an axis of its size."""
    return element(body, group, body.prim("int", [body.prim("iota", [], span, axis=axis)], span), span)


GROUPS: dict[str, Handler] = {
    **{name: constructor(name) for name in ("C", "D", "S", "words")},
    "act": act,
    "in_basis": in_basis,
    "cayley": cayley,
    "order": order,
    "abelian": abelian,
    "stirling2": stirling2,
    "group_convolve": group_convolve,
}
