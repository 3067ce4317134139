"""Reducers, selectors, maps along an axis and statistics in index notation (LANGUAGE.md 4.1, 4.8)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.absent import skipping
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.nonempty import nonempty, under
from repc.elaborate.purity import where
from repc.elaborate.scope import Scope
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import BlockValue, Index, Members, Parts, Static, Tensor
from repc.ops import REGISTRY
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value

MAPS = {"softmax", "log_softmax", "l2norm", "cumsum"}
TOTAL = {"sum", "prod", "any", "all", "count", "cumsum", "l2norm"}


class Binders:
    """What stands in the brackets of an axis operator."""

    __slots__ = ("condition", "indices", "options", "own")

    def __init__(self) -> None:
        self.indices: list[Index] = []
        self.own: list[Index] = []
        self.condition: tree.Expr | None = None
        self.options: dict[str, tree.Expr] = {}


def reduced(body: Body, expr: tree.Reduce) -> Value:
    """`sum[d] x[d]`, `softmax[s: s <= t] e`, `top[m: c; keep: 5] e`."""
    outer = body.scope
    body.scope = Scope(outer)
    before = body.assumed
    try:
        binders = bound(body, expr.subs, is_map=expr.op.text in MAPS, inside=(expr.body,))
        made = applied(body, expr.op, binders, expr.body, expr.span)
        return homed(body, made, binders.own, expr.span) if expr.op.text == "argsort" else made
    finally:
        body.scope = outer
        body.assumed = before


def homed(body: Body, made: Value, indices: list[Index], span: Span) -> Value:
    """The axis that a sort leaves is the sorted one, under its own name."""
    if not isinstance(made, Tensor):
        return made
    left = [i for i in indices if i.home is not None and made.type.axis(i.label) and not made.type.axis(i.home)]
    pairs = tuple((index.label, index.home) for index in left)
    return body.prim("relabel", [made], span, labels=pairs) if pairs else made


def bound(body: Body, subs: tree.Subs, is_map: bool, inside: tuple[tree.Expr, ...]) -> Binders:
    """Bind the indices in the current scope and find their ranges."""
    made = Binders()
    names: list[tree.Expr] = []
    for position, sub in enumerate(subs.items):
        if isinstance(sub, tree.SubExpr):
            names.append(sub.value)
        elif isinstance(sub, tree.SubColon) and position == len(subs.items) - 1 and sub.lower is not None:
            names.append(sub.lower)
            made.condition = sub.upper
        else:
            raise stop("binder-expected", sub.span)
    for entry in names:
        index, own = binder(body, entry, is_map)
        made.indices.append(index)
        if own:
            made.own.append(index)
    made.options = {option.name.text: option.value for option in subs.options}
    searched = inside if made.condition is None else (*inside, made.condition)
    for index in made.own:
        if index.axis is None:
            find_range(body, index, searched)
    return made


def binder(body: Body, entry: tree.Expr, is_map: bool) -> tuple[Index, bool]:
    """One binder, `m` or `i in A`; a map may name an index that is already in scope."""
    name = entry.left if isinstance(entry, tree.Binary) and entry.op == "in" else entry
    if not isinstance(name, tree.Name):
        raise stop("binder-expected", entry.span)
    found = body.scope.find(name.text)
    if isinstance(found, Index):
        if is_map:
            return found, False
        raise stop("index-reused", name.span, (found.span, f"`{name.text}` is bound here"), name=name.text)
    if found is not None:
        place = body.scope.span_of(name.text)
        related = [] if place is None else [(place, f"`{name.text}` is a value here")]
        raise stop("index-hides-value", name.span, *related, name=name.text, free=free_letter(body))
    index = Index(name.text, Symbol(name.text, f"{body.key}#"), name.span)
    if isinstance(entry, tree.Binary):
        give_range(body, index, entry.right)
    body.scope.bind(name.text, index, name.span, fixed=True)
    return index, True


def free_letter(body: Body) -> str:
    """A letter that names nothing."""
    taken = set(body.scope.all_names())
    return next((letter for letter in "ijklmnpqrstuvw" if letter not in taken), "i2")


def give_range(body: Body, index: Index, expr: tree.Expr) -> None:
    """`i in A`."""
    from repc.elaborate.shapes import axes_of
    from repc.elaborate.subscripts import home_of

    axes = axes_of(body, expr)
    if len(axes) != 1:
        raise stop("axis-expected", expr.span)
    axis = axes[0]
    index.axis = Axis(index.label, axis.size, axis.kind, axis.space, axis.ragged)
    index.home = home_of(body, axis)


def find_range(body: Body, index: Index, inside: tuple[tree.Node, ...]) -> None:
    """Find an index's range from the first place where it subscripts bare."""
    for root in inside:
        for node in tree.walk(root):
            if not isinstance(node, tree.Index):
                continue
            for position, sub in enumerate(node.subs.items):
                if uses(sub, index.name) and from_subscript(body, index, node, position, sub):
                    return


def uses(sub: tree.Node, name: str) -> bool:
    value = getattr(sub, "value", None)
    return isinstance(sub, tree.SubExpr | tree.SubPick) and isinstance(value, tree.Name) and value.text == name


