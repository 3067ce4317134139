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
