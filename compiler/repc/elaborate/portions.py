"""Sources made of sources: parts by label, unions, stores of samples, choices (LANGUAGE.md 6.0, 13.2)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Equal, Symbol
from repc.elaborate.body import Body, describe
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Fields, Index, Kept, Parts, Series, Static, Tensor
from repc.ir import Attrs, Origin, Ref, SourceUse, Word
from repc.types import BOOL, Axis, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


MAKERS = {"split", "buffer", "pick", "herd", "classes", "dirichlet_labels", "episodes"}


def maker(body: Body, expr: tree.Expr) -> str:
    """The name of the word of `std.data` that an expression calls, "" where it calls none that makes of sources."""
    if not isinstance(expr, tree.Call) or not isinstance(expr.func, tree.Name):
        return ""
    if body.scope.find(expr.func.text) is not None:
        return ""
    from repc.names.entries import WordEntry

    entry = body.context.find(body.module, expr.func.text)
    named = isinstance(entry, WordEntry) and entry.word.module == "std.data" and entry.word.name in MAKERS
    return entry.word.name if named else ""  # type: ignore[union-attr]


def is_made(body: Body, expr: tree.Expr) -> bool:
    """Whether a `data` line's right side is made of other sources."""
    if maker(body, expr) in {"pick", "herd", "episodes"}:
        return True
    if isinstance(expr, tree.Binary) and expr.op == "+":
        return True
    if isinstance(expr, tree.Index) and isinstance(expr.base, tree.Name):
        return isinstance(body.scope.find(expr.base.text), Parts)
    if isinstance(expr, tree.Name):
        return isinstance(body.scope.find(expr.text), Kept | Fields | Tensor)
    return False


def source_of(body: Body, expr: tree.Expr, name: str) -> SourceUse:
    """The source that an expression stands for, to be known as `name`."""
    from repc.elaborate.expressions import evaluate
    from repc.elaborate.sources import opened

    if isinstance(expr, tree.Binary) and expr.op == "+":
        return joined(source_of(body, expr.left, name), source_of(body, expr.right, name), name, expr.span)
    word = maker(body, expr)
    if word == "episodes" and isinstance(expr, tree.Call):
        return few_shot(body, expr, name)
    if word in {"pick", "herd"}:
        assert isinstance(expr, tree.Call)
        return chosen(body, word, expr, name)
    if isinstance(expr, tree.Index) and isinstance(expr.base, tree.Name):
        found = body.scope.find(expr.base.text)
        if isinstance(found, Parts):
            return part(found, place(body, found, expr), name, expr.span)
    if isinstance(expr, tree.Call):
        return opened(body, name, expr, {})
    value = evaluate(body, expr)
    if isinstance(value, Kept):
        return value.use
    known = known_use(body, value)
    if known is None:
        raise stop("source-expected", expr.span)
    return known


def known_use(body: Body, value: Value) -> SourceUse | None:
    """The source whose fields a value holds."""
    if isinstance(value, Fields):
        value = next((item for _, item in value.items if isinstance(item, Tensor)), value)
    return body.source_of.get(value.node) if isinstance(value, Tensor) else None


def renamed(use: SourceUse, name: str, span: Span) -> SourceUse:
    """The same source under another name."""
    return SourceUse(
        name, use.word, use.graph, use.fields, use.batch, Origin(span), use.sizes, use.options, use.inner
    )  # fmt: skip


def joined(left: SourceUse, right: SourceUse, name: str, span: Span) -> SourceUse:
    """`a + b`: the fields that both have."""
    both = dict(right.fields)
    fields = tuple((field, type_) for field, type_ in left.fields if field in both)
    for field, type_ in fields:
        if not same_shape(type_, both[field]):
            raise stop("sources-differ", span, name=field, left=type_, right=both[field])
    if not fields:
        raise stop("sources-differ", span, name="every field", left=left.name, right=right.name)
    return SourceUse(name, Word("joined"), "", fields, left.batch, Origin(span), (), (), (left, right))


