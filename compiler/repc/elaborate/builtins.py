"""Names that need no import (LANGUAGE.md 4.14)."""

from __future__ import annotations

from collections.abc import Callable

from rep_grammar import tree
from repc.dims import Dim, Symbol
from repc.elaborate import statics
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate, tensor
from repc.elaborate.shapes import axes_of, closest, known, size_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Axes, Callee, Series, Static, Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from repc.elaborate.values import Value

    Handler: TypeAlias = Callable[[Body, tree.Call], Value]

POINTWISE = (
    *("exp", "log", "log2", "log1p", "expm1", "sqrt", "rsqrt", "abs", "sign", "sin", "cos", "tan", "tanh", "sigmoid"),
    *("relu", "gelu", "silu", "elu", "softplus", "erf", "floor", "ceil", "round", "square", "isfinite", "sg", "f64"),
)
PAIRS = {
    "logaddexp": "logaddexp",
    "atan2": "atan2",
    "xor": "xor",
    "lerp": "lerp",
}
REDUCERS = (
    *("sum", "prod", "mean", "max", "min", "any", "all", "count", "logsumexp", "var", "std", "median"),
    *("argmax", "argmin", "norm"),
)
MAPS = ["softmax", "log_softmax", "l2norm", "l1norm", "cumsum", "cumprod", "cummax", "sort", "argsort", "flip"]
LINEAR_ALGEBRA = ["eigh", "logdet", "det", "trace", "inverse", "pinv", "cholesky", "expm", "qr_q"]


class Given:
    """Arguments of a builtin."""

    def __init__(self, body: Body, call: tree.Call, positional: int, names: tuple[str, ...]) -> None:
        self.body = body
        self.call = call
        self.name = call.func.text if isinstance(call.func, tree.Name) else "it"
        self.values = [arg.value for arg in call.args if arg.name is None]
        self.options = {arg.name.text: arg.value for arg in call.args if arg.name is not None}
        if positional >= 0 and len(self.values) != positional:
            raise stop(
                "wrong-arity",
                call.span,
                callee=self.name,
                wanted=positional,
                given=len(self.values),
                signature=self.name,
            )
        for arg in call.args:
            if arg.name is not None and arg.name.text not in names:
                raise stop(
                    "unknown-argument",
                    arg.name.span,
                    suggestion=closest(arg.name.text, list(names)),
                    name=arg.name.text,
                    callee=self.name,
                    names=list(names),
                    known=list(names),
                )

    def tensor(self, position: int) -> Tensor:
        return tensor(self.body, self.values[position])

    def axes(self, name: str) -> tuple[Axis, ...] | None:
        expr = self.options.get(name)
        return None if expr is None else axes_of(self.body, expr)

    def new_axis(self, name: str, size: Dim, like: Axis | None = None) -> Axis:
        """An axis that the call declares, or a dim declared with that size."""
        expr = self.options.get(name)
        if expr is None:
            label = self.body.fresh(name)
            return Axis(label, size, "plain", label)
        return self.declared(expr, size, like)

    def declared(self, expr: tree.Expr, size: Dim, like: Axis | None = None) -> Axis:
        if not isinstance(expr, tree.Name):
            raise stop("axis-expected", expr.span)
        found = known(self.body, expr)
        if found is None:
            label = self.body.own(expr.text)
            kind = like.kind if like is not None and like.kind != "set" else "plain"
            made = Axis(label, size, kind, label)
            self.body.scope.axes[expr.text] = (made,)
            return made
        if not self.body.facts.equal(found[0].size, size):
            raise stop("sizes-of-result", expr.span, axis=found[0].label, expected=found[0].size, found=size)
        return found[0]


def labels(axes: tuple[Axis, ...]) -> tuple[Symbol, ...]:
    return tuple(axis.label for axis in axes)


def present(given: Given, value: Tensor, axes: tuple[Axis, ...], option: str) -> tuple[Symbol, ...]:
    """The value must have the axes that an option names."""
    for axis in axes:
        if value.type.axis(axis.label) is None:
            span = given.options[option].span
            names = [str(label) for label in value.type.labels]
            raise stop(
                "no-such-axis", span, suggestion=closest(str(axis.label), names), axis=axis.label, type=value.type
            )
    return labels(axes)


