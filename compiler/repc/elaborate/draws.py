"""Draws: named random values (LANGUAGE.md 5)."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim, Symbol
from repc.elaborate import statics
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.random_calls import declared_law
from repc.elaborate.shapes import axes_of, type_of
from repc.elaborate.stop import ABSORBED, stop
from repc.elaborate.subscripts import visible
from repc.elaborate.values import Deferred, GroupValue, Series, Static, Tensor
from repc.ir import Attrs
from repc.types import BOOL, FLOAT, Axis, Kind, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value
    from repc.ops.laws import Law


def drawn(body: Body, one: tree.OneDraw) -> None:
    """`e: [T, D] ~ normal(0, 1) once eval 0`."""
    from repc.elaborate.statements import bind_value

    if not isinstance(one.target, tree.Name):
        raise stop("target-expected", one.target.span)
    declared = type_of(body, one.type) if one.type is not None else None
    passed = body.scope.find(one.law.text) if isinstance(one.law, tree.Name) else None
    if isinstance(passed, Deferred):
        # A law that was passed in: its parameters mean what they mean where it was written.
        outer, body.scope = body.scope, passed.scope
        try:
            made = random(body, one, law_call(body, passed.expr), declared)
        finally:
            body.scope = outer
    else:
        made = random(body, one, law_call(body, one.law), declared)
    bind_value(body, one.target, made)
    body.scope.fixed.add(one.target.text)


def random(body: Body, one: tree.OneDraw, call: tree.Call, declared: Type | None) -> Value:
    """What the law gives: a declaration that draws, or one of the built-in laws."""
    made = declared_law(body, one, call)
    return law(body, one, call, declared) if made is None else made


def law_call(body: Body, expr: tree.Expr) -> tree.Call:
    """The call of a law; a static condition chooses one."""
    from repc.elaborate.expressions import truth

    while isinstance(expr, tree.Cond):
        test = evaluate(body, expr.test)
        if not isinstance(test, Static):
            raise stop("static-needed", expr.test.span)
        expr = expr.then if truth(body, test, expr.test) else expr.other
    if not isinstance(expr, tree.Call) or not isinstance(expr.func, tree.Name):
        raise stop("law-expected", expr.span)
    return expr


def law(body: Body, one: tree.OneDraw, call: tree.Call, declared: Type | None) -> Tensor:
    """The draw's node, in the written order of its axes."""
    from repc.ops.laws import ALONG, LAWS

    assert isinstance(call.func, tree.Name)
    name = call.func.text
    if name == "haar" and body.context.find(body.module, name) is None and len(call.args) == 1:
        return haar(body, one, call, declared)
    if name == "distinct" and body.context.find(body.module, name) is None:
        return distinct(body, one, call, declared)
    if name not in LAWS:
        if body.context.unresolved(body.module, name):
            raise ABSORBED
        from repc.elaborate.shapes import closest

        known = sorted([*LAWS, "distinct"])
        raise stop("unknown-law", call.func.span, suggestion=closest(name, known), name=name, known=known)
    if name == "uniform" and declared is not None and declared.kind.name in {"index", "int"}:
        name = "whole"
    args, over = arguments(body, call, bounded(LAWS[name], declared))
    type_ = declared if declared is not None else inferred(args, LAWS[name].kind)
    if name not in ALONG:
        return node_of(body, one, name, args, type_, over)
    own = along(type_, over)
    if own is None:
        raise stop("option-missing", call.span, option="over", op=name)
    order = (*(label for label in type_.labels if label != own), own)
    axes = sorted(type_.axes, key=lambda axis: axis.label == own)
    made = node_of(body, one, name, args, Type(tuple(axes), type_.kind, type_.refine), (own,))
    return made if order == type_.labels else body.prim("transpose", [made], one.span, order=type_.labels)


def haar(body: Body, one: tree.OneDraw, call: tree.Call, declared: Type | None) -> Tensor:
    """`g: G.element ~ haar(G)`: every element is as likely as every other."""
    from repc.elaborate.groups import group_of, type_of_element

    group = group_of(body, call.args[0].value)
    own = type_of_element(group, call.span)
    if group.monoid is None:
        return node_of(body, one, "permutation", [], declared or own, own.labels)
    ends = [body.const(0, call.span), body.const(group.monoid.order - 1, call.span)]
    return node_of(body, one, "whole", ends, declared or own, ())


def along(type_: Type, over: tuple[Symbol, ...]) -> Symbol | None:
    """The axis that a law works along: the one written, the one that the type speaks of, else the last."""
    if over:
        return over[0]
    if type_.refine is not None and len(type_.refine.axes) == 1:
        return type_.refine.axes[0]
    counted = [axis.label for axis in type_.axes if axis.space == type_.kind.space]
    return counted[-1] if counted else next(reversed(type_.labels), None)


def node_of(
    body: Body, one: tree.OneDraw, name: str, args: list[Tensor], type_: Type, over: tuple[Symbol, ...]
) -> Tensor:
    """The draw, and its value outside training where it has one."""
    assert isinstance(one.target, tree.Name)
    attrs: dict[str, object] = {
        "site": body.prefix + one.target.text,
        "law": name,
        "once": one.once,
        "over": over,
        "has_eval": one.eval is not None,
    }
    nodes = [arg.node for arg in args]
    if one.eval is not None:
        nodes.append(body.tensor(evaluate(body, one.eval), one.eval.span).node)
    return body.add("draw", tuple(nodes), Attrs(**attrs), type_, one.span, share=False)


