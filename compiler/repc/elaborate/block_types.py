"""What a block argument says of formals (LANGUAGE.md 1.7, 2.7).

`mixer: [Seq, Width] -> [Seq, Width]` given a declaration `(x: [T, D]) -> [T, D]` with `dim T: seq, D = 64`
makes `Width` that D, and `Seq` an axis of the kind of T.
"""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.values import BlockValue, Callee
from repc.names.entries import DimEntry
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from repc.elaborate.body import Body
    from repc.elaborate.instances import Request
    from repc.elaborate.scope import Scope
    from repc.elaborate.signature import Parameter, Signature


def bind_formals(body: Body, request: Request, sig: Signature, scope: Scope) -> None:
    """Formals that stand where a block argument has an axis of known size are that axis; others take the kind."""
    for parameter in sig.of_role("block"):
        callee = given(body, request, parameter)
        if callee is None:
            continue
        for formal, axis in pairs(body, parameter, callee):
            known = scope.axes.get(formal, ())
            if formal not in dict(sig.formals) or len(known) != 1:
                continue
            own = known[0]
            free = axis.size.symbol == axis.label and axis.label not in body.context.values
            kind = axis.kind if own.kind == "plain" else own.kind
            scope.axes[formal] = (Axis(own.label, own.size, kind, own.space, axis.ragged) if free else axis,)


def given(body: Body, request: Request, parameter: Parameter) -> Callee | None:
    """The declaration that a parameter gets."""
    value = request.blocks.get(parameter.name)
    if value is None and isinstance(parameter.node.default, tree.Name):
        from repc.elaborate.expressions import evaluate

        value = evaluate(body, parameter.node.default)
    if isinstance(value, BlockValue):
        return value.callee
    return value if isinstance(value, Callee) else None


def pairs(body: Body, parameter: Parameter, callee: Callee) -> Iterator[tuple[str, Axis]]:
    """(formal of the parameter's type, axis of the declaration) at the same place of both."""
    from repc.elaborate.instances import declaration

    kind = parameter.node.type
    if not isinstance(kind, tree.Binary) or kind.op != "->":
        return
    module, node = declaration(body.context, callee)
    written = [param.type for param in node.params or () if isinstance(param.type, tree.AxesExpr | tree.Binary)]
    wanted = kind.left.items if isinstance(kind.left, tree.TupleExpr) else (kind.left,)
    own = {formal.name.text for formal in node.formals or ()}
    for left, right in [*zip(wanted, written, strict=False), (kind.right, node.result)]:
        for one, other in zip(shape(left), shape(right), strict=False):
            if not isinstance(one.size, tree.Name) or not isinstance(other.size, tree.Name) or other.variadic:
                continue
            entry = None if other.size.text in own else body.context.find(module, other.size.text)
            if isinstance(entry, DimEntry):
                yield one.size.text, body.context.axis(entry)


def shape(type_: tree.Node | None) -> tuple[tree.AxisItem, ...]:
    """The axes of a written type."""
    while isinstance(type_, tree.Binary):
        type_ = type_.left
    return type_.axes if isinstance(type_, tree.AxesExpr) else ()
