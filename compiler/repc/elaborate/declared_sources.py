"""`data` declarations as sources: whose axes they speak of, which fields differ from sample to sample (13.2)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.binding import Binding, number_sizes, renamed
from repc.elaborate.body import Body
from repc.elaborate.calls import block_at, requested, sort_arguments
from repc.elaborate.instances import declaration, instance, symbol_scope
from repc.elaborate.shapes import known
from repc.elaborate.signature import Signature, signature
from repc.elaborate.stop import stop
from repc.elaborate.values import Callee
from repc.ir import Graph, Origin, SourceUse
from repc.types import Axis, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.context import Context
    from repc.elaborate.instances import Instance

# Samples of `valid` and of `test` of a declaration that does not say how many.
HELD_OUT = 1024

# The batch symbol of a source whose samples have no axis of their own.
NO_BATCH = Symbol("")


def declared_source(
    body: Body, name: str, callee: Callee, expr: tree.Call, batch: Axis | None, options: dict[str, object]
) -> SourceUse:
    """`data d = MaxOf(N: 10)` of a `data` declaration; without a `batch` its samples are one for each of the user's."""
    module, node = declaration(body.context, callee)
    if node.keyword != "data":
        raise stop("source-expected", expr.span)
    sig: Signature = signature(body.context, module, node)
    arguments = sort_arguments(body, callee, sig, expr)
    missing = [p.name for p in sig.of_role("data") if p.node.default is None and p.name not in arguments.data]
    if missing:
        raise stop("missing-argument", expr.span, name=missing[0], callee=callee.title)
    block = block_at(body, callee, expr, arguments)
    body.blocks.remove(block)
    request = requested(block, sig, arguments, {})
    binding = Binding(body, callee, sig, arguments.axes, {}, arguments.spans, expr.span)
    request.arity = binding.arities()
    made = instance(body.context, request, Origin(expr.span))
    binding.open(made)
    number_sizes(body, block, binding)
    sized_by_default(body, binding, sig)
    identify(body, binding, made, expr.span)
    for formal in sig.formals:
        if Symbol(formal[0], symbol_scope(callee)) not in binding.sizes:
            raise stop("size-needed", expr.span, name=f"the axis `{formal[0]}` of `{callee.title}`")
    nodes = made.graph.by_name()
    varying = varying_nodes(body.context, made.graph)
    fields: list[tuple[str, Type]] = []
    for own, ref in made.graph.results:
        type_ = renamed(body, binding, nodes[ref].type, (), expr.span)
        fields.append((own or "x", led(type_, batch) if ref in varying else type_))
    settings = counts(body, made, binding, options, expr.span)
    if "id" in settings:
        fields.append(("id", id_type(body, settings, batch)))
    sizes = tuple(sorted(binding.sizes.items(), key=lambda pair: pair[0]))
    label = batch.label if batch is not None else NO_BATCH
    return SourceUse(
        name,
        None,
        made.graph.name,
        tuple(fields),
        label,
        Origin(expr.span),
        sizes,
        tuple(settings.items()),
        made.sources,
    )


def led(type_: Type, batch: Axis | None) -> Type:
    """A field with the axis of the samples in front, where they have one."""
    return type_ if batch is None else Type((batch, *type_.axes), type_.kind, type_.refine)


def sized_by_default(body: Body, binding: Binding, sig: Signature) -> None:
    """Formals that the call leaves open: the axis of this file that is spelled alike, else the declaration's size."""
    owner = symbol_scope(binding.callee)
    usual = dict(sig.usual())
    for name, _ in sig.formals:
        symbol = Symbol(name, owner)
        if symbol in binding.sizes:
            continue
        own = known(body, tree.Name(binding.span, name))
        if own is not None and len(own) == 1 and numeric(body, own[0].size) is not None:
            binding.tie(symbol, own[0])
        elif name in usual:
            size = usual[name]
            if not isinstance(size, tree.Number) or not isinstance(size.value, int):
                raise stop("size-needed", size.span, name=f"the axis `{name}`")
            binding.sizes[symbol] = Dim.of(size.value)
        elif own is not None and len(own) == 1:
            binding.tie(symbol, own[0])


