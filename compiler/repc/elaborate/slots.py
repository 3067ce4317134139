"""Slots, constants and cells (LANGUAGE.md 3.7, 6.1)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim
from repc.elaborate import statics
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.scope import Scope
from repc.elaborate.shapes import type_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Builtin, Fields, LibraryWord, Static, Tensor, WordValue
from repc.ir import Attrs, Cell, Origin, Ref, Word
from repc.names.entries import ConstEntry
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


# Laws that `init:` of a call leaves alone: a bias that starts at 0, a scale at 1, a formula.
FIXED = ("constant", "zeros", "ones", "formula")


def parameter(body: Body, slot: tree.Slot, trained: bool = True) -> None:
    """`param w: [C, D] on sphere(D) = normal()`, `const p: [C] = e`."""
    for place in slot.targets:
        target, family = named(body, place)
        name = target.text
        if name in body.supplied and body.supplied[name] is None:
            body.scope.bind(name, Static(None), target.span)
            continue
        if slot.type is None:
            raise stop("type-needed", slot.span, name=name)
        type_ = along(type_of(body, slot.type), family)
        if name in body.ported:
            value = body.add("input", (), Attrs(port=f"slot:{name}"), type_, target.span)
            body.inputs.append(value.node)
        else:
            value = made(body, name, type_, slot, target, trained)
        body.slots[name] = value
        body.scope.bind(name, value, target.span, fixed=True)
        body.sites[name] = value.node


def named(body: Body, place: tree.Expr) -> tuple[tree.Name, Axis | None]:
    """The name of a slot or cell; `w[n in N]` is one for each n, along N."""
    if isinstance(place, tree.Name):
        return place, None
    if isinstance(place, tree.Index):
        from repc.elaborate.families import family_axis

        name, _, axis = family_axis(body, place)
        return name, axis
    raise stop("target-expected", place.span)


def along(type_: Type, family: Axis | None) -> Type:
    """A type with the axis of a family in front."""
    return type_ if family is None else Type((family, *type_.axes), type_.kind, type_.refine, type_.fields)


def made(body: Body, name: str, type_: Type, slot: tree.Slot, target: tree.Expr, trained: bool) -> Tensor:
    """A slot of this body."""
    init, args = family_wide(body, initial(body, slot.value, target.span), type_, target.span)
    if body.init is not None and init.name not in FIXED:
        init, args = body.init, ()
    path = body.unique_path(name.replace("'", "_p"))
    attrs = Attrs(path=path, init=init, trained=trained)
    return body.add("slot", args, attrs, type_, target.span, share=False)


def family_wide(
    body: Body, start: tuple[Word, tuple[str, ...]], type_: Type, span: Span
) -> tuple[Word, tuple[str, ...]]:
    """A formula that a slot starts from, the same along the axes that it lacks (those of a family)."""
    word, args = start
    if word.name != "formula" or type_.fields:
        return start
    value = Tensor(args[0], body.nodes[args[0]].type)
    missing = tuple(axis for axis in type_.axes if value.type.axis(axis.label) is None)
    if not missing or len(missing) + len(value.type.axes) != len(type_.axes):
        return start
    made = body.prim("expand", [value], span, axes=missing)
    if made.type.labels != type_.labels:
        made = body.prim("transpose", [made], span, order=type_.labels)
    return Word("formula", (("value", Ref(made.node)),)), (made.node,)


def initial(body: Body, value: tree.Expr | None, span: Span) -> tuple[Word, tuple[str, ...]]:
    """How a slot starts: a law, a number, or a formula over what is known (then the node is an argument)."""
    if value is None:
        return Word("fan_in", (("gain", 1.0),)), ()
    if isinstance(value, tree.Call) and isinstance(value.func, tree.Name):
        word = init_word(body, value)
        if word is not None:
            return word, ()
    if isinstance(value, tree.Name):
        found = init_name(body, value)
        if found is not None:
            return found, ()
    made_value = evaluate(body, value)
    if isinstance(made_value, WordValue):
        return made_value.word, ()
    if isinstance(made_value, Static) and isinstance(made_value.value, int | float):
        return Word("constant", (("value", float(made_value.value)),)), ()
    node = body.tensor(made_value, value.span)
    return Word("formula", (("value", Ref(node.node)),)), (node.node,)


def init_law(body: Body, value: tree.Expr) -> Word | None:
    """`zeros` or `normal(0, 0.02)`; None where it is no initial law."""
    if isinstance(value, tree.Name) and body.context.find(body.module, value.text) is None:
        return init_name(body, value)
    if isinstance(value, tree.Call) and isinstance(value.func, tree.Name):
        return init_word(body, value)
    return None


def init_name(body: Body, value: tree.Name) -> Word | None:
    """`zeros` without parentheses."""
    from repc.ops.inits import INITS

    if value.text in INITS and body.scope.find(value.text) is None:
        return init_args(body, value.text, (), value.span)
    return None


def init_word(body: Body, value: tree.Call) -> Word | None:
    """`normal(0, 0.02)` as an initial law."""
    from repc.ops.inits import INITS

    assert isinstance(value.func, tree.Name)
    name = value.func.text
    if name not in INITS or body.scope.find(name) is not None or body.context.find(body.module, name) is not None:
        return None
    return init_args(body, name, value.args, value.span)


def init_args(body: Body, name: str, args: tuple[tree.Arg, ...], span: Span) -> Word:
    """The arguments of an initial law, with defaults filled in."""
    from repc.ops.inits import INITS

    parameters = INITS[name].parameters
    given: dict[str, object] = {}
    order = iter(parameters)
    for arg in args:
        wanted = arg.name.text if arg.name is not None else next(order, (None, None))[0]
        if wanted is None or wanted not in dict(parameters):
            raise stop(
                "unknown-argument", arg.span, name=wanted or "this", callee=name, names=[n for n, _ in parameters]
            )
        value = evaluate(body, arg.value)
        if isinstance(value, Static) and isinstance(value.value, Dim):
            given[wanted] = value.value
        else:
            given[wanted] = body.number(settled(body, value, arg.span), arg.span, wanted)
    return Word(name, tuple((own, given.get(own, default)) for own, default in parameters))


def settled(body: Body, value: Value, span: Span) -> Value:
    """The number that a formula over sizes has, `1 / sqrt(D)`: an initial law needs it when a module is made."""
    if not isinstance(value, Tensor):
        return value
    node = body.nodes[value.node]
    if node.kind == "const" and isinstance(node.attrs["value"], int | float | Dim):
        plain = node.attrs["value"]
        return Static(body.known_size(plain, span, "an initial law") if isinstance(plain, Dim) else plain)
    if node.kind != "prim":
        return value
    inner = [settled(body, Tensor(arg, body.nodes[arg].type), span) for arg in node.args]
    numbers = [one.value for one in inner if isinstance(one, Static)]
    if len(numbers) != len(inner):
        return value
    op = node.attrs["op"]
    if len(inner) == 1:
        return statics.apply_function(op, Static(numbers[0])) or value
    spelled = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}.get(op)
    return (statics.combine(spelled, Static(numbers[0]), Static(numbers[1]), span) if spelled else None) or value


def cell(body: Body, slot: tree.Slot) -> None:
    """`state queue: [Q, D] = unit_normal()`: persistent, read here, written by `:=`."""
    for place in slot.targets:
        target, family = named(body, place)
        if slot.type is None and slot.value is not None:
            evaluate(body, slot.value)
        if slot.type is None:
            raise stop("type-needed", slot.span, name=target.text)
        type_ = along(type_of(body, slot.type), family)
        init, args = family_wide(body, initial(body, slot.value, target.span), type_, target.span)
        path = body.unique_path(target.text)
        value = stored(body, path, type_, init, args, target.span)
        body.scope.bind(target.text, value, target.span, fixed=True)


def stored(body: Body, path: str, type_: Type, init: Word, args: tuple[str, ...], span: Span) -> Value:
    """The cell of that path as it is read; a record is one cell for each field."""
    if type_.fields:
        fields = ((name, stored(body, f"{path}.{name}", inner, init, args, span)) for name, inner in type_.fields)
        return Fields(tuple(fields))
    body.cells.append(Cell(path, type_, init, Origin(span)))
    value = body.add("read", args, Attrs(cell=path), type_, span)
    body.cell_of[value.node] = path
    return value


def write(body: Body, statement: tree.Write, period: int) -> None:
    """`c := e`, deferred to phase 7; two writes to one cell are an error."""
    from repc.elaborate.definitions import conform, indexed
    from repc.elaborate.scatters import computed, scattered

    for target in statement.targets:
        base = target.base if isinstance(target, tree.Index) else target
        if not isinstance(base, tree.Name):
            raise stop("target-expected", target.span)
        found = body.scope.find(base.text)
        if not isinstance(found, Tensor) or found.node not in body.cell_of:
            raise stop("not-a-cell", base.span, name=base.text)
        path = body.cell_of[found.node]
        for other, _, place, _ in body.commits:
            if other == path:
                raise stop("two-writes", base.span, (place, "it is written here"), name=base.text)
        if isinstance(target, tree.Index) and computed(target):
            value: Value = scattered(body, found, base.text, target, statement.value)
        elif isinstance(target, tree.Index):
            value = indexed(body, target, statement.value)
        else:
            value = folded(body, base.text, found, statement.value)
        body.strict, before = False, body.strict
        node = body.tensor(conform(body, value, found.type, statement.value.span), statement.value.span)
        body.strict = before
        if body.across:
            from repc.elaborate.splits import of_the_step

            of_the_step(body, node.node, statement.value.span)
        body.commits.append((path, node.node, statement.span, period))
        effect = Attrs(action="commit", target=path, phase=7, every=period)
        if is_fold(body, statement.value):
            effect = effect.with_(fold=True)
        body.add("effect", (node.node,), effect, node.type, statement.span)


def folded(body: Body, name: str, found: Tensor, expr: tree.Expr) -> Value:
    """The next value of a cell; under `fold` the cell is what applications before this one have made of it (6.3)."""
    if not is_fold(body, expr) or body.keyword == "train":
        return evaluate(body, expr.args[0].value if is_fold(body, expr) else expr)  # type: ignore[attr-defined]
    assert isinstance(expr, tree.Call)
    read = body.nodes[found.node]
    pending = body.add("read", read.args, read.attrs.with_(pending=True), found.type, expr.span)
    body.cell_of[pending.node] = read.attrs["cell"]
    outer, body.scope = body.scope, Scope(body.scope)
    body.scope.bind(name, pending, expr.span, fixed=True)
    try:
        return evaluate(body, expr.args[0].value)
    finally:
        body.scope = outer


def is_fold(body: Body, expr: tree.Expr) -> bool:
    """Whether `fold(e)` stands there."""
    named = isinstance(expr, tree.Call) and isinstance(expr.func, tree.Name) and expr.func.text == "fold"
    return named and body.scope.find("fold") is None and len(expr.args) == 1  # type: ignore[attr-defined]


def spread(body: Body, value: Value, declared: Type, span: Span) -> Value:
    """Numbers that are written down take the axes declared for them, where the sizes agree in numbers."""
    node = body.nodes.get(value.node) if isinstance(value, Tensor) else None
    if node is None or node.kind != "prim" or node.attrs["op"] != "table":
        return value
    own: tuple[Axis, ...] = node.attrs["axes"]
    if len(own) != len(declared.axes):
        return value
    if not all(body.agree(new.size, old.size, span) for old, new in zip(own, declared.axes, strict=True)):
        return value
    return body.prim("table", [], span, values=node.attrs["values"], axes=declared.axes)


def file_constant(body: Body, entry: ConstEntry, span: Span) -> Value:
    """A `const` of the file: a value computed once, never trained."""
    slot = entry.slot
    outer, body.scope = body.scope, body.context.file_scope(entry.module)
    try:
        if slot.value is None:
            raise stop("value-needed", slot.span, name=entry.name)
        value = evaluate(body, slot.value)
        if slot.type is not None:
            from repc.elaborate.definitions import conform

            declared = type_of(body, slot.type)
            return conform(body, spread(body, value, declared, slot.value.span), declared, slot.value.span)
        return value
    finally:
        body.scope = outer


__all__ = ["Builtin", "LibraryWord", "cell", "file_constant", "initial", "parameter", "write"]
