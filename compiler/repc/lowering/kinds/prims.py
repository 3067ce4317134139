"""Primitives: the op says how it is written, this puts the operands in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from repc.dims import Facts, Symbol
from repc.ir import Node
from repc.lowering.body import Body
from repc.lowering.contraction import contraction, with_bias
from repc.lowering.expression import Code, call, expr, literal, name, simpler, substituted
from repc.lowering.layout import aligned, dim_of
from repc.lowering.values import NONE, Value, joined_lead
from repc.ops import REGISTRY, Op
from repc.ops.lowering import LowerCall
from repc.ops.rules import union
from repc.types import NUMBER, Type


def emit_prim(body: Body, node: Node) -> Value:
    """The value of a primitive."""
    op = REGISTRY[node.attrs["op"]]
    if op.name == "record":
        fields = tuple(zip(node.attrs["names"], (body.value(arg) for arg in node.args), strict=True))
        return Value(name("record"), node.type, joined_lead(value.lead for _, value in fields), False, fields)
    if op.name == "field":
        return _field(body.value(node.args[0]), node)
    values = body.arguments(node)
    lead = joined_lead(value.lead for value in values)
    if op.name == "contract":
        return Value(contraction(values, node.type.labels, body.owner.sizes.size), node.type, lead)
    if _is_view(op, values):
        return Value(values[0].code, node.type, lead, values[0].plain)
    short = _SHORT.get(op.name)
    if short is not None:
        written = short(body, node, values)
        if written is not None:
            return Value(written, node.type, lead, all(value.plain for value in values) and not node.type.axes)
    if all(value.plain for value in values) and values:
        return Value(_on_numbers(body, op, node, values), node.type, NONE, plain=not node.type.axes)
    if op.name == "add" and len(values) == 2:
        with_bias_added = with_bias(*values) or with_bias(values[1], values[0])
        if with_bias_added is not None:
            return Value(with_bias_added, node.type, lead)
    operands = _aligned(values, body.graph.facts) if op.aligned else [value.code for value in values]
    return Value(_written(body, op, node, values, operands), node.type, lead)


def _field(record: Value, node: Node) -> Value:
    wanted = node.attrs["name"]
    found = record.field(wanted)
    if found is not None:
        return Value(found.code, node.type, found.lead, found.plain, found.fields)
    return Value(expr("{x}." + wanted, x=record.code) if wanted.isidentifier() else record.code, node.type, record.lead)


def _gathered(body: Body, node: Node, values: list[Value]) -> Code | None:
    """Entries at the counter of a loop, or rows of a table without leading dims that one index looks up."""
    table, *indices = values
    gone: tuple[Symbol, ...] = node.attrs["axes"]
    if all(index.plain for index in indices):
        code, labels = table.code, list(table.labels)
        for label, index in zip(gone, indices, strict=True):
            code = expr("{x}.select({dim}, {i})", x=code, dim=literal(dim_of(label, labels)), i=index.code)
            labels.remove(label)
        return code
    if table.lead != NONE or len(indices) != 1 or indices[0].plain or table.labels[:1] != gone:
        return None
    index = indices[0]
    if any(label in table.labels for label in index.labels) or node.type.labels != (*index.labels, *table.labels[1:]):
        return None
    if len(table.labels) == 2:
        return expr("F.embedding({i}, {w})", i=index.code, w=table.code)
    return expr("{w}[{i}]", w=table.code, i=index.code)


def _float(body: Body, node: Node, values: list[Value]) -> Code | None:
    """A literal as a float."""
    match values[0].code:
        case ast.Constant(value=int() | float() as number):
            return literal(float(number))
        case _:
            return None


def _expanded(body: Body, node: Node, values: list[Value]) -> Code | None:
    """A number as a tensor."""
    if not values[0].plain or node.type.kind.name != "float":
        return None
    owner = body.owner
    shape = [owner.sizes.size(axis.size) for axis in node.type.axes]
    words = {"dtype": owner.dtype_code(), "device": owner.device_code()}
    if isinstance(values[0].code, ast.Constant) and values[0].code.value == 0:
        return call("torch.zeros", *shape, **words)
    return call("torch.full", expr("{x}", x=shape), values[0].code, **words)


# Ops that have a shorter form than the general one for some operands.
_SHORT: Mapping[str, Callable[[Body, Node, list[Value]], Code | None]] = {
    "gather": _gathered,
    "float": _float,
    "expand": _expanded,
}


def _is_view(op: Op, values: list[Value]) -> bool:
    """Whether nothing happens to the tensor: labels are no part of it."""
    return op.name == "relabel" and len(values) == 1


def _aligned(values: list[Value], facts: Facts) -> list[Code]:
    wanted = tuple(axis.label for axis in union([value.type for value in values], facts))
    return [
        value.code if value.plain else aligned(value.code, value.labels, wanted, value.lead != NONE)
        for value in values
    ]  # fmt: skip


def _on_numbers(body: Body, op: Op, node: Node, values: list[Value]) -> Code:
    """An op of Python numbers, for instance of a loop's counter."""
    made = _written(body, op, node, values, [value.code for value in values])
    match made:
        case ast.UnaryOp(op=ast.Invert()):
            return ast.UnaryOp(ast.Not(), made.operand)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="where")):
            return ast.IfExp(made.args[0], made.args[1], made.args[2])
        case _:
            return made


def _written(body: Body, op: Op, node: Node, values: list[Value], operands: list[Code]) -> Code:
    holes = tuple(f"operand_{place}" for place in range(len(values)))
    types = tuple(Type((), NUMBER) if value.plain else value.type for value in values)
    owner = body.owner
    written = op.lower(
        LowerCall(
            op,
            holes,
            types,
            node.type,
            node.attrs,
            body.graph.facts,
            owner.size_text,
            owner.imports,
            ast.unparse(owner.device_code()),
            ast.unparse(owner.dtype_code()),
        )
    )
    code = ast.parse(written, mode="eval").body
    return simpler(substituted(code, dict(zip(holes, operands, strict=True))))
