"""Graphs of declarations: one per structural configuration, made once (LANGUAGE.md 10.3)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.elaborate.block_types import bind_formals
from repc.elaborate.body import Body
from repc.elaborate.scope import Scope
from repc.elaborate.signature import DEFERRED, Parameter, Signature, signature
from repc.elaborate.signature_sizes import named_sizes
from repc.elaborate.stop import stop
from repc.elaborate.values import (
    Arrow,
    Axes,
    BlockValue,
    Callee,
    Deferred,
    Function,
    Label,
    Series,
    Static,
    Tensor,
    WordValue,
)
from repc.ir import Attrs, BlockParameter, Graph, Origin, SourceUse
from repc.names.entries import DeclarationEntry, Entry, TrainEntry
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rep_grammar.spans import Span
    from repc.elaborate.context import Context
    from repc.elaborate.values import Value
    from repc.names import Module


class Request:
    """What a call asks of a declaration, as far as it changes the graph."""

    __slots__ = ("arity", "axes", "blocks", "callee", "numbers", "present", "settings", "supplied")

    def __init__(self, callee: Callee) -> None:
        self.callee = callee
        self.arity: dict[str, int] = {}
        self.axes: dict[str, Value] = {}
        self.settings: dict[str, Value] = {}
        self.numbers: dict[str, int | None] = {}
        self.blocks: dict[str, Value] = {}
        self.supplied: dict[str, bool] = {}
        self.present: set[str] = set()

    def key(self) -> object:
        """Equal keys make equal graphs, but for the numbers that turn out to be structural."""
        return (
            self.callee,
            tuple(sorted(self.arity.items())),
            tuple(sorted((name, spell(value)) for name, value in self.settings.items())),
            tuple(sorted(self.numbers)),
            tuple((name, block_key(value)) for name, value in sorted(self.blocks.items(), key=_first)),
            tuple(sorted(self.supplied.items())),
            tuple(sorted(self.present)),
        )


def _first(pair: tuple[str, object]) -> str:
    return pair[0]


class Instance(Record):
    """A graph and the numbers it was specialised on; `settings` and `sources` of a `data` declaration.

    `passed`: for each block that came in, the parameter's name, the graph that its application inside made, and that
    graph's sizes in symbols of this one.
    """

    graph: Graph
    needed: tuple[tuple[Symbol, int], ...]
    signature: Signature
    owns: bool
    settings: tuple[tuple[str, object], ...] = ()
    sources: tuple[SourceUse, ...] = ()
    passed: tuple[tuple[str, str, tuple[tuple[Symbol, Dim], ...]], ...] = ()


def spell(value: Value) -> str:
    """A setting in text, for keys and names."""
    if isinstance(value, Static):
        return str(value.value).lower() if isinstance(value.value, bool) else str(value.value)
    if isinstance(value, Label):
        return value.name
    if isinstance(value, Series):
        return "(" + ", ".join(spell(entry) for entry in value.items) + ")"
    if isinstance(value, WordValue):
        return str(value.word)
    return repr(value)


def block_key(value: Value) -> object:
    """What a body can tell of a block that comes in: its declaration and how that is configured."""
    if isinstance(value, BlockValue):
        config = tuple((name, block_key(own)) for name, own in sorted(value.config.items(), key=_first))
        return ("shared", value.callee, value.treatment, config, tuple(sorted(value.bound.items(), key=_first)))
    return value


def callee_of(body: Body, entry: DeclarationEntry | TrainEntry) -> Callee:
    """A declaration as a value; a derived one is its base with overrides."""
    context = body.context
    scope = context.file_scope(entry.module)
    imported = tuple(
        (".".join(override.path), override.value, context.file_scope(override.scope)) for override in entry.overrides
    )
    node = entry.node
    if isinstance(node, tree.Derived):
        before, body.scope = body.scope, scope
        try:
            from repc.elaborate.expressions import evaluate

            base = evaluate(body, node.value)
        finally:
            body.scope = before
        if not isinstance(base, Callee):
            raise stop("declaration-expected", node.value.span, name=entry.name)
        return Callee(base.module, base.name, base.overrides + imported, entry.name)
    return Callee(entry.module, entry.name, imported)


def derived(body: Body, expr: tree.With) -> Value:
    """`X with { path: value }`."""
    from repc.elaborate.expressions import evaluate

    base = evaluate(body, expr.base)
    if isinstance(base, Callee):
        given = tuple((path_of(entry.path), entry_value(entry), body.scope) for entry in expr.entries)
        return Callee(base.module, base.name, base.overrides + given, base.shown)
    if isinstance(base, BlockValue):
        from repc.elaborate.transformers import refilled

        return refilled(body, base, expr)
    raise stop("declaration-expected", expr.base.span, name="the left of `with`")


def entry_value(entry: tree.Entry) -> tree.Expr:
    """`weights[t in T, s in S]: e` is a formula of its indices."""
    if isinstance(entry.path, tree.Index):
        return tree.Index(entry.span, entry.value, entry.path.subs)
    return entry.value


def path_of(expr: tree.Expr) -> str:
    """A dotted path as text."""
    if isinstance(expr, tree.Name):
        return expr.text
    if isinstance(expr, tree.Attr):
        return f"{path_of(expr.base)}.{expr.name.text}"
    if isinstance(expr, tree.Index):
        return path_of(expr.base)
    raise stop("path-expected", expr.span)


def declaration(context: Context, callee: Callee) -> tuple[Module, tree.Declaration]:
    """The text of a declaration."""
    module = context.module(callee.module)
    entry: Entry | None = module.find(callee.name)
    if not isinstance(entry, DeclarationEntry) or not isinstance(entry.node, tree.Declaration):
        span = entry.span if entry is not None else module.file.span
        raise stop("declaration-expected", span, name=callee.name)
    return module, entry.node


def instance(context: Context, request: Request, origin: Origin) -> Instance:
    """The graph for a request, made now or before."""
    key = request.key()
    known = context.instances.setdefault(key, [])
    scope = symbol_scope(request.callee)
    for made in known:
        numbers = {Symbol(name, scope): value for name, value in request.numbers.items()}
        if all(numbers.get(symbol, value) == value for symbol, value in made.needed):
            return made
    place = (request.callee.module, request.callee.name)
    if place in context.active:
        cycle = [name for _, name in context.active[context.active.index(place) :]] + [request.callee.name]
        raise stop("declaration-cycle", origin.span, name=request.callee.name, cycle=" -> ".join(cycle))
    context.active.append(place)
    try:
        made = build(context, request, origin)
    finally:
        context.active.pop()
    known.append(made)
    context.graphs[made.graph.name] = made.graph
    return made


def symbol_scope(callee: Callee) -> str:
    """The scope of a declaration's own symbols."""
    return f"{callee.module}.{callee.name}" if callee.module else callee.name


