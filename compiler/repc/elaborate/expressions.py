"""Expressions outside brackets: names, arithmetic, conditions, fields."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim
from repc.elaborate import statics
from repc.elaborate.body import Body, describe
from repc.elaborate.stop import ABSORBED, stop
from repc.elaborate.values import (
    Arrow,
    Axes,
    BlockValue,
    Builtin,
    Callee,
    Deferred,
    Fields,
    Function,
    GroupValue,
    Index,
    Label,
    LibraryWord,
    Series,
    Static,
    Tensor,
    WordValue,
)
from repc.names.entries import (
    ConstEntry,
    DeclarationEntry,
    DefEntry,
    DimEntry,
    Entry,
    GroupEntry,
    OptionEntry,
    TrainEntry,
    WordEntry,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from repc.elaborate.values import Value

PRIMS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "^": "pow",
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "and": "and", "or": "or",
}  # fmt: skip


def evaluate(body: Body, expr: tree.Expr) -> Value:
    """What an expression stands for."""
    handler = HANDLERS.get(type(expr))
    if handler is None:
        raise stop("not-an-expression", expr.span)
    return handler(body, expr)


def tensor(body: Body, expr: tree.Expr) -> Tensor:
    """The expression as a node."""
    return body.tensor(evaluate(body, expr), expr.span)


# ---- names


# What the stop of a gradient is called elsewhere; no edit distance leads from these to `sg`.
STOPS = frozenset(["stop", "detach", "stopgrad", "stop_grad", "stop_gradient", "no_grad"])


def name(body: Body, expr: tree.Name) -> Value:
    """A visible value, a dim, a declaration, a builtin; else an error with the nearest name."""
    found = body.scope.find(expr.text)
    if isinstance(found, Deferred):
        return forced(body, found)
    if found is not None:
        return body.tensor(found, expr.span) if isinstance(found, Index) else found
    axes = body.scope.find_axes(expr.text)
    if axes is not None:
        size = Dim.of(1)
        for axis in axes:
            size = size * axis.size
        return Static(statics.settled(size)) if len(axes) == 1 else Axes(axes)
    entry = body.context.find(body.module, expr.text)
    if entry is not None:
        return entered(body, entry, expr)
    if expr.text in statics.CONSTANTS:
        return Static(statics.CONSTANTS[expr.text])
    if expr.text in statics.UNITS:
        return Static(statics.UNITS[expr.text])
    if body.context.unresolved(body.module, expr.text):
        raise ABSORBED
    from repc.elaborate.builtins import BUILTINS

    if expr.text in BUILTINS or expr.text == "quaternion":
        return Builtin(expr.text)
    if expr.text in body.broken or body.module.find(expr.text) is not None:
        # Its own definition, or the import that should bring it, has been reported.
        raise ABSORBED
    from repc.elaborate.shapes import closest
    from repc.ops.laws import LAWS

    if expr.text in LAWS:
        raise stop("draw-by-equals", expr.span, law=expr.text)
    candidates = [*body.scope.all_names(), *body.context.declared_in(body.module), *BUILTINS]

    suggestion = "sg" if expr.text in STOPS else closest(expr.text, candidates)
    raise stop("unknown-name", expr.span, suggestion=suggestion, name=expr.text)


def forced(body: Body, value: Deferred) -> Value:
    """A deferred argument, read in the scope where it was written."""
    outer, body.scope = body.scope, value.scope
    try:
        return evaluate(body, value.expr)
    finally:
        body.scope = outer


def entered(body: Body, entry: Entry, expr: tree.Name) -> Value:
    """An entry of a file as a value."""
    if isinstance(entry, DimEntry):
        return Static(statics.settled(body.context.axis(entry).size))
    if isinstance(entry, DeclarationEntry | TrainEntry):
        from repc.elaborate.instances import callee_of

        return callee_of(body, entry)
    if isinstance(entry, DefEntry):
        return Function(entry.node, body.context.file_scope(entry.module))
    if isinstance(entry, ConstEntry):
        from repc.elaborate.slots import file_constant

        return file_constant(body, entry, expr.span)
    if isinstance(entry, OptionEntry):
        return body.context.option(entry)
    if isinstance(entry, GroupEntry):
        from repc.elaborate.groups import named_group

        return named_group(body, entry)
    if isinstance(entry, WordEntry):
        return LibraryWord(entry.word.name, entry.word.module)
    raise stop("not-a-value", expr.span, found=f"`{expr.text}`")


def number(body: Body, expr: tree.Number) -> Value:
    return Static(expr.value)


def string(body: Body, expr: tree.String) -> Value:
    return Static(expr.value)


def series(body: Body, expr: tree.TupleExpr | tree.SetExpr) -> Value:
    return Series(tuple(item(body, entry) for entry in expr.items))


def item(body: Body, expr: tree.Expr) -> Value:
    """A member of a static list: an unknown name is a choice."""
    if isinstance(expr, tree.Name) and body.scope.find(expr.text) is None:
        entry = body.context.find(body.module, expr.text)
        if entry is None and body.scope.find_axes(expr.text) is None and expr.text not in statics.CONSTANTS:
            return Label(expr.text)
    return evaluate(body, expr)


def fields(body: Body, expr: tree.RecordExpr) -> Value:
    return Fields(tuple((entry.name.text, evaluate(body, entry.value)) for entry in expr.fields))


def axes(body: Body, expr: tree.AxesExpr) -> Value:
    from repc.elaborate.shapes import axes_of

    return Axes(axes_of(body, expr))


# ---- operators


def unary(body: Body, expr: tree.Unary) -> Value:
    operand = evaluate(body, expr.operand)
    if isinstance(operand, Static):
        if expr.op == "-":
            return statics.negate(operand, expr.span)
        if isinstance(operand.value, bool):
            return Static(not operand.value)
    return body.prim("neg" if expr.op == "-" else "not", [operand], expr.span)


def binary(body: Body, expr: tree.Binary) -> Value:
    if expr.op == "->":
        return arrow(body, expr)
    if expr.op == "..":
        return Series((evaluate(body, expr.left), evaluate(body, expr.right)))
    if expr.op == "in":
        return contained(body, expr)
    if expr.op == "across":
        from repc.elaborate.splits import across

        return across(body, expr)
    if expr.op in {"of", "on"}:
        raise stop("type-as-value", expr.span, op=expr.op)
    if expr.op in {"and", "or"}:
        return logical(body, expr)
    read = operand_of if expr.op in {"==", "!="} else evaluate
    left, right = read(body, expr.left), read(body, expr.right)
    return operate(body, expr, left, right)


def contained(body: Body, expr: tree.Binary) -> Value:
    """`v in top[m; keep: 5] s`: whether a value is among those along the one axis of the right side alone."""
    left, right = evaluate(body, expr.left), evaluate(body, expr.right)
    if isinstance(right, Series) and isinstance(expr.right, tree.SetExpr):
        made: Value = Static(False)
        for entry in right.items:
            same = operate(body, tree.Binary(expr.span, "==", expr.left, expr.right), left, entry)
            made = operate(body, tree.Binary(expr.span, "or", expr.left, expr.right), made, same)
        return made
    if not isinstance(right, Tensor):
        raise stop("type-as-value", expr.span, op=expr.op)
    value = body.tensor(left, expr.left.span)
    for side in (value, right):
        if side.type.kind.name not in {"index", "int", "number"}:
            raise stop("kind-mismatch", expr.span, wanted="int", found=side.type.kind)
    own = [axis for axis in right.type.axes if value.type.axis(axis.label) is None and not is_index(body, axis.label)]
    if len(own) != 1:
        raise stop("axes-to-search", expr.right.span, type=right.type, given=len(own))
    same = body.prim("eq", [value, right], expr.span)
    return body.prim("any", [same], expr.span, over=(own[0].label,))


def logical(body: Body, expr: tree.Binary) -> Value:
    """`a or b` where a is known: b alone, or nothing of it (as in a static `if`)."""
    left = evaluate(body, expr.left)
    if isinstance(left, Static) and isinstance(left.value, bool):
        if left.value is (expr.op == "or"):
            return left
        right = evaluate(body, expr.right)
        return right if isinstance(right, Static) else body.tensor(right, expr.right.span)
    return operate(body, expr, left, evaluate(body, expr.right))


def operand_of(body: Body, expr: tree.Expr) -> Value:
    """An operand; a bare unknown name beside a choice is an option of it."""
    if isinstance(expr, tree.Name) and body.scope.find(expr.text) is None:
        made = item(body, expr)
        if isinstance(made, Label):
            return made
    return evaluate(body, expr)


def operate(body: Body, expr: tree.Binary, left: Value, right: Value) -> Value:
    """Arithmetic, comparison and logic."""
    if expr.op in {"==", "!="} and (isinstance(left, Label) or isinstance(right, Label)):
        return chosen(body, expr, left, right)
    if (isinstance(left, Axes) and len(left.axes) != 1) or (isinstance(right, Axes) and len(right.axes) != 1):
        left, right = as_size(left), as_size(right)
    if body.context.groups_by_space:
        from repc.elaborate.groups import group_operation

        product = group_operation(body, expr, left, right)
        if product is not None:
            return product
    if isinstance(left, Static) and isinstance(right, Static):
        made = static_operation(body, expr, left, right)
        if made is not None:
            return made
    if (isinstance(left, Static) and left.value is None) or (isinstance(right, Static) and right.value is None):
        return without(body, expr, left, right)
    if expr.op == "@":
        return matmul(body, expr, body.tensor(left, expr.left.span), body.tensor(right, expr.right.span))
    op = PRIMS[expr.op]
    if expr.op == "/" and not isinstance(left, Static) and not isinstance(right, Static):
        pass
    operands = [body.tensor(left, expr.left.span), body.tensor(right, expr.right.span)]
    chain(body, expr, operands)
    return body.prim(op, operands, expr.span)


def as_size(value: Value) -> Value:
    if isinstance(value, Axes):
        from repc.elaborate.shapes import product

        return Static(statics.settled(product(value.axes)))
    return value


def static_operation(body: Body, expr: tree.Binary, left: Static, right: Static) -> Static | None:
    """Statics combined; divisions of sizes leave facts, comparisons of sizes use them."""
    made = statics.combine(expr.op, left, right, expr.span)
    if made is not None:
        if expr.op == "/" and isinstance(made.value, Dim) and not_a_size(body, left, made.value):
            return None
        if expr.op == "/" and isinstance(made.value, Dim):
            for by, of in made.value.denominators():
                body.divides(by, of, expr.span)
        return made
    sizes = isinstance(left.value, int | Dim) and isinstance(right.value, int | Dim)
    if not sizes or isinstance(left.value, bool) or isinstance(right.value, bool):
        return None
    if expr.op not in {"<", "<=", ">", ">=", "==", "!="}:
        return None
    a, b = Dim.of(left.value), Dim.of(right.value)  # type: ignore[arg-type]
    verdict = compared(body, expr.op, a, b)
    if verdict is None and all(s in body.numbers or s in body.context.values for s in (a - b).symbols()):
        numbers = body.known_size(a, expr.span, "a condition"), body.known_size(b, expr.span, "a condition")
        return statics.combine(expr.op, Static(numbers[0]), Static(numbers[1]), expr.span)
    return None if verdict is None else Static(verdict)


def not_a_size(body: Body, left: Static, quotient: Dim) -> bool:
    """A number over a size that does not divide it, as in `1 / D`, is a float and no size."""
    if isinstance(left.value, Dim) and left.value.constant is None:
        return False
    one = Dim.of(left.value).constant in (1, -1) if isinstance(left.value, int | Dim) else False
    return one or any(body.facts.divides(by, of) is False for by, of in quotient.denominators())


def compared(body: Body, op: str, a: Dim, b: Dim) -> bool | None:
    """What the facts say of a comparison."""
    if op in {"==", "!="}:
        return (op == "==") if body.facts.equal(a, b) else None
    if op in {">", "<="}:
        a, b, op = b, a, {">": "<", "<=": ">="}[op]
    if op == ">=":
        return body.at_least(a, b)
    return body.at_least(b, a + 1)


def without(body: Body, expr: tree.Binary, left: Value, right: Value) -> Value:
    """`none` is what is not there: a term or factor that vanishes, and what a presence test asks for."""
    missing = isinstance(left, Static) and left.value is None, isinstance(right, Static) and right.value is None
    if expr.op in {"==", "!="}:
        return Static((missing[0] == missing[1]) == (expr.op == "=="))
    if expr.op in {"+", "-", "*"} and missing[1]:
        return left
    if expr.op in {"+", "*"} and missing[0]:
        return right
    raise stop("none-as-value", expr.span)


def chosen(body: Body, expr: tree.Binary, left: Value, right: Value) -> Value:
    """`norm == pre` of a choice."""
    if isinstance(left, Label) and isinstance(right, Label):
        return Static((left.name == right.name) == (expr.op == "=="))
    if isinstance(left, Static) and isinstance(left.value, str) and isinstance(right, Label):
        return Static((left.value == right.name) == (expr.op == "=="))
    named = {
        left.name if isinstance(left, Label | Builtin) else "",
        right.name if isinstance(right, Label | Builtin) else "",
    }
    if "" not in named and any(isinstance(side, Builtin) for side in (left, right)):
        return Static((len(named) == 1) == (expr.op == "=="))
    if isinstance(left, Callee) or isinstance(right, Callee):
        raise stop("declarations-compared", expr.span)
    wrong = expr.left if isinstance(left, Label) else expr.right
    raise stop("unknown-name", wrong.span, name=left.name if isinstance(left, Label) else getattr(right, "name", "it"))


def chain(body: Body, expr: tree.Binary, operands: list[Tensor]) -> None:
    """Operands of an element-wise operation form a chain (1.6); index labels are exempt."""
    left, right = ({axis.label for axis in operand.type.axes if not is_index(body, axis.label)} for operand in operands)
    if left <= right or right <= left:
        return
    shown = [f"[{', '.join(map(str, operand.type.axes))}]" for operand in operands]
    raise stop(
        "axes-do-not-nest",
        expr.span,
        (expr.left.span, f"this is {shown[0]}"),
        (expr.right.span, f"this is {shown[1]}"),
        left=shown[0], right=shown[1], op=expr.op,
    )  # fmt: skip


def is_index(body: Body, label: object) -> bool:
    """Whether a label belongs to an index in scope."""
    scope: object = body.scope
    while scope is not None:
        for value in scope.names.values():  # type: ignore[attr-defined]
            if isinstance(value, Index) and value.label == label:
                return True
        scope = scope.parent  # type: ignore[attr-defined]
    return label in body.lifted


def matmul(body: Body, expr: tree.Binary, left: Tensor, right: Tensor) -> Value:
    """`a @ b` contracts the one axis that both have; of two axes of one space, the last of the left."""
    shared = [axis for axis in left.type.axes if right.type.axis(axis.label) is not None]
    if not shared:
        spaces = {axis.space for axis in right.type.axes}
        shared_spaces = [axis for axis in left.type.axes if axis.space in spaces]
        if not shared_spaces:
            raise stop("nothing-to-contract", expr.span, left=left.type, right=right.type)
        own = shared_spaces[-1]
        other = next(axis for axis in right.type.axes if axis.space == own.space)
        right = body.prim("relabel", [right], expr.span, labels=((other.label, own.label),))
        shared = [own]
    if len(shared) > 1:
        raise stop("several-to-contract", expr.span, axes=[axis.label for axis in shared])
    keep = [axis.label for axis in (*left.type.axes, *right.type.axes) if axis.label != shared[0].label]
    if len(set(keep)) != len(keep):
        raise stop("axis-twice", expr.span, axis=next(label for label in keep if keep.count(label) > 1))
    return body.prim("contract", [left, right], expr.span, out=tuple(keep))


def arrow(body: Body, expr: tree.Binary) -> Value:
    """`D -> [H, K]` as an argument."""
    return Arrow(side(body, expr.left), side(body, expr.right))


def side(body: Body, expr: tree.Expr) -> Value:
    """A side of an arrow: axes where it can be, else a value."""
    from repc.elaborate.shapes import axes_of, known

    if isinstance(expr, tree.AxesExpr):
        return Axes(axes_of(body, expr))
    if isinstance(expr, tree.Name):
        found = known(body, expr)
        if found is not None:
            return Axes(found)
        value = body.scope.find(expr.text)
        if isinstance(value, Axes):
            return value
        if value is None:
            return Axes(axes_of(body, expr))
    if isinstance(expr, tree.Attr):
        from repc.elaborate.records import is_params, parameter_axes

        if is_params(expr):
            return parameter_axes(body, expr)
    value = evaluate(body, expr)
    if isinstance(value, Static) and isinstance(value.value, Dim):
        return Axes(axes_of(body, expr))
    return value


# ---- conditions and fields


def cond(body: Body, expr: tree.Cond) -> Value:
    test = evaluate(body, expr.test)
    if isinstance(test, Static):
        return evaluate(body, expr.then if truth(body, test, expr.test) else expr.other)
    condition = body.tensor(test, expr.test.span)
    if condition.type.kind.name != "bool":
        raise stop("kind-mismatch", expr.test.span, wanted="bool", found=condition.type.kind)
    from repc.elaborate.nonempty import under, unless
    from repc.elaborate.purity import where

    with under(body, expr.test), where(body, condition):
        then = evaluate(body, expr.then)
    with unless(body, expr.test), where(body, body.prim("not", [condition], expr.test.span)):
        other = evaluate(body, expr.other)
    return select(body, condition, then, other, expr)


def select(body: Body, condition: Tensor, then: Value, other: Value, expr: tree.Expr) -> Value:
    """Element-wise choice, field by field for records."""
    if isinstance(then, Fields) and isinstance(other, Fields):
        merged = []
        for field, value in then.items:
            beside = other.get(field)
            if beside is None:
                raise stop("fields-differ", expr.span, name=field)
            merged.append((field, select(body, condition, value, beside, expr)))
        return Fields(tuple(merged))
    then, other = counted_like(body, then, other, expr), counted_like(body, other, then, expr)
    return body.prim("where", [condition, then, other], expr.span)


def counted_like(body: Body, value: Value, beside: Value, expr: tree.Expr) -> Value:
    """A number beside an index is an index of the same axis, where it is in range."""
    if not isinstance(value, Static) or not isinstance(value.value, int | Dim) or isinstance(value.value, bool):
        return value
    kind = beside.type.kind if isinstance(beside, Tensor) else None
    if kind is None or kind.name != "index" or kind.size is None:
        return value
    place = Dim.of(value.value)
    if body.at_least(place, 0) is not True or body.at_least(kind.size - 1, place) is not True:
        return value
    return body.prim("index", [value], expr.span, space=kind.space, size=kind.size)


def truth(body: Body, value: Static, expr: tree.Expr) -> bool:
    """A static condition; `none` is false, and a named axis, as in `causal: T`, is true."""
    if isinstance(value.value, bool):
        return value.value
    if value.value is None or isinstance(value.value, Dim):
        return value.value is not None
    raise stop("condition-needed", expr.span, found=describe(value))


def match(body: Body, expr: tree.Match) -> Value:
    subject = evaluate(body, expr.subject)
    if isinstance(subject, Label):
        for arm in expr.arms:
            if isinstance(arm.key, tree.Name) and arm.key.text == subject.name:
                return evaluate(body, arm.value)
        raise stop("no-such-arm", expr.span, name=subject.name, arms=[spell(arm.key) for arm in expr.arms])
    if isinstance(subject, Static):
        number = body.number(subject, expr.subject.span, "a match")
        for arm in expr.arms:
            if isinstance(arm.key, tree.Number) and arm.key.value == number:
                return evaluate(body, arm.value)
        raise stop("no-such-arm", expr.span, name=str(number), arms=[spell(arm.key) for arm in expr.arms])
    value = body.tensor(subject, expr.subject.span)
    if not expr.arms:
        raise stop("no-such-arm", expr.span, name="it", arms=[])
    result = evaluate(body, expr.arms[-1].value)
    for arm in reversed(expr.arms[:-1]):
        if not isinstance(arm.key, tree.Number):
            raise stop("number-needed", arm.key.span, what="an arm", found=spell(arm.key))
        test = body.prim("eq", [value, Static(arm.key.value)], arm.span)
        result = select(body, test, evaluate(body, arm.value), result, expr)
    return result


def spell(key: tree.Name | tree.Number) -> str:
    return key.text


def attribute(body: Body, expr: tree.Attr) -> Value:
    base = evaluate(body, expr.base)
    return attribute_of(body, base, expr)


def attribute_of(body: Body, base: Value, expr: tree.Attr) -> Value:
    """A field of a record, a site of an application, a block or slot of a block."""
    from repc.elaborate.sites import block_member, site

    wanted = expr.name.text
    if isinstance(base, Fields):
        found = base.get(wanted)
        if found is not None:
            return found
        under = tuple((name[len(wanted) + 1 :], item) for name, item in base.items if name.startswith(f"{wanted}."))
        return Fields(under) if under else site(body, base, expr)
    if isinstance(base, Tensor):
        return site(body, Fields((), base), expr)
    if isinstance(base, BlockValue | Callee):
        return block_member(body, base, expr)
    if isinstance(base, GroupValue):
        from repc.elaborate.groups import member

        return member(body, base, expr)
    if isinstance(base, Builtin):
        from repc.elaborate.groups import quaternion_member

        made = quaternion_member(body, base, expr)
        if made is not None:
            return made
    if isinstance(base, WordValue):
        found_word = base.word.get(wanted)
        if isinstance(found_word, int | float | bool | str | Dim):
            return Static(found_word)
    raise stop("no-such-field", expr.name.span, name=wanted, found=describe(base))


def call(body: Body, expr: tree.Call) -> Value:
    from repc.elaborate.calls import called

    return called(body, expr)


def index(body: Body, expr: tree.Index) -> Value:
    from repc.elaborate.subscripts import subscripted

    return subscripted(body, expr)


def reduce(body: Body, expr: tree.Reduce) -> Value:
    from repc.elaborate.reductions import reduced

    return reduced(body, expr)


def stat(body: Body, expr: tree.Stat) -> Value:
    from repc.elaborate.reductions import statistic

    return statistic(body, expr)


def with_(body: Body, expr: tree.With) -> Value:
    from repc.elaborate.instances import derived

    return derived(body, expr)


HANDLERS: dict[type, Callable[[Body, Any], Value]] = {
    tree.Name: name,
    tree.Number: number,
    tree.String: string,
    tree.TupleExpr: series,
    tree.SetExpr: series,
    tree.RecordExpr: fields,
    tree.AxesExpr: axes,
    tree.Unary: unary,
    tree.Binary: binary,
    tree.Cond: cond,
    tree.Match: match,
    tree.Attr: attribute,
    tree.Call: call,
    tree.Index: index,
    tree.Reduce: reduce,
    tree.Stat: stat,
    tree.With: with_,
}
