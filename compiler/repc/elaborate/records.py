"""Parameters of a declaration as a value: `linear(z, Z -> F.params)`, `F(x, params: w)` (LANGUAGE.md 3.7)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.instances import Instance
from repc.elaborate.parameters import parameters_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Arrow, Axes, BlockValue, Callee, Fields, Tensor
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.binding import Binding
    from repc.elaborate.values import Value


def parameter_type(body: Body, expr: tree.Attr) -> Type:
    """The record type that `F.params` is."""
    base = evaluate(body, expr.base)
    if isinstance(base, Callee):
        base = BlockValue(base, base.name, expr.span)
    if not isinstance(base, BlockValue):
        raise stop("no-such-field", expr.name.span, name="params", found=describe(base))
    return parameters_of(body, base, expr.span)


def is_params(expr: tree.Expr) -> bool:
    """Whether `F.params` stands there."""
    return isinstance(expr, tree.Attr) and expr.name.text == "params"


def parameter_axes(body: Body, expr: tree.Attr) -> Axes:
    """`F.params` as a side of an arrow: one axis that holds all of its numbers."""
    type_ = parameter_type(body, expr)
    label = body.fresh("params")
    size = Dim.of(0)
    for _, inner in type_.fields:
        size = size + entries(inner)
    return Axes((Axis(label, size, "feature", label),), type_)


def entries(type_: Type) -> Dim:
    size = Dim.of(1)
    for axis in type_.axes:
        size = size * axis.size
    return size


def unflattened(body: Body, value: Value, axes: Value, span: Span) -> Value:
    """The numbers along the axis of `F.params` as a record."""
    if not isinstance(axes, Axes) or axes.parameters is None:
        return value
    own = axes.axes[0]
    if not isinstance(value, Tensor) or value.type.axis(own.label) is None:
        return value
    start, made = Dim.of(0), []
    for name, inner in axes.parameters.fields:
        stop_ = start + entries(inner)
        space = body.fresh(name.rpartition(".")[2])
        axis = own.resized(stop_ - start, space)
        part = body.prim("slice", [value], span, axis=own.label, start=start, stop=stop_, **{"as": axis})
        if inner.axes:
            part = body.prim("reshape", [part], span, **{"from": (own.label,), "to": inner.axes})
        else:
            part = body.prim("pick", [part], span, axis=own.label, at=Dim.of(0))
        made.append((name, part))
        start = stop_
    fields = Fields(tuple(made))
    body.flats[tuple(part.node for _, part in made)] = (value, own.label)
    return fields


def flattened(body: Body, value: Value, type_: Type, span: Span) -> tuple[Tensor, Symbol]:
    """A record of parameters as numbers along one axis, and its label."""
    if not isinstance(value, Fields):
        raise stop("record-expected", span, fields=[name for name, _ in type_.fields])
    items: list[Tensor] = []
    for name, _ in type_.fields:
        item = value.get(name)
        if item is None:
            raise stop("missing-field", span, name=name, fields=[own for own, _ in value.items])
        items.append(body.tensor(item, span))
    known = body.flats.get(tuple(item.node for item in items))
    if known is not None:
        return known
    rows: list[tuple[Tensor, Axis]] = []
    for item, (_, inner) in zip(items, type_.fields, strict=True):
        label = body.fresh("row")
        axis = Axis(label, entries(inner), "plain", label)
        own = written(item, inner)
        if own:
            rows.append((body.prim("reshape", [item], span, **{"from": own, "to": (axis,)}), axis))
        else:
            rows.append((body.prim("expand", [item], span, axes=(axis,)), axis))
    if len(rows) == 1:
        return rows[0][0], rows[0][1].label
    total = Dim.of(0)
    for _, axis in rows:
        total = total + axis.size
    label = body.fresh("rows")
    whole = Axis(label, total, "plain", label)
    values = spread([row for row, _ in rows], [axis for _, axis in rows], body, span)
    return body.prim("concat", values, span, along=tuple(axis.label for _, axis in rows), **{"as": whole}), label


def spread(values: list[Tensor], own: list[Axis], body: Body, span: Span) -> list[Tensor]:
    """Axes that only some have are spread over the others: they are lifted."""
    rest: dict[Symbol, Axis] = {}
    for value, axis in zip(values, own, strict=True):
        rest.update({other.label: other for other in value.type.axes if other.label != axis.label})
    made = []
    for value in values:
        missing = tuple(axis for label, axis in rest.items() if value.type.axis(label) is None)
        made.append(body.prim("expand", [value], span, axes=missing) if missing else value)
    return made


def written(value: Tensor, type_: Type) -> tuple[Symbol, ...]:
    """The axes of a field: those of its type by label, else the last ones."""
    labels = type_.labels
    if all(value.type.axis(label) is not None for label in labels):
        return labels
    return value.type.labels[len(value.type.axes) - len(labels) :]


def flatten_argument(body: Body, arrow: Arrow, data: dict[str, Value], span: Span) -> None:
    """`mlp(w, F.params -> Z)`: the record that an arrow starts from becomes numbers along its axis."""
    left = arrow.left
    if not isinstance(left, Axes) or left.parameters is None:
        return
    for name, value in data.items():
        if isinstance(value, Fields) and value.items:
            flat, label = flattened(body, value, left.parameters, span)
            data[name] = body.prim("relabel", [flat], span, labels=((label, left.axes[0].label),))
            return


def supply(
    body: Body,
    block: BlockValue,
    made: Instance,
    binding: Binding,
    value: Value,
    ports: dict[str, Tensor],
    span: Span,
) -> Instance:
    """The instance that reads its parameters, and the record laid out for it."""
    from repc.elaborate.supplied import PORT, supplied, vector

    blank = BlockValue(block.callee, block.hint, span)
    blank.config, blank.bound, blank.per = block.config, block.bound, block.per
    flat, label = flattened(body, value, parameters_of(body, blank, span), span)
    key = supplied(body.context, made.graph.name, span)
    block.graph = key
    ports[PORT] = flat
    axis = flat.type.axis(label)
    assert axis is not None
    binding.tie(vector(key), axis)
    return Instance(
        body.context.graphs[key], made.needed, made.signature, False, made.settings, made.sources, made.passed
    )
