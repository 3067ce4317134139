"""Declarations as laws: `x1 ~ crop(img.x)` applies an encoder whose draws are made anew (LANGUAGE.md 5.1)."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body
from repc.elaborate.calls import call_declaration
from repc.elaborate.finish import INNER, is_random
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Callee
from repc.names.entries import DeclarationEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def declared_law(body: Body, one: tree.OneDraw, call: tree.Call) -> Value | None:
    """The value of a draw whose law is a declaration; None where it is one of the built-in laws.

    The declaration must draw, and it owns nothing: what it would own has no name to live under.
    """
    callee = called(body, call)
    if callee is None:
        return None
    if one.once or one.eval is not None:
        raise stop("law-without-option", one.span, name=callee.title, option="once" if one.once else "eval")
    before = len(body.blocks)
    value = call_declaration(body, callee, call)
    if isinstance(value, BlockValue):
        raise stop("missing-argument", call.span, name="x", callee=callee.title)
    made = [block for block in body.blocks[before:] if block.callee == callee and block.span == call.span]
    if not any(is_random(body, block.graph) for block in made):
        raise stop("law-does-not-draw", call.func.span, name=callee.title)
    if any(holds(body, block.graph) for block in made):
        raise stop("law-owns", call.func.span, name=callee.title)
    if one.type is not None:
        from repc.elaborate.definitions import conform
        from repc.elaborate.shapes import type_of

        return conform(body, value, type_of(body, one.type), call.span)
    return value


def called(body: Body, call: tree.Call) -> Callee | None:
    """The declaration that stands before the parentheses, if it is one."""
    assert isinstance(call.func, tree.Name)
    found = body.scope.find(call.func.text)
    if found is not None:
        return found if isinstance(found, Callee) else None
    entry = body.context.find(body.module, call.func.text)
    if not isinstance(entry, DeclarationEntry):
        return None
    from repc.elaborate.instances import callee_of

    return callee_of(body, entry)


def holds(body: Body, key: str) -> bool:
    """Whether a graph has slots or cells, or one inside."""
    graph = body.context.graphs.get(key)
    if graph is None:
        return False
    inner = (str(node.attrs.get(field)) for node in graph.nodes for field in INNER if node.attrs.get(field))
    stored = bool(graph.cells) or any(node.kind == "slot" for node in graph.nodes)
    return stored or any(holds(body, other) for other in inner)


__all__ = ["declared_law"]