def same_shape(left: Type, right: Type) -> bool:
    sizes = [[(axis.label, axis.size) for axis in type_.axes[1:]] for type_ in (left, right)]
    return sizes[0] == sizes[1] and left.kind == right.kind


def argument(expr: tree.Call, name: str, position: int | None = None) -> tree.Expr | None:
    """An argument by its name, or by its position."""
    for place_, arg in enumerate(expr.args):
        if arg.name is not None and arg.name.text == name:
            return arg.value
        if arg.name is None and place_ == position:
            return arg.value
    return None


def needed(expr: tree.Call, name: str, callee: str, position: int | None = None) -> tree.Expr:
    found = argument(expr, name, position)
    if found is None:
        raise stop("missing-argument", expr.span, name=name, callee=callee)
    return found


def whole(body: Body, expr: tree.Expr, what: str) -> int:
    """A whole number known while compiling."""
    from repc.elaborate.expressions import evaluate

    number = body.number(evaluate(body, expr), expr.span, what)
    if not isinstance(number, int) or number < 1:
        raise stop("setting-out-of-range", expr.span, name=what, value=number)
    return number


def field_name(body: Body, use: SourceUse, expr: tree.Expr | None) -> str:
    """`by: label`: a field of the source."""
    name = expr.text if isinstance(expr, tree.Name) else "label"
    if name not in dict(use.fields):
        span = expr.span if expr is not None else use.origin.span
        raise stop("no-such-field", span, name=name, found=f"a source of {', '.join(dict(use.fields))}")
    return name


def chosen(body: Body, word: str, expr: tree.Call, name: str) -> SourceUse:
    """`pick(d, per_class: n)`, `herd(d, by: f, per_class: n)`."""
    from repc.elaborate.expressions import evaluate

    of = source_of(body, needed(expr, "of", word, 0), name)
    count = whole(body, needed(expr, "per_class", word), "per_class")
    args: tuple[tuple[str, object], ...] = (("per_class", count),)
    if word == "herd":
        given = needed(expr, "by", word)
        block = evaluate(body, given)
        if not isinstance(block, BlockValue):
            raise stop("block-expected", given.span, callee="herd", found=describe(block))
        made, source = features(body, of, block, expr)
        args = (("features", Ref(made.node)), ("source", source), *args)
    return SourceUse(name, Word(word, args), "", of.fields, of.batch, Origin(expr.span), (), (), (of,))


def few_shot(body: Body, expr: tree.Call, name: str) -> SourceUse:
    """`episodes(d, ways: W, shots: 1, queries: 6)`: a support, queries, and their places in the support."""
    from repc.elaborate.shapes import axes_of

    of = source_of(body, needed(expr, "of", "episodes", 0), f"{name}_whole")
    field = field_name(body, of, argument(expr, "by"))
    given = needed(expr, "ways", "episodes")
    (way,) = axes_of(body, given)
    ways = body.number(Static(way.size), given.span, "ways")
    counts = {
        what: 1 if argument(expr, what) is None else whole(body, needed(expr, what, "episodes"), what)
        for what in ("shots", "queries")
    }
    first = next(type_ for own, type_ in of.fields if own != field)
    batch, *axes = first.axes
    shot, query = (Symbol(text, f"{body.key}.{name}") for text in ("Shot", "Query"))
    shots = (Axis(shot, Dim.of(counts["shots"]), "plain", shot),) if counts["shots"] > 1 else ()
    asked = Axis(query, Dim.of(counts["queries"]), "plain", query)
    fields = (
        ("s", Type((batch, way, *shots, *axes), first.kind)),
        ("x", Type((batch, asked, *axes), first.kind)),
        ("y", Type((batch, asked), index_of(way.space, way.size))),
    )
    word = Word("episodes", (("ways", ways), *counts.items(), ("by", field)))
    return SourceUse(name, word, "", fields, of.batch, Origin(expr.span), (), (), (of,))


