"""Typed bindings, indexed definitions, local dims and requirements (LANGUAGE.md 1.11, 4.7, 8.1)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Divides
from repc.elaborate import statics
from repc.elaborate.alternatives import listed, over_set
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.reductions import binder, find_range
from repc.elaborate.scope import Scope
from repc.elaborate.shapes import size_of, type_of
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import Fields, Index, Static, Tensor
from repc.ir import ClaimNote
from repc.types import FLOAT, Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.dims import Symbol
    from repc.elaborate.values import Value


def indexed(body: Body, target: tree.Index, value: tree.Expr) -> Tensor:
    """`s[m, n] = e`: the body is written for one place of each index."""
    if listed(target) is not None:
        return over_set(body, target, value, lambda left: defined(body, left, value))
    outer, assumed = body.scope, body.assumed
    body.scope = Scope(outer)
    try:
        indices = left_indices(body, target, value)
        made = body.tensor(evaluate(body, value), value.span)
        for index in indices:
            if index.axis is None:
                raise stop("index-without-range", index.span, name=index.name)
        return relabelled(body, spread(body, made, indices, value.span), indices, target.span)
    finally:
        body.scope, body.assumed = outer, assumed


def defined(body: Body, target: tree.Expr, value: tree.Expr) -> Tensor:
    """A definition with what is left of its indices."""
    if isinstance(target, tree.Index):
        return indexed(body, target, value)
    return as_float(body, body.tensor(evaluate(body, value), value.span), value.span)


def left_indices(body: Body, target: tree.Index, value: tree.Expr) -> list[Index]:
    """The indices of a left side, their ranges from the right side."""
    indices: list[Index] = []
    for sub in target.subs.items:
        if not isinstance(sub, tree.SubExpr):
            raise stop("binder-expected", sub.span)
        index, _ = binder(body, sub.value, is_map=False)
        indices.append(index)
    for index in indices:
        if index.axis is None:
            find_range(body, index, (value,))
    return indices


def spread(body: Body, value: Tensor, indices: list[Index], span: Span) -> Tensor:
    """Indices that the right side does not mention: the value is the same along them."""
    missing = tuple(index.axis for index in indices if index.axis is not None and value.type.axis(index.label) is None)
    return body.prim("expand", [as_float(body, value, span)], span, axes=missing) if missing else value


def as_float(body: Body, value: Tensor, span: Span) -> Tensor:
    """A literal spread over axes is a float value."""
    return body.prim("float", [value], span) if value.type.kind.name == "number" else value


def relabelled(body: Body, value: Tensor, indices: list[Index], span: Span) -> Tensor:
    """Labels of a definition (4.7): the space's label where it is the only one of that space, else the index's name."""
    homes = [index.home for index in indices]
    pairs: list[tuple[Symbol, Symbol]] = []
    rest = {axis.label for axis in value.type.axes} - {index.label for index in indices}
    for index in indices:
        single = homes.count(index.home) == 1 and index.home not in rest
        label = index.home if single and index.home is not None else body.own(index.name)
        if label != index.label:
            pairs.append((index.label, label))
    if pairs:
        value = body.prim("relabel", [value], span, labels=tuple(pairs))
    moved = dict(pairs)
    own = [moved.get(index.label, index.label) for index in indices]
    order = tuple(label for label in value.type.labels if label not in own) + tuple(own)
    return value if order == value.type.labels else body.prim("transpose", [value], span, order=order)


def typed(body: Body, statement: tree.Annotated) -> Value:
    """`name: T = e`."""
    assert statement.value is not None
    type_ = type_of(body, statement.type)
    return conform(body, evaluate(body, statement.value), type_, statement.value.span)


def conform(body: Body, value: Value, type_: Type, span: Span) -> Value:
    """A value as a written type: numbers fill the shape, axes come in written order, extra ones in front."""
    if type_.kind.name == "record":
        if not isinstance(value, Fields):
            raise stop("record-expected", span, fields=[name for name, _ in type_.fields])
        return conform_fields(body, value, type_, span)
    tensor = body.tensor(value, span)
    if tensor.type.kind.name == "number":
        if type_.kind.name == "float":
            tensor = body.prim("float", [tensor], span)
        elif type_.kind.name == "index":
            tensor = body.prim("index", [tensor], span, space=type_.kind.space, size=type_.kind.size)
        if type_.axes:
            return body.prim("expand", [tensor], span, axes=type_.axes)
        return tensor
    check_kind(tensor.type, type_, span)
    tensor = same_axes(body, tensor, type_, span)
    return refined(body, tensor, type_, span)


def conform_fields(body: Body, value: Fields, type_: Type, span: Span) -> Fields:
    made = []
    for name, inner in type_.fields:
        item = value.get(name)
        if item is None:
            raise stop("missing-field", span, name=name, fields=[own for own, _ in value.items])
        made.append((name, conform(body, item, inner, span)))
    return Fields(tuple(made), value.call)


def check_kind(found: Type, expected: Type, span: Span) -> None:
    """Kinds must agree; an index is an int."""
    if found.kind.name == expected.kind.name or (expected.kind.name == "int" and found.kind.name == "index"):
        return
    raise stop("kind-mismatch", span, wanted=expected.kind, found=found.kind)


def same_axes(body: Body, value: Tensor, type_: Type, span: Span) -> Tensor:
    """The axes of a written type, each found by label, with its size; other axes are carried in front."""
    labels = []
    for axis in type_.axes:
        found = value.type.axis(axis.label)
        if found is None:
            other = twin(body, value, axis, type_)
            if other is None:
                raise stop("result-misses-axis", span, axis=axis.label, expected=type_, found=value.type)
            value = body.prim("relabel", [value], span, labels=((other.label, axis.label),))
            found = other
        if not body.facts.equal(found.size, axis.size):
            raise stop("sizes-of-result", span, axis=axis.label, expected=axis.size, found=found.size)
        labels.append(axis.label)
    extra = [label for label in value.type.labels if label not in labels]
    if any(label not in body.lifted for label in extra) and body.strict:
        raise stop("result-has-axis", span, axis=extra[0], expected=type_, found=value.type)
    order = (*extra, *labels)
    return value if order == value.type.labels else body.prim("transpose", [value], span, order=order)


def twin(body: Body, value: Tensor, axis: Axis, type_: Type) -> Axis | None:
    """A nameless axis of the same size, or the only other axis of that space: a written type names it."""
    wanted = {a.label for a in type_.axes}
    nameless = [a for a in value.type.axes if a.label not in wanted and ("/" in a.label.scope or a.space == axis.space)]
    same = [a for a in nameless if body.facts.equal(a.size, axis.size)]
    return same[0] if len(same) == 1 else None


def refined(body: Body, value: Tensor, type_: Type, span: Span) -> Tensor:
    """A needed refinement must be known."""
    from repc.elaborate.binding import implied, known_range

    needed = type_.refine
    if needed is None:
        return value
    if needed.name == "interval" and not implied(needed, known_range(body, value)):
        raise stop("refinement-not-proved", span, port="the value", needed=needed, found=value.type.refine or "nothing")
    return value


def local_dim(body: Body, declared: tree.DimDecl) -> None:
    """`dim F = hidden` inside a body."""
    label = body.own(declared.name.text)
    size = Dim.of(label)
    if declared.value is not None and declared.relation == "=":
        size = size_of(body, declared.value)
        for by, of in size.denominators():
            body.divides(by, of, declared.span)
    fixed = all(symbol in body.context.values or symbol in body.numbers for symbol in size.symbols())
    kind = declared.axis_kind.text if declared.axis_kind is not None else "feature" if fixed else "plain"
    body.scope.axes[declared.name.text] = (Axis(label, size, kind, label, declared.ragged),)


def required(body: Body, expr: tree.Expr) -> None:
    """`require e`: a fact where it speaks of sizes, a test of `verify` where it speaks of values."""
    if isinstance(expr, tree.Binary) and expr.op == "and":
        required(body, expr.left)
        required(body, expr.right)
        return
    if isinstance(expr, tree.Binary) and expr.op in {"<", "<=", ">", ">=", "=="}:
        try:
            left, right = evaluate(body, expr.left), evaluate(body, expr.right)
        except Stop as stopped:
            raise stopped from None
        if isinstance(left, Static) and isinstance(right, Static):
            size_fact(body, expr, left, right)
            return
    value = evaluate(body, expr)
    if isinstance(value, Static):
        if value.value is False:
            raise stop("requirement-broken", expr.span, fact="this", callee=body.key)
        return
    node = body.tensor(value, expr.span)
    body.claims.append(ClaimNote("require", (node.node,), False, expr.span))
    body.sites[f"require.{len(body.claims)}"] = node.node


def in_numbers(body: Body, value: Static) -> Static:
    """A size with the numbers of the file in place of its dims."""
    if not isinstance(value.value, Dim):
        return value
    known = {symbol: Dim.of(number) for symbol, number in body.context.values.items()}
    return Static(statics.settled(value.value.subst(known)))


def size_fact(body: Body, expr: tree.Binary, left: Static, right: Static) -> None:
    """A comparison of sizes joins the facts; `D % H == 0` is a divisibility."""
    if expr.op == "==" and isinstance(expr.left, tree.Binary) and expr.left.op == "%":
        of, by = size_of(body, expr.left.left), size_of(body, expr.left.right)
        if isinstance(right.value, int) and right.value == 0:
            if body.facts.divides(by, of) is False:
                raise stop("indivisible", expr.span, of=of, by=by, left=of, right=by)
            body.facts = body.facts.with_(Divides(by, of, expr.span))
            return
    numbers = (in_numbers(body, left), in_numbers(body, right))
    made = statics.combine(expr.op, numbers[0], numbers[1], expr.span)
    if made is not None:
        if made.value is False:
            fact, found = (f"{a.value} {expr.op} {b.value}" for a, b in ((left, right), numbers))
            reason = f"it would say {found}" if found != fact else "its two sides are numbers that differ"
            raise stop("requirement-fails", expr.span, fact=fact, reason=reason)
        return
    body.facts = body.facts.with_(*statics.stated(expr.op, left, right, expr.span))


__all__ = ["FLOAT", "as_float", "conform", "indexed", "local_dim", "relabelled", "required", "spread", "typed"]
