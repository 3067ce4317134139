"""Tree actions: one function per alternative of the grammar, from the parts of a rule to a node.

The name of a function is the name of the alternative in `rep.lark`. Every function gets the span of the rule and
the kept parts in written order; lists arrive as Python lists, missing optional parts as None.
"""

from __future__ import annotations

from rep_grammar import tree as t
from rep_grammar.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Names = list[t.Name]
    Exprs = list[t.Expr]


def listed(items: list[Any] | None) -> tuple[Any, ...]:
    """The items of an optional list."""
    return tuple(items) if items else ()


def import_(span: Span, name: t.Name, alias: t.Name | None) -> t.Import:
    return t.Import(span, name, alias)


def use_path(span: Span, path: Names, imports: list[t.Import], entries: list[t.Entry] | None) -> t.Use:
    return t.Use(span, path_node(path), None, tuple(imports), listed(entries))


def use_file(span: Span, file: t.String, imports: list[t.Import], entries: list[t.Entry] | None) -> t.Use:
    return t.Use(span, None, file, tuple(imports), listed(entries))


def path_node(parts: Names) -> t.Path:
    """A path from its names, which say where it stands."""
    return t.Path(parts[0].span.to(parts[-1].span), tuple(parts))


def replace(span: Span, path: Names, new: Names) -> t.Replace:
    return t.Replace(span, path_node(path), path_node(new))


def dims(span: Span, items: list[t.DimDecl]) -> t.DimsItem:
    return t.DimsItem(span, tuple(items))


def dim(
    span: Span, name: t.Name, kind: tuple[t.Name, bool] | None, relation: str | None, value: t.Expr | None
) -> t.DimDecl:
    axis_kind, ragged = kind or (None, False)
    return t.DimDecl(span, name, axis_kind, ragged, relation, value)


def axis_kind(_span: Span, name: t.Name, ragged: str | None) -> tuple[t.Name, bool]:
    return name, ragged is not None


def group(span: Span, items: list[t.GroupDef]) -> t.GroupItem:
    return t.GroupItem(span, tuple(items))


def option(span: Span, name: t.Name, _in: str, choices: t.SetExpr, default: t.Expr | None) -> t.OptionItem:
    return t.OptionItem(span, name, choices, default)


def const(span: Span, slots: list[t.Slot]) -> t.ConstItem:
    return t.ConstItem(span, tuple(slots))


def def_(
    span: Span, name: t.Name, params: list[t.Param], _arrow: str | None, result: t.Expr | None, body: t.Expr | t.Block
) -> t.DefItem:
    return t.DefItem(span, name, tuple(params), result, body)


def declaration(
    span: Span,
    keyword: str,
    name: t.Name,
    formals: list[t.Formal] | None,
    params: list[t.Param] | None,
    _arrow: str | None,
    result: t.Expr | None,
    claims: list[t.Claim],
    body: t.Block,
    doc: str,
) -> t.Declaration:
    kept = None if params is None else tuple(params)
    return t.Declaration(span, keyword, name, listed(formals), kept, result, tuple(claims), body, doc)


def derived(span: Span, keyword: str, name: t.Name, params: list[t.Param] | None, value: t.Expr, doc: str) -> t.Derived:
    return t.Derived(span, keyword, name, None if params is None else tuple(params), value, doc)


def train(span: Span, name: t.Name, params: list[t.Param] | None, body: t.Block | t.Expr, doc: str) -> t.TrainItem:
    return t.TrainItem(span, name, None if params is None else tuple(params), body, doc)


def space(span: Span, name: t.Name, _of: str, of: Names, members: list[t.Choices | t.Where], doc: str) -> t.SpaceItem:
    return t.SpaceItem(span, name, path_node(of), tuple(members), doc)


def choices(span: Span, items: list[t.Choice]) -> t.Choices:
    return t.Choices(span, tuple(items))


def choice(span: Span, path: t.Expr, _in: str, values: t.Expr) -> t.Choice:
    return t.Choice(span, path, values)


def where(span: Span, _where: str, conditions: Exprs) -> t.Where:
    return t.Where(span, tuple(conditions))


def param_plain(span: Span, name: t.Name, subs: t.Subs | None, default: t.Expr | None) -> t.Param:
    return t.Param(span, name, subs, None, (), default, None)


def param_typed(
    span: Span, name: t.Name, subs: t.Subs | None, type_: t.Expr, claims: list[t.Claim], default: t.Expr | None
) -> t.Param:
    return t.Param(span, name, subs, type_, tuple(claims), default, None)