def features(body: Body, of: SourceUse, block: BlockValue, expr: tree.Call) -> tuple[Tensor, str]:
    """What a model makes of the samples of a source, and the name under which the source is read for that."""
    from repc.elaborate.calls import Arguments, apply_block
    from repc.elaborate.instances import declaration
    from repc.elaborate.signature import signature

    value = opened_once(body, of, f"{of.name}_", expr.span)
    first = value.items[0][1] if isinstance(value, Fields) else value
    module, node = declaration(body.context, block.callee)
    sig = signature(body.context, module, node)
    arguments = Arguments(expr.span)
    arguments.data = {next(one.name for one in sig.parameters if one.role == "data"): first}
    made = body.tensor(apply_block(body, block, sig, arguments, expr.span), expr.span)
    use = known_use(body, value)
    assert use is not None
    body.herded.append(made.node)
    return made, use.name


def cut(body: Body, name: str, expr: tree.Call) -> Parts:
    """`split(d, by: label, sizes: (2, 2), relabel: Q)`, `split(d, by: dirichlet_labels(a), parts: n)`."""
    from repc.elaborate.expressions import evaluate
    from repc.elaborate.shapes import axes_of, known

    of = source_of(body, needed(expr, "of", "split", 0), f"{name}_whole")
    by = argument(expr, "by")
    symbol = body.own(name)
    axis = None
    fields = of.fields
    if by is not None and maker(body, by) == "dirichlet_labels":
        assert isinstance(by, tree.Call)
        given = needed(expr, "parts", "split")
        count = whole(body, given, "parts")
        named = known(body, given) if isinstance(given, tree.Name) else None
        axis = named[0] if named is not None and len(named) == 1 else axis
        value = evaluate(body, needed(by, "alpha", "dirichlet_labels", 0))
        alpha = float(body.number(value, by.span, "alpha"))
        word = Word("dirichlet_labels", (("parts", count), ("alpha", alpha)))
    else:
        field = field_name(body, of, by)
        given = needed(expr, "sizes", "split")
        listed = evaluate(body, given)
        items = listed.items if isinstance(listed, Series) else (listed,)
        sizes = tuple(int(body.number(item, given.span, "sizes")) for item in items)
        count = len(sizes)
        anew = argument(expr, "relabel")
        if anew is not None:
            (classes,) = axes_of(body, anew)
            fields = tuple(
                (own, Type(type_.axes, index_of(classes.space, classes.size)) if own == field else type_)
                for own, type_ in fields
            )
        word = Word("split", (("sizes", sizes), ("by", field), ("relabel", anew is not None)))
    return Parts(name, of, word, count, axis or Axis(symbol, Dim.of(count), "plain", symbol), fields)


def place(body: Body, parts: Parts, expr: tree.Index) -> int:
    """Which part `tasks[t]` is: a number known while compiling."""
    from repc.elaborate.expressions import evaluate

    subs = expr.subs.items
    if len(subs) != 1 or not isinstance(subs[0], tree.SubExpr):
        raise stop("part-expected", expr.span, name=parts.name)
    value = evaluate(body, subs[0].value)
    if not isinstance(value, Static):
        raise stop("part-expected", expr.span, name=parts.name)
    number = body.number(value, expr.span, "a part")
    if not isinstance(number, int) or not 0 <= number < parts.count:
        raise stop("index-out-of-range", expr.span, axis=parts.axis.label, size=parts.axis.size)
    return number


def part(parts: Parts, number: int, name: str, span: Span) -> SourceUse:
    """`tasks[t]`."""
    word = Word(parts.word.name, (*parts.word.args, ("number", number)))
    return SourceUse(name, word, "", parts.fields, parts.of.batch, Origin(span), (), (), (parts.of,))


