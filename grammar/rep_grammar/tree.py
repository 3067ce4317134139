"""The syntax tree of a `.rep` file: frozen records, every node with its exact span first.

A node says what is written, never what it means: types, axes and conditions are expressions, told apart later.
Optional parts are `X | None`, sequences are tuples. A parenthesised expression is the expression itself.
"""

from __future__ import annotations

from rep_grammar.record import Record
from rep_grammar.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias


class Node(Record):
    """Anything that stands in a text."""

    span: Span


class Expr(Node):
    """An expression; types are expressions too."""


# ---- expressions


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


# ---- shared parts of declarations


class Path(Node):
    """`std.nn.linear`."""

    parts: tuple[Name, ...]


class Claim(Node):
    """`causal(T)`, `assume invertible`; args is None where there are no brackets."""

    assumed: bool
    name: Name
    args: tuple[Arg, ...] | None


class Formal(Node):
    """An axis that a declaration binds itself: `F: feature`."""

    name: Name
    kind: Name | None


class Param(Node):
    """`x: [T, D] claims = default` or `kind in { a, b } = a`."""

    name: Name
    subs: Subs | None
    type: Expr | None
    claims: tuple[Claim, ...]
    default: Expr | None
    choices: Expr | None


class DimDecl(Node):
    """`T: seq ragged`, `K = D / H`; relation is `=`, `<=`, `>=` or `in`."""

    name: Name
    axis_kind: Name | None
    ragged: bool
    relation: str | None
    value: Expr | None


class Slot(Node):
    """`a, b: type = value` after a role word."""

    targets: tuple[Expr, ...]
    type: Expr | None
    value: Expr | None


# ---- statements


class Block(Node):
    """`{ statements }`."""

    stmts: tuple[Stmt, ...]


class Binding(Node):
    """`a, b = value`; a target is a name with `.name`, `.*` and subscripts."""

    targets: tuple[Expr, ...]
    value: Expr


class Bind(Node):
    """`x = e, y = e`."""

    bindings: tuple[Binding, ...]


class Annotated(Node):
    """`x: type = value`; without a value the setting `name: e`."""

    target: Expr
    type: Expr
    value: Expr | None


class Write(Node):
    """`cell := value`."""

    targets: tuple[Expr, ...]
    value: Expr


class OneDraw(Node):
    """`x: type ~ law once eval e`."""

    target: Expr
    type: Expr | None
    law: Expr
    once: bool
    eval: Expr | None


class DrawStmt(Node):
    """`x ~ law, y ~ law`."""

    draws: tuple[OneDraw, ...]


class RoleStmt(Node):
    """`model f = F(), g = G()`; keyword is `model target param state measure` or `data`."""

    keyword: str
    slots: tuple[Slot, ...]


class TermStmt(Node):
    """`minimize name = e`; sign is `minimize` or `maximize`."""

    sign: str
    name: Name | None
    value: Expr


class ConstrainStmt(Node):
    """`constrain e by dual(..)`."""

    value: Expr
    by: Expr


class FreezeStmt(Node):
    """`freeze a, b where mask` or `freeze a until step`."""

    values: tuple[Expr, ...]
    where: Expr | None
    until: Expr | None


class ProjectStmt(Node):
    """`project w to sphere(D)`."""

    value: Expr
    to: Expr


class SolveStmt(Node):
    """`solve x: type = init minimize e by optimizer`; sign is `minimize`, `maximize` or `where`."""

    name: Name
    type: Expr | None
    init: Expr | None
    sign: str
    value: Expr
    by: Expr


class OptimizerStmt(Node):
    """`optimizer f, g: adamw(..)`; targets is empty for `optimizer: ..`."""

    targets: tuple[Expr, ...]
    value: Expr


class RepeatStmt(Node):
    """`repeat index in count shared as label { }`."""

    index: Name | None
    count: Expr
    shared: bool
    label: Name | None
    body: Block


class ScanStmt(Node):
    """`scan index in over reversed { }`."""

    index: Name | None
    over: Expr
    reversed: bool
    body: Block


class ForStmt(Node):
    """`for index in over { }`."""

    index: Name
    over: Expr
    body: Block


class IfStmt(Node):
    """`if test { } else { }`."""

    test: Expr
    then: Block
    other: Block | None


class EveryStmt(Node):
    """`every 100 measure ..`, `every 100 { }`, `every 100 c := e`."""

    every: Expr
    body: Block | RoleStmt | Write


class AtStmt(Node):
    """`at start { }`; when is `start` or `end`."""

    when: str
    body: Block


class StageStmt(Node):
    """`stage warm { }`."""

    name: Name
    body: Block


class PlayerStmt(Node):
    """`player critic { }`."""

    name: Name
    body: Block


class TableEntry(Node):
    """`a in G` of a table."""

    name: Name
    over: Expr


class TableStmt(Node):
    """`table a in G, b in G`."""

    entries: tuple[TableEntry, ...]


class ReturnStmt(Node):
    """`return e`."""

    value: Expr


class RunStmt(Node):
    """`run r = Train(..), seeds: 3`."""

    target: Expr
    value: Expr
    seeds: Expr | None


