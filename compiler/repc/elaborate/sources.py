"""Data of a train: runtime sources and `data` declarations (LANGUAGE.md 6.0, 13.2)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body, describe
from repc.elaborate.declared_sources import NO_BATCH, declared_source, led, numeric
from repc.elaborate.instances import declaration
from repc.elaborate.signature import Signature, signature
from repc.elaborate.stop import stop
from repc.elaborate.values import Callee, Deferred, Fields, LibraryWord, Static, Tensor
from repc.elaborate.vocabulary import called_word
from repc.ir import Attrs, Origin, SourceUse, Word
from repc.names.entries import DimEntry
from repc.types import BOOL, FLOAT, Axis, Kind, Refinement, Type, index_of
from repc.words import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from repc.elaborate.values import Value
    from repc.words.sources import FileDim, Sample, SourceAxis, SourceWord


# What every source can be told on its `data` line, unless it has a parameter of that name.
OPTIONS = ("over", "size", "held_out", "fixed", "id")


def open_source(body: Body, name: str, expr: tree.Expr) -> tuple[SourceUse, Value]:
    """`data text = bytes(length: 256)`: the source and its fields as inputs of the graph."""
    use = opened(body, name, expr, {})
    fix_sizes(body, use)
    return use, inputs(body, use, expr.span)


def fix_sizes(body: Body, use: SourceUse) -> None:
    """A source that is told the size of a dim of this file says what it is for the rest of the train (13.2).

    Of two sources that say it differently the first is meant.
    """
    sizes = dict(use.sizes)
    for entry in body.module.entries.values():
        if not isinstance(entry, DimEntry) or body.scope.find_axes(entry.name) is not None:
            continue
        axis = body.context.axis(entry)
        told = numeric(body, axis.size.subst(sizes))
        if told is not None and numeric(body, axis.size) is None:
            body.scope.axes[entry.name] = (Axis(axis.label, Dim.of(told), axis.kind, axis.space, axis.ragged),)


def opened(body: Body, name: str, expr: tree.Expr, options: dict[str, object]) -> SourceUse:
    """The source that an expression stands for; `options`: what a call around it has said."""
    from repc.elaborate.expressions import evaluate

    if isinstance(expr, tree.Cond):
        test = evaluate(body, expr.test)
        if not isinstance(test, Static) or not isinstance(test.value, bool):
            raise stop("static-needed", expr.test.span)
        return opened(body, name, expr.then if test.value else expr.other, options)
    called = expr.func if isinstance(expr, tree.Call) else expr
    passed = body.scope.find(called.text) if isinstance(called, tree.Name) else None
    func = passed if isinstance(passed, Deferred) else evaluate(body, called)
    args = expr.args if isinstance(expr, tree.Call) else ()
    if isinstance(func, Deferred):
        rest, own = source_options(body, args, [])
        if rest:
            raise stop("too-many-arguments", rest[0].span, callee=name, expected=0, parameters=OPTIONS)
        outer, body.scope = body.scope, func.scope
        try:
            return opened(body, name, func.expr, own | options)
        finally:
            body.scope = outer
    if isinstance(func, LibraryWord):
        declared = find(func.name, "source")
        if declared is None:
            raise stop("source-expected", expr.span)
        taken = [parameter.name for parameter in declared.parameters if parameter.name != "over"]
        args, own = source_options(body, args, taken)
        word = laid_out(body, called_word(body, declared, args, expr.span))
        fields = word_fields(body, declared, word, expr.span)  # type: ignore[arg-type]
        batch, own = samples_axis(body, own | options)
        label = batch.label if batch is not None else NO_BATCH
        typed = tuple((field, led(type_, batch)) for field, type_ in fields)
        return SourceUse(name, word, "", typed, label, Origin(expr.span), (), tuple(own.items()))
    if isinstance(func, Callee):
        module, node = declaration(body.context, func)
        taken = [p.name for p in signature(body.context, module, node).parameters]
        args, own = source_options(body, args, taken)
        batch, own = samples_axis(body, own | options)
        return declared_source(body, name, func, tree.Call(expr.span, expr, args), batch, own)
    raise stop("source-expected", expr.span)


def source_options(
    body: Body, args: tuple[tree.Arg, ...], taken: list[str]
) -> tuple[tuple[tree.Arg, ...], dict[str, object]]:
    """Options of a data line, apart from the arguments of the source itself."""
    options: dict[str, object] = {}
    rest: list[tree.Arg] = []
    for arg in args:
        if arg.name is None or arg.name.text not in OPTIONS or arg.name.text in taken:
            rest.append(arg)
        else:
            options[arg.name.text] = option(body, arg.name.text, arg.value)
    return tuple(rest), options


def option(body: Body, name: str, expr: tree.Expr) -> object:
    from repc.elaborate.expressions import evaluate
    from repc.elaborate.shapes import axes_of

    if name in {"over", "id"}:
        axes = axes_of(body, expr)
        if len(axes) != 1:
            raise stop("axis-expected", expr.span)
        return axes[0]
    value = evaluate(body, expr)
    if name == "fixed" and isinstance(value, Static) and isinstance(value.value, bool):
        return value.value
    number = value.value if isinstance(value, Static) else None
    known = numeric(body, Dim.of(number)) if isinstance(number, int | Dim) and not isinstance(number, bool) else None
    if known is None:
        raise stop("number-needed", expr.span, what=f"`{name}`", found=describe(value))
    return known


def samples_axis(body: Body, options: dict[str, object]) -> tuple[Axis | None, dict[str, object]]:
    """The axis of a minibatch, and the other options; within `data` each sample has one of the inner source's."""
    over = options.get("over")
    rest = {name: value for name, value in options.items() if name != "over"}
    if body.keyword == "data" and over is None:
        return None, rest
    axis = batch_axis(body, over)
    number = numeric(body, axis.size)
    if over is not None and (number is not None or body.keyword == "data"):
        rest["batch"] = axis.size if number is None else number
    return axis, rest


