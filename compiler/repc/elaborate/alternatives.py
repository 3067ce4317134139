"""What is elaborated once for each member of a static list, and stacked along an axis (LANGUAGE.md 3.5, 13.1).

`model f[k in N] = F(width: (16, 32)[k])` makes blocks that differ, so each is a block of its own; `hit[n in { 1, 3 }]`
is a value for each member of the set.
"""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Equal
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.scope import Scope
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Fields, Index, Members, Series, Static, Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from repc.elaborate.values import Value


def together(body: Body, axis: Axis, values: Sequence[Value], span: Span) -> Value:
    """Values side by side along an axis that stands in front; records field by field."""
    first = values[0]
    if isinstance(first, Fields):
        rows = [value for value in values if isinstance(value, Fields)]
        items = []
        for name, _ in first.items:
            column = [row.get(name) for row in rows]
            if len(rows) != len(values) or any(value is None for value in column):
                raise stop("fields-differ", span, name=name)
            items.append((name, together(body, axis, [v for v in column if v is not None], span)))
        return Fields(tuple(items))
    return body.prim("stack", [body.tensor(value, span) for value in values], span, **{"as": axis})


def turns(body: Body, name: str, values: Sequence[Value], span: Span) -> Iterator[Value]:
    """Binds a name to each value in turn, in a scope of its own; blocks made meanwhile are that turn's."""
    outer = body.scope
    for turn, value in enumerate(values):
        body.scope = Scope(outer)
        body.scope.bind(name, value, span, fixed=True)
        body.turn = (*body.turn, turn)
        try:
            yield value
        finally:
            body.scope, body.turn = outer, body.turn[:-1]


def listed(target: tree.Index) -> tuple[tree.Name, tree.SetExpr] | None:
    """The first index of a left side that runs over a set: `n in { 1, 3, 6 }`."""
    for sub in target.subs.items:
        entry = getattr(sub, "value", None)
        if not isinstance(entry, tree.Binary) or entry.op != "in":
            continue
        if isinstance(entry.right, tree.SetExpr) and isinstance(entry.left, tree.Name):
            return entry.left, entry.right
    return None


def over_set(body: Body, target: tree.Index, value: tree.Expr, define: Callable[[tree.Expr], Tensor]) -> Tensor:
    """`hit[n in { 1, 3 }, t] = e`: e for each n, along an axis n in front of the others."""
    found = listed(target)
    assert found is not None
    name, members = found
    items = evaluate(body, members)
    assert isinstance(items, Series)
    rest = tuple(sub for sub in target.subs.items if getattr(getattr(sub, "value", None), "left", None) is not name)
    left = tree.Index(target.span, target.base, tree.Subs(target.subs.span, rest, target.subs.options))
    label = body.own(name.text)
    axis = Axis(label, Dim.of(len(items.items)), "plain", label)
    made = [define(left if rest else target.base) for _ in turns(body, name.text, items.items, name.span)]
    return body.tensor(together(body, axis, made, value.span), value.span)


def mentions(expr: tree.Expr, index: Index) -> bool:
    """Whether what is on the right of a family depends on the index itself."""
    return any(isinstance(node, tree.Name) and node.text == index.name for node in tree.walk(expr))


def members(body: Body, expr: tree.Expr, index: Index, axis: Axis, make: Callable[[tree.Expr], BlockValue]) -> Members:
    """A block for each place of the axis, whose size must be known."""
    count = body.known_size(axis.size, expr.span, "the number of members")
    body.facts = body.facts.with_(Equal(axis.size, Dim.of(count), expr.span))
    places = [Static(place) for place in range(count)]
    return Members(axis, tuple(make(expr) for _ in turns(body, index.name, places, index.span)))


def applied(body: Body, family: Members, position: Value, apply: Callable[[BlockValue, int | None], Value]) -> Value:
    """One member, or all of them along an index; `apply` takes the part of the arguments that is the member's."""
    if isinstance(position, Static):
        span = family.blocks[0].span
        place = body.number(position, span, "a member")
        if not isinstance(place, int) or not 0 <= place < len(family.blocks):
            raise stop("index-out-of-range", span, axis=family.axis.label, size=family.axis.size)
        return apply(family.blocks[place], None)
    made = [apply(block, place) for place, block in enumerate(family.blocks)]
    return together(body, family.axis, made, family.blocks[0].span)
