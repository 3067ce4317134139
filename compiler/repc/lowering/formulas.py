"""Slots that start as a formula: its value is computed where the module is made."""

from __future__ import annotations

from repc.dims import Symbol
from repc.ir import Node
from repc.lowering.body import Body
from repc.lowering.faults import LoweringFault
from repc.lowering.naming import Names
from repc.lowering.owner import Owner
from repc.lowering.sizes import RunTimeSizes, SizeNames
from repc.lowering.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.constructor import Constructor
    from repc.lowering.statements import Statement


def formula(constructor: Constructor, node: Node, sizes: SizeNames) -> tuple[list[Statement], Value]:
    """The initial value of a slot in terms of sizes, after the statements that it needs.

    Raises `LoweringFault` for one that depends on an input or on another slot.
    """

    def unknown(symbol: Symbol) -> str:
        raise LoweringFault("slot-needs-run-time-size", node.origin, {"slot": node.attrs["path"], "size": symbol.name})

    known = RunTimeSizes(dict(sizes.spelled), (), Names(), unknown)
    owner = Owner(constructor.context, constructor.graph, known, {})
    body = Body(owner, constructor.graph.with_(results=(("", node.args[0]),), sites=()), {})
    if any(body.nodes[one].kind in ("input", "slot", "read", "draw") for one in body.needed):
        raise LoweringFault("slot-needs-input", node.origin, {"slot": node.attrs["path"]})
    body.run()
    return body.statements, body.value(node.args[0])
