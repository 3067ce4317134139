"""Banks of fixed length."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given, present
from repc.elaborate.stop import stop
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def push(body: Body, call: tree.Call) -> Value:
    """`push(bank, k, over: [B, T])`: the new rows in front, the oldest fall out at the end.

    `over`: the axes of `k` that count rows; by default those that the bank has not.
    """
    given = Given(body, call, 2, ("over",))
    bank, new = given.tensor(0), given.tensor(1)
    wanted = given.axes("over")
    if wanted is not None:
        over = present(given, new, wanted, "over")
    else:
        over = tuple(axis.label for axis in new.type.axes if bank.type.axis(axis.label) is None)
    rest = [axis.label for axis in new.type.axes if axis.label not in over]
    rows = [axis for axis in bank.type.axes if axis.label not in rest]
    if len(rows) != 1 or not over or any(bank.type.axis(label) is None for label in rest):
        raise stop("push-rows", call.span, bank=bank.type, new=new.type)
    count = Dim.of(1)
    for label in over:
        axis = new.type.axis(label)
        assert axis is not None
        count = count * axis.size
    place, whole = body.fresh("new"), body.fresh("rows")
    flat = body.prim("reshape", [new], call.span, **{"from": over, "to": (Axis(place, count, "plain", place),)})
    along = (place, rows[0].label)
    total = Axis(whole, count + rows[0].size, "plain", whole)
    joined = body.prim("concat", [flat, bank], call.span, along=along, **{"as": total})
    kept = body.prim("slice", [joined], call.span, axis=whole, start=Dim.of(0), stop=rows[0].size, **{"as": rows[0]})
    order = bank.type.labels
    return kept if kept.type.labels == order else body.prim("transpose", [kept], call.span, order=order)
