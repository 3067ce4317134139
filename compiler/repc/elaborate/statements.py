"""Statements of a body, top to bottom (LANGUAGE.md 2.4, 3.9, 4.7)."""

from __future__ import annotations

from collections import Counter

from rep_grammar import tree
from repc.elaborate import definitions, flow, results, samples, slots
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.finish import is_random, owns, remembers
from repc.elaborate.scope import Scope
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import BlockValue, Fields, Function, Series, Static, Tensor
from repc.ir import ClaimNote, Graph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from repc.elaborate.instances import Request
    from repc.elaborate.signature import Signature
    from repc.elaborate.values import Value
    from repc.types import Axis

# Settings of a body that change how it is run, never what it means.
HINTS = {"recompute"}


def run_body(body: Body, node: tree.Declaration, request: Request, sig: Signature) -> Graph:
    """Elaborate a declaration's statements into its graph."""
    body.supplied = {name: None for name, given in request.supplied.items() if not given}
    body.ported = {name for name, given in request.supplied.items() if given}
    body.scope = Scope(body.scope)
    if node.keyword == "memory":
        from repc.elaborate.memories import memory_body

        memory_body(body, node, sig)
    elif node.keyword == "extern":
        from repc.elaborate.externs import extern_body

        extern_body(body, node, sig)
    else:
        run_block(body, node.body)
    claim(body, node.claims)
    if node.keyword == "extern":
        from repc.elaborate.externs import axioms

        body.claims = axioms(body.claims)
    made = results.declared(body, node)
    from repc.elaborate.instances import spell

    config = tuple((name, spell(value)) for name, value in sorted(request.settings.items()))
    blocks = tuple((name, getattr(value, "title", "")) for name, value in sorted(request.blocks.items()))
    formals = tuple(axis.label for axes in formal_axes(body) for axis in axes)
    return body.finish(request.callee.title, made, formals, config=config + blocks, doc=node.doc)


def formal_axes(body: Body) -> list[tuple[Axis, ...]]:
    """Axes bound by callers, from the outermost scope that has them."""
    scope: Scope | None = body.scope
    found: list[tuple[Axis, ...]] = []
    while scope is not None:
        found.extend(scope.axes.values())
        scope = scope.parent
    return found


def run_block(body: Body, block: tree.Block) -> None:
    """Statements in order; a fault in one does not silence the others."""
    counts = Counter(name for node in tree.statements(block) for name in bound_names(node))
    body.once = {name for name, count in counts.items() if count == 1}
    failed: Stop | None = None
    for statement in block.stmts:
        if body.result is not None:
            raise stop("after-return", statement.span)
        try:
            run(body, statement)
        except Stop as stopped:
            body.context.report(stopped.fault)
            failed = failed or stopped
            body.broken.update(name for node in tree.statements(statement) for name in bound_names(node))
    if failed is not None:
        raise Stop(None)


def bound_names(statement: tree.Node) -> list[str]:
    """Names that a statement binds."""
    if isinstance(statement, tree.Bind):
        return [n for b in statement.bindings for t in b.targets for n in target_names(t)]
    if isinstance(statement, tree.Annotated) and statement.value is not None:
        return target_names(statement.target)
    if isinstance(statement, tree.RoleStmt):
        return [n for s in statement.slots for t in s.targets for n in target_names(t)]
    if isinstance(statement, tree.SolveStmt):
        return [statement.name.text]
    if isinstance(statement, tree.DrawStmt):
        return [n for d in statement.draws for n in target_names(d.target)]
    return []


def target_names(target: tree.Expr) -> list[str]:
    if isinstance(target, tree.Name):
        return [target.text]
    if isinstance(target, tree.Index):
        return target_names(target.base)
    return []


def run(body: Body, statement: tree.Node) -> None:
    """One statement."""
    before = len(body.blocks)
    assumed = body.assumed
    handler = HANDLERS.get(type(statement))
    if handler is None:
        raise stop("statement-not-here", statement.span, keyword=body.keyword or "body")
    handler(body, statement)
    body.assumed = assumed
    name_blocks(body, statement, body.blocks[before:])