def param_choice(
    span: Span, name: t.Name, subs: t.Subs | None, _in: str, choices: t.Expr, default: t.Expr | None
) -> t.Param:
    return t.Param(span, name, subs, None, (), default, choices)


def claim(span: Span, assumed: str | None, name: t.Name, args: list[t.Arg] | None = None) -> t.Claim:
    return t.Claim(span, assumed is not None, name, None if args is None else tuple(args))


def block(span: Span, stmts: list[t.Stmt]) -> t.Block:
    return t.Block(span, tuple(stmts))


def bind(span: Span, bindings: list[t.Binding]) -> t.Bind:
    return t.Bind(span, tuple(bindings))


def binding(span: Span, targets: Exprs, value: t.Expr) -> t.Binding:
    return t.Binding(span, tuple(targets), value)


def write(span: Span, targets: Exprs, value: t.Expr) -> t.Write:
    return t.Write(span, tuple(targets), value)


def draw(span: Span, draws: list[t.OneDraw]) -> t.DrawStmt:
    return t.DrawStmt(span, tuple(draws))


def one_draw(
    span: Span, target: t.Expr, type_: t.Expr | None, law: t.Expr, once: str | None, eval_: t.Expr | None
) -> t.OneDraw:
    return t.OneDraw(span, target, type_, law, once is not None, eval_)


def role(span: Span, keyword: str, slots: list[t.Slot]) -> t.RoleStmt:
    return t.RoleStmt(span, keyword, tuple(slots))


def slot_plain(span: Span, targets: Exprs, value: t.Expr) -> t.Slot:
    return t.Slot(span, tuple(targets), None, value)


def slot_typed(span: Span, targets: Exprs, type_: t.Expr, value: t.Expr | None) -> t.Slot:
    return t.Slot(span, tuple(targets), type_, value)


def freeze(span: Span, values: Exprs) -> t.FreezeStmt:
    return t.FreezeStmt(span, tuple(values), None, None)


def freeze_where(span: Span, values: Exprs, _where: str, mask: t.Expr) -> t.FreezeStmt:
    return t.FreezeStmt(span, tuple(values), mask, None)


def freeze_until(span: Span, values: Exprs, until: t.Expr) -> t.FreezeStmt:
    return t.FreezeStmt(span, tuple(values), None, until)


def optimizer(span: Span, targets: Exprs | None, value: t.Expr) -> t.OptimizerStmt:
    return t.OptimizerStmt(span, listed(targets), value)


def repeat(
    span: Span, index: t.Name, _in: str, count: t.Expr, shared: str | None, label: t.Name | None, body: t.Block
) -> t.RepeatStmt:
    return t.RepeatStmt(span, index, count, shared is not None, label, body)


def repeat_times(span: Span, count: t.Expr, shared: str | None, label: t.Name | None, body: t.Block) -> t.RepeatStmt:
    return t.RepeatStmt(span, None, count, shared is not None, label, body)


def scan(span: Span, index: t.Name, _in: str, over: t.Expr, reverse: str | None, body: t.Block) -> t.ScanStmt:
    return t.ScanStmt(span, index, over, reverse is not None, body)


def scan_over(span: Span, over: t.Expr, reverse: str | None, body: t.Block) -> t.ScanStmt:
    return t.ScanStmt(span, None, over, reverse is not None, body)


def for_(span: Span, index: t.Name, _in: str, over: t.Expr, body: t.Block) -> t.ForStmt:
    return t.ForStmt(span, index, over, body)


def table(span: Span, entries: list[t.TableEntry]) -> t.TableStmt:
    return t.TableStmt(span, tuple(entries))


def table_entry(span: Span, name: t.Name, _in: str, over: t.Expr) -> t.TableEntry:
    return t.TableEntry(span, name, over)


def vary(span: Span, entries: list[t.VaryEntry]) -> t.VaryStmt:
    return t.VaryStmt(span, tuple(entries))


def vary_entry(span: Span, name: t.Name, _in: str, values: t.Expr) -> t.VaryEntry:
    return t.VaryEntry(span, name, values)


def expect(span: Span, values: Exprs) -> t.ExpectStmt:
    return t.ExpectStmt(span, tuple(values))


def binary(span: Span, left: t.Expr, op: str, right: t.Expr) -> t.Binary:
    return t.Binary(span, op, left, right)


def attr_all(span: Span, base: t.Expr, _star: str) -> t.Attr:
    return t.Attr(span, base, t.Name(Span(span.file, span.end - 1, span.end), "*"))


def call(span: Span, func: t.Expr, args: list[t.Arg]) -> t.Call:
    return t.Call(span, func, tuple(args))