def graph_key(context: Context, callee: Callee) -> str:
    """A free key: the title, numbered where it is taken."""
    key, count = callee.title, 1
    while key in context.graphs or key in context.reserved:
        count += 1
        key = f"{callee.title}.{count}"
    context.reserved.add(key)
    return key


def build(context: Context, request: Request, origin: Origin) -> Instance:
    """Elaborate the body of a declaration."""
    callee = request.callee
    module, node = declaration(context, callee)
    sig = signature(context, module, node)
    body = Body(context, module, graph_key(context, callee), Origin(node.name.span, ()))
    body.keyword = node.keyword
    law = request.settings.get("init:")
    body.init = law.word if isinstance(law, WordValue) else None
    scope = body.scope = Scope(context.file_scope(callee.module))
    open_formals(body, request, sig, scope)
    bind_formals(body, request, sig, scope)
    configure(body, request, sig)
    named_sizes(body, node)
    for parameter in sig.parameters:
        if parameter.role == "data":
            open_input(body, request, parameter)
    from repc.elaborate.statements import run_body

    graph = run_body(body, node, request, sig)
    owns = bool(graph.blocks) or bool(graph.cells) or any(item.kind == "slot" for item in graph.nodes)
    needed = tuple(sorted(body.needed.items()))
    passed = tuple((inner.path, inner.graph, tuple(inner.sizes.items())) for inner in body.passed if inner.graph)
    return Instance(graph, needed, sig, owns, tuple(body.settings.items()), tuple(body.sources), passed)


