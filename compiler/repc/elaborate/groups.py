"""Groups as values and as axes: their elements, products, and what they do to axes (LANGUAGE.md 1.10, 2.1).

An element of a finite group is a position of the axis that the group is; a permutation is a value over the axis that it
moves.
"""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body, describe
from repc.elaborate.stop import stop
from repc.elaborate.values import Builtin, GroupValue, Static, Tensor
from repc.groups import LEFT, RIGHT_UNITS, Monoid, cyclic, dihedral, order_of, symmetric, words
from repc.groups.finite import LARGEST
from repc.names.entries import GroupEntry
from repc.types import Axis, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value

ENUMERATED = {"C": cyclic, "D": dihedral, "S": symmetric}
MATRICES = ("GL", "O", "SO", "E")
LIBRARY = ("C", "D", "S", "words", "quaternion")


def named_group(body: Body, entry: GroupEntry) -> GroupValue:
    """`group G = C(4) on [X, Y]`, read once in the scope of its file."""
    place = (entry.module, entry.name)
    known = body.context.groups.get(place)
    if known is not None:
        return known
    before, body.scope = body.scope, body.context.file_scope(entry.module)
    try:
        made = group_of(body, entry.value)
    finally:
        body.scope = before
    space = Symbol(entry.name, entry.module)
    made = GroupValue(entry.name, made.kind, made.monoid, made.acts, space, made.size)
    body.context.groups[place] = made
    body.context.groups_by_space[space] = made
    return made


def group_of(body: Body, expr: tree.Expr) -> GroupValue:
    """An expression as a group. In a `group` line the built-in names come first."""
    if isinstance(expr, tree.Binary) and expr.op == "on":
        from repc.elaborate.shapes import axes_of

        base = group_of(body, expr.left)
        return GroupValue(base.title, base.kind, base.monoid, axes_of(body, expr.right), base.space, base.size)
    if isinstance(expr, tree.Call) and isinstance(expr.func, tree.Name):
        made = constructed(body, expr.func.text, expr)
        if made is not None:
            return made
    from repc.elaborate.expressions import evaluate

    value = evaluate(body, expr)
    if isinstance(value, GroupValue):
        return value
    raise stop("group-expected", expr.span, found=describe(value))


def constructed(body: Body, name: str, call: tree.Call) -> GroupValue | None:
    """`C(4)`, `S(N)`, `GL(D)`, `words(2, length: 4)`."""
    from repc.elaborate.expressions import evaluate
    from repc.elaborate.shapes import axes_of, known

    if name == "translations":
        axes = tuple(axis for arg in call.args for axis in axes_of(body, arg.value))
        return GroupValue(name, "translations", None, axes, body.fresh(name), None)
    if name in MATRICES and len(call.args) == 1:
        size = evaluate(body, call.args[0].value)
        acts = known(body, call.args[0].value) if isinstance(call.args[0].value, tree.Name) else None
        dim = Dim.of(size.value) if isinstance(size, Static) and isinstance(size.value, int | Dim) else None
        return GroupValue(name, name, None, acts or (), body.fresh(name), dim)
    if name == "words":
        numbers = [int(body.number(evaluate(body, arg.value), arg.span, "words")) for arg in call.args]
        if len(numbers) != 2 or sum(numbers[0] ** n for n in range(numbers[1] + 1)) >= LARGEST:
            raise stop("group-too-large", call.span, name="words", size="more", largest=LARGEST)
        return valued(body, words(*numbers), "words")
    if name not in ENUMERATED or len(call.args) != 1:
        return None
    argument = call.args[0].value
    moved = known(body, argument) if isinstance(argument, tree.Name) else None
    if name == "S" and moved is not None:
        return GroupValue(f"S({moved[0].label})", "permutations", None, moved, body.fresh("S"), moved[0].size)
    number = int(body.number(evaluate(body, argument), argument.span, name))
    order = order_of(name, number)
    if number < 1 or order > LARGEST:
        raise stop("group-too-large", call.span, name=f"{name}({number})", size=order, largest=LARGEST)
    return valued(body, ENUMERATED[name](number), {"C": "cyclic", "D": "dihedral", "S": "symmetric"}[name])


