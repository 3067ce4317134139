"""Inputs, constants, parameters and cells: read, and given new values."""

from __future__ import annotations

from repc.dims import Dim
from repc.ir import Node
from repc.lowering import naming
from repc.lowering.body import Body
from repc.lowering.expression import call, expr, literal
from repc.lowering.statements import Assign
from repc.lowering.values import NONE, Value


def emit_input(body: Body, node: Node) -> Value:
    """What the caller gives."""
    given = body.ports[node.attrs["port"]]
    return Value(given.code, node.type, given.lead, given.plain, given.fields)


def emit_const(body: Body, node: Node) -> Value:
    """A number, a truth value, a text or a size."""
    value = node.attrs["value"]
    code = body.owner.sizes.number(value) if isinstance(value, Dim) else literal(value)
    return Value(code, node.type, NONE, plain=True)


def emit_slot(body: Body, node: Node) -> Value:
    """A parameter of this module."""
    owner = body.owner
    block = node.attrs.get("of")
    if not block:
        return Value(owner.attribute(node.attrs["path"]), node.type, owner.slots)
    own = naming.attribute(node.attrs["path"].removeprefix(f"{block}."))
    return Value(expr("{x}." + own, x=owner.attribute(block)), node.type, owner.slots)


def emit_read(body: Body, node: Node) -> Value:
    """A cell, as it is at the start of the step, or as the applications before this one have left it."""
    stored = body.owner.attribute(node.attrs["cell"])
    if node.attrs.get("pending", False):
        stored = call("writes.pending", literal(node.attrs["cell"]), stored)
    return Value(stored, node.type, NONE)


def emit_effect(body: Body, node: Node) -> Value:
    """The next value of a cell, given to whoever writes the cells when the step ends."""
    value = body.value(node.args[0])
    put = call("writes.put", literal(node.attrs["target"]), value.code)
    body.statements.append(Assign((), put, (node.name,), node.origin))
    return value
