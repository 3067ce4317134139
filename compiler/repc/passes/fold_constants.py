"""Computes what is known: arithmetic of numbers and sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from repc.dims import Dim, DimFault
from repc.ir import Attrs, Graph, Node, Program
from repc.passes.record import Pass
from repc.passes.rewrite import each_graph, merged, replaced

# Exact on ints and sizes.
EXACT: Mapping[str, Callable[[Dim, Dim], Dim]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
}
FLOATS: Mapping[str, Callable[..., float]] = {
    "neg": lambda x: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "tanh": math.tanh,
    "minimum": min,
    "maximum": max,
    "float": float,
}


def fold_constants(program: Program) -> Program:
    """Primitives of numbers alone become constants; adding 0 and multiplying by 1 vanish where the type stays."""
    return each_graph(program, folded)


def folded(program: Program, graph: Graph) -> Graph:
    """One graph with its constants computed."""
    made: dict[str, Node] = {}
    instead: dict[str, str] = {}
    for node in graph.nodes:
        own = node.with_(args=tuple(instead.get(arg, arg) for arg in node.args))
        same = _neutral(own, made)
        if same is not None:
            instead[node.name] = same
            continue
        value = _value(own, made)
        if value is not None:
            parts = [*(made[arg] for arg in own.args), own]
            own = Node(node.name, "const", (), Attrs(value=value), node.type, merged(parts))
        made[node.name] = own
    return replaced(graph, made.values(), instead)


def _number(node: Node) -> int | float | Dim | None:
    value = node.attrs.get("value")
    return (
        value if node.kind == "const" and isinstance(value, int | float | Dim) and not isinstance(value, bool) else None
    )


def _value(node: Node, made: Mapping[str, Node]) -> int | float | Dim | None:
    """The number that a primitive of numbers computes; None where it is none, or is not finite."""
    if node.kind != "prim" or node.type.axes or node.type.kind.name != "number" or not node.args:
        return None
    values = [_number(made[arg]) for arg in node.args]
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None
    op = node.attrs["op"]
    if op in EXACT and len(known) == 2 and all(isinstance(value, int | Dim) for value in known):
        return _exact(op, known)
    if op not in FLOATS or any(isinstance(value, Dim) for value in known):
        return None
    try:
        result = FLOATS[op](*known)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return result if isinstance(result, int | float) and math.isfinite(result) else None


def _exact(op: str, known: list[int | float | Dim]) -> int | Dim | None:
    left, right = (Dim.of(value) for value in known if isinstance(value, int | Dim))
    try:
        size = EXACT[op](left, right)
    except DimFault:
        return None
    plain = size.constant
    if isinstance(plain, int):
        return plain
    return None if plain is not None else size


NEUTRAL = {"add": (0, (0, 1)), "sub": (0, (1,)), "mul": (1, (0, 1)), "div": (1, (1,))}


def _neutral(node: Node, made: Mapping[str, Node]) -> str | None:
    """The operand that the node equals: `x + 0`, `x * 1`."""
    if node.kind != "prim" or node.attrs["op"] not in NEUTRAL or len(node.args) != 2:
        return None
    number, places = NEUTRAL[node.attrs["op"]]
    for place in places:
        other = made[node.args[1 - place]]
        value = _number(made[node.args[place]])
        # A float is not dropped for -0.0 + 0 = 0.
        whole = node.attrs["op"] in ("mul", "div") or node.type.kind.name == "int"
        if value is not None and not isinstance(value, Dim) and value == number and whole and other.type == node.type:
            return other.name
    return None


FOLD_CONSTANTS = Pass("fold-constants", "Computes primitives of numbers and sizes.", fold_constants)