def distinct(body: Body, one: tree.OneDraw, call: tree.Call, declared: Type | None) -> Tensor:
    """`c: [E] of V ~ distinct(from: pool)`: the first places of a shuffle of the pool, along the last axis of `c`.

    The pool is a range `6 .. 38`, the numbers below `below: n`, or the places of a value along its one other axis.
    """
    if declared is None or not declared.axes:
        raise stop("option-missing", call.span, option="over", op="distinct")
    given = {arg.name.text if arg.name is not None else "from": arg.value for arg in call.args}
    source = given.get("from", given.get("below"))
    if source is None or len(given) != 1:
        raise stop("missing-argument", call.span, name="from", callee="distinct")
    value = evaluate(body, source)
    *lead, last = declared.axes
    low, pool = Dim.of(0), None
    if isinstance(value, Tensor):
        taken = {axis.label for axis in declared.axes}
        others = [axis for axis in visible(body, value) if axis.label not in taken]
        if len(others) != 1:
            raise stop("option-missing", source.span, option="over", op="distinct")
        pool = others[0]
    else:
        ends = value.items if isinstance(value, Series) else (Static(0), value)
        numbers = [Dim.of(end.value) for end in ends if isinstance(end, Static) and isinstance(end.value, int | Dim)]
        if len(numbers) != 2:
            raise stop("number-needed", source.span, what="the pool", found=describe(value))
        low, count = numbers[0], numbers[1] - numbers[0] + (1 if isinstance(value, Series) else 0)
        label = body.fresh("pool")
        pool = Axis(label, count, "plain", label)
        size = declared.kind.size
        if declared.kind.name == "index" and size is not None and body.at_least(size, low + count) is not True:
            raise stop("index-out-of-range", source.span, axis=declared.kind, size=size)
    if body.at_least(pool.size, last.size) is not True:
        raise stop("requirement-broken", call.span, fact=f"{pool.size} >= {last.size}", callee="distinct")
    order = Type((*lead, pool), index_of(pool.space, pool.size))
    shuffled = node_of(body, one, "permutation", [], order, (pool.label,))
    cut = body.prim("slice", [shuffled], one.span, axis=pool.label, start=Dim.of(0), stop=last.size, **{"as": last})
    if isinstance(value, Tensor):
        return body.prim("gather", [value, cut], one.span, axes=(pool.label,))
    made = cut if low == Dim.of(0) else body.prim("add", [cut, Static(statics.settled(low))], one.span)
    if declared.kind.name != "index":
        return body.prim("int", [made], one.span)
    return body.prim("index", [made], one.span, space=declared.kind.space, size=declared.kind.size)


def bounded(law: Law, declared: Type | None) -> tuple[tuple[str, object], ...]:
    """Parameters with their defaults; the positions of an axis lie between its ends."""
    size = declared.kind.size if declared is not None and declared.kind.name == "index" else None
    if law.name != "whole" or size is None:
        return law.parameters
    return tuple((name, size - 1 if name == "high" else default) for name, default in law.parameters)


def arguments(
    body: Body, call: tree.Call, parameters: tuple[tuple[str, object], ...]
) -> tuple[list[Tensor], tuple[Symbol, ...]]:
    """Parameters of the law as nodes, and the axes it works along."""
    given: dict[str, Value] = {}
    over: tuple[Symbol, ...] = ()
    order = iter(name for name, _ in parameters)
    for arg in call.args:
        if arg.name is not None and arg.name.text == "over":
            over = tuple(axis.label for axis in axes_of(body, arg.value))
            continue
        name = arg.name.text if arg.name is not None else next(order, None)
        if name is None and isinstance(arg.value, tree.Name) and not over:
            # Past its numbers a law takes the axis that it works along.
            over = tuple(axis.label for axis in axes_of(body, arg.value))
            continue
        if name is None or name not in dict(parameters):
            raise stop(
                "unknown-argument", arg.span, name=name or "this", callee="the law", names=[n for n, _ in parameters]
            )
        value = evaluate(body, arg.value)
        if isinstance(value, GroupValue) and value.monoid is not None:
            value = Series((Static(0), Static(value.monoid.order - 1)))
        if isinstance(value, Series) and len(value.items) == 2:
            given["low"], given["high"] = value.items
        else:
            given[name] = value
    made = []
    for name, default in parameters:
        if name in given:
            made.append(body.tensor(given[name], call.span))
        elif default is not None:
            made.append(body.const(default, call.span))
        else:
            raise stop("missing-argument", call.span, name=name, callee="the law")
    return made, over


def inferred(args: list[Tensor], kind: str) -> Type:
    """Without a written type a draw has the axes of its parameters."""
    largest = max(args, key=lambda arg: len(arg.type.axes), default=None)
    axes = largest.type.axes if largest is not None else ()
    return Type(axes, {"bool": BOOL, "float": FLOAT}.get(kind, Kind(kind)))
