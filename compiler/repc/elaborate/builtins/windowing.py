"""`pad` and `windows`, along one axis or each of several."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import AtLeast, Dim
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given, present, size_option
from repc.elaborate.expressions import evaluate, item
from repc.elaborate.shapes import known
from repc.elaborate.stop import stop
from repc.elaborate.values import Label, Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value

BORDERS = ("value", "wrap")


def pad(body: Body, call: tree.Call) -> Value:
    """`pad(x, over: X, before: 1, after: 1, value: 0)`, or with the other end of the axis: `border: wrap`."""
    given = Given(body, call, 1, ("over", "before", "after", "value", "border", "as"))
    value = given.tensor(0)
    axes = along(given, value, "pad")
    filler = body.number(evaluate(body, given.options["value"]), call.span, "value") if "value" in given.options else 0
    before, after = (size_option(body, given, name, 0) for name in ("before", "after"))
    wraps = border(body, given) == "wrap"
    for own in axes:
        size = own.size + before + after
        made = given.new_axis("as", size, own) if "as" in given.options else longer(body, own, size)
        attrs = {"axis": own.label, "before": before, "after": after, "as": made}
        if wraps:
            value = body.prim("wrap", [value], call.span, **attrs)
        else:
            value = body.prim("pad", [value], call.span, value=filler, **attrs)
    return value


def border(body: Body, given: Given) -> str:
    """What stands beyond the ends."""
    if "border" not in given.options:
        return "value"
    expr = given.options["border"]
    found = item(body, expr)
    name = found.name if isinstance(found, Label) else ""
    if name not in BORDERS:
        raise stop("no-such-choice", expr.span, name=name or "this", choices=list(BORDERS))
    return name


def windows(body: Body, call: tree.Call) -> Value:
    """`windows(x, over: X, size: 3, stride: 1, dilation: 1, as: Y, within: W)`: every window of an axis.

    Over several axes, windows of all of them: `within: W` names the list of the axes of places.
    """
    given = Given(body, call, 1, ("over", "size", "stride", "dilation", "as", "within"))
    value = given.tensor(0)
    axes = along(given, value, "windows")
    if "size" not in given.options:
        raise stop("option-missing", call.span, option="size", op="windows")
    size, stride, dilation = (size_option(body, given, name, 1) for name in ("size", "stride", "dilation"))
    inside = places(body, given, size, len(axes))
    for own, within in zip(axes, inside, strict=True):
        reach = dilation * (size - 1) + 1
        fits = body.at_least(own.size, reach)
        if fits is False:
            raise stop("requirement-broken", call.span, fact=f"{own.size} >= {reach}", callee="windows")
        if fits is None:
            body.facts = body.facts.with_(AtLeast(own.size, reach, call.span))
        count = (own.size - reach) // stride + 1
        made = given.new_axis("as", count, own) if "as" in given.options else longer(body, own, count)
        value = body.prim(
            "windows", [value], call.span, axis=own.label, size=size, stride=stride, dilation=dilation,
            **{"as": made, "within": within},
        )  # fmt: skip
    return value


def places(body: Body, given: Given, size: Dim, count: int) -> tuple[Axis, ...]:
    """The axes of places in a window; a new name stands for all of them."""
    expr = given.options.get("within")
    if expr is None:
        return tuple(given.new_axis("within", size) for _ in range(count))
    if not isinstance(expr, tree.Name) or count == 1 or known(body, expr) is not None:
        if count != 1:
            raise stop("axis-expected", expr.span)
        return (given.declared(expr, size),)
    labels = [body.own(f"{expr.text}{at + 1}") for at in range(count)]
    made = tuple(Axis(label, size, "plain", label) for label in labels)
    body.scope.axes[expr.text] = made
    return made


def along(given: Given, value: Tensor, op: str) -> tuple[Axis, ...]:
    """The axes of the value that `over` names."""
    axes = given.axes("over")
    if axes is None:
        raise stop("option-missing", given.call.span, option="over", op=op)
    if len(axes) > 1 and "as" in given.options:
        raise stop("axis-expected", given.options["as"].span)
    found = [value.type.axis(label) for label in present(given, value, axes, "over")]
    return tuple(axis for axis in found if axis is not None)


def longer(body: Body, own: Axis, size: Dim) -> Axis:
    """An axis of the same label with another size and a space of its own."""
    return own.resized(size, body.fresh(own.label.name))
