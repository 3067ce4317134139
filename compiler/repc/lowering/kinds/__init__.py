"""Code of each kind of node: one function a kind, from the node and the values of its arguments to its own value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repc.ir import Node
from repc.lowering.body import Body
from repc.lowering.kinds.applies import emit_apply
from repc.lowering.kinds.branches import emit_branch
from repc.lowering.kinds.draws import emit_draw
from repc.lowering.kinds.grads import emit_grad
from repc.lowering.kinds.loops import emit_loop
from repc.lowering.kinds.memories import emit_memory
from repc.lowering.kinds.prims import emit_prim
from repc.lowering.kinds.sources import emit_const, emit_effect, emit_input, emit_read, emit_slot
from repc.lowering.values import Value

EMITTERS: Mapping[str, Callable[[Body, Node], Value]] = {
    "input": emit_input,
    "const": emit_const,
    "slot": emit_slot,
    "read": emit_read,
    "effect": emit_effect,
    "prim": emit_prim,
    "draw": emit_draw,
    "branch": emit_branch,
    "grad": emit_grad,
    "memory": emit_memory,
    "apply": emit_apply,
    "loop": emit_loop,
}
