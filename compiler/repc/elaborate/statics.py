"""Expressions whose value is known while compiling: numbers, sizes, truth values, choices."""

from __future__ import annotations

import math

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import AtLeast, Dim, DimFault, Divides, Symbol
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import Label, Series, Static

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from repc.elaborate.context import Context
    from repc.elaborate.values import Value
    from repc.names import Module

CONSTANTS = {"inf": math.inf, "pi": math.pi, "true": True, "false": False, "none": None}
UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "sin": math.sin,
    "cos": math.cos,
}


def combine(op: str, left: Static, right: Static, span: Span) -> Static | None:
    """Arithmetic and comparison of statics; None where the result is no static (`sqrt(K) / 2` of a symbolic K)."""
    a, b = left.value, right.value
    if op in {"and", "or"}:
        if isinstance(a, bool) and isinstance(b, bool):
            return Static(a and b if op == "and" else a or b)
        return None
    if op in {"==", "!="}:
        return _equality(op, a, b)
    if not _numeric(a) or not _numeric(b):
        return None
    sizes = isinstance(a, Dim) or isinstance(b, Dim)
    if sizes and (isinstance(a, float) or isinstance(b, float)):
        return None
    try:
        return _sized(op, Dim.of(a), Dim.of(b)) if sizes else _plain(op, a, b)  # type: ignore[arg-type]
    except (DimFault, ZeroDivisionError):
        raise stop("division-by-zero", span) from None
    except OverflowError:
        raise stop("number-too-large", span) from None


def _numeric(value: object) -> bool:
    return isinstance(value, int | float | Dim) and not isinstance(value, bool)


def _equality(op: str, a: object, b: object) -> Static | None:
    if isinstance(a, Dim) or isinstance(b, Dim):
        if not _numeric(a) or not _numeric(b) or isinstance(a, float) or isinstance(b, float):
            return None
        difference = (Dim.of(a) - Dim.of(b)).constant  # type: ignore[arg-type]
        if difference is None:
            return None
        return Static((difference == 0) == (op == "=="))
    return Static((a == b) == (op == "=="))


def _sized(op: str, a: Dim, b: Dim) -> Static | None:
    if op == "^":
        exponent = b.constant
        return Static(settled(a**exponent)) if isinstance(exponent, int) and exponent >= 0 else None
    if op in {"<", "<=", ">", ">="}:
        difference = (a - b).constant
        return None if difference is None else Static(_COMPARE[op](difference, 0))
    made = _ARITHMETIC.get(op)
    return Static(settled(made(a, b))) if made is not None else None


_ARITHMETIC: dict[str, Callable[[Dim, Dim], Dim]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _plain(op: str, a: float, b: float) -> Static | None:
    if op in _COMPARE:
        return Static(_COMPARE[op](a, b))
    if op == "/":
        if isinstance(a, int) and isinstance(b, int) and a % b == 0:
            return Static(a // b)
        return Static(a / b)
    if op == "^":
        if abs(b) > 1024 or (isinstance(a, int) and abs(a) > 2**64):
            raise OverflowError
        return Static(a**b)
    table = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "//": lambda: a // b, "%": lambda: a % b}
    return Static(table[op]()) if op in table else None


def settled(dim: Dim) -> int | Dim:
    """A size that is a plain whole number as that number."""
    number = dim.constant
    return number if isinstance(number, int) else dim


def negate(value: Static, span: Span) -> Static:
    """`-x` of a static."""
    plain = value.value
    if isinstance(plain, bool) or not isinstance(plain, int | float | Dim):
        raise stop("number-needed", span, what="a sign", found=plain)
    return Static(-plain)


def apply_function(name: str, value: Static) -> Static | None:
    """`log(2)` and friends of known numbers."""
    plain = value.value
    if name in FUNCTIONS and isinstance(plain, int | float) and not isinstance(plain, bool):
        try:
            return Static(FUNCTIONS[name](plain))
        except ValueError:
            return None
    return None


def file_static(context: Context, module: Module, expr: tree.Expr) -> Value:
    """A static expression at file level: numbers, dims and formulas of them."""
    from repc.names.entries import DimEntry

    if isinstance(expr, tree.Number):
        return Static(expr.value)
    if isinstance(expr, tree.String):
        return Static(expr.value)
    if isinstance(expr, tree.SetExpr | tree.TupleExpr):
        return Series(tuple(file_static(context, module, item) for item in expr.items))
    if isinstance(expr, tree.Name):
        if expr.text in CONSTANTS:
            return Static(CONSTANTS[expr.text])
        if expr.text in UNITS:
            return Static(UNITS[expr.text])
        entry = context.find(module, expr.text)
        if isinstance(entry, DimEntry):
            return Static(settled(context.axis(entry).size))
        if entry is not None:
            return Label(expr.text)
        raise stop("unknown-name", expr.span, suggestion=module.nearest(expr.text), name=expr.text)
    if isinstance(expr, tree.Unary) and expr.op == "-":
        inner = file_static(context, module, expr.operand)
        if isinstance(inner, Static):
            return negate(inner, expr.span)
    if isinstance(expr, tree.Binary):
        left, right = file_static(context, module, expr.left), file_static(context, module, expr.right)
        if isinstance(left, Static) and isinstance(right, Static):
            made = combine(expr.op, left, right, expr.span)
            if made is not None:
                return made
    raise stop("static-needed", expr.span)


def size_facts(context: Context, module: Module, expr: tree.Expr) -> list[AtLeast | Divides]:
    """What a `require` says about sizes; [] where it speaks of anything else."""
    if isinstance(expr, tree.Binary) and expr.op == "and":
        return size_facts(context, module, expr.left) + size_facts(context, module, expr.right)
    if not isinstance(expr, tree.Binary) or expr.op not in {"<", "<=", ">", ">=", "=="}:
        return []
    try:
        left, right = file_static(context, module, expr.left), file_static(context, module, expr.right)
    except Stop:
        return []
    if not isinstance(left, Static) or not isinstance(right, Static):
        return []
    return stated(expr.op, left, right, expr.span)


def stated(op: str, left: Static, right: Static, span: Span) -> list[AtLeast | Divides]:
    """A comparison of sizes as facts."""
    if not _numeric(left.value) or not _numeric(right.value):
        return []
    if isinstance(left.value, float) or isinstance(right.value, float):
        return []
    a, b = Dim.of(left.value), Dim.of(right.value)  # type: ignore[arg-type]
    if op == "==":
        return [AtLeast(a, b, span), AtLeast(b, a, span)]
    low = 1 if op in {"<", ">"} else 0
    return [AtLeast(b, a + low, span) if op in {"<", "<="} else AtLeast(a, b + low, span)]


__all__ = [
    "CONSTANTS",
    "UNITS",
    "Symbol",
    "apply_function",
    "combine",
    "file_static",
    "negate",
    "settled",
    "size_facts",
    "stated",
]
