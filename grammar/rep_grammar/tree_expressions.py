"""Nodes of expressions; types, axes, conditions and laws are expressions too."""

from __future__ import annotations

from rep_grammar.record import Record
from rep_grammar.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias


class Node(Record):
    """Anything that stands in a text."""

    span: Span


class Expr(Node):
    """An expression; types are expressions too."""


class Name(Expr):
    """`x`, `f'`; also the operator word of a reducer."""

    text: str


class Number(Expr):
    """A literal as it is written, `1e-3`."""

    text: str

    @property
    def value(self) -> int | float:
        """An `int` where the literal has neither a point nor an exponent."""
        return int(self.text) if self.text.isdigit() else float(self.text)


class String(Expr):
    """`"text"`; `value` is without the quotes."""

    value: str


class TupleExpr(Expr):
    """`(a, b)`."""

    items: tuple[Expr, ...]


class RecordField(Node):
    """`name: value` in a record."""

    name: Name
    value: Expr


class RecordExpr(Expr):
    """`(x: e, y: e)`."""

    fields: tuple[RecordField, ...]


class AxisItem(Node):
    """`T`, `i: D`, `..S` (variadic, its name is the size), `..` (variadic, no size)."""

    label: Name | None
    size: Expr | None
    variadic: bool


class AxesExpr(Expr):
    """`[T, i: D, ..S]`."""

    axes: tuple[AxisItem, ...]


class SetExpr(Expr):
    """`{ a, b }`."""

    items: tuple[Expr, ...]


class Unary(Expr):
    """`-e` or `not e`."""

    op: str
    operand: Expr


class Binary(Expr):
    """`left op right`; op is one of `+ - * / // % @ ^ and or == != < <= > >= in of on -> across ..`."""

    op: str
    left: Expr
    right: Expr


class Cond(Expr):
    """`if test then a else b`."""

    test: Expr
    then: Expr
    other: Expr


class Option(Node):
    """`name: value` after `;` inside a bracket."""

    name: Name
    value: Expr


class SubExpr(Node):
    """One expression as an index."""

    value: Expr


class SubColon(Node):
    """`lower:upper`. As the last item of a reducer it is `index: condition`."""

    lower: Expr | None
    upper: Expr | None


class SubPick(Node):
    """`A = e`."""

    name: Name
    value: Expr


class SubPickSlice(Node):
    """`A = lower:upper`."""

    name: Name
    lower: Expr | None
    upper: Expr | None


Sub: TypeAlias = "SubExpr | SubColon | SubPick | SubPickSlice"


class Subs(Node):
    """`[items; options]`."""

    items: tuple[Sub, ...]
    options: tuple[Option, ...]


class Arg(Node):
    """`value` or `name: value`."""

    name: Name | None
    value: Expr


class Reduce(Expr):
    """`sum[i: c] body`: the body is a product."""

    op: Name
    subs: Subs
    body: Expr


class Stat(Expr):
    """`cov[b; ddof: 1](x, y)`."""

    op: Name
    subs: Subs
    args: tuple[Arg, ...]


class Arm(Node):
    """`key: value` in a match."""

    key: Name | Number
    value: Expr


class Match(Expr):
    """`match subject { a: x  b: y }`."""

    subject: Expr
    arms: tuple[Arm, ...]


class Index(Expr):
    """`base[..]`."""

    base: Expr
    subs: Subs


class Attr(Expr):
    """`base.name`; the name of `.*` is `*`."""

    base: Expr
    name: Name


class Call(Expr):
    """`func(args)`."""

    func: Expr
    args: tuple[Arg, ...]


class Entry(Node):
    """`path: value`; a path is a name with `.name`, `.*` and subscripts."""

    path: Expr
    value: Expr


class With(Expr):
    """`base with { path: value }`."""

    base: Expr
    entries: tuple[Entry, ...]