def identify(body: Body, binding: Binding, made: Instance, span: Span) -> None:
    """Axes of an imported declaration are the axes of this file that are spelled alike (1.7), if sizes allow it."""
    if binding.callee.module == body.module.key:
        return
    nodes = made.graph.by_name()
    for _, ref in made.graph.results:
        type_ = nodes[ref].type
        spaces = [(axis.label, axis.size) for axis in type_.axes]
        if type_.kind.space is not None and type_.kind.size is not None:
            spaces.append((type_.kind.space, type_.kind.size))
        for symbol, size in spaces:
            if symbol in binding.axes:
                continue
            own = spelled(body, symbol, size, binding, span)
            if own is not None:
                binding.tie(symbol, own)
                if size.symbol is not None:
                    binding.sizes[size.symbol] = own.size


def spelled(body: Body, symbol: Symbol, size: Dim, binding: Binding, span: Span) -> Axis | None:
    """The axis of this file with the spelling of an axis of a source; None if there is none or its size is another."""
    if not symbol.name[:1].isupper():
        return None
    found = known(body, tree.Name(span, symbol.name))
    if found is None or len(found) != 1:
        return None
    (own,) = found
    wanted, given = numeric(body, size.subst(binding.sizes)), numeric(body, own.size)
    if wanted is None or wanted == given:
        return own
    if given is None:
        return Axis(own.label, Dim.of(wanted), own.kind, own.space, own.ragged)
    return None


def numeric(body: Body, size: Dim) -> int | None:
    """A size as a number, where it is known."""
    number = size.subst({s: Dim.of(n) for s, n in body.context.values.items()}).constant
    return number if isinstance(number, int) else None


def varying_nodes(context: Context, graph: Graph) -> set[str]:
    """Nodes that differ from sample to sample: those that a draw which is not `once`, or an input, reaches."""
    found: set[str] = set()
    for node in graph.nodes:
        own = node.kind == "input" or (node.kind == "draw" and not node.attrs["once"])
        inner = [node.attrs[key] for key in ("graph", "body", "then", "other") if key in dict(node.attrs)]
        if own or any(arg in found for arg in node.args) or any(draws(context, key) for key in inner):
            found.add(node.name)
    return found


def draws(context: Context, key: str) -> bool:
    """Whether a graph has a draw of its own that is not `once`."""
    graph = context.graphs.get(key)
    return graph is not None and any(node.kind == "draw" and not node.attrs["once"] for node in graph.nodes)


def counts(body: Body, made: Instance, binding: Binding, options: dict[str, object], span: Span) -> dict[str, object]:
    """How many samples each split has: as the data line says, else as the declaration does; `size` None is endless."""
    settings: dict[str, object] = {}
    for name, value in made.settings:
        settings[name] = numeric(body, value.subst(binding.sizes)) if isinstance(value, Dim) else value
    settings.update(options)
    for name in ("size", "held_out"):
        number = settings.get(name)
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
            raise stop("number-needed", span, what=f"`{name}`", found="something else")
    # A record of finitely many samples says which one it is.
    named = made.graph.results[0][0] != ""
    if settings.get("size") is not None and named and not any(name == "id" for name, _ in made.graph.results):
        settings.setdefault("id", None)
    elif "id" in settings and settings.get("size") is None:
        raise stop("size-needed", span, name="a source whose samples are numbered")
    return settings


def id_type(body: Body, settings: dict[str, object], batch: Axis | None) -> Type:
    """The number of a sample, over all splits: train first, then valid, then test."""
    size, held_out = settings["size"], settings.get("held_out", HELD_OUT)
    assert isinstance(size, int) and isinstance(held_out, int)
    total = Dim.of(size + 2 * held_out)
    axis = settings["id"]
    settings["id"] = True
    label = axis.label if isinstance(axis, Axis) else body.own("Id")
    return led(Type((), index_of(label, total)), batch)
