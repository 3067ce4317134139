"""Phase 1 of a train: its sources, those of the runtime and those that the spec declares."""

from __future__ import annotations

from repc.dims import Dim
from repc.ir import SourceUse, Step
from repc.lowering import naming
from repc.lowering.expression import Code, call, dictionary, expr, literal, name
from repc.lowering.owner import Context
from repc.lowering.statements import Assign
from repc.lowering.words import WordWriter
from repc.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.statements import Statement


def feeds(context: Context, step: Step) -> tuple[list[Statement], Code]:
    """The table of sources by name, after the statements that it needs."""
    context.imports("training", "Feed")
    pairs: list[tuple[Code | None, Code]] = []
    statements: list[Statement] = []
    for use in step.sources:
        writer = WordWriter(context.imports, context.program.values, use.origin)
        if use.word is not None:
            source = writer.code(use.word, "source")
        else:
            source = _generated(context, use, writer, statements)
        pairs.append((literal(use.name), call("Feed", source)))
    return statements, dictionary(pairs)


def _generated(context: Context, use: SourceUse, writer: WordWriter, statements: list[Statement]) -> Code:
    """A `data` declaration: its samples are made by its graph, with the batch as carried axis."""
    signature = context.signatures[use.graph]
    given = dict(use.sizes)
    sizes = {text: writer.value(given.get(symbol, Dim.of(symbol))) for symbol, text in signature.sizes}
    made: Code = name(signature.name)
    words: dict[str, Code | None] = {"draws": name("draws")} if signature.draws else {}
    words |= {"lead": expr("(batch,)")} if signature.lead else {}
    if signature.module:
        variable = f"{naming.local(use.name)}%{len(statements)}"
        statements.append(Assign((variable,), call(made, **sizes), (), use.origin))
        made = name(variable)
    else:
        words |= sizes
    fields = literal(tuple(field for field, _ in use.fields))
    sample = call(made, **words)
    rows = sample if signature.results else expr("({x},)", x=sample)
    specs = dictionary([(literal(field), _spec(context, writer, kind)) for field, kind in use.fields])
    function = context.imports("data", "Generated")
    table = expr("lambda draws, batch: dict(zip({f}, {r}, strict=True))", f=fields, r=rows)
    return call(function, literal(use.name), specs, table)


def _spec(context: Context, writer: WordWriter, kind: Type) -> Code:
    """The type of a field, without the axis of the samples."""
    axes = [expr("{x}", x=[literal(axis.label.name), writer.value(axis.size)]) for axis in kind.axes[1:]]
    dtype = {"float": "torch.float32", "bool": "torch.bool"}.get(kind.kind.name, "torch.int64")
    below = None if kind.kind.size is None else writer.value(kind.kind.size)
    return call(context.imports("data", "FieldSpec"), expr("{x}", x=axes), name(dtype), below=below)
