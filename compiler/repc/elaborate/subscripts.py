"""Subscripts: indices, integer expressions, slices, gathers (LANGUAGE.md 4.2-4.6)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import AtLeast, Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.portions import member as part_of
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import BlockValue, Fields, Index, Members, Parts, Series, Static, Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def subscripted(body: Body, expr: tree.Index, partial: bool = False) -> Value:
    """`x[t, d]`, `x[T = :-1]`, `f[k]`; `partial` allows only leading axes to be subscripted (4.10)."""
    base = evaluate(body, expr.base)
    if isinstance(base, BlockValue | Members):
        from repc.elaborate.families import member_of

        return member_of(body, base, expr)
    if isinstance(base, Series):
        return member(body, base, expr)
    if isinstance(base, Parts):
        return part_of(body, base, expr)
    if isinstance(base, Fields):
        made = [(name, take(body, body.tensor(item, expr.span), expr, partial)) for name, item in base.items]
        return Fields(tuple(made)) if len(made) != 1 else made[0][1]
    return take(body, body.tensor(base, expr.base.span), expr, partial)


def member(body: Body, base: Series, expr: tree.Index) -> Value:
    """An entry of a static list."""
    if len(expr.subs.items) == 1 and isinstance(expr.subs.items[0], tree.SubExpr):
        position = body.number(evaluate(body, expr.subs.items[0].value), expr.span, "a position")
        if isinstance(position, int) and -len(base.items) <= position < len(base.items):
            return base.items[position]
    raise stop("position-out-of-range", expr.span, length=len(base.items))


def take(body: Body, value: Tensor, expr: tree.Index, partial: bool) -> Tensor:
    """Subscripts applied one by one; a repeated index takes the diagonal."""
    subs = expr.subs.items
    named = [sub for sub in subs if isinstance(sub, tree.SubPick | tree.SubPickSlice)]
    outside = next((option.value for option in expr.subs.options if option.name.text == "outside"), None)
    if named and len(named) != len(subs):
        raise stop("mixed-subscripts", expr.span)
    pairs: list[tuple[Axis, tree.Node]] = []
    if named:
        for own in named:
            pairs.append((axis_named(body, value, own.name), own))
    else:
        axes = visible(body, value)
        if len(subs) > len(axes) or (len(subs) < len(axes) and not partial):
            raise stop(
                "wrong-subscript-count", expr.span, given=len(subs), expected=len(axes), type=value.type,
                axes=[axis.label for axis in axes],
            )  # fmt: skip
        pairs = list(zip(axes, subs, strict=False))
    result = value
    for axis, sub in pairs:
        result = one(body, result, axis, sub, outside, expr.span)
    return result


def visible(body: Body, value: Tensor) -> tuple[Axis, ...]:
    """Axes that positions count: all but those lifted into this body and those that indices already stand for."""
    from repc.elaborate.expressions import is_index

    return tuple(axis for axis in value.type.axes if not is_index(body, axis.label))


def axis_named(body: Body, value: Tensor, name: tree.Name) -> Axis:
    """The axis of a named pick."""
    from repc.elaborate.shapes import closest, known

    found = known(body, name)
    labels = [body.own(name.text)] if found is None else [axis.label for axis in found]
    for label in labels:
        axis = value.type.axis(label)
        if axis is not None:
            return axis
    for axis in value.type.axes:
        if str(axis.label) == name.text:
            return axis
    names = [str(axis.label) for axis in value.type.axes]
    raise stop("no-such-axis", name.span, suggestion=closest(name.text, names), axis=name.text, type=value.type)


def one(body: Body, value: Tensor, axis: Axis, sub: tree.Node, outside: tree.Expr | None, span: Span) -> Tensor:
    """One subscript on one axis."""
    if isinstance(sub, tree.SubColon | tree.SubPickSlice):
        return sliced(body, value, axis, sub, span)
    entry = sub.value  # type: ignore[attr-defined]
    index = bare(body, entry)
    if index is not None:
        ranged(body, index, axis, entry.span)
        if index.axis is not None and not same_size(body, index.axis, axis):
            inside = standing(body, index)
            if outside is None and not (inside is not None and proved(body, inside, axis)):
                raise stop(
                    "index-over-two-sizes",
                    entry.span,
                    (index.span, f"`{index.name}` runs over {index.axis.size} here"),
                    name=index.name, left=axis.size, right=index.axis.size,
                )  # fmt: skip
            return gathered(body, value, axis, body.iota(index, entry.span), entry, outside, span)
        if value.type.axis(index.label) is not None:
            return body.prim("diagonal", [value], span, labels=(index.label, axis.label), into=index.label)
        return body.prim("relabel", [value], span, labels=((axis.label, index.label),))
    made = evaluate(body, entry)
    if isinstance(made, Static) and isinstance(made.value, int | Dim) and not isinstance(made.value, bool):
        position = Dim.of(made.value)
        in_range(body, entry, position, axis, outside, span)
        return body.prim("pick", [value], span, axis=axis.label, at=position)
    return gathered(body, value, axis, body.tensor(made, entry.span), entry, outside, span)


def bare(body: Body, entry: tree.Expr) -> Index | None:
    """A name that is an index in scope; an unbound lower-case name is an error that says what to write."""
    if not isinstance(entry, tree.Name):
        return None
    found = body.scope.find(entry.text)
    if isinstance(found, Index):
        return found
    if found is None and entry.text[:1].islower() and body.context.find(body.module, entry.text) is None:
        raise stop("unbound-index", entry.span, name=entry.text)
    return None


def ranged(body: Body, index: Index, axis: Axis, span: Span) -> None:
    """The first bare use gives an index its range."""
    if index.axis is None:
        index.axis = Axis(index.label, axis.size, axis.kind, axis.space, axis.ragged)
        index.home = home_of(body, axis)


def home_of(body: Body, axis: Axis) -> Symbol:
    """The label that a definition gives an index over an axis: the name that declares the axis, else its space's."""
    from repc.elaborate.shapes import known

    found = known(body, tree.Name(body.origin.span, axis.label.name))
    if found is not None and len(found) == 1 and found[0].label == axis.label:
        return axis.label
    return body.space_labels.get(axis.space, axis.space)


