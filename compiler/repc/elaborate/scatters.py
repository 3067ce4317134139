"""Writes at computed places of a cell: `bank[id[b], e] := z[b, e]` (LANGUAGE.md 4.11b)."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Symbol
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.reductions import find_range
from repc.elaborate.scope import Scope
from repc.elaborate.stop import stop
from repc.elaborate.subscripts import axis_named, home_of
from repc.elaborate.values import Index, Tensor
from repc.types import Axis


def computed(target: tree.Index) -> bool:
    """Whether a subscript of a left side is more than the name of an index."""
    return any(not isinstance(entry_of(sub), tree.Name | None) for sub in target.subs.items)


def entry_of(sub: tree.Node) -> tree.Expr | None:
    """What stands in a subscript; `i in A` binds like `i`."""
    entry = getattr(sub, "value", None)
    if isinstance(entry, tree.Binary) and entry.op == "in":
        return entry.left
    return entry if isinstance(entry, tree.Expr) else None


def scattered(body: Body, cell: Tensor, name: str, target: tree.Index, value: tree.Expr) -> Tensor:
    """The cell with new values at the places that one computed subscript names; the others run over their axes."""
    outer, assumed = body.scope, body.assumed
    body.scope = Scope(outer)
    try:
        return written(body, cell, name, target, value)
    finally:
        body.scope, body.assumed = outer, assumed


def written(body: Body, cell: Tensor, name: str, target: tree.Index, value: tree.Expr) -> Tensor:
    """The scatter, its subscripts told apart."""
    places: list[tuple[Axis, tree.Expr]] = []
    moves: list[tuple[Symbol, Symbol]] = []
    for axis, entry in subscripts(body, cell, target):
        if isinstance(entry, tree.Name) and not isinstance(body.scope.find(entry.text), Tensor):
            made = Index(entry.text, Symbol(entry.text, f"{body.key}#"), entry.span)
            made.axis = Axis(made.label, axis.size, axis.kind, axis.space, axis.ragged)
            made.home = home_of(body, axis)
            body.scope.bind(entry.text, made, entry.span, fixed=True)
            moves.append((made.label, axis.label))
        else:
            places.append((axis, entry))
    if len(places) != 1:
        raise stop("wrong-subscript-count", target.span, given=len(places), expected=1, type=cell.type, axes=[name])
    ((axis, entry),) = places
    bind_inner(body, entry, value)
    position = body.tensor(evaluate(body, entry), entry.span)
    if position.type.axes and not distinct(body, position.node):
        raise stop("scatter-may-collide", entry.span, index="the ids", cell=name)
    made_value = body.tensor(evaluate(body, value), value.span)
    own = tuple(pair for pair in moves if made_value.type.axis(pair[0]) is not None)
    if own:
        made_value = body.prim("relabel", [made_value], value.span, labels=own)
    if made_value.type.kind.name == "number" and cell.type.kind.name == "float":
        made_value = body.prim("float", [made_value], value.span)
    return body.prim("scatter", [cell, position, made_value], target.span, axis=axis.label)


def subscripts(body: Body, cell: Tensor, target: tree.Index) -> list[tuple[Axis, tree.Expr]]:
    """The axes of the cell with what stands in their subscripts."""
    made: list[tuple[Axis, tree.Expr]] = []
    subs = target.subs.items
    positional = iter(cell.type.axes)
    for sub in subs:
        axis = axis_named(body, cell, sub.name) if isinstance(sub, tree.SubPick) else next(positional, None)
        entry = entry_of(sub)
        if axis is None or entry is None:
            raise stop(
                "wrong-subscript-count", target.span, given=len(subs), expected=len(cell.type.axes), type=cell.type,
                axes=[own.label for own in cell.type.axes],
            )  # fmt: skip
        made.append((axis, entry))
    return made


def bind_inner(body: Body, entry: tree.Expr, value: tree.Expr) -> None:
    """Indices inside the computed place, `b` of `id[b]`: their ranges are those of what they subscript there."""
    for node in tree.walk(entry):
        if not isinstance(node, tree.Index):
            continue
        for sub in node.subs.items:
            inner = entry_of(sub)
            if isinstance(inner, tree.Name) and inner.text[:1].islower() and body.scope.find(inner.text) is None:
                made = Index(inner.text, Symbol(inner.text, f"{body.key}#"), inner.span)
                body.scope.bind(inner.text, made, inner.span, fixed=True)
                find_range(body, made, (entry, value))


def distinct(body: Body, name: str) -> bool:
    """Ids of a source are those of a minibatch without replacement, and a permutation repeats nothing."""
    node = body.nodes[name]
    while node.kind == "prim" and node.attrs["op"] in {"relabel", "transpose", "slice"}:
        node = body.nodes[node.args[0]]
    if node.kind == "draw":
        return bool(node.attrs["law"] == "permutation")
    return body.keyword == "train" and node.kind == "input" and str(node.attrs["port"]).endswith(".id")


__all__ = ["computed", "scattered"]