def inputs(body: Body, use: SourceUse, span: Span) -> Value:
    """Input nodes `source.field`; a source with one field that has no name of its own is that value."""
    made: list[tuple[str, Value]] = []
    for name, type_ in use.fields:
        node = body.add("input", (), Attrs(port=f"{use.name}.{name}"), type_, span)
        body.inputs.append(node.node)
        body.source_of[node.node] = use
        made.append((name, node))
    if len(made) == 1 and made[0][0] == "x" and isinstance(made[0][1], Tensor):
        return made[0][1]
    return Fields(nested(made), None, asked_for(dict(nested(made))))


def nested(fields: list[tuple[str, Value]]) -> tuple[tuple[str, Value], ...]:
    """Fields by their paths as records in records."""
    made: dict[str, Value] = {}
    for name, value in fields:
        head, _, rest = name.partition(".")
        if not rest:
            made[head] = value
        elif head not in made:
            within = [(path[len(head) + 1 :], one) for path, one in fields if path.startswith(f"{head}.")]
            made[head] = Fields(nested(within))
    return tuple(made.items())


def asked_for(fields: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """What every source has under one name: its `input`, the `answer` to it, and the places at which it is `asked`."""
    answer = fields.get("y", fields.get("label"))
    found = [("input", value) for value in list(fields.values())[:1]]
    found += [("answer", answer)] if answer is not None else []
    return (*found, ("asked", Static(True)))


def batch_axis(body: Body, over: object) -> Axis:
    """The axis of kind `batch` of the file, or the one that `over:` names; else an axis of the train's own."""
    if isinstance(over, Axis):
        return over
    dims = [entry for entry in body.module.entries.values() if isinstance(entry, DimEntry)]
    if isinstance(over, Symbol):
        for entry in dims:
            if entry.symbol == over:
                return body.context.axis(entry)
    for entry in dims:
        if entry.kind == "batch":
            return body.context.axis(entry)
    label = body.own("batch")
    return Axis(label, Dim.of(label), "batch", label)


def laid_out(body: Body, word: Word) -> Word:
    """A source that may give pictures flat or as a grid gives them as the dims of the file can take them."""
    from repc.words.sources import has_grid

    if "flat" not in dict(word.args) or word.get("flat") is not None:
        return word
    flat = not has_grid(file_dims(body), 8)
    return Word(word.name, tuple((name, flat if name == "flat" else value) for name, value in word.args))


def file_dims(body: Body) -> list[FileDim]:
    """What a source may know of the dims of the file."""
    from repc.words.sources import FileDim

    dims = [entry for entry in body.module.entries.values() if isinstance(entry, DimEntry)]
    return [FileDim(entry.name, entry.kind, number_of(body, entry)) for entry in dims]


def word_fields(body: Body, declared: SourceWord, word: Word, span: Span) -> list[tuple[str, Type]]:
    """Types of a runtime source's fields, over the dims of this file."""
    from repc.words.sources import axes_in

    settings = {name: plain(body, value) for name, value in word.args}
    sample = declared.sample(settings)
    dims = {entry.name: entry for entry in body.module.entries.values() if isinstance(entry, DimEntry)}
    names = axes_in(sample, settings, file_dims(body))
    axes = {axis.name: source_axis(body, axis, word, dims.get(names.get(axis.name, "")), span) for axis in sample.axes}
    return [(field.name, field_type(sample, field.name, axes)) for field in sample.fields]


def plain(body: Body, value: object) -> object:
    """A setting as a source reads it: sizes as numbers where they are known, axes by name."""
    if isinstance(value, Symbol):
        return value.name
    if isinstance(value, Dim):
        number = value.subst({s: Dim.of(n) for s, n in body.context.values.items()}).constant
        return number if isinstance(number, int) else None
    return value


def number_of(body: Body, entry: DimEntry) -> int | None:
    size = body.context.axis(entry).size
    number = size.subst({s: Dim.of(n) for s, n in body.context.values.items()}).constant
    return number if isinstance(number, int) else None


def source_axis(body: Body, axis: SourceAxis, word: Word, entry: DimEntry | None, span: Span) -> Axis:
    """An axis of a source as an axis of the file, or of its own."""
    given = word.get(axis.size) if isinstance(axis.size, str) else axis.size
    size = Dim.of(given) if isinstance(given, int | Dim) else None
    if entry is None:
        label = body.own(axis.name)
        return Axis(label, size if size is not None else Dim.of(label), axis.kind, label)
    own = body.context.axis(entry)
    if size is None or own.size == size:
        return own
    number = number_of(body, entry)
    if number is None:
        return Axis(own.label, size, own.kind, own.space, own.ragged)
    if size.constant is not None and size.constant != number:
        raise stop("sizes-of-result", span, axis=own.label, expected=number, found=size)
    return own


def field_type(sample: Sample, name: str, axes: dict[str, Axis]) -> Type:
    """The type of one field of one sample."""
    field = next(field for field in sample.fields if field.name == name)
    shape = tuple(axes[axis] for axis in field.axes)
    if field.kind == "index":
        below = axes[field.below]
        return Type(shape, index_of(below.space, below.size))
    kind: Kind = BOOL if field.kind == "bool" else FLOAT
    refine = None
    if field.low is not None and field.high is not None:
        refine = Refinement("interval", field.low, field.high, False, False)
    return Type(shape, kind, refine)


def source_call(body: Body, callee: Callee, sig: Signature, expr: tree.Call) -> Value:
    """A `data` declaration called outside a `data` line."""
    raise stop("source-not-here", expr.span, name=callee.title)
