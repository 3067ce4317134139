"""Values that are numbers once the sizes in them are: `1 / sqrt(D)` where a number is asked for."""

from __future__ import annotations

from rep_grammar.spans import Span
from repc.dims import Dim
from repc.elaborate import statics
from repc.elaborate.body import Body
from repc.elaborate.values import Static

OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "^"}


def folded(body: Body, name: str, span: Span, what: str) -> int | float | None:
    """The number that a node stands for, its sizes known; None where it is a value of the run."""
    node = body.nodes.get(name)
    if node is None or node.type.axes:
        return None
    if node.kind == "const":
        value = node.attrs["value"]
        if isinstance(value, Dim):
            return body.known_size(value, span, what)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if node.kind != "prim":
        return None
    parts = [folded(body, arg, span, what) for arg in node.args]
    given = [Static(part) for part in parts if part is not None]
    if len(given) != len(parts):
        return None
    op = node.attrs["op"]
    made: Static | None = None
    if len(given) == 2 and op in OPERATORS:
        made = statics.combine(OPERATORS[op], given[0], given[1], span)
    elif len(given) == 1 and op == "square":
        made = statics.combine("*", given[0], given[0], span)
    elif len(given) == 1:
        made = statics.negate(given[0], span) if op == "neg" else statics.apply_function(op, given[0])
    return made.value if made is not None and isinstance(made.value, int | float) else None
