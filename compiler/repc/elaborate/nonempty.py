"""Conditions in force, and proofs that a condition holds somewhere (LANGUAGE.md 4.6, 4.8)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

from rep_grammar import tree
from repc.dims import AtLeast, Dim, Symbol
from repc.elaborate.values import Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.body import Body


@contextmanager
def under(body: Body, condition: tree.Expr | None) -> Iterator[None]:
    """Comparisons of a conjunction may be used in proofs inside the body."""
    with given(body, [] if condition is None else atoms(body, condition)):
        yield


@contextmanager
def unless(body: Body, condition: tree.Expr) -> Iterator[None]:
    """The opposite of a comparison may be used where the condition is false."""
    apart = body.apart
    try:
        with given(body, opposite(body, condition)):
            yield
    finally:
        body.apart = apart


@contextmanager
def given(body: Body, facts: list[AtLeast]) -> Iterator[None]:
    """Facts of a condition, apart from those that hold everywhere."""
    before = body.assumed, body.conditions
    body.assumed = (*body.assumed, *facts)
    body.conditions = (*body.conditions, *facts)
    try:
        yield
    finally:
        body.assumed, body.conditions = before


def opposite(body: Body, condition: tree.Expr) -> list[AtLeast]:
    """What holds where a comparison, or every side of a disjunction, is false."""
    from repc.elaborate.subscripts import affine

    if not isinstance(condition, tree.Binary):
        return []
    if condition.op == "or":
        return opposite(body, condition.left) + opposite(body, condition.right)
    if condition.op not in {"<", "<=", ">", ">=", "=="}:
        return []
    left, right = affine(body, condition.left), affine(body, condition.right)
    if left is None or right is None:
        return []
    if condition.op == "==":
        body.apart = (*body.apart, (left, right))
        if body.at_least(left, right) is True:
            return [AtLeast(left, right + 1)]
        return [AtLeast(right, left + 1)] if body.at_least(right, left) is True else []
    if condition.op in {">", ">="}:
        left, right = right, left
    low = right + (0 if condition.op in {"<", ">"} else 1)
    # Two numbers of which one is at least the other, and that differ, are one apart.
    apart = any({left - a, low - b} == {Dim.of(0)} or {left - b, low - a} == {Dim.of(0)} for a, b in body.apart)
    return [AtLeast(left, low + (1 if apart else 0))]


def atoms(body: Body, condition: tree.Expr) -> list[AtLeast]:
    """What a condition says about sizes and indices."""
    from repc.elaborate.subscripts import affine

    if not isinstance(condition, tree.Binary):
        return []
    if condition.op == "and":
        return atoms(body, condition.left) + atoms(body, condition.right)
    if condition.op not in {"<", "<=", ">", ">=", "=="}:
        return []
    left, right = affine(body, condition.left), affine(body, condition.right)
    if left is None or right is None:
        return []
    if condition.op == "==":
        return [AtLeast(left, right), AtLeast(right, left)]
    if condition.op in {">", ">="}:
        left, right = right, left
    gap = 1 if condition.op in {"<", ">"} else 0
    return [AtLeast(right, left + gap)]


def nonempty(body: Body, indices: list[Index], condition: tree.Expr) -> bool:
    """Whether some value of the (last) index satisfies the condition, whatever the others are."""
    index = indices[-1]
    if index.axis is None:
        return False
    before = body.assumed
    try:
        if condition_differs(body, condition):
            return body.at_least(index.axis.size, 2) is True
        if any(holds(body, condition, index, witness) for witness in witnesses(body, index, condition)):
            return True
        return len(indices) > 1 and somewhere(body, indices, condition)
    finally:
        body.assumed = before


def somewhere(body: Body, indices: list[Index], condition: tree.Expr) -> bool:
    """Whether the condition is proved with every index at one end of its axis."""
    ends: list[list[Dim]] = []
    for index in indices:
        if index.axis is None:
            return False
        ends.append([Dim.of(0), index.axis.size - 1])
    return any(
        proved_at(body, condition, {own(index): end + 1 for index, end in zip(indices, places, strict=True)})
        for places in product(*ends)
    )


def condition_differs(body: Body, condition: tree.Expr) -> bool:
    """`n != m`: true somewhere as soon as there are two."""
    return isinstance(condition, tree.Binary) and condition.op == "!="


def witnesses(body: Body, index: Index, condition: tree.Expr) -> list[Dim]:
    """Values worth trying: the ends, and what the condition compares the index with."""
    from repc.elaborate.subscripts import affine

    found = [Dim.of(0)]
    if index.axis is not None:
        found.append(index.axis.size - 1)
    for node in tree.walk(condition):
        if isinstance(node, tree.Binary) and node.op in {"<", "<=", ">", ">=", "=="}:
            for side in (node.left, node.right):
                value = affine(body, side)
                if value is not None and own(index) not in value.symbols():
                    found += [value, value - 1, value + 1]
    return found


def own(index: Index) -> Symbol:
    return Symbol(index.name, f"{index.label.scope}?")


def holds(body: Body, condition: tree.Expr, index: Index, witness: Dim) -> bool:
    """Whether the condition is proved at the witness, which must itself be in range."""
    assert index.axis is not None
    in_range = body.at_least(witness, 0) is True and body.at_least(index.axis.size - 1, witness) is True
    return in_range and proved(body, condition, index, witness)


def proved(body: Body, condition: tree.Expr, index: Index, witness: Dim) -> bool:
    return proved_at(body, condition, {own(index): witness + 1})


def proved_at(body: Body, condition: tree.Expr, place: dict[Symbol, Dim]) -> bool:
    """Whether comparisons are proved with indices at some places; a place stands one below its symbol."""
    if not isinstance(condition, tree.Binary):
        return False
    if condition.op == "or":
        return proved_at(body, condition.left, place) or proved_at(body, condition.right, place)
    if condition.op == "and":
        return proved_at(body, condition.left, place) and proved_at(body, condition.right, place)
    facts = atoms(body, condition)
    return bool(facts) and all(body.at_least(f.left.subst(place), f.right.subst(place)) is True for f in facts)
