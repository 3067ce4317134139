"""The parameters of a block as a record type: `F.params`, `like(f.params)` (LANGUAGE.md 3.7)."""

from __future__ import annotations

from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue
from repc.ir import Graph
from repc.types import Axis, Type, record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def parameters_of(body: Body, block: BlockValue, span: Span) -> Type:
    """A record of every trained slot of a block, by path; the turns of a loop are an axis in front."""
    if not block.graph:
        from repc.elaborate.transformers import unapplied

        unapplied(body, block, span)
    graphs = body.context.graphs
    fields = [
        (path, settled(body, (*block.per, *axes), block.sizes))
        for path, axes in slots_of(graphs, graphs[block.graph], "")
    ]
    if not fields:
        raise stop("no-such-slot", span, name="params", block=block.path or block.hint, slots=["none"])
    return record(fields)


def slots_of(graphs: Mapping[str, Graph], graph: Graph, prefix: str) -> Iterator[tuple[str, tuple[Axis, ...]]]:
    """Paths of trained slots and their axes, in the sizes of `graph`."""
    for node in graph.nodes:
        if node.kind == "slot" and node.attrs["trained"] and "of" not in node.attrs:
            yield prefix + node.attrs["path"], node.type.axes
        elif node.kind == "loop":
            label = node.attrs["label"]
            turns = (Axis(Symbol(label, prefix), node.attrs["count"], "plain", Symbol(label, prefix)),) if label else ()
            for path, axes in slots_of(graphs, graphs[node.attrs["body"]], f"{prefix}{label}." if label else prefix):
                yield path, (*turns, *axes)
    for block in graph.blocks:
        if block.treatment:
            continue
        sizes: dict[Symbol, Dim] = dict(block.sizes)  # type: ignore[arg-type]
        own = tuple(axis for axis in block.per if isinstance(axis, Axis))
        for path, axes in slots_of(graphs, graphs[block.graph], f"{prefix}{block.path}."):
            yield path, (*own, *(resized(axis, sizes) for axis in axes))


def resized(axis: Axis, sizes: Mapping[Symbol, Dim]) -> Axis:
    return Axis(axis.label, axis.size.subst(sizes), axis.kind, axis.space, axis.ragged)


def settled(body: Body, axes: tuple[Axis, ...], sizes: Mapping[Symbol, Dim]) -> Type:
    """Axes of a slot in this body's sizes, told apart by labels of their own."""
    from repc.types import FLOAT

    own = {axis.label for (module, _), axis in body.context.axes.items() if module == body.module.key}
    made: list[Axis] = []
    for axis in axes:
        # Axes of the file keep their name and space; those of the declaration's own are told apart by new ones.
        label = axis.label if axis.label in own else body.own(axis.label.name)
        space = axis.space if axis.label in own else label
        while any(label == other.label for other in made):
            label = body.own(f"{label.name}2")
        made.append(Axis(label, axis.size.subst(sizes), axis.kind, space if axis.label in own else label, axis.ragged))
    return Type(tuple(made), FLOAT)