def stat(span: Span, op: t.Name, subs: t.Subs, args: list[t.Arg]) -> t.Stat:
    return t.Stat(span, op, subs, tuple(args))


def with_(span: Span, base: t.Expr, entries: list[t.Entry]) -> t.With:
    return t.With(span, base, tuple(entries))


def match(span: Span, subject: t.Expr, arms: list[t.Arm]) -> t.Match:
    return t.Match(span, subject, tuple(arms))


def tuple_(span: Span, first: t.Expr, rest: Exprs) -> t.TupleExpr:
    return t.TupleExpr(span, (first, *rest))


def record(span: Span, fields: list[t.RecordField]) -> t.RecordExpr:
    return t.RecordExpr(span, tuple(fields))


def axes(span: Span, items: list[t.AxisItem] | None = None) -> t.AxesExpr:
    return t.AxesExpr(span, listed(items))


def axis_plain(span: Span, size: t.Expr) -> t.AxisItem:
    return t.AxisItem(span, None, size, False)


def axis_labelled(span: Span, label: t.Name, size: t.Expr) -> t.AxisItem:
    return t.AxisItem(span, label, size, False)


def axis_variadic(span: Span, _sign: str, size: t.Name | None) -> t.AxisItem:
    return t.AxisItem(span, None, size, True)


def set_(span: Span, items: Exprs) -> t.SetExpr:
    return t.SetExpr(span, tuple(items))


def argument_plain(span: Span, value: t.Expr) -> t.Arg:
    return t.Arg(span, None, value)


def subs(span: Span, items: list[t.Sub] | None, options: list[t.Option] | None) -> t.Subs:
    return t.Subs(span, listed(items), listed(options))


ACTIONS: dict[str, Callable[..., Any]] = {
    "annotated": t.Annotated,
    "argument_named": t.Arg,
    "argument_plain": argument_plain,
    "arm": t.Arm,
    "at": t.AtStmt,
    "attr": t.Attr,
    "attr_all": attr_all,
    "axes": axes,
    "axes_none": axes,
    "axis_kind": axis_kind,
    "axis_labelled": axis_labelled,
    "axis_plain": axis_plain,
    "axis_variadic": axis_variadic,
    "binary": binary,
    "bind": bind,
    "binding": binding,
    "block": block,
    "call": call,
    "choice": choice,
    "choices": choices,
    "claim": claim,
    "cond": t.Cond,
    "const": const,
    "constrain": t.ConstrainStmt,
    "declaration": declaration,
    "def_block": def_,
    "def_value": def_,
    "derived": derived,
    "dim": dim,
    "dims": dims,
    "draw": draw,
    "entry": t.Entry,
    "every": t.EveryStmt,
    "expect": expect,
    "experiment": t.ExperimentItem,
    "field": t.RecordField,
    "for": for_,
    "formal": t.Formal,
    "freeze": freeze,
    "freeze_until": freeze_until,
    "freeze_where": freeze_where,
    "group": group,
    "group_def": t.GroupDef,
    "header": t.Header,
    "if": t.IfStmt,
    "import": import_,
    "index": t.Index,
    "match": match,
    "one_draw": one_draw,
    "optimizer": optimizer,
    "option": option,
    "option_entry": t.Option,
    "param_choice": param_choice,
    "param_plain": param_plain,
    "param_typed": param_typed,
    "player": t.PlayerStmt,
    "project": t.ProjectStmt,
    "record": record,
    "reduce": t.Reduce,
    "repeat": repeat,
    "repeat_times": repeat_times,
    "replace": replace,
    "require": t.RequireStmt,
    "return": t.ReturnStmt,
    "role": role,
    "run": t.RunStmt,
    "scan": scan,
    "scan_over": scan_over,
    "set": set_,
    "slot_plain": slot_plain,
    "slot_typed": slot_typed,
    "solve": t.SolveStmt,
    "space": space,
    "stage": t.StageStmt,
    "stat": stat,
    "sub_colon": t.SubColon,
    "sub_expr": t.SubExpr,
    "sub_pick": t.SubPick,
    "sub_pick_slice": t.SubPickSlice,
    "subs": subs,
    "table": table,
    "table_entry": table_entry,
    "term": t.TermStmt,
    "train": train,
    "tuple": tuple_,
    "unary": t.Unary,
    "use_file": use_file,
    "use_path": use_path,
    "vary": vary,
    "vary_entry": vary_entry,
    "where": where,
    "with": with_,
    "write": write,
}
"""Alternatives that make a node. `start` and the list and bracket alternatives are the driver's own."""

DOCUMENTED = frozenset({"declaration", "derived", "train", "space"})
"""Alternatives whose action gets the documentation comment above them as its last argument."""