def name_blocks(body: Body, statement: tree.Node, made: list[BlockValue]) -> None:
    """Path segments of the blocks that a statement made (3.9)."""
    owning = [block for block in made if not block.path and block.graph and owns(body, block.graph)]
    names = bound_names(statement)
    alone = ""
    if isinstance(statement, tree.ReturnStmt):
        alone = "out"
    elif len(names) == 1 and names[0] in body.once:
        alone = names[0]
    for block in owning:
        block.path = body.unique_path(segment(alone) if alone and len(owning) == 1 else block.hint)
    for block in made:
        if not block.path and block.graph and (remembers(body, block.graph) or is_random(body, block.graph)):
            block.path = body.unique_path(segment(alone) if alone and len(made) == 1 else block.hint)


def segment(name: str) -> str:
    """A name as a path segment."""
    return name.replace("'", "_p")


def bind_value(body: Body, target: tree.Name, value: Value) -> None:
    """Bind a name; configuration, blocks and draws may not be rebound."""
    name = target.text
    if body.scope.is_fixed(name):
        place = body.scope.span_of(name)
        related = [] if place is None else [(place, "it is bound here")]
        raise stop("rebinding", target.span, *related, name=name)
    if isinstance(value, BlockValue) and not value.path and not value.outer:
        value.path = body.unique_path(segment(name))
        body.scope.bind(name, value, target.span, fixed=True)
        return
    body.scope.bind(name, value, target.span)
    body.broken.discard(name)
    if isinstance(value, Tensor):
        body.sites[name] = value.node
    elif isinstance(value, Fields):
        for field, inner in value.items:
            if isinstance(inner, Tensor):
                body.sites[f"{name}.{field}"] = inner.node


def bind(body: Body, statement: tree.Bind) -> None:
    for binding in statement.bindings:
        if len(binding.targets) == 1:
            assign(body, binding.targets[0], binding.value)
        else:
            destructure(body, binding)


def assign(body: Body, target: tree.Expr, value: tree.Expr) -> None:
    """`name = e` or `name[i, j] = e`."""
    if isinstance(target, tree.Name):
        bind_value(body, target, evaluate(body, value))
    elif isinstance(target, tree.Index) and isinstance(target.base, tree.Name):
        if flow.stacks(body, target):
            flow.stack(body, target, value)
        else:
            bind_value(body, target.base, definitions.indexed(body, target, value))
    else:
        raise stop("target-expected", target.span)


def destructure(body: Body, binding: tree.Binding) -> None:
    """`z, s = f(x)`: by name where the names fit, else in order."""
    value = evaluate(body, binding.value)
    items = value.items if isinstance(value, Fields) else ()
    if isinstance(value, Series):
        items = tuple((str(i), item) for i, item in enumerate(value.items))
    if len(items) != len(binding.targets):
        raise stop("wrong-result-count", binding.span, expected=len(items) or 1, given=len(binding.targets))
    names = [target.text for target in binding.targets if isinstance(target, tree.Name)]
    by_name = dict(items)
    for target, (_, item) in zip(binding.targets, items, strict=True):
        if not isinstance(target, tree.Name):
            raise stop("target-expected", target.span)
        bind_value(body, target, by_name[target.text] if set(names) == set(by_name) else item)


def annotated(body: Body, statement: tree.Annotated) -> None:
    if statement.value is None:
        if isinstance(statement.target, tree.Name) and statement.target.text in HINTS:
            return
        if body.keyword == "data" and isinstance(statement.target, tree.Name):
            samples.setting(body, statement.target, statement.type)
            return
        raise stop("setting-not-here", statement.span, name=getattr(statement.target, "text", "it"))
    if not isinstance(statement.target, tree.Name):
        raise stop("target-expected", statement.target.span)
    bind_value(body, statement.target, definitions.typed(body, statement))


def role(body: Body, statement: tree.RoleStmt) -> None:
    for slot in statement.slots:
        if statement.keyword == "param":
            slots.parameter(body, slot)
        elif statement.keyword == "state":
            slots.cell(body, slot)
        elif statement.keyword == "data" and body.keyword == "data":
            samples.source(body, slot)
        else:
            raise stop("statement-not-here", statement.span, keyword=statement.keyword)


