"""Nodes of statements, and of the parts of declarations that statements share."""

from __future__ import annotations

from rep_grammar.tree_expressions import Arg, Expr, Name, Node, Subs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias


class Param(Node):
    """`x: [T, D] claims = default` or `kind in { a, b } = a`."""

    name: Name
    subs: Subs | None
    type: Expr | None
    claims: tuple[Claim, ...]
    default: Expr | None
    choices: Expr | None


class Claim(Node):
    """`causal(T)`, `assume invertible`; args is None where there are no brackets."""

    assumed: bool
    name: Name
    args: tuple[Arg, ...] | None


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


class DimsItem(Node):
    """`dim T: seq, D = 64`."""

    dims: tuple[DimDecl, ...]


class ConstItem(Node):
    """`const p: [C, E] = e`."""

    slots: tuple[Slot, ...]


class DefItem(Node):
    """`def f(x) -> type = e` or with a block."""

    name: Name
    params: tuple[Param, ...]
    result: Expr | None
    body: Expr | Block


Stmt: TypeAlias = (
    "Bind | Annotated | Write | DrawStmt | RoleStmt | TermStmt | ConstrainStmt | FreezeStmt | ProjectStmt | SolveStmt"
    " | OptimizerStmt | RepeatStmt | ScanStmt | ForStmt | IfStmt | EveryStmt | AtStmt | StageStmt | PlayerStmt"
    " | TableStmt | ReturnStmt | RunStmt | VaryStmt | ExpectStmt | RequireStmt | DimsItem | DefItem | ConstItem"
)