def open_formals(body: Body, request: Request, sig: Signature, scope: Scope) -> None:
    """Axes that the declaration binds itself."""
    owner = symbol_scope(request.callee)
    kinds = dict(sig.formals)
    for name in sig.variadic:
        count = request.arity.get(name, 1)
        symbols = [Symbol(name if count == 1 else f"{name}{i + 1}", owner) for i in range(count)]
        scope.axes[name] = tuple(Axis(s, Dim.of(s), kinds.get(name) or "plain", s) for s in symbols)
    for name, kind in sig.formals:
        if name not in sig.variadic:
            symbol = Symbol(name, owner)
            scope.axes[name] = (Axis(symbol, Dim.of(symbol), kind or "plain", symbol),)


def configure(body: Body, request: Request, sig: Signature) -> None:
    """Bind configuration: what the call wrote, else what `with` says, else the default."""
    overrides = {path: (value, scope) for path, value, scope in request.callee.overrides}
    body.overrides = overrides
    owner = symbol_scope(request.callee)
    for parameter in sig.parameters:
        name, span = parameter.name, parameter.node.span
        if parameter.role == "axes" and name in request.axes:
            written_axes(body, sig.list_for(parameter), request.axes[name], span)
        if parameter.role in {"data", "axes"}:
            continue
        value: Value | None = None
        if name in request.settings:
            value = request.settings[name]
        elif name in request.numbers:
            symbol = Symbol(name, owner)
            known = request.numbers[name]
            if known is not None:
                body.numbers[symbol] = known
            value = Static(Dim.of(symbol))
        elif name in request.blocks:
            value = passed(body, name, request.blocks[name])
        elif name in overrides:
            value = evaluate_in(body, *overrides[name], parameter)
        elif parameter.node.default is not None:
            value = default_of(body, parameter)
        elif parameter.role == "block":
            value = body_parameter(body, parameter)
        elif parameter.role == "choice":
            value = first_choice(body, parameter)
        else:
            raise stop("missing-argument", span, name=name, callee=request.callee.title)
        body.scope.bind(name, value, span, fixed=True)
    replaced(body, sig, overrides)


def written_axes(body: Body, lists: tuple[str, str] | str | None, value: Value, span: Span) -> None:
    """Axes given to a train stand for its names of them: `V -> D` for `io: axes -> axes = In -> Out`."""
    names = (lists,) if isinstance(lists, str) else lists or ()
    sides = (value.left, value.right) if isinstance(value, Arrow) else (value,)
    if len(names) != len(sides):
        raise stop("axis-expected", span)
    for name, side in zip(names, sides, strict=True):
        if not isinstance(side, Axes):
            raise stop("axis-expected", span)
        body.scope.axes[name] = side.axes


def replaced(body: Body, sig: Signature, overrides: dict[str, tuple[tree.Expr, Scope]]) -> None:
    """Overrides of names that the body uses: `linear: OneBit`."""
    from repc.elaborate.expressions import evaluate

    for path, (value, scope) in overrides.items():
        if "." in path or sig.get(path) is not None or path in sig.slots:
            continue
        entry = body.context.find(body.module, path)
        if isinstance(entry, DeclarationEntry):
            before, body.scope = body.scope, scope
            try:
                made = evaluate(body, value)
            finally:
                body.scope = before
            body.scope.bind(path, made, value.span, fixed=True)


def evaluate_in(body: Body, value: tree.Expr, scope: Scope, parameter: Parameter) -> Value:
    """An override's value, in the scope where it was written."""
    before, body.scope = body.scope, scope
    try:
        return setting_value(body, parameter, value)
    finally:
        body.scope = before


