"""Shapes and types from their syntax (LANGUAGE.md 1)."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim, Symbol
from repc.elaborate.context import LONGEST_AXIS
from repc.elaborate.stop import ABSORBED, stop
from repc.elaborate.values import Axes, Static
from repc.names.entries import DimEntry, GroupEntry
from repc.types import BOOL, FLOAT, INT, Axis, Kind, Refinement, Type, index_of, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.body import Body
    from repc.elaborate.values import Value

MANIFOLDS = {"sphere": "sphere", "ball": "ball", "simplex": "simplex", "stiefel": "stiefel", "O": "orthogonal"}


def axes_of(body: Body, expr: tree.Expr) -> tuple[Axis, ...]:
    """The axes of a shape, `[T, i: D, ..S, M: 2*B]` or a bare name."""
    if isinstance(expr, tree.Name):
        return named(body, expr)
    if not isinstance(expr, tree.AxesExpr):
        return (sized(body, expr),)
    made: list[Axis] = []
    for item in expr.axes:
        for axis in one_axis(body, item):
            if any(axis.label == other.label for other in made):
                raise stop("axis-twice", item.span, axis=axis.label)
            made.append(axis)
    return tuple(made)


def one_axis(body: Body, item: tree.AxisItem) -> tuple[Axis, ...]:
    """One entry of a shape."""
    if item.variadic:
        if item.size is None:
            return ()
        if not isinstance(item.size, tree.Name):
            raise stop("axis-expected", item.span)
        found = body.scope.find_axes(item.size.text)
        if found is None:
            raise stop("unknown-axis", item.size.span, name=item.size.text)
        return found
    if item.size is None:
        raise stop("axis-expected", item.span)
    if item.label is None:
        return named(body, item.size) if isinstance(item.size, tree.Name) else (sized(body, item.size),)
    if isinstance(item.size, tree.Attr | tree.Call):
        from repc.elaborate.groups import representation

        carried = representation(body, item)
        if carried is not None:
            return carried
    label = label_of(body, item.label)
    if isinstance(item.size, tree.Name):
        copied = known(body, item.size)
        if copied is not None and len(copied) == 1:
            return (copied[0].relabelled(label),)
    axis = sized(body, item.size)
    declared = known(body, item.label)
    kind = declared[0].kind if declared is not None and len(declared) == 1 else axis.kind
    return (Axis(label, axis.size, kind, label, axis.ragged),)


def label_of(body: Body, name: tree.Name) -> Symbol:
    """The symbol of a written label: a declared dim's, else one of this body."""
    found = known(body, name)
    if found is not None and len(found) == 1:
        return found[0].label
    return body.own(name.text)


def known(body: Body, name: tree.Name) -> tuple[Axis, ...] | None:
    """The axes that a name stands for, if it is one."""
    found = body.scope.find_axes(name.text)
    if found is not None:
        return found
    entry = body.context.find(body.module, name.text)
    if isinstance(entry, DimEntry):
        return (body.context.axis(entry),)
    if isinstance(entry, GroupEntry):
        from repc.elaborate.groups import axis_of_group, named_group

        axis = axis_of_group(named_group(body, entry))
        return None if axis is None else (axis,)
    return None


def named(body: Body, name: tree.Name) -> tuple[Axis, ...]:
    """A bare name in a shape."""
    found = known(body, name)
    if found is not None:
        return found
    value = body.scope.find(name.text)
    if isinstance(value, Axes):
        return value.axes
    if isinstance(value, Static) and isinstance(value.value, int | Dim):
        return (sized(body, name),)
    label = body.own(name.text)
    for node in body.nodes.values():
        axis = node.type.axis(label)
        if axis is not None:
            return (axis,)
    if name.text in body.broken or body.context.unresolved(body.module, name.text):
        raise ABSORBED
    candidates = [*body.scope.all_names(), *body.context.declared_in(body.module)]
    raise stop("unknown-axis", name.span, suggestion=closest(name.text, candidates), name=name.text)


def closest(name: str, candidates: list[str]) -> str | None:
    """The nearest name, if there is one that is near."""
    from repc.diagnostics.suggest import nearest

    return nearest(name, candidates)


def sized(body: Body, expr: tree.Expr) -> Axis:
    """An axis from a formula: `[T / 2]` keeps the label of its one symbol, others are nameless."""
    size = size_of(body, expr)
    symbols = sorted(size.symbols())
    space = body.fresh("axis")
    kind = "feature" if all(symbol in body.context.values or symbol in body.numbers for symbol in symbols) else "plain"
    label = space
    names = [inner.text for inner in tree.walk(expr) if isinstance(inner, tree.Name)]
    if len(set(names)) == 1:
        found = body.scope.find_axes(names[0]) or known(body, tree.Name(expr.span, names[0]))
        if found is not None and len(found) == 1:
            label, kind = found[0].label, found[0].kind
    return Axis(label, size, "plain" if kind == "set" else kind, space)