def valued(body: Body, monoid: Monoid, kind: str) -> GroupValue:
    """A monoid that has no name of its own: equal ones are one."""
    space = Symbol(monoid.name, "group")
    made = GroupValue(monoid.name, kind, monoid, (), space, Dim.of(monoid.order))
    body.context.groups_by_space.setdefault(space, made)
    return made


def axis_of_group(group: GroupValue) -> Axis | None:
    """The axis that a finite group is."""
    if group.monoid is None:
        return None
    return Axis(group.space, Dim.of(group.monoid.order), "feature", group.space)


def representation(body: Body, item: tree.AxisItem) -> tuple[Axis, ...] | None:
    """`R: G.regular`, `W: G.irrep(1)`, `D: R.vector`: an axis that carries a representation."""
    expr, kind = item.size, ""
    number: int | None = None
    if isinstance(expr, tree.Call) and isinstance(expr.func, tree.Attr) and len(expr.args) == 1:
        from repc.elaborate.expressions import evaluate

        kind, base = expr.func.name.text, expr.func.base
        group = group_named(body, base)
        if group is not None:
            number = int(body.number(evaluate(body, expr.args[0].value), expr.span, kind))
    elif isinstance(expr, tree.Attr):
        kind, base = expr.name.text, expr.base
        group = group_named(body, base)
    else:
        return None
    if group is None or item.label is None:
        return None
    size = degree(group, kind, number)
    if size is None:
        raise stop("no-such-representation", expr.span, name=kind, group=group.title)
    from repc.elaborate.shapes import known, label_of

    declared = known(body, item.label)
    if declared is not None and len(declared) == 1:
        if not body.facts.equal(declared[0].size, size):
            raise stop("sizes-of-result", item.span, axis=declared[0].label, expected=declared[0].size, found=size)
        return declared
    label = label_of(body, item.label)
    space = group.space if kind == "regular" else label
    return (Axis(label, size, "feature", space),)


def group_named(body: Body, base: tree.Expr) -> GroupValue | None:
    """The group that a name stands for."""
    if not isinstance(base, tree.Name) or body.scope.find(base.text) is not None:
        return None
    entry = body.context.find(body.module, base.text)
    return named_group(body, entry) if isinstance(entry, GroupEntry) else None


def degree(group: GroupValue, kind: str, number: int | None) -> Dim | None:
    """The size of a representation."""
    if kind in {"vector", "dual"} and group.size is not None and group.kind in (*MATRICES, "permutations"):
        return group.size
    if kind == "trivial":
        return Dim.of(1)
    if group.monoid is None:
        return None
    if kind == "regular":
        return Dim.of(group.monoid.order)
    if kind == "irrep" and number is not None and group.kind == "cyclic" and 0 <= 2 * number <= group.monoid.order:
        # Over the real numbers a turn by k / n is a plane, but for no turn and half a turn.
        return Dim.of(1 if number == 0 or 2 * number == group.monoid.order else 2)
    return None


def element_type(body: Body, expr: tree.Attr) -> Type | None:
    """`G.element`: a position of a finite group, or a permutation of an axis."""
    group = group_named(body, expr.base) if expr.name.text == "element" else None
    return None if group is None else type_of_element(group, expr.span)


def type_of_element(group: GroupValue, span: Span) -> Type:
    if group.monoid is not None:
        return Type((), index_of(group.space, Dim.of(group.monoid.order)))
    if group.kind == "permutations":
        return Type(group.acts, index_of(group.acts[0].space, group.acts[0].size))
    raise stop("group-not-finite", span, group=group.title)


# ---- elements


def of_group(body: Body, value: Value) -> GroupValue | None:
    """The group of which a value holds elements."""
    if isinstance(value, Tensor) and value.type.kind.name == "index" and value.type.kind.space is not None:
        return body.context.groups_by_space.get(value.type.kind.space)
    return None


