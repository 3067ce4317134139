"""Values that are absent in places (LANGUAGE.md 4.8, 4.9): `f(x, where: mask)` and `; empty: skip`.

A body keeps for such a value the condition under which it is there. Element-wise operations keep it, selections take it
along, and the nearest enclosing reduction leaves out what is absent.
"""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Symbol
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Callee, Fields, Function, Member, Members, Static, Tensor
from repc.ops.classes import Index, Pointwise, Reduce, Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from repc.elaborate.body import Body
    from repc.elaborate.values import Value
    from repc.types import Axis

WORD = "where"


def condition_of(body: Body, func: Value, call: tree.Call) -> tuple[tree.Call, tree.Arg] | None:
    """The call without its `where:`, and that argument; None where there is none or the callee takes it itself."""
    given = next((arg for arg in call.args if arg.name is not None and arg.name.text == WORD), None)
    if given is None or not isinstance(func, Callee | BlockValue | Member | Function) or takes(body, func):
        return None
    return tree.Call(call.span, call.func, tuple(arg for arg in call.args if arg is not given)), given


def takes(body: Body, func: Callee | BlockValue | Member | Function) -> bool:
    """Whether what is called declares a parameter `where`."""
    if isinstance(func, Function):
        return any(param.name.text == WORD for param in func.node.params or ())
    from repc.elaborate.instances import declaration
    from repc.elaborate.signature import signature

    block = func.block if isinstance(func, Member) else func
    if isinstance(block, Members):
        block = block.blocks[0]
    callee = block.callee if isinstance(block, BlockValue) else block
    module, node = declaration(body.context, callee)
    return signature(body.context, module, node).get(WORD) is not None


def only_where(body: Body, value: Value, given: tree.Arg) -> Value:
    """What a call gives, at the places alone where the condition holds; its axes are lifted axes of the call."""
    from repc.elaborate.expressions import evaluate

    condition = evaluate(body, given.value)
    if isinstance(condition, Static) and condition.value is True:
        return value
    mask = body.tensor(condition, given.span)
    if mask.type.kind.name != "bool":
        raise stop("kind-mismatch", given.value.span, wanted="bool", found=mask.type.kind)
    return marked(body, value, mask, given.span)


def marked(body: Body, value: Value, mask: Tensor, span: Span) -> Value:
    """The value, or every field of it, absent where the mask is false."""
    if isinstance(value, Fields):
        return Fields(tuple((name, marked(body, inner, mask, span)) for name, inner in value.items), value.call)
    made = body.tensor(value, span)
    strange = [axis.label for axis in mask.type.axes if made.type.axis(axis.label) is None]
    if strange:
        raise stop("condition-does-not-nest", span, axes=strange, type=made.type)
    if made.type.kind.name == "float":
        # Whatever was computed at an absent place stays out of values and gradients.
        made = body.bare("where", [mask, made, body.const(0.0, span)], span, {}, share=False)
    else:
        made = body.bare("where", [mask, made, made], span, {}, share=False)
    body.present[made.node] = mask
    return made


def applied(
    body: Body,
    op: str,
    operands: Sequence[Tensor],
    masks: Sequence[Tensor | None],
    attrs: Mapping[str, object],
    span: Span,
) -> Tensor:
    """A primitive on operands of which some are absent in places."""
    from repc.ops import REGISTRY

    declared = REGISTRY[op]
    if isinstance(declared, Pointwise):
        return kept(body, body.bare(op, operands, span, attrs), together(body, masks, span), span)
    if isinstance(declared, Reduce) and any(attribute.name == "masked" for attribute in declared.attributes):
        return left(body, op, operands, masks, attrs, span)
    if isinstance(declared, Index | Shape) and masks[0] is not None and not any(masks[1:]):
        mask = spread(body, masks[0], operands[0].type.axes, span)
        moved = body.bare(op, [mask, *operands[1:]], span, attrs)
        return kept(body, body.bare(op, operands, span, attrs), moved, span)
    raise stop("absent-in-places", span, what=f"`{op}`")


def left(
    body: Body,
    op: str,
    operands: Sequence[Tensor],
    masks: Sequence[Tensor | None],
    attrs: Mapping[str, object],
    span: Span,
) -> Tensor:
    """A reduction over what is there; a set of which nothing is there has no value of its own."""
    over: tuple[Symbol, ...] = attrs["over"]  # type: ignore[assignment]
    value, mask = operands[0], together(body, masks, span)
    if not any(mask.type.axis(label) is not None for label in over):
        return kept(body, body.bare(op, operands, span, attrs), mask, span)
    condition = spread(body, mask, tuple(axis for axis in value.type.axes if axis.label in over), span)
    if attrs.get("masked"):
        condition = body.bare("and", [condition, operands[1]], span, {})
    own = {**attrs, "masked": True}
    total = op in {"sum", "prod", "any", "all", "count"}
    if not total and own.get("empty") is None:
        own["empty"] = "skip"
    return skipping(body, body.bare(op, [value, condition], span, own), condition, own, span)


def skipping(body: Body, made: Tensor, condition: Tensor, attrs: Mapping[str, object], span: Span) -> Tensor:
    """A reduction with `empty: skip` is absent where its condition left nothing."""
    over: tuple[Symbol, ...] = attrs["over"]  # type: ignore[assignment]
    kept_axes = [axis for axis in condition.type.axes if axis.label not in over]
    if attrs.get("empty") != "skip" or not kept_axes:
        return made
    own = tuple(label for label in over if condition.type.axis(label) is not None)
    body.present[made.node] = body.bare("any", [condition], span, {"over": own})
    return made


def kept(body: Body, made: Tensor, mask: Tensor, span: Span) -> Tensor:
    """The value with its condition."""
    body.present[made.node] = mask
    return made


def together(body: Body, masks: Sequence[Tensor | None], span: Span) -> Tensor:
    """Where all operands are there."""
    found = [mask for mask in masks if mask is not None]
    made = found[0]
    for mask in found[1:]:
        made = made if mask.node == made.node else body.bare("and", [made, mask], span, {})
    return made


def spread(body: Body, mask: Tensor, axes: tuple[Axis, ...], span: Span) -> Tensor:
    """A condition over all of these axes."""
    missing = tuple(axis for axis in axes if mask.type.axis(axis.label) is None)
    return body.bare("expand", [mask], span, {"axes": missing}) if missing else mask


def carried(body: Body, result: Value, args: Sequence[Tensor], lift: tuple[Axis, ...], span: Span) -> Value:
    """A call on values that are absent along lifted axes is absent there too."""
    for arg in args:
        mask = body.present.get(arg.node)
        if mask is None:
            continue
        if any(all(axis.label != free.label for free in lift) for axis in mask.type.axes):
            raise stop("absent-in-places", span, what="this call")
        result = marked(body, result, mask, span)
    return result


def captured(body: Body, name: str, value: Tensor, span: Span) -> None:
    """The condition of a value of an enclosing body comes in with it."""
    outer = body.parent
    while outer is not None and value.node not in outer.present:
        outer = outer.parent
    if outer is not None:
        body.present[name] = body.tensor(outer.present[value.node], span)