def same_size(body: Body, left: Axis, right: Axis) -> bool:
    return left.size == right.size or body.facts.equal(left.size, right.size)


def gathered(
    body: Body, value: Tensor, axis: Axis, index: Tensor, entry: tree.Expr, outside: tree.Expr | None, span: Span
) -> Tensor:
    """`x[y[b]]`, `x[t - 1]`: positions computed from values, proved to be in range or guarded."""
    kind = index.type.kind
    if kind.name == "index":
        if kind.size is not None and not body.facts.equal(kind.size, axis.size) and outside is None:
            position = affine(body, entry)
            if position is None or not (proved(body, position, axis) or quotient(body, entry, axis)):
                raise stop("index-of-another-axis", entry.span, index=kind, axis=axis, size=axis.size)
    elif kind.name in {"int", "number"}:
        position = affine(body, entry)
        inside = position is not None and (proved(body, position, axis) or quotient(body, entry, axis))
        if outside is None and not inside:
            raise stop("index-out-of-range", entry.span, axis=axis.label, size=axis.size)
    else:
        raise stop("kind-mismatch", entry.span, wanted=f"an index of {axis.label}", found=kind)
    if outside is None:
        other = kind.name != "index" or (kind.size is not None and not body.facts.equal(kind.size, axis.size))
        if other and not everywhere(body, entry, axis):
            # Where the condition is false the entry is not used, yet one is read: of any place there is (4.9).
            index = body.prim("clip", [index, Static(0), Static(axis.size - 1)], span)
        return body.prim("gather", [value, index], span, axes=(axis.label,))
    low = body.prim("ge", [index, Static(0)], span)
    high = body.prim("lt", [index, Static(axis.size)], span)
    within = body.prim("and", [low, high], span)
    clipped = body.prim("clip", [index, Static(0), Static(axis.size - 1)], span)
    inner = body.prim("gather", [value, clipped], span, axes=(axis.label,))
    return body.prim("where", [within, inner, evaluate(body, outside)], span)


def in_range(body: Body, entry: tree.Expr, position: Dim, axis: Axis, outside: tree.Expr | None, span: Span) -> None:
    if outside is None and not proved(body, position, axis):
        raise stop("index-out-of-range", entry.span, axis=axis.label, size=axis.size)


def proved(body: Body, position: Dim, axis: Axis) -> bool:
    """`0 <= position < size` under the facts and conditions in force."""
    return body.at_least(position, 0) is True and body.at_least(axis.size - 1, position) is True


def everywhere(body: Body, entry: tree.Expr, axis: Axis) -> bool:
    """Whether a position that is in range under the conditions in force is so without them."""
    if not body.conditions:
        return True
    before = body.assumed
    body.assumed = tuple(fact for fact in before if fact not in body.conditions)
    try:
        position = affine(body, entry)
        return position is not None and (proved(body, position, axis) or quotient(body, entry, axis))
    finally:
        body.assumed = before


def quotient(body: Body, entry: tree.Expr, axis: Axis) -> bool:
    """`e // c < size` where `e < c * size`."""
    if not isinstance(entry, tree.Binary) or entry.op != "//":
        return False
    of, by = affine(body, entry.left), affine(body, entry.right)
    if of is None or by is None or not isinstance(by.constant, int) or by.constant < 1:
        return False
    return body.at_least(of, 0) is True and body.at_least(axis.size * by - 1, of) is True