def group_operation(body: Body, expr: tree.Binary, left: Value, right: Value) -> Tensor | None:
    """`g * h`, `g / h`, `g ^ -1` of elements of one group; None where the operands are none."""
    group = of_group(body, left)
    if group is None or not isinstance(left, Tensor):
        return None
    if expr.op == "^" and isinstance(right, Static) and right.value == -1:
        return inverted(body, group, left, expr.span)
    other = of_group(body, right)
    if expr.op not in {"*", "/"} or other is None or not isinstance(right, Tensor):
        return None
    if other.space != group.space:
        raise stop("groups-differ", expr.span, left=group.title, right=other.title)
    return multiplied(
        body, group, left, inverted(body, group, right, expr.span) if expr.op == "/" else right, expr.span
    )


def multiplied(body: Body, group: GroupValue, left: Tensor, right: Tensor, span: Span) -> Tensor:
    """The product by the table; of rotations by their sum."""
    assert group.monoid is not None
    order = group.monoid.order
    if group.kind == "cyclic":
        total = body.prim("add", [body.prim("int", [left], span), body.prim("int", [right], span)], span)
        return element(body, group, body.prim("mod", [total, Static(order)], span), span)
    first, second = body.fresh("left"), body.fresh("right")
    axes = tuple(Axis(label, Dim.of(order), "plain", label) for label in (first, second))
    table = body.prim("table", [], span, values=tuple(v for row in group.monoid.table for v in row), axes=axes)
    return element(body, group, body.prim("gather", [table, left, right], span, axes=(first, second)), span)


def inverted(body: Body, group: GroupValue, value: Tensor, span: Span) -> Tensor:
    """The inverse of an element."""
    if group.monoid is None or not group.monoid.is_group:
        raise stop("group-not-finite", span, group=group.title)
    order = group.monoid.order
    if group.kind == "cyclic":
        back = body.prim("sub", [Static(order), body.prim("int", [value], span)], span)
        return element(body, group, body.prim("mod", [back, Static(order)], span), span)
    label = body.fresh("element")
    axes = (Axis(label, Dim.of(order), "plain", label),)
    table = body.prim("table", [], span, values=group.monoid.inverses, axes=axes)
    return element(body, group, body.prim("gather", [table, value], span, axes=(label,)), span)


def element(body: Body, group: GroupValue, number: Tensor, span: Span) -> Tensor:
    """A number as an element."""
    assert group.monoid is not None
    return body.prim("index", [number], span, space=group.space, size=Dim.of(group.monoid.order))


def member(body: Body, group: GroupValue, expr: tree.Attr) -> Value:
    """`G.identity`, `m.unit`, `m.zero`."""
    wanted = expr.name.text
    if group.monoid is not None and wanted in {"identity", "unit"}:
        return Static(group.monoid.unit)
    if group.monoid is not None and wanted == "zero" and group.monoid.zero is not None:
        return Static(group.monoid.zero)
    raise stop("no-such-field", expr.name.span, name=wanted, found=f"the group {group.title}")


def quaternion_member(body: Body, base: Builtin, expr: tree.Attr) -> Value | None:
    """`quaternion.left`: [m, i, j], what multiplying from the left by e_m does; `quaternion.right_units`, a group."""
    if base.name != "quaternion":
        return None
    if expr.name.text == "right_units":
        return GroupValue(
            "quaternion.right_units", "quaternions", None, (), body.fresh("units"), Dim.of(len(RIGHT_UNITS))
        )
    if expr.name.text != "left":
        raise stop("no-such-field", expr.name.span, name=expr.name.text, found="quaternion")
    axes = tuple(Axis(body.own(name), Dim.of(4), "feature", body.own(name)) for name in ("m", "i", "j"))
    values = tuple(float(v) for matrix in LEFT for row in matrix for v in row)
    return body.prim("table", [], expr.span, values=values, axes=axes)