def solved(body: Body, statement: tree.SolveStmt) -> None:
    from repc.elaborate.solving import solve

    solve(body, statement)


def constant(body: Body, statement: tree.ConstItem) -> None:
    for slot in statement.slots:
        slots.parameter(body, slot, trained=False)


def dims(body: Body, statement: tree.DimsItem) -> None:
    for declared in statement.dims:
        definitions.local_dim(body, declared)


def function(body: Body, statement: tree.DefItem) -> None:
    body.scope.bind(statement.name.text, Function(statement, body.scope), statement.name.span, fixed=True)


def table(body: Body, statement: tree.TableStmt) -> None:
    if body.keyword != "data":
        raise stop("statement-not-here", statement.span, keyword=body.keyword)
    samples.table(body, statement)


def term(body: Body, statement: tree.TermStmt) -> None:
    value = evaluate(body, statement.value)
    from repc.elaborate.objectives import add_term

    add_term(body, statement, value)


def require(body: Body, statement: tree.RequireStmt) -> None:
    definitions.required(body, statement.value)


def returned(body: Body, statement: tree.ReturnStmt) -> None:
    body.result = evaluate(body, statement.value)
    body.returned = statement.value.span


def write(body: Body, statement: tree.Write) -> None:
    slots.write(body, statement, 1)


def every(body: Body, statement: tree.EveryStmt) -> None:
    """`every n { .. }` in an encoder: its writes happen on those steps."""
    period = body.number(evaluate(body, statement.every), statement.every.span, "every")
    if isinstance(statement.body, tree.Write):
        slots.write(body, statement.body, int(period))
        return
    if not isinstance(statement.body, tree.Block):
        raise stop("statement-not-here", statement.span, keyword="every")
    outer, body.scope = body.scope, Scope(body.scope)
    for inner in statement.body.stmts:
        if isinstance(inner, tree.Write):
            slots.write(body, inner, int(period))
        else:
            run(body, inner)
    body.scope = outer


def draw(body: Body, statement: tree.DrawStmt) -> None:
    from repc.elaborate.draws import drawn

    for one in statement.draws:
        drawn(body, one)


def claim(body: Body, claims: tuple[tree.Claim, ...]) -> None:
    """Claims as written, axes resolved."""
    from repc.elaborate.shapes import known

    for one in claims:
        args: list[object] = []
        for arg in one.args or ():
            if isinstance(arg.value, tree.Name):
                found = known(body, arg.value)
                args.append(found[0].label if found is not None and len(found) == 1 else arg.value.text)
            else:
                args.append(words(arg.value))
        body.claims.append(ClaimNote(one.name.text, tuple(args), one.assumed, one.span))


def words(expr: tree.Expr) -> str:
    """A claim's argument in text: `S(N)`."""
    if isinstance(expr, tree.Name | tree.Number):
        return expr.text
    if isinstance(expr, tree.Call):
        return f"{words(expr.func)}({', '.join(words(arg.value) for arg in expr.args)})"
    if isinstance(expr, tree.Attr):
        return f"{words(expr.base)}.{expr.name.text}"
    return type(expr).__name__.lower()


HANDLERS: dict[type, Callable[[Body, Any], None]] = {
    tree.Bind: bind,
    tree.Annotated: annotated,
    tree.RoleStmt: role,
    tree.ConstItem: constant,
    tree.SolveStmt: solved,
    tree.DimsItem: dims,
    tree.DefItem: function,
    tree.TermStmt: term,
    tree.RequireStmt: require,
    tree.TableStmt: table,
    tree.ReturnStmt: returned,
    tree.Write: write,
    tree.EveryStmt: every,
    tree.DrawStmt: draw,
    tree.RepeatStmt: flow.repeat,
    tree.ScanStmt: flow.scan,
    tree.ForStmt: flow.for_each,
    tree.IfStmt: flow.branch,
}

__all__ = ["Static", "bind_value", "bound_names", "describe", "run", "run_block", "run_body"]