def affine(body: Body, expr: tree.Expr) -> Dim | None:
    """An integer expression over indices and sizes as a polynomial; an index is its symbol less one."""
    if isinstance(expr, tree.Name):
        found = body.scope.find(expr.text)
        if isinstance(found, Index):
            return standing(body, found)
    if isinstance(expr, tree.Unary) and expr.op == "-":
        inner = affine(body, expr.operand)
        return None if inner is None else -inner
    if isinstance(expr, tree.Binary) and expr.op in {"+", "-", "*", "//", "%"}:
        left, right = affine(body, expr.left), affine(body, expr.right)
        if left is None or right is None:
            return None
        table = {"+": left.__add__, "-": left.__sub__, "*": left.__mul__, "//": left.__floordiv__, "%": left.__mod__}
        return table[expr.op](right)
    if isinstance(expr, tree.Index) and isinstance(expr.base, tree.Name):
        values = body.scope.find(expr.base.text)
        return standing_value(body, values, f".{expr.span.start}") if isinstance(values, Tensor) else None
    if isinstance(expr, tree.Name | tree.Number):
        try:
            made = evaluate(body, expr)
        except Stop:
            return None
        if isinstance(made, Static) and isinstance(made.value, int | Dim) and not isinstance(made.value, bool):
            return Dim.of(made.value)
        if isinstance(made, Tensor):
            return standing_value(body, made)
    return None


def standing(body: Body, index: Index) -> Dim | None:
    """An index as a size expression, its bounds assumed."""
    if index.axis is None:
        return None
    symbol = Symbol(index.name, f"{index.label.scope}?")
    assume(body, AtLeast(index.axis.size, Dim.of(symbol)))
    return Dim.of(symbol) - 1


def standing_value(body: Body, value: Tensor, entry: str = "") -> Dim | None:
    """An index value, or the entry of one that stands at a place, as a size expression, its range assumed."""
    kind = value.type.kind
    if kind.name != "index" or kind.size is None:
        return None
    symbol = Symbol(f"v{value.node}{entry}", f"{body.key}?")
    assume(body, AtLeast(kind.size, Dim.of(symbol)))
    ends = drawn_between(body, value.node)
    if ends is not None:
        assume(body, AtLeast(Dim.of(symbol), ends[0] + 1))
        assume(body, AtLeast(ends[1] + 1, Dim.of(symbol)))
    return Dim.of(symbol) - 1


def drawn_between(body: Body, name: str) -> tuple[Dim, Dim] | None:
    """The least and the greatest value of a draw `t ~ uniform(0 .. T - 2)` of whole numbers."""
    node = body.nodes.get(name)
    if node is None or node.kind != "draw" or node.attrs["law"] != "whole" or node.attrs["has_eval"]:
        return None
    ends = [body.nodes[arg].attrs.get("value") for arg in node.args if body.nodes[arg].kind == "const"]
    if len(ends) != 2 or not all(isinstance(end, int | Dim) for end in ends):
        return None
    return Dim.of(ends[0]), Dim.of(ends[1])  # type: ignore[arg-type]


def assume(body: Body, fact: AtLeast) -> None:
    if fact not in body.assumed:
        body.assumed = (*body.assumed, fact)


def sliced(body: Body, value: Tensor, axis: Axis, sub: tree.SubColon | tree.SubPickSlice, span: Span) -> Tensor:
    """`a:b`, half open; negative literals count from the end; the label stays, the space is fresh."""
    start = Dim.of(0) if sub.lower is None else end_of(body, sub.lower, axis)
    stop_ = axis.size if sub.upper is None else end_of(body, sub.upper, axis)
    if start == Dim.of(0) and stop_ == axis.size:
        return value
    for low, high in ((Dim.of(0), start), (start, stop_), (stop_, axis.size)):
        if body.at_least(high, low) is not True:
            raise stop("slice-out-of-range", sub.span, axis=axis.label, size=axis.size, start=start, stop=stop_)
    space = Symbol(axis.space.name, f"{axis.space.scope}[{start}:{stop_}]")
    body.space_labels[space] = body.space_labels.get(axis.space, axis.space)
    made = axis.resized(stop_ - start, space)
    return body.prim("slice", [value], span, axis=axis.label, start=start, stop=stop_, **{"as": made})


def end_of(body: Body, expr: tree.Expr, axis: Axis) -> Dim:
    """One end of a slice."""
    from repc.elaborate.shapes import size_of

    position = size_of(body, expr)
    literal = position.constant
    return axis.size + position if literal is not None and literal < 0 else position