def pointwise(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        given = Given(body, call, 1, ())
        value = evaluate(body, given.values[0])
        if isinstance(value, Static):
            made = statics.apply_function(name, value)
            if made is not None:
                return made
        return body.prim(name, [value], call.span)

    return handler


def several(op: str, count: int) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        given = Given(body, call, count, ())
        return body.prim(op, [evaluate(body, value) for value in given.values], call.span)

    return handler


def over_axes(given: Given, value: Tensor) -> tuple[Symbol, ...]:
    """`over:`, or all declared axes."""
    axes = given.axes("over")
    if axes is not None:
        return present(given, value, axes, "over")
    from repc.elaborate.subscripts import visible

    return labels(visible(given.body, value))


def reducer(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        if name in {"min", "max"} and len([arg for arg in call.args if arg.name is None]) == 2:
            return extreme(body, call, name)
        given = Given(body, call, 1, ("over", "where", "ddof", "empty"))
        first = evaluate(body, given.values[0])
        if isinstance(first, Series) and name in {"max", "min", "sum", "count"}:
            return static_reduction(body, call, name, first)
        value = body.tensor(first, call.span)
        over = over_axes(given, value)
        operands: list[Value] = [value]
        attrs: dict[str, object] = {"over": over}
        if "where" in given.options:
            operands.append(tensor(body, given.options["where"]))
            attrs["masked"] = True
        for option in ("ddof", "empty"):
            if option in given.options:
                attrs[option] = body.number(evaluate(body, given.options[option]), call.span, option)
        return body.prim(name, operands, call.span, **attrs) if over else value

    return handler


def static_reduction(body: Body, call: tree.Call, name: str, series: Series) -> Value:
    numbers = [body.number(item, call.span, name) for item in series.items]
    return Static({"max": max, "min": min, "sum": sum, "count": len}[name](numbers))  # type: ignore[operator]


def extreme(body: Body, call: tree.Call, name: str) -> Value:
    """`max(a, b)` of two."""
    given = Given(body, call, 2, ())
    left, right = (evaluate(body, value) for value in given.values)
    numbers = [v.value for v in (left, right) if isinstance(v, Static) and isinstance(v.value, int | float)]
    if len(numbers) == 2:
        return Static(max(numbers) if name == "max" else min(numbers))
    return body.prim("maximum" if name == "max" else "minimum", [left, right], call.span)


def mapping(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        given = Given(body, call, 1, ("over", "where", "eps", "descending"))
        value = given.tensor(0)
        axes = given.axes("over")
        if axes is None:
            over = over_axes(given, value)
            if len(over) != 1:
                raise stop("option-missing", call.span, option="over", op=name)
        else:
            over = present(given, value, axes, "over")
        operands: list[Value] = [value]
        attrs: dict[str, object] = {"over": over}
        if "where" in given.options:
            operands.append(tensor(body, given.options["where"]))
            attrs["masked"] = True
        for option in ("eps", "descending"):
            if option in given.options:
                made = evaluate(body, given.options[option])
                attrs[option] = made.value if isinstance(made, Static) else None
        return body.prim(name, operands, call.span, **attrs)

    return handler


def inverse_hyperbolic(name: str) -> Handler:
    """`arcosh(x) = log(x + sqrt(x^2 - 1))` and `arsinh(x) = log(x + sqrt(x^2 + 1))`."""

    def handler(body: Body, call: tree.Call) -> Value:
        value = Given(body, call, 1, ()).tensor(0)
        square = body.prim("square", [value], call.span)
        under = body.prim("sub" if name == "arcosh" else "add", [square, Static(1)], call.span)
        whole = body.prim("add", [value, body.prim("sqrt", [under], call.span)], call.span)
        return body.prim("log", [whole], call.span)

    return handler


def clip(body: Body, call: tree.Call) -> Value:
    return several("clip", 3)(body, call)


def to_float(body: Body, call: tree.Call) -> Value:
    given = Given(body, call, 1, ())
    value = evaluate(body, given.values[0])
    if isinstance(value, Static) and isinstance(value.value, bool | int | float):
        return Static(float(value.value))
    return body.prim("float", [value], call.span)


def to_int(body: Body, call: tree.Call) -> Value:
    given = Given(body, call, 1, ())
    return body.prim("int", [evaluate(body, given.values[0])], call.span)


def to_index(body: Body, call: tree.Call) -> Value:
    """`index(e, of: V)`: a range fact."""
    given = Given(body, call, 1, ("of",))
    axes = given.axes("of")
    if axes is None or len(axes) != 1:
        raise stop("option-missing", call.span, option="of", op="index")
    return body.prim("index", [evaluate(body, given.values[0])], call.span, space=axes[0].space, size=axes[0].size)


def held(body: Body, call: tree.Call) -> Value:
    from repc.elaborate.transformers import transformed

    return transformed(body, given_name(call), call)


def given_name(call: tree.Call) -> str:
    return call.func.text if isinstance(call.func, tree.Name) else ""


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
    """`reshape(x, X -> [A, P])`: row-major; sizes must multiply up."""
    value = tensor(body, call.args[0].value)
    for arg in call.args[1:]:
        expr = arg.value
        if not isinstance(expr, tree.Binary) or expr.op != "->":
            raise stop("arrow-expected", expr.span)
        olds, news = axes_of(body, expr.left), axes_of(body, expr.right)
        for old in olds:
            if value.type.axis(old.label) is None:
                raise stop("no-such-axis", expr.left.span, axis=old.label, type=value.type)
        before, after = Dim.of(1), Dim.of(1)
        for old in olds:
            own = value.type.axis(old.label)
            assert own is not None
            before = before * own.size
        for new in news:
            after = after * new.size
        if not body.facts.equal(before, after):
            raise stop("reshape-sizes", expr.span, before=before, after=after)
        value = body.prim("reshape", [value], call.span, **{"from": labels(olds), "to": news})
    return value


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


def pad(body: Body, call: tree.Call) -> Value:
    """`pad(x, over: X, before: 1, after: 1, value: 0)`."""
    given = Given(body, call, 1, ("over", "before", "after", "value", "as"))
    value = given.tensor(0)
    axes = given.axes("over")
    if axes is None:
        raise stop("option-missing", call.span, option="over", op="pad")
    filler = body.number(evaluate(body, given.options["value"]), call.span, "value") if "value" in given.options else 0
    before, after = (size_option(body, given, name) for name in ("before", "after"))
    for label in present(given, value, axes, "over"):
        own = value.type.axis(label)
        assert own is not None
        size = own.size + before + after
        made = given.new_axis("as", size, own) if "as" in given.options else own.resized(size, body.fresh(label.name))
        value = body.prim(
            "pad", [value], call.span, axis=label, before=before, after=after, value=filler, **{"as": made}
        )
    return value


def size_option(body: Body, given: Given, name: str) -> Dim:
    return size_of(body, given.options[name]) if name in given.options else Dim.of(0)


def windows(body: Body, call: tree.Call) -> Value:
    """`windows(x, over: X, size: 3, stride: 1, dilation: 1, as: Y, within: W)`: every window of an axis."""
    given = Given(body, call, 1, ("over", "size", "stride", "dilation", "as", "within"))
    value = given.tensor(0)
    axes = given.axes("over")
    if axes is None or len(axes) != 1 or "size" not in given.options:
        raise stop("option-missing", call.span, option="over" if axes is None else "size", op="windows")
    own = value.type.axis(present(given, value, axes, "over")[0])
    assert own is not None
    size = size_of(body, given.options["size"])
    stride = size_of(body, given.options["stride"]) if "stride" in given.options else Dim.of(1)
    dilation = size_of(body, given.options["dilation"]) if "dilation" in given.options else Dim.of(1)
    count = (own.size - dilation * (size - 1) - 1) // stride + 1
    places = (
        given.new_axis("as", count, own) if "as" in given.options else own.resized(count, body.fresh(own.label.name))
    )
    inside = given.new_axis("within", size)
    return body.prim(
        "windows", [value], call.span, axis=own.label, size=size, stride=stride, dilation=dilation,
        **{"as": places, "within": inside},
    )  # fmt: skip


def top(body: Body, call: tree.Call) -> Value:
    """`top(x, R, over: F)`."""
    given = Given(body, call, 2, ("over", "as"))
    value = given.tensor(0)
    keep = size_of(body, given.values[1])
    axes = known(body, given.values[1]) if isinstance(given.values[1], tree.Name) else None
    place = axes[0] if axes is not None else given.new_axis("as", keep)
    return body.prim("top", [value], call.span, over=over_axes(given, value), keep=keep, **{"as": place})


def linear_algebra(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        given = Given(body, call, 1, ("over",))
        value = given.tensor(0)
        rows, columns = square(given, value)
        made = body.prim(name, [value], call.span, rows=rows, columns=columns)
        if made.type.kind.name != "record":
            return made
        from repc.elaborate.values import Fields

        items = tuple((own, body.prim("field", [made], call.span, name=own)) for own, _ in made.type.fields)
        return Fields(items, made)

    return handler


def svdvals(body: Body, call: tree.Call) -> Value:
    """`svdvals(m, as: R)`: along the shorter axis where both sizes are known, else along the columns."""
    given = Given(body, call, 1, ("over", "as"))
    value = given.tensor(0)
    rows, columns = square(given, value)
    own, other = value.type.axis(columns), value.type.axis(rows)
    assert own is not None and other is not None
    if body.at_least(own.size, other.size) is True:
        own = other
    place = given.new_axis("as", own.size, own)
    return body.prim("svdvals", [value], call.span, rows=rows, columns=columns, **{"as": place})


def square(given: Given, value: Tensor) -> tuple[Symbol, Symbol]:
    """The two axes of one space that make a matrix."""
    axes = given.axes("over")
    if axes is not None and len(axes) == 2:
        rows, columns = present(given, value, axes, "over")
        return rows, columns
    from repc.elaborate.subscripts import visible

    own = visible(given.body, value)
    pairs = [(a.label, b.label) for i, a in enumerate(own) for b in own[i + 1 :] if a.space == b.space]
    if len(pairs) == 1:
        return pairs[0]
    if len(own) == 2:
        return own[0].label, own[1].label
    raise stop("matrix-expected", given.call.span, type=value.type)


def eye(body: Body, call: tree.Call) -> Value:
    """The identity over two axes."""
    given = Given(body, call, -1, ())
    axes = tuple(axis for value in given.values for axis in axes_of(body, value))
    if len(axes) != 2:
        raise stop(
            "wrong-arity", call.span, callee="identity", wanted=2, given=len(axes), signature="identity(i: D, j: D)"
        )
    return body.prim("eye", [], call.span, axes=axes)


def onehot(body: Body, call: tree.Call) -> Value:
    """`onehot(y, C)`; without an axis, along the axis of which `y` is an index."""
    given = Given(body, call, 1 if len(call.args) == 1 else 2, ())
    value = given.tensor(0)
    if len(given.values) == 2:
        return body.prim("onehot", [value], call.span, axis=axes_of(body, given.values[1])[0])
    kind = value.type.kind
    if kind.name != "index" or kind.space is None or kind.size is None:
        raise stop("kind-mismatch", given.values[0].span, wanted="index", found=kind)
    declared = [axis for axis in body.context.axes.values() if axis.space == kind.space]
    own = declared[0] if declared else Axis(kind.space, kind.size, "plain", kind.space)
    return body.prim("onehot", [value], call.span, axis=own)


def straight_through(body: Body, call: tree.Call) -> Value:
    """`straight_through(x, as: s)`: the value of x, the gradient of s."""
    given = Given(body, call, 1 if any(arg.name is not None for arg in call.args) else 2, ("as",))
    if "as" not in given.options and len(given.values) != 2:
        raise stop("option-missing", call.span, option="as", op="straight_through")
    other = given.options["as"] if "as" in given.options else given.values[1]
    return body.prim("straight_through", [given.tensor(0), tensor(body, other)], call.span)


def dist(body: Body, call: tree.Call) -> Value:
    """Euclidean distance over all declared axes, or `over`."""
    given = Given(body, call, 2, ("over",))
    gap = body.prim("sub", [given.tensor(0), given.tensor(1)], call.span)
    return body.prim("norm", [gap], call.span, over=over_axes(given, gap))


def unit(body: Body, call: tree.Call) -> Value:
    given = Given(body, call, 1, ("over",))
    value = given.tensor(0)
    return body.prim("l2norm", [value], call.span, over=over_axes(given, value))


def params(body: Body, call: tree.Call) -> Value:
    """`params(F)`: how many numbers a declaration learns, as a size."""
    given = Given(body, call, 1, ())
    base = evaluate(body, given.values[0])
    if isinstance(base, Callee):
        from repc.elaborate.counting import parameter_count

        return Static(statics.settled(parameter_count(body, base, call.span)))
    raise stop("declaration-expected", call.span, name="the argument", found=describe(base))


def where(body: Body, call: tree.Call) -> Value:
    return several("where", 3)(body, call)


def tuple_axes(value: Value) -> Axes | None:
    return value if isinstance(value, Axes) else None


BUILTINS: dict[str, Handler] = {
    **{name: pointwise(name) for name in POINTWISE},
    **{name: several(op, 3 if name == "lerp" else 2) for name, op in PAIRS.items()},
    **{name: reducer(name) for name in REDUCERS},
    **{name: mapping(name) for name in MAPS},
    **{name: linear_algebra(name) for name in LINEAR_ALGEBRA},
    "arcosh": inverse_hyperbolic("arcosh"),
    "arsinh": inverse_hyperbolic("arsinh"),
    "clip": clip,
    "float": to_float,
    "int": to_int,
    "index": to_index,
    "held": held,
    "ema": held,
    "snapshot": held,
    "fresh": held,
    "rename": rename,
    "reshape": reshape,
    "concat": concat,
    "split": split,
    "shift": shift,
    "roll": roll,
    "pad": pad,
    "windows": windows,
    "top": top,
    "svdvals": svdvals,
    "identity": eye,
    "onehot": onehot,
    "straight_through": straight_through,
    "dist": dist,
    "unit": unit,
    "params": params,
    "where": where,
}
