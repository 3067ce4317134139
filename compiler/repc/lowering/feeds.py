"""Phase 1 of a train: its sources, those of the runtime and those that the spec declares."""

from __future__ import annotations

from repc.dims import Dim, Symbol
from repc.ir import Ref, SourceUse, Step, Word
from repc.lowering import naming
from repc.lowering.expression import Code, call, dictionary, expr, literal, name
from repc.lowering.statements import Assign
from repc.lowering.words import WordWriter
from repc.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from repc.lowering.owner import Context
    from repc.lowering.statements import Statement


def feeds(context: Context, step: Step) -> tuple[list[Statement], Code]:
    """The table of sources by name, after the statements that they need."""
    context.imports("training", "Feed")
    pairs: list[tuple[Code | None, Code]] = []
    statements: list[Statement] = []
    for use in step.sources:
        options = dict(use.options)
        batch = options.get("batch")
        words: dict[str, Code | None] = {
            "batch": None if batch is None else literal(batch),
            "fixed": literal(True) if options.get("fixed") else None,
        }
        pairs.append((literal(use.name), call("Feed", _Writer(context, use, {}, statements).source(), **words)))
    return statements, dictionary(pairs)


_FUNCTIONS = {
    "split": "part",
    "dirichlet_labels": "uneven_part",
    "joined": "joined",
    "pick": "picked",
    "herd": "herded",
    "classes": "classes",
    "episodes": "episodes",
}


def look_method(features: Ref) -> str:
    """The method that computes the features of samples."""
    return f"look_{features.node}"


def source_code(context: Context, use: SourceUse, statements: list[Statement]) -> Code:
    """A source by itself."""
    return _Writer(context, use, {}, statements).source()


def store_code(context: Context, use: SourceUse) -> Code:
    """A store of samples, empty."""
    assert use.word is not None
    writer = _Writer(context, use, {}, [])
    specs = dictionary([(literal(field), writer.spec(kind)) for field, kind in use.fields])
    return call(context.imports("data", "Store"), writer.words.value(use.word.get("size")), specs)


class _Writer:
    """Writes a source; `outer`: sizes of the declaration whose body it stands in, in the train's own."""

    def __init__(
        self, context: Context, use: SourceUse, outer: Mapping[Symbol, Dim], statements: list[Statement]
    ) -> None:
        self.context = context
        self.use = use
        self.options = dict(use.options)
        self.sizes = {own: size.subst(outer) for own, size in use.sizes}
        self.outer = outer
        self.statements = statements
        self.words = WordWriter(context.imports, context.program.values, use.origin)

    def source(self) -> Code:
        """The source, with as many samples as its options say."""
        if self.use.word is None:
            return self._generated()
        if self.use.inner or self.use.word.name == "buffer":
            return self._portion(self.use.word)
        made = self.words.code(self.use.word, "source")
        wanted = {name: self.options.get(name) for name in ("size", "held_out")}
        if any(wanted.values()):
            limited = self.context.imports("data", "limited")
            made = call(limited, made, **{name: literal(value) for name, value in wanted.items() if value})
        return made

    def _portion(self, word: Word) -> Code:
        """A source made of others: a part, a union, a choice of samples, or what lies in a store."""
        if word.name == "buffer":
            return expr("{store}.samples", store=name(f"self.{naming.attribute(str(word.get('cell')), step=True)}"))
        of = [_Writer(self.context, use, self.outer, self.statements).source() for use in self.use.inner]
        rest = {key: value for key, value in word.args if not isinstance(value, Ref) and key != "source"}
        looked = word.get("features")
        if isinstance(looked, Ref):
            compute = name(f"self.{look_method(looked)}")
            of.append(expr("self.look({f}, {s}, now)", f=compute, s=literal(word.get("source"))))
        function = self.context.imports("data", _FUNCTIONS[word.name])
        usual = {"by": "label", "relabel": False}
        words = {
            key: self.words.value(value)
            for key, value in rest.items()
            if key not in usual or value != usual[key]
        }  # fmt: skip
        return call(function, *of, **words)

    def _generated(self) -> Code:
        """A `data` declaration: its samples are made by its graph, with the batch as carried axis."""
        use, options = self.use, self.options
        graph = self.context.program.graphs[use.graph]
        signature = self.context.signatures[use.graph]
        sizes = {text: self._size(self.sizes.get(symbol, Dim.of(symbol))) for symbol, text in signature.sizes}
        made: Code = name(signature.name)
        words: dict[str, Code | None] = {"draws": name("draws")} if signature.draws else {}
        words |= {"lead": expr("(len(ids),)")} if signature.lead else {}
        if signature.module:
            variable = f"{naming.local(use.name)}%{len(self.statements)}"
            self.statements.append(Assign((variable,), call(made, **sizes), (), use.origin))
            made = name(variable)
        else:
            words |= sizes
        sample = call(made, *(self._port(port) for port in signature.ports), **words)
        fields = literal(tuple(field for field, _ in use.fields if field != "id" or not options.get("id")))
        rows = sample if signature.results else expr("({x},)", x=sample)
        specs = dictionary([(literal(field), self.spec(kind)) for field, kind in use.fields])
        function = self.context.imports("data", "Generated")
        table = expr("lambda draws, ids, inner: dict(zip({f}, {r}, strict=True))", f=fields, r=rows)
        shared = tuple(field for field, kind in use.fields if kind.axis(use.batch) is None) if use.batch.name else ()
        inner = dictionary([(literal(one.name), self._inner(one)) for one in use.inner])
        given: dict[str, Code | None] = {
            "structure": literal(graph.declaration),
            "train_size": literal(options["size"]) if options.get("size") is not None else None,
            "held_out": literal(options["held_out"]) if options.get("held_out") is not None else None,
            "table": literal(True) if options.get("table") else None,
            "shared": literal(shared) if shared else None,
            "inner": inner if use.inner else None,
        }
        return call(function, literal(use.name), specs, table, **given)

    def _port(self, port: str) -> Code:
        """An input of the graph: the number of a sample, or a field of a source in its body."""
        if port == "sample":
            return name("ids")
        source, _, field = port.partition(".")
        return expr("inner[{a}][{b}]", a=literal(source), b=literal(field))

    def _inner(self, use: SourceUse) -> Code:
        options = dict(use.options)
        writer = _Writer(self.context, use, self.sizes, self.statements)
        batch = options.get("batch")
        return call(
            self.context.imports("data", "Inner"),
            writer.source(),
            over=None if batch is None else self._size(Dim.of(batch).subst(self.sizes)),  # type: ignore[arg-type]
            fixed=literal(True) if options.get("fixed") else None,
        )

    def _size(self, size: Dim) -> Code:
        return self.words.value(size.subst(self.sizes))

    def spec(self, kind: Type) -> Code:
        """The type of a field, without the axis of the samples."""
        axes = [
            expr("{x}", x=[literal(axis.label.name), self._size(axis.size)])
            for axis in kind.axes
            if axis.label != self.use.batch
        ]
        dtype = {"float": "torch.float32", "bool": "torch.bool"}.get(kind.kind.name, "torch.int64")
        below = None if kind.kind.size is None else self._size(kind.kind.size)
        return call(self.context.imports("data", "FieldSpec"), expr("{x}", x=axes), name(dtype), below=below)
