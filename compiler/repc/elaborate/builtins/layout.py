"""Builtins that rename, join, split and move axes."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given, labels, over_axes, present
from repc.elaborate.expressions import evaluate, tensor
from repc.elaborate.shapes import axes_of, known, product
from repc.elaborate.stop import stop
from repc.elaborate.values import Axes, Series, Static, Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def rename(body: Body, call: tree.Call) -> Value:
    """`rename(x, S -> T)`: the same values under another axis of equal size."""
    arrows = [arg.value for arg in call.args[1:]]
    value = tensor(body, call.args[0].value)
    pairs = []
    for expr in arrows:
        if not isinstance(expr, tree.Binary) or expr.op != "->":
            raise stop("arrow-expected", expr.span)
        olds, news = axes_of(body, expr.left), axes_of(body, expr.right)
        if len(olds) != len(news):
            raise stop("arrow-lengths", expr.span, left=len(olds), right=len(news))
        for old, new in zip(olds, news, strict=True):
            own = value.type.axis(old.label)
            if own is None:
                raise stop("no-such-axis", expr.left.span, axis=old.label, type=value.type)
            if not body.facts.equal(own.size, new.size):
                raise stop("sizes-of-result", expr.span, axis=new.label, expected=new.size, found=own.size)
            pairs.append((old.label, new.label))
    return body.prim("relabel", [value], call.span, labels=tuple(pairs))


def reshape(body: Body, call: tree.Call) -> Value:
    """`reshape(x, X -> [A, P])`: row-major; sizes must multiply up, and one new name takes what is left."""
    given = Given(body, call, -1, ())
    value = tensor(body, given.values[0])
    for expr in given.values[1:]:
        if not isinstance(expr, tree.Binary) or expr.op != "->":
            raise stop("arrow-expected", expr.span)
        olds = axes_of(body, expr.left)
        before = Dim.of(1)
        for old in olds:
            own = value.type.axis(old.label)
            if own is None:
                raise stop("no-such-axis", expr.left.span, axis=old.label, type=value.type)
            before = before * own.size
        name_rest(given, expr.right, before)
        news = axes_of(body, expr.right)
        after = product(news)
        if not body.agree(before, after, expr.span):
            raise stop("reshape-sizes", expr.span, before=before, after=after)
        value = body.prim("reshape", [value], call.span, **{"from": labels(olds), "to": news})
    return value


def name_rest(given: Given, expr: tree.Expr, whole: Dim) -> None:
    """The one name of a shape that nothing declares is an axis of what the others leave of `whole`."""
    body = given.body
    shape = [item.size for item in expr.axes if item.label is None] if isinstance(expr, tree.AxesExpr) else [expr]
    free = [size for size in shape if isinstance(size, tree.Name) and not declared(body, size)]
    if len(free) != 1:
        return
    rest = Dim.of(1)
    if isinstance(expr, tree.AxesExpr):
        others = tuple(item for item in expr.axes if item.label is not None or item.size is not free[0])
        rest = product(axes_of(body, tree.AxesExpr(expr.span, others)))
    body.divides(rest, whole, expr.span)
    given.declared(free[0], whole / rest)


def declared(body: Body, name: tree.Name) -> bool:
    """Whether a name stands for an axis or a size already."""
    if known(body, name) is not None or isinstance(body.scope.find(name.text), Axes | Static):
        return True
    label = body.own(name.text)
    return any(node.type.axis(label) is not None for node in body.nodes.values())


def concat(body: Body, call: tree.Call) -> Value:
    """`concat(u, v, along: [D, A], as: U)`."""
    given = Given(body, call, -1, ("along", "as"))
    values = [tensor(body, value) for value in given.values]
    if "along" not in given.options:
        raise stop("option-missing", call.span, option="along", op="concat")
    along = axes_of(body, given.options["along"])
    if len(along) == 1:
        along = along * len(values)
    if len(along) != len(values):
        raise stop("along-count", given.options["along"].span, expected=len(values), given=len(along))
    size = Dim.of(0)
    own: list[Axis] = []
    for value, axis in zip(values, along, strict=True):
        found = value.type.axis(axis.label)
        if found is None:
            raise stop("no-such-axis", given.options["along"].span, axis=axis.label, type=value.type)
        own.append(found)
        size = size + found.size
    made = (
        given.new_axis("as", size, own[0])
        if "as" in given.options
        else own[0].resized(size, body.fresh(own[0].label.name))
    )
    rest = {axis for value, axis in zip(values, own, strict=True) for axis in value.type.axes if axis != axis}
    del rest
    values = same_rest(body, values, own, call)
    return body.prim("concat", values, call.span, along=labels(tuple(own)), **{"as": made})


def same_rest(body: Body, values: list[Tensor], own: list[Axis], call: tree.Call) -> list[Tensor]:
    """Axes that only some operands have are spread over the others (they are lifted)."""
    rest: list[Axis] = []
    for value, along in zip(values, own, strict=True):
        for axis in value.type.axes:
            if axis.label != along.label and not any(axis.label == other.label for other in rest):
                rest.append(axis)
    made = []
    for value in values:
        missing = tuple(axis for axis in rest if value.type.axis(axis.label) is None)
        made.append(body.prim("expand", [value], call.span, axes=missing) if missing else value)
    return made


def split(body: Body, call: tree.Call) -> Value:
    """`split(x, along: D, as: [R, Q])`."""
    given = Given(body, call, 1, ("along", "as"))
    value = given.tensor(0)
    along, parts = given.axes("along"), given.axes("as")
    if along is None or parts is None or len(along) != 1:
        raise stop("option-missing", call.span, option="along", op="split")
    start = Dim.of(0)
    made = []
    for part in parts:
        made.append(body.prim("split", [value], call.span, axis=along[0].label, start=start, **{"as": part}))
        start = start + part.size
    own = value.type.axis(along[0].label)
    if own is None or not body.facts.equal(own.size, start):
        raise stop("reshape-sizes", call.span, before=along[0].size if own is None else own.size, after=start)
    return Series(tuple(made))


def shift(body: Body, call: tree.Call) -> Value:
    """`shift(x, over: T, by: 1)`: y[t] = x[t - 1], zero outside."""
    given = Given(body, call, 1, ("over", "by", "fill"))
    value = given.tensor(0)
    over = over_axes(given, value)
    by = evaluate(body, given.options["by"]) if "by" in given.options else Static(1)
    fill = evaluate(body, given.options["fill"]) if "fill" in given.options else Static(0)
    amount, filler = body.number(by, call.span, "by"), body.number(fill, call.span, "fill")
    return body.prim("shift", [value], call.span, over=over, by=amount, fill=filler)


def roll(body: Body, call: tree.Call) -> Value:
    given = Given(body, call, 1, ("over", "by"))
    value = given.tensor(0)
    amount = body.number(evaluate(body, given.options["by"]), call.span, "by") if "by" in given.options else 1
    return body.prim("roll", [value], call.span, over=over_axes(given, value), by=amount)


def contract(body: Body, call: tree.Call) -> Value:
    """`contract(x, w, over: [A, B])`: products summed over axes that all have, each keeping its others."""
    given = Given(body, call, -1, ("over",))
    values = [tensor(body, value) for value in given.values]
    axes = given.axes("over")
    if axes is None or not values:
        raise stop("option-missing", call.span, option="over", op="contract")
    summed = {label for value in values for label in present(given, value, axes, "over")}
    out = dict.fromkeys(label for value in values for label in value.type.labels if label not in summed)
    return body.prim("contract", values, call.span, out=tuple(out))
