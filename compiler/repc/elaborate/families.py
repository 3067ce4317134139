"""Families of blocks, slots and cells: `model f[k in N] = F()`, `f[k](x)` (LANGUAGE.md 3.5).

A family is one block with slots along its axis (3.6), so `f[k](x)` applies all members and reads them along `k`.
"""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.reductions import give_range
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Fields, Index, Member, Members, Static, Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def family_axis(body: Body, target: tree.Index) -> tuple[tree.Name, Index, Axis]:
    """The name, index and axis of `f[k in N]`, the left side of a family."""
    subs = target.subs.items
    entry = subs[0].value if len(subs) == 1 and isinstance(subs[0], tree.SubExpr) else None
    if not isinstance(target.base, tree.Name):
        raise stop("target-expected", target.span)
    if not isinstance(entry, tree.Binary) or entry.op != "in" or not isinstance(entry.left, tree.Name):
        raise stop("binder-expected", target.subs.span)
    index = Index(entry.left.text, Symbol(entry.left.text, f"{body.key}#"), entry.left.span)
    give_range(body, index, entry.right)
    made = index.axis
    assert made is not None
    label = index.home if index.home is not None else made.space
    return target.base, index, Axis(label, made.size, made.kind, made.space, made.ragged)


def member_of(body: Body, block: BlockValue | Members, expr: tree.Index) -> Value:
    """`f[k]` of a family."""
    subs = expr.subs.items
    one = isinstance(block, BlockValue) and not block.per
    if one or len(subs) != 1 or not isinstance(subs[0], tree.SubExpr):
        name = block.path or block.hint if isinstance(block, BlockValue) else "the family"
        raise stop("not-a-family", expr.span, name=name)
    entry = subs[0].value
    found = body.scope.find(entry.text) if isinstance(entry, tree.Name) else None
    return Member(block, found if isinstance(found, Index) else evaluate(body, entry))


def call_member(body: Body, member: Member, expr: tree.Call) -> Value:
    """`f[k](x)`: one member, or each along an index."""
    from repc.elaborate.calls import apply_block, sort_arguments
    from repc.elaborate.instances import declaration
    from repc.elaborate.signature import signature
    from repc.elaborate.subscripts import ranged

    if isinstance(member.block, Members):
        return call_one_of(body, member.block, member.index, expr)
    block, axis = member.block, member.block.per[0]
    module, node = declaration(body.context, block.callee)
    sig = signature(body.context, module, node)
    index = member.index if isinstance(member.index, Index) else None
    if index is not None:
        ranged(body, index, axis, expr.span)
    arguments = sort_arguments(body, block.callee, sig, expr)
    if index is not None:
        arguments.data = {
            name: moved(body, value, index.label, axis.label, expr.span) for name, value in arguments.data.items()
        }
    made = apply_block(body, block, sig, arguments, expr.span)
    if index is not None:
        return moved(body, made, axis.label, index.label, expr.span)
    return picked(body, made, axis, member.index, expr.span)


def call_one_of(body: Body, family: Members, position: Value, expr: tree.Call) -> Value:
    """`f[k](x)` where the members differ: each is applied to its part of the arguments."""
    from repc.elaborate.alternatives import applied
    from repc.elaborate.calls import apply_block, sort_arguments
    from repc.elaborate.instances import declaration
    from repc.elaborate.signature import signature
    from repc.elaborate.subscripts import ranged

    index = position if isinstance(position, Index) else None
    if index is not None:
        ranged(body, index, family.axis, expr.span)
    first = family.blocks[0].callee
    sig = signature(body.context, *declaration(body.context, first))
    arguments = sort_arguments(body, first, sig, expr)
    whole = dict(arguments.data)
    label = index.label if index is not None else family.axis.label

    def one(block: BlockValue, place: int | None) -> Value:
        arguments.data = whole
        if place is not None:
            arguments.data = {name: part(body, value, label, place, expr.span) for name, value in whole.items()}
        return apply_block(body, block, sig, arguments, expr.span)

    made = applied(body, family, position, one)
    if index is not None:
        return moved(body, made, family.axis.label, index.label, expr.span)
    return made if isinstance(position, Static) else picked(body, made, family.axis, position, expr.span)


def part(body: Body, value: Value, label: Symbol, place: int, span: Span) -> Value:
    """What belongs to one member of a value that has the family's axis."""
    if isinstance(value, Fields):
        return Fields(tuple((name, part(body, item, label, place, span)) for name, item in value.items), value.call)
    if isinstance(value, Tensor) and value.type.axis(label) is not None:
        return body.prim("pick", [value], span, axis=label, at=Dim.of(place))
    return value


def moved(body: Body, value: Value, old: Symbol, new: Symbol, span: Span) -> Value:
    """A value with one label changed, where it has it."""
    if isinstance(value, Fields):
        items = tuple((name, moved(body, item, old, new, span)) for name, item in value.items)
        return Fields(items, value.call)
    if isinstance(value, Tensor) and value.type.axis(old) is not None:
        return body.prim("relabel", [value], span, labels=((old, new),))
    return value


def picked(body: Body, value: Value, axis: Axis, position: Value, span: Span) -> Value:
    """The result of one member."""
    if isinstance(value, Fields):
        return Fields(tuple((name, picked(body, item, axis, position, span)) for name, item in value.items))
    if not isinstance(value, Tensor) or value.type.axis(axis.label) is None:
        return value
    if isinstance(position, Static):
        number = body.number(position, span, "a member")
        if not isinstance(number, int) or number < 0 or body.at_least(axis.size - 1, number) is False:
            raise stop("index-out-of-range", span, axis=axis.label, size=axis.size)
    return body.prim("gather", [value, position], span, axes=(axis.label,))
