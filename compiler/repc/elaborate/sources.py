"""Data of a train: runtime sources and `data` declarations (LANGUAGE.md 6.0, 13.2)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.calls import block_at, requested, sort_arguments
from repc.elaborate.instances import instance
from repc.elaborate.signature import Signature
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


def open_source(body: Body, name: str, expr: tree.Expr) -> tuple[SourceUse, Value]:
    """`data text = bytes(length: 256)`: the source and its fields as inputs of the step."""
    from repc.elaborate.expressions import evaluate

    passed = body.scope.find(expr.text) if isinstance(expr, tree.Name) else None
    if isinstance(passed, Deferred):
        outer, body.scope = body.scope, passed.scope
        try:
            return open_source(body, name, passed.expr)
        finally:
            body.scope = outer
    if not isinstance(expr, tree.Call):
        evaluate(body, expr)
        raise stop("source-expected", expr.span)
    func = evaluate(body, expr.func)
    if isinstance(func, LibraryWord):
        declared = find(func.name, "source")
        if declared is None:
            raise stop("source-expected", expr.span)
        word = called_word(body, declared, expr.args, expr.span)
        word = laid_out(body, word)
        fields = word_fields(body, declared, word, expr.span)  # type: ignore[arg-type]
        batch = batch_axis(body, word.get("over"))
        use = SourceUse(name, word, "", with_batch(fields, batch), batch.label, Origin(expr.span))
    elif isinstance(func, Callee):
        use = declared_source(body, name, func, expr)
    else:
        raise stop("source-expected", expr.span)
    return use, inputs(body, use, expr.span)


def inputs(body: Body, use: SourceUse, span: Span) -> Value:
    """Input nodes `source.field`; a source with one field is that value."""
    made: list[tuple[str, Value]] = []
    for name, type_ in use.fields:
        node = body.add("input", (), Attrs(port=f"{use.name}.{name}"), type_, span)
        body.inputs.append(node.node)
        made.append((name, node))
    if len(made) == 1 and isinstance(made[0][1], Tensor):
        return made[0][1]
    return Fields(tuple(made), None, asked_for(dict(made)))


def asked_for(fields: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """What a source is asked, under one name for all sources: `answer`, and the places at which there is a question."""
    answer = fields.get("y", fields.get("label"))
    found = (("answer", answer),) if answer is not None else ()
    return (*found, ("asked", Static(True)))


def batch_axis(body: Body, over: object) -> Axis:
    """The axis of kind `batch` of the file, or the one that `over:` names; else an axis of the train's own."""
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


def with_batch(fields: list[tuple[str, Type]], batch: Axis) -> tuple[tuple[str, Type], ...]:
    return tuple((name, Type((batch, *type_.axes), type_.kind, type_.refine)) for name, type_ in fields)


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


def declared_source(body: Body, name: str, callee: Callee, expr: tree.Call) -> SourceUse:
    """`data d = MaxOf(N: 10)` of a `data` declaration."""
    from repc.elaborate.binding import Binding, number_sizes, renamed
    from repc.elaborate.instances import declaration
    from repc.elaborate.signature import signature

    module, node = declaration(body.context, callee)
    if node.keyword != "data":
        raise stop("source-expected", expr.span)
    sig: Signature = signature(body.context, module, node)
    arguments = sort_arguments(body, callee, sig, expr)
    block = block_at(body, callee, expr, arguments)
    body.blocks.remove(block)
    request = requested(block, sig, arguments, {})
    binding = Binding(body, callee, sig, arguments.axes, {}, arguments.spans, expr.span)
    request.arity = binding.arities()
    made = instance(body.context, request, Origin(expr.span))
    binding.open(made)
    number_sizes(body, block, binding)
    nodes = made.graph.by_name()
    fields = [(own or "x", renamed(body, binding, nodes[ref].type, (), expr.span)) for own, ref in made.graph.results]
    batch = batch_axis(body, None)
    sizes = tuple(sorted(binding.sizes.items(), key=lambda pair: pair[0]))
    return SourceUse(name, None, made.graph.name, with_batch(fields, batch), batch.label, Origin(expr.span), sizes)


def source_call(body: Body, callee: Callee, sig: Signature, expr: tree.Call) -> Value:
    """A `data` declaration called outside a `data` line."""
    raise stop("source-not-here", expr.span, name=callee.title)
