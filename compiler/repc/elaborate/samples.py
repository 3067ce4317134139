"""Statements that only `data` bodies have: settings, sources of their own, tables (LANGUAGE.md 12b, 13.2)."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim
from repc.elaborate.body import Body, describe
from repc.elaborate.stop import stop
from repc.elaborate.values import Static
from repc.ir import Attrs
from repc.types import INT, Type, index_of

SETTINGS = ("size", "held_out")


def setting(body: Body, name: tree.Name, value: tree.Expr) -> None:
    """`size: 4000`: how many samples there are where the data line does not say."""
    from repc.elaborate.expressions import evaluate

    if name.text not in SETTINGS:
        raise stop("setting-not-here", name.span, name=name.text)
    found = evaluate(body, value)
    if not isinstance(found, Static) or not isinstance(found.value, int | Dim) or isinstance(found.value, bool):
        raise stop("number-needed", value.span, what=f"`{name.text}`", found=describe(found))
    body.settings[name.text] = Dim.of(found.value)


def source(body: Body, slot: tree.Slot) -> None:
    """`data img = digits()`: each sample has one of the inner source; with `over: M` it has M, all different."""
    from repc.elaborate.sources import open_source

    if slot.value is None:
        raise stop("value-needed", slot.span, name="the source")
    for target in slot.targets:
        if not isinstance(target, tree.Name):
            raise stop("target-expected", target.span)
        use, value = open_source(body, target.text, slot.value)
        body.sources.append(use)
        body.scope.bind(target.text, value, target.span)


def table(body: Body, statement: tree.TableStmt) -> None:
    """`table a in G, b in G`: the full product, the last entry running fastest."""
    from repc.elaborate.shapes import axes_of

    number = body.add("input", (), Attrs(port="sample"), Type((), INT), statement.span)
    body.inputs.append(number.node)
    whole = Dim.of(1)
    for entry in reversed(statement.entries):
        axes = axes_of(body, entry.over)
        if len(axes) != 1:
            raise stop("axis-expected", entry.over.span)
        (axis,) = axes
        turn = number
        if whole.constant != 1:
            turn = body.prim("floordiv", [turn, body.const(whole, entry.span)], entry.span)
        rest = body.prim("mod", [turn, body.const(axis.size, entry.span)], entry.span)
        kind = index_of(axis.space, axis.size)
        place = rest
        if rest.type.kind != kind:
            place = body.prim("index", [rest], entry.span, space=kind.space, size=kind.size)
        body.scope.bind(entry.name.text, place, entry.name.span)
        body.sites[entry.name.text] = place.node
        whole = whole * axis.size
    body.settings["size"] = whole
    body.settings["table"] = True