def size_of(body: Body, expr: tree.Expr, bounded: bool = True) -> Dim:
    """A size: a formula over dims, formals and whole configuration numbers; `bounded`: it is that of an axis."""
    from repc.elaborate.expressions import evaluate

    value = evaluate(body, expr)
    if isinstance(value, Axes):
        return product(value.axes)
    if isinstance(value, Static) and isinstance(value.value, int | Dim) and not isinstance(value.value, bool):
        size = Dim.of(value.value)
        constant = size.constant
        if bounded and constant is not None and constant > LONGEST_AXIS:
            raise stop("axis-too-large", expr.span, name="the axis", size=constant)
        return size
    raise stop("size-needed", expr.span, name="the axis")


def product(axes: tuple[Axis, ...]) -> Dim:
    """The number that a list of axes stands for."""
    size = Dim.of(1)
    for axis in axes:
        size = size * axis.size
    return size


def type_of(body: Body, expr: tree.Expr) -> Type:
    """A type as it is written: `[T, D] of V in (0, 1) on sphere(D)`."""
    if isinstance(expr, tree.RecordExpr):
        return record((item.name.text, type_of(body, item.value)) for item in expr.fields)
    if isinstance(expr, tree.Call) and isinstance(expr.func, tree.Name) and expr.func.text == "like":
        return like(body, expr)
    if isinstance(expr, tree.Binary) and expr.op == "of":
        base = type_of(body, expr.left)
        if base.fields:
            kind = kind_of(body, expr.right)
            return record((name, Type(inner.axes, kind)) for name, inner in base.fields)
        return Type(base.axes, kind_of(body, expr.right))
    if isinstance(expr, tree.Binary) and expr.op == "on":
        base = type_of(body, expr.left)
        return Type(base.axes, base.kind, manifold(body, expr.right, base), base.fields)
    if isinstance(expr, tree.Binary) and expr.op == "in":
        base = type_of(body, expr.left)
        return Type(base.axes, base.kind, interval(body, expr.right), base.fields)
    if isinstance(expr, tree.AxesExpr):
        return Type(axes_of(body, expr), FLOAT)
    if isinstance(expr, tree.Attr):
        from repc.elaborate.groups import element_type

        made = element_type(body, expr)
        if made is not None:
            return made
    if isinstance(expr, tree.Name) and expr.text in {"float", "int", "bool"}:
        return Type((), {"float": FLOAT, "int": INT, "bool": BOOL}[expr.text])
    if isinstance(expr, tree.Attr):
        from repc.elaborate.records import is_params, parameter_type

        if is_params(expr):
            return parameter_type(body, expr)
    raise stop("type-expected", expr.span)


def like(body: Body, expr: tree.Call) -> Type:
    """`like(f.params)`, `like(x)`: the type of what stands there."""
    from repc.elaborate.expressions import evaluate

    if len(expr.args) != 1:
        raise stop("wrong-arity", expr.span, callee="like", wanted=1, given=len(expr.args), signature="like(x)")
    what = expr.args[0].value
    if isinstance(what, tree.Attr) and what.name.text == "params":
        from repc.elaborate.records import parameter_type

        return parameter_type(body, what)
    return body.tensor(evaluate(body, what), what.span).type.plain()


def kind_of(body: Body, expr: tree.Expr) -> Kind:
    """What stands after `of`: a kind, or a dim whose values are indices."""
    if isinstance(expr, tree.Name) and expr.text in {"float", "int", "bool", "gaussian"}:
        return {"float": FLOAT, "int": INT, "bool": BOOL}.get(expr.text, Kind("gaussian"))
    if isinstance(expr, tree.Call) and isinstance(expr.func, tree.Name) and expr.func.text == "code":
        return Kind("code", None, size_of(body, expr.args[0].value))
    if isinstance(expr, tree.Name):
        found = known(body, expr)
        if found is not None and len(found) == 1:
            return index_of(found[0].space, found[0].size)
    size = size_of(body, expr)
    return index_of(body.fresh("values"), size)


def manifold(body: Body, expr: tree.Expr, base: Type) -> Refinement:
    """`sphere(D)` and its kin."""
    if isinstance(expr, tree.Call) and isinstance(expr.func, tree.Name) and expr.func.text in MANIFOLDS:
        labels = [axis.label for arg in expr.args if arg.name is None for axis in axes_of(body, arg.value)]
        return Refinement(MANIFOLDS[expr.func.text], axes=tuple(labels))
    raise stop("manifold-expected", expr.span, known=sorted(MANIFOLDS))


def interval(body: Body, expr: tree.Expr) -> Refinement:
    """`(0, 1)` open, `0 .. 1` closed."""
    if isinstance(expr, tree.TupleExpr) and len(expr.items) == 2:
        low, high = (bound(body, item) for item in expr.items)
        return Refinement("interval", low, high, True, True)
    if isinstance(expr, tree.Binary) and expr.op == "..":
        low, high = bound(body, expr.left), bound(body, expr.right)
        return Refinement("interval", low, high, low == float("-inf"), high == float("inf"))
    if isinstance(expr, tree.Call):
        return manifold(body, expr, Type((), FLOAT))
    raise stop("interval-expected", expr.span)


def bound(body: Body, expr: tree.Expr) -> float:
    """An end of an interval."""
    from repc.elaborate.expressions import evaluate

    value: Value = evaluate(body, expr)
    return float(body.number(value, expr.span, "an end of an interval"))
