"""Builtins that work on each element by itself, and those that change the kind of a value."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate import statics
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given
from repc.elaborate.expressions import evaluate, tensor
from repc.elaborate.shapes import axes_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Static
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.builtins.given import Handler
    from repc.elaborate.values import Value


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


def where(body: Body, call: tree.Call) -> Value:
    return several("where", 3)(body, call)


def straight_through(body: Body, call: tree.Call) -> Value:
    """`straight_through(x, as: s)`: the value of x, the gradient of s."""
    given = Given(body, call, 1 if any(arg.name is not None for arg in call.args) else 2, ("as",))
    if "as" not in given.options and len(given.values) != 2:
        raise stop("option-missing", call.span, option="as", op="straight_through")
    other = given.options["as"] if "as" in given.options else given.values[1]
    return body.prim("straight_through", [given.tensor(0), tensor(body, other)], call.span)


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