class VaryEntry(Node):
    """`lam in { 0, 1 }`."""

    name: Name
    values: Expr


class VaryStmt(Node):
    """`vary lam in { 0, 1 }, k in 1 .. 3`."""

    entries: tuple[VaryEntry, ...]


class ExpectStmt(Node):
    """`expect a > b, c`."""

    values: tuple[Expr, ...]


class RequireStmt(Node):
    """`require e`, as an item or a statement."""

    value: Expr


# ---- items


class DimsItem(Node):
    """`dim T: seq, D = 64`."""

    dims: tuple[DimDecl, ...]


class GroupDef(Node):
    """`R = SO(3)`."""

    name: Name
    value: Expr


class GroupItem(Node):
    """`group R = SO(3)`."""

    groups: tuple[GroupDef, ...]


class OptionItem(Node):
    """`option norm in { pre, post } = pre`."""

    name: Name
    choices: SetExpr
    default: Expr | None


class ConstItem(Node):
    """`const p: [C, E] = e`."""

    slots: tuple[Slot, ...]


class DefItem(Node):
    """`def f(x) -> type = e` or with a block."""

    name: Name
    params: tuple[Param, ...]
    result: Expr | None
    body: Expr | Block


class Import(Node):
    """`rmsnorm as norm`."""

    name: Name
    alias: Name | None


class Use(Node):
    """`use std.nn (linear)`, `use "lib/mix.rep" (Mixer) with { D: E }`."""

    path: Path | None
    file: String | None
    imports: tuple[Import, ...]
    entries: tuple[Entry, ...]


class Replace(Node):
    """`replace std.nn.rmsnorm = mynorm`."""

    path: Path
    new: Path


class Declaration(Node):
    """`encoder F[A: feature](x: [A]) -> [A] claims { }`; keyword is `encoder memory objective probe extern data`."""

    keyword: str
    name: Name
    formals: tuple[Formal, ...]
    params: tuple[Param, ...] | None
    result: Expr | None
    claims: tuple[Claim, ...]
    body: Block
    doc: str


class Derived(Node):
    """`memory Mesa = Fit with { .. }`."""

    keyword: str
    name: Name
    params: tuple[Param, ...] | None
    value: Expr
    doc: str


class TrainItem(Node):
    """`train X(tau = 0.1) { }` or `train X = Y(..)`."""

    name: Name
    params: tuple[Param, ...] | None
    body: Block | Expr
    doc: str


class Choice(Node):
    """`path in values` of a space."""

    path: Expr
    values: Expr


class Choices(Node):
    """`D in { 64, 128 }, L in 2 .. 4`."""

    choices: tuple[Choice, ...]


class Where(Node):
    """`where a, b` of a space."""

    conditions: tuple[Expr, ...]


class SpaceItem(Node):
    """`space S of X { .. }`."""

    name: Name
    of: Path
    members: tuple[Choices | Where, ...]
    doc: str


class ExperimentItem(Node):
    """`experiment "title" { .. }`."""

    title: String
    body: Block


class Header(Node):
    """`rep 1`."""

    version: Number


class Comment(Node):
    """`# text` to the end of its line; text has the signs, `## text`."""

    text: str


Item: TypeAlias = (
    "Use | Replace | DimsItem | GroupItem | OptionItem | ConstItem | DefItem | Declaration | Derived | TrainItem"
    " | SpaceItem | ExperimentItem | RequireStmt"
)
Stmt: TypeAlias = (
    "Bind | Annotated | Write | DrawStmt | RoleStmt | TermStmt | ConstrainStmt | FreezeStmt | ProjectStmt | SolveStmt"
    " | OptimizerStmt | RepeatStmt | ScanStmt | ForStmt | IfStmt | EveryStmt | AtStmt | StageStmt | PlayerStmt"
    " | TableStmt | ReturnStmt | RunStmt | VaryStmt | ExpectStmt | RequireStmt | DimsItem | DefItem | ConstItem"
)


class File(Node):
    """A whole text. `comments` and `parens` (spans of what stands in brackets of its own) serve the formatter."""

    header: Header | None
    items: tuple[Item, ...]
    doc: str
    comments: tuple[Comment, ...]
    parens: frozenset[tuple[int, int]]


# ---- generic access

TRIVIA_FIELDS = ("span", "comments", "parens")


def children(node: Node) -> Iterator[Node]:
    """The nodes directly under `node`, in the order of their fields; comments are not among them."""
    for name in type(node).__match_args__:
        if name in TRIVIA_FIELDS:
            continue
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Node):
                    yield item


def walk(node: Node) -> Iterator[Node]:
    """`node` and every node under it, parents first."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(list(children(top))))


def same_tree(a: object, b: object) -> bool:
    """Whether two trees say the same; spans, comments and needless brackets do not count."""
    if isinstance(a, Node):
        return type(a) is type(b) and all(
            same_tree(getattr(a, name), getattr(b, name))
            for name in type(a).__match_args__
            if name not in TRIVIA_FIELDS
        )
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same_tree, a, b))
    return type(a) is type(b) and a == b
