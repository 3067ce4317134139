"""`extern`: a Python function of the user with a declared type (LANGUAGE.md 8.5, 12b c)."""

from __future__ import annotations

import re

from rep_grammar import tree
from repc.dims import Dim
from repc.elaborate.body import Body
from repc.elaborate.shapes import type_of
from repc.elaborate.signature import Signature
from repc.elaborate.stop import stop
from repc.elaborate.values import Static, Tensor
from repc.ir import ClaimNote
from repc.types import Axis

# The text becomes part of the generated code.
CALL = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def extern_body(body: Body, node: tree.Declaration, sig: Signature) -> None:
    """The call of the function is the body's result; data goes by position, config by name."""
    target = called(node)
    operands: list[Tensor] = []
    options: list[tuple[str, object]] = []
    for parameter in sig.parameters:
        value = body.scope.find(parameter.name)
        if parameter.role == "data" and isinstance(value, Tensor):
            operands.append(value)
        elif isinstance(value, Static) and isinstance(value.value, int | float | str | Dim):
            options.append((parameter.name, value.value))
        elif not isinstance(value, Static) or value.value is not None:
            raise stop("extern-parameter", parameter.node.span, name=parameter.name)
    if node.result is None or not operands:
        raise stop("type-needed", node.name.span, name=node.name.text)
    type_ = type_of(body, node.result)
    kind = type_.kind
    if type_.fields or kind.name not in {"float", "bool", "int", "index"}:
        raise stop("extern-parameter", node.result.span, name="the result")
    attrs: dict[str, object] = {
        "call": target,
        "written": tuple(operand.type.labels for operand in operands),
        "axes": type_.axes,
        "kind": kind.name,
        "options": tuple(options),
    }
    if kind.space is not None and kind.size is not None:
        attrs["values"] = Axis(kind.space, kind.size, "plain", kind.space)
    body.result = body.prim("extern", operands, node.name.span, **attrs)
    body.returned = node.result.span


def called(node: tree.Declaration) -> str:
    """The one field, `call: "module:function"`."""
    found = ""
    for statement in node.body.stmts:
        if not isinstance(statement, tree.Annotated) or statement.value is not None or found:
            raise stop("extern-call", statement.span, name=node.name.text)
        value = statement.type
        named = isinstance(statement.target, tree.Name) and statement.target.text == "call"
        if not named or not isinstance(value, tree.String) or CALL.fullmatch(value.value) is None:
            raise stop("extern-call", value.span, name=node.name.text)
        found = value.value
    if not found:
        raise stop("extern-call", node.name.span, name=node.name.text)
    return found


def axioms(claims: list[ClaimNote]) -> list[ClaimNote]:
    """Nothing of the function is known but what is claimed, so that is assumed (8.5)."""
    return [ClaimNote(claim.name, claim.args, True, claim.span) for claim in claims]