def from_subscript(body: Body, index: Index, node: tree.Index, position: int, sub: tree.Node) -> bool:
    """The axis that a bare subscript stands on."""
    from repc.elaborate.subscripts import axis_named, ranged, visible

    try:
        whole = evaluate(body, node.base)
        if isinstance(whole, BlockValue) and whole.per:
            ranged(body, index, whole.per[0], sub.span)
            return True
        if isinstance(whole, Members | Parts):
            ranged(body, index, whole.axis, sub.span)
            return True
        base = body.tensor(whole, node.span)
        if isinstance(sub, tree.SubPick):
            ranged(body, index, axis_named(body, base, sub.name), sub.span)
            return True
        axes = visible(body, base)
        if position < len(axes):
            ranged(body, index, axes[position], sub.span)
            return True
    except Stop as stopped:
        if stopped.fault is None:
            raise
        return False
    return False


def applied(body: Body, op: tree.Name, binders: Binders, inner: tree.Expr, span: Span) -> Value:
    """The operator on its body, whose axes now carry the indices' labels."""
    condition = (
        None if binders.condition is None else body.tensor(evaluate(body, binders.condition), binders.condition.span)
    )
    with under(body, binders.condition), where(body, condition):
        value = body.tensor(evaluate(body, inner), inner.span)
    for index in binders.indices:
        if index.axis is None:
            raise stop("index-without-range", index.span, name=index.name)
    if op.text == "count":
        value, condition = counted(body, value, condition, span)
    value = spread(body, value, binders.indices, span, condition)
    over = tuple(index.label for index in binders.indices)
    if condition is not None:
        condition = spread(body, condition, [], span, None)
    check_nonempty(body, op, binders, span)
    return finish(body, op, binders, value, condition, over, span)


def counted(body: Body, value: Tensor, condition: Tensor | None, span: Span) -> tuple[Tensor, Tensor | None]:
    """`count` counts where its body is true."""
    if value.type.kind.name != "bool":
        raise stop("kind-mismatch", span, wanted="bool", found=value.type.kind)
    return value, condition


def spread(body: Body, value: Tensor, indices: list[Index], span: Span, condition: Tensor | None) -> Tensor:
    """A body that does not mention an index is the same for all of its values."""
    missing = [index.axis for index in indices if index.axis is not None and value.type.axis(index.label) is None]
    if condition is not None:
        missing = [axis for axis in missing if condition.type.axis(axis.label) is None]
    return body.prim("expand", [value], span, axes=tuple(missing)) if missing else value


def check_nonempty(body: Body, op: tree.Name, binders: Binders, span: Span) -> None:
    """Operators without a value on an empty set need a proof or `empty:` (4.8)."""
    if op.text in TOTAL or binders.condition is None or "empty" in binders.options or op.text == "top":
        return
    if not nonempty(body, binders.indices, binders.condition):
        raise stop("maybe-empty", binders.condition.span, op=op.text, index=binders.indices[-1].name)


def finish(
    body: Body,
    op: tree.Name,
    binders: Binders,
    value: Tensor,
    condition: Tensor | None,
    over: tuple[Symbol, ...],
    span: Span,
) -> Tensor:
    """The primitive."""
    attrs: dict[str, object] = {"over": over}
    operands = [value]
    if condition is not None:
        operands.append(condition)
        attrs["masked"] = True
    attrs |= settings(body, op, binders)
    if op.text == "top":
        return top(body, operands, attrs, span)
    if op.text in {"argsort"}:
        return body.prim("argsort", operands, span, **attrs)
    made = body.prim(op.text, operands, span, **attrs)
    return made if condition is None else skipping(body, made, condition, attrs, span)


def settings(body: Body, op: tree.Name, binders: Binders) -> dict[str, object]:
    """Options after `;`, as attributes of the op."""
    known = [attr.name for attr in REGISTRY[op.text].attributes if attr.name not in {"over", "masked", "as"}]
    made: dict[str, object] = {}
    for name, option in binders.options.items():
        if name not in known:
            raise stop("option-not-known", option.span, operator=op.text, name=name, known=known or "none")
        made[name] = setting(body, name, option)
    return made


def setting(body: Body, name: str, option: tree.Expr) -> object:
    """An option after `;`."""
    if name == "empty" and isinstance(option, tree.Name) and option.text == "skip":
        return "skip"
    value = evaluate(body, option)
    if name == "keep" and isinstance(value, Static) and isinstance(value.value, int | Dim):
        return Dim.of(value.value)
    if isinstance(value, Static):
        return body.number(value, option.span, name)
    raise stop("number-needed", option.span, what=name, found="a value")


def top(body: Body, operands: list[Tensor], attrs: dict[str, object], span: Span) -> Tensor:
    """Best positions first; the new axis is nameless until the left side names it."""
    keep = attrs.pop("keep", None)
    if not isinstance(keep, Dim):
        raise stop("option-missing", span, option="keep", op="top")
    label = body.fresh("rank")
    kind = "feature" if keep.constant is not None else "plain"
    return body.prim("top", operands, span, keep=keep, **{"as": Axis(label, keep, kind, label)}, **attrs)


def statistic(body: Body, expr: tree.Stat) -> Value:
    """`cov[b](x[b, d], x[b, e])`."""
    outer = body.scope
    body.scope = Scope(outer)
    try:
        values = tuple(arg.value for arg in expr.args)
        if len(values) != 2:
            raise stop("wrong-argument-count", expr.span, name=expr.op.text, expected=2, given=len(values))
        binders = bound(body, expr.subs, is_map=False, inside=values)
        operands = [body.tensor(evaluate(body, value), value.span) for value in values]
        attrs: dict[str, object] = {"over": tuple(index.label for index in binders.indices)}
        if binders.condition is not None:
            operands.append(body.tensor(evaluate(body, binders.condition), binders.condition.span))
            attrs["masked"] = True
        attrs |= settings(body, expr.op, binders)
        return body.prim(expr.op.text, operands, expr.span, **attrs)
    finally:
        body.scope = outer
