"""A body is not evaluated where its condition is false (LANGUAGE.md 4.9).

Operations that are undefined somewhere get a safe operand there, so that neither a value nor a gradient of theirs that
is not finite reaches anything: zero times infinity is no number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rep_grammar.spans import Span
from repc.elaborate.body import Body
from repc.elaborate.values import Static, Tensor
from repc.ops import REGISTRY
from repc.ops.fields import Domain


@contextmanager
def where(body: Body, condition: Tensor | None) -> Iterator[None]:
    """Inside, operations count only where the condition holds."""
    before = body.guards
    if condition is not None:
        body.guards = (*before, condition)
    try:
        yield
    finally:
        body.guards = before


def guarded(body: Body, op: str, tensors: Sequence[Tensor], span: Span) -> list[Tensor]:
    """The operands of a partial operation, safe where a condition in force over the same axes is false."""
    made = list(tensors)
    for domain in REGISTRY[op].partial:
        if domain.operand >= len(made) or (op == "pow" and whole(body, made[1])):
            continue
        operand = made[domain.operand]
        if operand.type.kind.name != "float" or inside(operand, domain):
            continue
        for condition in body.guards:
            along = set(condition.type.labels) <= set(operand.type.labels)
            if along and condition.node in body.nodes:
                operand = body.prim("where", [condition, operand, Static(domain.safe)], span)
        made[domain.operand] = operand
    return made


def inside(operand: Tensor, domain: Domain) -> bool:
    """Whether every entry is known to lie where the operation and its slope exist."""
    known = operand.type.refine
    if known is None or known.name != "interval" or not known.within(domain.smooth):
        return False
    return all(
        point < known.low or point > known.high or (point == known.low and known.low_open) for point in domain.but
    )


def whole(body: Body, exponent: Tensor) -> bool:
    """Whether a power is one of whole numbers, which is defined everywhere but for 0^-n."""
    node = body.nodes.get(exponent.node)
    value = node.attrs["value"] if node is not None and node.kind == "const" else None
    return isinstance(value, int) and value >= 0
