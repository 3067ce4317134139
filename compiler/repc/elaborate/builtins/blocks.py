"""Builtins that take blocks or declarations."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate import statics
from repc.elaborate.body import Body, describe
from repc.elaborate.builtins.given import Given, given_name
from repc.elaborate.expressions import evaluate
from repc.elaborate.stop import stop
from repc.elaborate.values import Callee, Static

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def held(body: Body, call: tree.Call) -> Value:
    from repc.elaborate.transformers import transformed

    return transformed(body, given_name(call), call)


def params(body: Body, call: tree.Call) -> Value:
    """`params(F)`: how many numbers a declaration learns, as a size."""
    given = Given(body, call, 1, ())
    base = evaluate(body, given.values[0])
    if isinstance(base, Callee):
        from repc.elaborate.counting import parameter_count

        return Static(statics.settled(parameter_count(body, base, call.span)))
    raise stop("declaration-expected", call.span, name="the argument", found=describe(base))


def cost(body: Body, call: tree.Call) -> Value:
    """`cost(F)`, `flops(F)`: floating point operations of one application, as a size."""
    given = Given(body, call, 1, ())
    base = evaluate(body, given.values[0])
    if isinstance(base, Callee):
        from repc.elaborate.counting import operation_count

        return Static(statics.settled(operation_count(body, base, call.span)))
    raise stop("declaration-expected", call.span, name="the argument", found=describe(base))


def degree(body: Body, call: tree.Call) -> Value:
    """`degree(cost(F), N)`: the highest power of an axis's size in a formula."""
    from repc.elaborate.counting import degree_in
    from repc.elaborate.shapes import known, size_of

    given = Given(body, call, 2, ())
    formula, name = size_of(body, given.values[0], bounded=False), given.values[1]
    axes = known(body, name) if isinstance(name, tree.Name) else None
    if axes is None or len(axes) != 1:
        raise stop("axis-expected", name.span)
    found = degree_in(formula, axes[0].label)
    if found is None:
        raise stop(
            "static-needed", call.span, what="a degree", reason=f"{axes[0].label} stands under a floor or a fraction"
        )
    return Static(statics.settled(found))
