"""Targets of a train: cells that follow a block or a slot (LANGUAGE.md 3.8)."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.stop import stop
from repc.elaborate.transformers import transformed
from repc.elaborate.values import BlockValue, Parts, Static, Tensor
from repc.elaborate.vocabulary import treatment
from repc.ir import Attrs, Cell, Origin, Target, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.scope import Scope


def follow(body: Body, place: tree.Expr, slot: tree.Slot) -> Target:
    """One target of a `target` line, bound to its name."""
    call = slot.value
    if not isinstance(call, tree.Call) or not isinstance(call.func, tree.Name):
        raise stop("block-expected", slot.span, callee="target", found="this")
    word = treatment(body, call)
    if isinstance(place, tree.Index):
        return one_of(body, place, call, word)
    if not isinstance(place, tree.Name):
        raise stop("target-expected", place.span)
    first = evaluate(body, call.args[0].value) if call.args else None
    if isinstance(first, Tensor) and body.nodes[first.node].kind == "slot":
        return following_slot(body, place, first, word, slot)
    value = followed(body, call)
    path = body.unique_path(place.text.replace("'", "_target"))
    value.path = path
    body.blocks.append(value)
    body.scope.bind(place.text, value, place.span, fixed=True)
    return Target(path, origin_of(value), word, Origin(slot.span))


def followed(body: Body, call: tree.Call) -> BlockValue:
    assert isinstance(call.func, tree.Name)
    value = transformed(body, call.func.text, call)
    if not isinstance(value, BlockValue):
        raise stop("block-expected", call.span, callee="target", found=describe(value))
    return value


def origin_of(value: BlockValue) -> str:
    return value.origin.path if value.origin is not None else ""


def following_slot(body: Body, place: tree.Name, of: Tensor, word: Word, slot: tree.Slot) -> Target:
    """`target p' = snapshot(p)`: a parameter is a block with one slot."""
    path = body.unique_path(place.text.replace("'", "_target"))
    body.cells.append(Cell(path, of.type, Word("constant", (("value", 0.0),)), Origin(slot.span)))
    value = body.add("read", (), Attrs(cell=path), of.type, slot.span)
    body.scope.bind(place.text, value, place.span, fixed=True)
    return Target(path, str(body.nodes[of.node].attrs["path"]), word, Origin(slot.span))


def one_of(body: Body, place: tree.Index, call: tree.Call, word: Word) -> Target:
    """`target phi[t] = snapshot(f, at: stage_end)`: one member of a family, which all stages share."""
    entry = place.subs.items[0].value if len(place.subs.items) == 1 else None  # type: ignore[union-attr]
    if not isinstance(place.base, tree.Name) or not isinstance(entry, tree.Name):
        raise stop("target-expected", place.span)
    turn = evaluate(body, entry)
    parts = parts_in(body.scope)
    if not isinstance(turn, Static) or not isinstance(turn.value, int) or parts is None:
        raise stop("part-expected", place.span, name=place.base.text)
    family = body.scope.find(place.base.text)
    if family is None:
        family = followed(body, call)
        family.path = body.unique_path(place.base.text.replace("'", "_target"))
        family.per = (parts.axis, *family.per)
        body.blocks.append(family)
        outermost(body.scope).bind(place.base.text, family, place.base.span, fixed=True)
    assert isinstance(family, BlockValue)
    row = Word(word.name, (*word.args, ("row", turn.value)))
    return Target(family.path, origin_of(family), row, Origin(place.span))


def parts_in(scope: Scope) -> Parts | None:
    """The parts of a source that are in scope."""
    at: Scope | None = scope
    while at is not None:
        for value in at.names.values():
            if isinstance(value, Parts):
                return value
        at = at.parent
    return None


def outermost(scope: Scope) -> Scope:
    """The scope of the train's own statements: the one that holds the parts."""
    at: Scope | None = scope
    while at is not None:
        if any(isinstance(value, Parts) for value in at.names.values()):
            return at
        at = at.parent
    return scope


__all__ = ["follow"]
