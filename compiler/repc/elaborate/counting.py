"""How many numbers a declaration learns and how many operations it takes, as sizes."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.instances import Request, instance
from repc.elaborate.stop import stop
from repc.elaborate.values import Callee
from repc.ir import Graph, Origin
from repc.names.entries import DimEntry, TrainEntry
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def parameter_count(body: Body, callee: Callee, span: Span) -> Dim:
    """`params(F)` of a declaration or train under its own defaults."""
    entry = body.context.module(callee.module).find(callee.name)
    if isinstance(entry, TrainEntry):
        return train_count(body, callee, entry, span)
    made = instance(body.context, Request(callee), Origin(span))
    return counted(body.context.graphs, made.graph).subst(chosen_sizes(body, callee))


def train_count(body: Body, callee: Callee, entry: TrainEntry, span: Span) -> Dim:
    """What the models of a train learn. Faults of the train itself are told where it is elaborated as such."""
    from repc.elaborate.expressions import evaluate
    from repc.elaborate.trains import elaborate_train

    if isinstance(entry.node.body, tree.With):
        before, body.scope = body.scope, body.context.file_scope(entry.module)
        try:
            base = evaluate(body, entry.node.body)
        finally:
            body.scope = before
        if isinstance(base, Callee):
            return parameter_count(body, base, span)
    told = len(body.context.faults)
    step = elaborate_train(body.context, entry, Request(callee), f"params of {callee.title}")
    del body.context.faults[told:]
    if step is None:
        raise stop("declaration-expected", span, name=callee.title)
    return counted(body.context.graphs, step.graph).subst(chosen_sizes(body, callee))


def chosen_sizes(body: Body, callee: Callee) -> dict[Symbol, Dim]:
    """Dims that `with { H: 1 }` gives another size."""
    from repc.elaborate.shapes import size_of

    found: dict[Symbol, Dim] = {}
    module = body.context.module(callee.module)
    for path, expr, scope in callee.overrides:
        entry = module.find(path)
        if isinstance(entry, DimEntry):
            before, body.scope = body.scope, scope
            try:
                found[entry.symbol] = size_of(body, expr)
            finally:
                body.scope = before
    return found


def operation_count(body: Body, callee: Callee, span: Span) -> Dim:
    """`cost(F)`: floating point operations of one application of a declaration under its own defaults."""
    from repc.explanation.work import Work
    from repc.ir import Program

    made = instance(body.context, Request(callee), Origin(span))
    return (
        Work(Program(body.context.graphs, {}, {}, body.context.values, {}, body.facts))
        .of(made.graph.name)
        .subst(chosen_sizes(body, callee))
    )


def degree_in(size: Dim, symbol: Symbol) -> Dim | None:
    """The highest power of a size in a formula; None where it also stands under a floor, a rest or a fraction."""
    highest = 0
    for monomial, _ in size.terms:
        opaque = tuple(factor for factor in monomial if not isinstance(factor[0], Symbol))
        if symbol in Dim(((opaque, 1),)).symbols():
            return None
        highest = max(highest, dict(monomial).get(symbol, 0))
    return Dim.of(highest)


def counted(graphs: Mapping[str, Graph], graph: Graph) -> Dim:
    """Slots of a graph, of its blocks, and of the turns of its loops."""
    total = Dim.of(0)
    for node in graph.nodes:
        if node.kind == "slot" and node.attrs["trained"] and "of" not in node.attrs:
            size = Dim.of(1)
            for axis in node.type.axes:
                size = size * axis.size
            total = total + size
        elif node.kind == "loop":
            inner = counted(graphs, graphs[node.attrs["body"]])
            total = total + (inner * node.attrs["count"] if node.attrs["label"] else inner)
    for block in graph.blocks:
        if block.treatment:
            continue
        one = counted(graphs, graphs[block.graph]).subst(dict(block.sizes))  # type: ignore[arg-type]
        for own in block.per:
            assert isinstance(own, Axis)
            one = one * own.size
        total = total + one
    return total
