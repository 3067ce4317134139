"""The call forms of reducers and of maps along an axis (LANGUAGE.md 4.1)."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given, over_axes, present
from repc.elaborate.expressions import evaluate, tensor
from repc.elaborate.shapes import known, size_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Series, Static

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.builtins.given import Handler
    from repc.elaborate.values import Value


REDUCERS = (
    *("sum", "prod", "mean", "max", "min", "any", "all", "count", "logsumexp", "var", "std", "median"),
    *("argmax", "argmin", "norm"),
)
MAPS = ["softmax", "log_softmax", "l2norm", "l1norm", "cumsum", "cumprod", "cummax", "sort", "argsort", "flip"]


def reducer(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        if name in {"min", "max"} and len([arg for arg in call.args if arg.name is None]) == 2:
            return extreme(body, call, name)
        given = Given(body, call, 1, ("over", "where", "ddof", "empty"))
        first = given.value(0)
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


def top(body: Body, call: tree.Call) -> Value:
    """`top(x, R, over: F)`."""
    given = Given(body, call, 2, ("over", "as"))
    value = given.tensor(0)
    keep = size_of(body, given.values[1])
    axes = known(body, given.values[1]) if isinstance(given.values[1], tree.Name) else None
    place = axes[0] if axes is not None else given.new_axis("as", keep)
    return body.prim("top", [value], call.span, over=over_axes(given, value), keep=keep, **{"as": place})


def dist(body: Body, call: tree.Call) -> Value:
    """Euclidean distance over all declared axes, or `over`."""
    given = Given(body, call, 2, ("over",))
    gap = body.prim("sub", [given.tensor(0), given.tensor(1)], call.span)
    return body.prim("norm", [gap], call.span, over=over_axes(given, gap))


def unit(body: Body, call: tree.Call) -> Value:
    given = Given(body, call, 1, ("over",))
    value = given.tensor(0)
    return body.prim("l2norm", [value], call.span, over=over_axes(given, value))
