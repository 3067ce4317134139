"""`def`s: pure, written into the body that calls them (LANGUAGE.md 2.8)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.scope import Scope
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import Axes, Fields, Function, Static, Tensor
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value

DEEPEST = 40


def inlined(body: Body, function: Function, expr: tree.Call) -> Value:
    """Arguments take the axes of the parameters' types; their other axes are lifted through."""
    node = function.node
    if body.depth > DEEPEST:
        raise stop("declaration-cycle", expr.span, name=node.name.text, cycle=f"{node.name.text} -> {node.name.text}")
    given = arguments(body, node, expr)
    scope = Scope(function.scope)
    frame = Frame(body, expr.span)
    for param in node.params:
        value = given.get(param.name.text)
        if value is None:
            if param.default is None:
                raise stop("missing-argument", expr.span, name=param.name.text, callee=node.name.text)
            value = within(body, scope, param.default)
        elif param.type is not None and not nominal(body, param.type):
            value = frame.fit(scope, param, value)
        scope.bind(param.name.text, value, expr.span)
    made = run(body, node, scope, frame)
    return frame.back(made)


def nominal(body: Body, kind: tree.Expr) -> bool:
    """A parameter that takes a block, a config or a declaration."""
    from repc.elaborate.signature import typed_role

    return typed_role(body.context, body.module, kind) != "data"


def within(body: Body, scope: Scope, expr: tree.Expr) -> Value:
    """An expression read in another scope."""
    before, body.scope = body.scope, scope
    try:
        return evaluate(body, expr)
    finally:
        body.scope = before


def arguments(body: Body, node: tree.DefItem, expr: tree.Call) -> dict[str, Value]:
    """Arguments by parameter."""
    from repc.elaborate.calls import data_value

    names = [param.name.text for param in node.params]
    given: dict[str, Value] = {}
    order = iter(names)
    for arg in expr.args:
        name = arg.name.text if arg.name is not None else next(order, None)
        if name is None:
            raise stop("too-many-arguments", arg.span, callee=node.name.text, expected=len(names), parameters=names)
        if name not in names:
            from repc.elaborate.shapes import closest

            raise stop(
                "unknown-argument",
                arg.span,
                suggestion=closest(name, names),
                name=name,
                callee=node.name.text,
                names=names,
            )
        given[name] = data_value(body, arg.value)
    return given


class Frame:
    """The axes of one call: what stands for which axis of a parameter's type, and what is lifted."""

    def __init__(self, body: Body, span: Span) -> None:
        self.body = body
        self.span = span
        self.pairs: dict[Symbol, Axis] = {}
        self.lifted: set[Symbol] = set()

    def fit(self, scope: Scope, param: tree.Param, value: Value) -> Value:
        """A value as the parameter's type names its axes."""
        from repc.elaborate.shapes import type_of

        assert param.type is not None
        before, self.body.scope = self.body.scope, scope
        try:
            self.open_variadics(scope, param.type, value)
            type_ = type_of(self.body, param.type)
        finally:
            self.body.scope = before
        if isinstance(value, Fields) or type_.kind.name == "record":
            return value
        tensor = self.body.tensor(value, self.span)
        return self.relabel(tensor, type_, param.name.text)

    def open_variadics(self, scope: Scope, kind: tree.Expr, value: Value) -> None:
        """`..S` stands for the axes that the type does not name."""
        for item in tree.walk(kind):
            if not (isinstance(item, tree.AxisItem) and item.variadic and isinstance(item.size, tree.Name)):
                continue
            if scope.find_axes(item.size.text) is None and isinstance(value, Tensor):
                scope.axes[item.size.text] = value.type.axes

    def relabel(self, value: Tensor, type_: Type, port: str) -> Tensor:
        """Axes matched as in a call, then renamed to the parameter's labels."""
        from repc.elaborate.expressions import is_index

        body = self.body
        taken: set[Symbol] = set()
        moves: list[tuple[Symbol, Symbol]] = []
        waiting: list[Axis] = []
        for axis in type_.axes:
            bound = self.pairs.get(axis.label)
            found = value.type.axis(bound.label if bound is not None else axis.label)
            if found is None:
                waiting.append(axis)
            else:
                taken.add(found.label)
                moves.append((found.label, axis.label))
                self.pairs.setdefault(axis.label, found)
        for axis in waiting:
            free = [a for a in value.type.axes if a.label not in taken and not is_index(body, a.label)]
            same = [a for a in free if a.space == axis.space or body.facts.equal(a.size, axis.size)] or free
            if len(same) > 1:
                same = [a for a in same if a.kind == axis.kind] or same
            if len(same) != 1:
                name = "missing-axis" if not same else "ambiguous-axis"
                raise stop(
                    name, self.span, callee="the def", port=port, axis=axis.label, formal=axis.label, type=value.type,
                    candidates=[str(a.label) for a in same],
                )  # fmt: skip
            taken.add(same[0].label)
            moves.append((same[0].label, axis.label))
            self.pairs.setdefault(axis.label, same[0])
        self.lifted |= {axis.label for axis in value.type.axes if axis.label not in taken}
        changed = tuple(pair for pair in moves if pair[0] != pair[1])
        if not changed:
            return value
        clash = [a for a in value.type.labels if a in {new for _, new in changed} and a not in dict(changed)]
        for label in clash:
            away = body.fresh(label.name)
            value = body.prim("relabel", [value], self.span, labels=((label, away),))
            self.pairs[away] = Axis(label, Dim.of(1), "plain", label)
            self.lifted.add(away)
        return body.prim("relabel", [value], self.span, labels=changed)

    def back(self, value: Value) -> Value:
        """The result in the caller's names."""
        if isinstance(value, Fields):
            return Fields(tuple((name, self.back(item)) for name, item in value.items), value.call)
        if not isinstance(value, Tensor):
            return value
        moves = []
        for axis in value.type.axes:
            bound = self.pairs.get(axis.label)
            if bound is not None and bound.label != axis.label and value.type.axis(bound.label) is None:
                moves.append((axis.label, bound.label))
        return self.body.prim("relabel", [value], self.span, labels=tuple(moves)) if moves else value


def run(body: Body, node: tree.DefItem, scope: Scope, frame: Frame) -> Value:
    """The body of a def, in its own scope."""
    from repc.elaborate.definitions import conform
    from repc.elaborate.shapes import type_of
    from repc.elaborate.statements import run as run_statement

    saved = body.scope, body.lifted, body.result, body.returned, body.sites
    body.scope, body.lifted, body.result = scope, body.lifted | frame.lifted, None
    body.sites = {}
    body.depth += 1
    try:
        if isinstance(node.body, tree.Block):
            for statement in node.body.stmts:
                run_statement(body, statement)
            value = body.result
            if value is None:
                raise stop("no-return", node.name.span, name=node.name.text)
        else:
            value = evaluate(body, node.body)
        if node.result is not None and not isinstance(node.result, tree.Name):
            value = conform(body, value, type_of(body, node.result), node.name.span)
        return value
    except RecursionError:
        raise Stop(None) from None
    finally:
        body.depth -= 1
        body.scope, body.lifted, body.result, body.returned, body.sites = saved


__all__ = ["Axes", "Static", "inlined", "within"]