def member(body: Body, parts: Parts, expr: tree.Index) -> Value:
    """`tasks[u]` inside an expression: the fields of that part, read as a source of its own; of each along an index."""
    index = along(body, expr)
    if index is not None:
        return each(body, parts, index, expr.span)
    return opened_once(body, part(parts, place(body, parts, expr), "", expr.span), f"{parts.name}_", expr.span)


def along(body: Body, expr: tree.Index) -> Index | None:
    """The index in scope that is the only subscript."""
    subs = expr.subs.items
    entry = subs[0].value if len(subs) == 1 and isinstance(subs[0], tree.SubExpr) else None
    found = body.scope.find(entry.text) if isinstance(entry, tree.Name) else None
    return found if isinstance(found, Index) else None


def each(body: Body, parts: Parts, index: Index, span: Span) -> Value:
    """The fields of all parts, side by side along an index."""
    from repc.elaborate.alternatives import together
    from repc.elaborate.subscripts import ranged

    ranged(body, index, parts.axis, span)
    assert index.axis is not None
    if body.facts.number(index.axis.size) != parts.count:
        raise stop("index-over-two-sizes", span, name=index.name, left=parts.axis.size, right=index.axis.size)
    body.facts = body.facts.with_(Equal(index.axis.size, Dim.of(parts.count), span))
    made = [opened_once(body, part(parts, n, "", span), f"{parts.name}_", span) for n in range(parts.count)]
    return together(body, index.axis, made, span)


def opened_once(body: Body, use: SourceUse, prefix: str, span: Span) -> Value:
    """The fields of a source that has no `data` line; the same source is opened once."""
    from repc.elaborate.sources import inputs

    key = (use.word, use.inner)
    if key not in body.unnamed:
        name = fresh_name(body, f"{prefix}{dict(use.word.args if use.word else ()).get('number', 'made')}")
        made = renamed(use, name, span)
        body.opened.append(made)
        body.unnamed[key] = inputs(body, made, span)
    return body.unnamed[key]


def fresh_name(body: Body, wanted: str) -> str:
    """A name that no source of the train has."""
    taken = {use.name for use in body.opened}
    free, count = wanted, 1
    while free in taken:
        count += 1
        free = f"{wanted}_{count}"
    return free


def classes(body: Body, expr: tree.Call) -> Tensor:
    """`classes(tasks[t])`: which labels a source has, one truth value for each."""
    of = source_of(body, needed(expr, "of", "classes", 0), "classes")
    field = field_name(body, of, argument(expr, "by"))
    kind = dict(of.fields)[field].kind
    counted = next((axis for axis in body.context.axes.values() if axis.space == kind.space), None)
    if kind.space is None or kind.size is None:
        raise stop("kind-mismatch", expr.span, wanted="an index", found=kind)
    axis = counted if counted is not None else Axis(kind.space, kind.size, "feature", kind.space)
    name = fresh_name(body, "classes")
    word = Word("classes", (("count", axis.size), ("by", field)))
    use = SourceUse(name, word, "", (("x", Type((axis,), BOOL)),), of.batch, Origin(expr.span), (), (), (of,))
    key = (word, use.inner)
    if key not in body.unnamed:
        body.opened.append(use)
        node = body.add("input", (), Attrs(port=f"{name}.x"), Type((axis,), BOOL), expr.span)
        body.inputs.append(node.node)
        body.unnamed[key] = node
    made = body.unnamed[key]
    assert isinstance(made, Tensor)
    return made


def kept(body: Body, path: str, expr: tree.Call) -> Kept:
    """`buffer(n, like: d)`: the cells of a store."""
    size = whole(body, needed(expr, "size", "buffer", 0), "size")
    of = source_of(body, needed(expr, "like", "buffer"), path)
    word = Word("buffer", (("size", size), ("cell", path)))
    use = SourceUse(path, word, "", of.fields, of.batch, Origin(expr.span))
    body.stores.append(use)
    return Kept(path, use)


__all__ = ["Kept", "Parts", "cut", "kept", "part", "source_of"]