def default_of(body: Body, parameter: Parameter) -> Value:
    """The default, evaluated in the declaration's scope; it may mention earlier parameters."""
    assert parameter.node.default is not None
    made = (
        parameter.role == "block"
        and isinstance(parameter.node.default, tree.Call)
        and body.keyword in {"train", "derived"}
    )
    if made or parameter.role in DEFERRED:
        return Deferred(parameter.node.default, body.scope)
    return setting_value(body, parameter, parameter.node.default)


def setting_value(body: Body, parameter: Parameter, expr: tree.Expr) -> Value:
    """A configuration value; an unknown name is an option of a choice."""
    from repc.elaborate.expressions import evaluate, item

    if parameter.role in DEFERRED:
        return Deferred(expr, body.scope)
    if parameter.role == "choice":
        value = item(body, expr)
        check_choice(body, parameter, value, expr)
        return value
    return evaluate(body, expr)


def check_choice(body: Body, parameter: Parameter, value: Value, expr: tree.Expr) -> None:
    """Only the options of the set may be given."""
    choices = parameter.node.choices
    if not isinstance(choices, tree.SetExpr) or not isinstance(value, Label):
        return
    names = [entry.text for entry in choices.items if isinstance(entry, tree.Name)]
    if value.name not in names:
        from repc.elaborate.shapes import closest

        raise stop("no-such-choice", expr.span, suggestion=closest(value.name, names), name=value.name, choices=names)


def first_choice(body: Body, parameter: Parameter) -> Value:
    """A choice without a default takes its first option."""
    choices = parameter.node.choices
    if isinstance(choices, tree.SetExpr) and choices.items:
        return setting_value(body, parameter, choices.items[0])
    raise stop("missing-argument", parameter.node.span, name=parameter.name, callee=body.key)


def passed(body: Body, name: str, value: Value) -> Value:
    """A declaration is used as it is; a block comes in as a parameter, shared wherever it is applied."""
    if isinstance(value, BlockValue):
        inner = BlockValue(value.callee, name, value.span)
        inner.path = name
        inner.graph = value.graph
        inner.config, inner.bound, inner.sizes, inner.outer = value.config, value.bound, value.sizes, True
        body.parameters.append(BlockParameter(name, value.graph))
        body.passed.append(inner)
        return inner
    return value


def body_parameter(body: Body, parameter: Parameter) -> Value:
    """A block that every caller must pass: known by its nominal type only."""
    kind = parameter.node.type
    if isinstance(kind, tree.Name):
        from repc.elaborate.expressions import evaluate

        value = evaluate(body, kind)
        if isinstance(value, Callee):
            inner = BlockValue(value, parameter.name, parameter.node.span)
            inner.path, inner.outer = parameter.name, True
            body.parameters.append(BlockParameter(parameter.name, ""))
            return inner
    raise stop("missing-argument", parameter.node.span, name=parameter.name, callee=body.key)


def open_input(body: Body, request: Request, parameter: Parameter) -> None:
    """A data parameter: an input, or its default where the call leaves it out."""
    from repc.elaborate.expressions import evaluate
    from repc.elaborate.shapes import type_of

    node = parameter.node
    if node.default is not None and parameter.name not in request.present:
        body.scope.bind(parameter.name, evaluate(body, node.default), node.span)
        return
    if node.type is None:
        raise stop("type-needed", node.span, name=parameter.name)
    type_: Type = type_of(body, node.type)
    value = add_input(body, parameter.name, type_, node)
    body.scope.bind(parameter.name, value, node.name.span)
    body.sites[parameter.name] = value.node if isinstance(value, Tensor) else ""


def add_input(body: Body, port: str, type_: Type, node: tree.Node) -> Value:
    """An input node; a record has one per field."""
    from repc.elaborate.values import Fields

    if type_.kind.name == "record":
        return Fields(tuple((name, add_input(body, f"{port}.{name}", inner, node)) for name, inner in type_.fields))
    value = body.add("input", (), Attrs(port=port), type_, node.span)
    body.inputs.append(value.node)
    return value


__all__ = [
    "Arrow",
    "Axes",
    "Function",
    "Instance",
    "Request",
    "callee_of",
    "derived",
    "instance",
    "spell",
    "symbol_scope",
]
