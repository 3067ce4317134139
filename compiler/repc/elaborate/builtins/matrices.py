"""Builtins of matrices: two axes of one value, of one space where nothing else is said."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Symbol
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given, present
from repc.elaborate.groups import inverted, of_group
from repc.elaborate.shapes import axes_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Static, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.builtins.given import Handler
    from repc.elaborate.values import Value


LINEAR_ALGEBRA = ["logdet", "det", "trace", "inverse", "cholesky", "expm", "qr_q"]


def linear_algebra(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        given = Given(body, call, 1, ("over",))
        value = given.tensor(0)
        group = of_group(body, value) if name == "inverse" else None
        if group is not None:
            return inverted(body, group, value, call.span)
        rows, columns = square(given, value)
        return body.prim(name, [value], call.span, rows=rows, columns=columns)

    return handler


def eigh(body: Body, call: tree.Call) -> Value:
    """`eigh(m, top: Q, relative: b)`: all pairs, smallest first, or the largest, largest first; of m v = l b v."""
    from repc.elaborate.expressions import tensor
    from repc.elaborate.values import Fields

    given = Given(body, call, 1, ("over", "relative", "top"))
    value = given.tensor(0)
    rows, columns = square(given, value)
    sides = {"rows": rows, "columns": columns}
    back: Tensor | None = None
    if "relative" in given.options:
        other = aligned_matrix(body, tensor(body, given.options["relative"]), value, rows, columns, call)
        root = body.prim("cholesky", [other], call.span, **sides)
        back = body.prim("inverse", [root], call.span, **sides)
        # With b = r r' the vectors are r'^-1 times those of r^-1 m r'^-1.
        value = product(body, product(body, back, value, rows, columns, call), turned(body, back, sides, call), rows,
                        columns, call)  # fmt: skip
    made = body.prim("eigh", [value], call.span, **sides)
    found = {own: body.prim("field", [made], call.span, name=own) for own, _ in made.type.fields}
    if back is not None:
        found["vectors"] = product(body, turned(body, back, sides, call), found["vectors"], rows, columns, call)
    top = given.axes("top")
    if top is None:
        return Fields(tuple(found.items()), made)
    own = made.type.fields[0][1].axis(columns)
    assert own is not None
    if body.at_least(own.size, top[0].size) is False:
        raise stop(
            "sizes-of-result", given.options["top"].span, axis=top[0].label, expected=own.size, found=top[0].size
        )
    count = body.prim("iota", [], call.span, axis=top[0])
    place = body.prim("sub", [Static(own.size - 1), count], call.span)
    kept = {name: body.prim("gather", [part, place], call.span, axes=(columns,)) for name, part in found.items()}
    return Fields(tuple(kept.items()))


def product(body: Body, left: Tensor, right: Tensor, rows: Symbol, columns: Symbol, call: tree.Call) -> Tensor:
    """The product of two matrices over the same two labels."""
    inner = body.fresh(columns.name)
    left = body.prim("relabel", [left], call.span, labels=((columns, inner),))
    right = body.prim("relabel", [right], call.span, labels=((rows, inner),))
    rest = [label for part in (left, right) for label in part.type.labels if label not in (rows, columns, inner)]
    return body.prim("contract", [left, right], call.span, out=(*dict.fromkeys(rest), rows, columns))


def turned(body: Body, value: Tensor, sides: dict[str, Symbol], call: tree.Call) -> Tensor:
    """Rows and columns exchanged."""
    rows, columns = sides["rows"], sides["columns"]
    return body.prim("relabel", [value], call.span, labels=((rows, columns), (columns, rows)))


def aligned_matrix(body: Body, other: Tensor, like: Tensor, rows: Symbol, columns: Symbol, call: tree.Call) -> Tensor:
    """A second matrix in the labels of the first; it has the same two axes, or two of the same space."""
    if other.type.axis(rows) is not None and other.type.axis(columns) is not None:
        return other
    own = like.type.axis(rows)
    pairs = [axis.label for axis in other.type.axes if own is not None and axis.space == own.space]
    if len(pairs) != 2:
        raise stop("matrix-expected", call.span, type=other.type)
    return body.prim("relabel", [other], call.span, labels=((pairs[0], rows), (pairs[1], columns)))


def pinv(body: Body, call: tree.Call) -> Value:
    """`pinv(m, rank: r)`: the pseudoinverse, of the nearest matrix of that rank where one is given."""
    from repc.elaborate.expressions import evaluate

    given = Given(body, call, 1, ("over", "rank"))
    value = given.tensor(0)
    rows, columns = square(given, value)
    if "rank" not in given.options:
        return body.prim("pinv", [value], call.span, rows=rows, columns=columns)
    rank = evaluate(body, given.options["rank"])
    own = value.type.axis(columns)
    assert own is not None
    if not isinstance(rank, Static):
        raise stop("number-needed", given.options["rank"].span, what="rank", found="a value")
    other, turn = body.fresh(columns.name), body.fresh(columns.name)
    rest = [label for label in value.type.labels if label not in (rows, columns)]
    twin = body.prim("relabel", [value], call.span, labels=((columns, other),))
    gram = body.prim("contract", [value, twin], call.span, out=(*rest, columns, other))
    made = body.prim("eigh", [gram], call.span, rows=columns, columns=other)
    values, vectors = (body.prim("field", [made], call.span, name=name) for name in ("values", "vectors"))
    place = body.prim("iota", [], call.span, axis=own.relabelled(other))
    size = body.tensor(Static(own.size), call.span)
    kept = body.prim("ge", [place, body.prim("sub", [size, rank], call.span)], call.span)
    weight = body.prim("where", [kept, body.prim("div", [Static(1.0), values], call.span), Static(0.0)], call.span)
    left = body.prim("mul", [vectors, weight], call.span)
    right = body.prim("relabel", [vectors], call.span, labels=((columns, turn),))
    core = body.prim("contract", [left, right], call.span, out=(*rest, columns, turn))
    whole = body.prim("relabel", [value], call.span, labels=((columns, turn),))
    return body.prim("contract", [core, whole], call.span, out=(*rest, columns, rows))


def linsolve(body: Body, call: tree.Call) -> Value:
    """`linsolve(m, b, over: D)`: the y over D for which m y = b, where b has the axis D and m two of its space."""
    given = Given(body, call, 2, ("over",))
    value, right = given.tensor(0), given.tensor(1)
    named = given.axes("over")
    from repc.elaborate.subscripts import visible

    own = visible(body, value)
    if named is not None and len(named) == 1:
        pair = [axis.label for axis in own if axis.space == named[0].space]
        rows, columns = (pair[0], pair[1]) if len(pair) == 2 else square(given, value)
    else:
        rows, columns = square(given, value)
    space = value.type.axis(rows)
    assert space is not None
    labels_ = [axis.label for axis in right.type.axes if axis.label in (rows, columns)] or [
        axis.label for axis in right.type.axes if axis.space == space.space
    ]
    if named is not None and len(named) == 1 and right.type.axis(named[0].label) is not None:
        labels_ = [named[0].label]
    if len(labels_) != 1:
        raise stop("matrix-expected", call.span, type=right.type)
    label = labels_[0]
    if label != rows:
        right = body.prim("relabel", [right], call.span, labels=((label, rows),))
    made = body.prim("linsolve", [value, right], call.span, rows=rows, columns=columns)
    return made if label == columns else body.prim("relabel", [made], call.span, labels=((columns, label),))


def svdvals(body: Body, call: tree.Call) -> Value:
    """`svdvals(m, as: R)`: along the shorter axis where both sizes are known, else along the columns."""
    given = Given(body, call, 1, ("over", "as"))
    value = given.tensor(0)
    rows, columns = square(given, value)
    own, other = value.type.axis(columns), value.type.axis(rows)
    assert own is not None and other is not None
    if body.at_least(own.size, other.size) is True:
        own = other
    place = given.new_axis("as", own.size, own)
    return body.prim("svdvals", [value], call.span, rows=rows, columns=columns, **{"as": place})


def square(given: Given, value: Tensor) -> tuple[Symbol, Symbol]:
    """The two axes of one space that make a matrix."""
    axes = given.axes("over")
    if axes is not None and len(axes) == 2:
        rows, columns = present(given, value, axes, "over")
        return rows, columns
    from repc.elaborate.subscripts import visible

    own = visible(given.body, value)
    pairs = [(a.label, b.label) for i, a in enumerate(own) for b in own[i + 1 :] if a.space == b.space]
    if len(pairs) == 1:
        return pairs[0]
    if len(own) == 2:
        return own[0].label, own[1].label
    raise stop("matrix-expected", given.call.span, type=value.type)


def eye(body: Body, call: tree.Call) -> Value:
    """The identity over two axes."""
    given = Given(body, call, -1, tuple(arg.name.text for arg in call.args if arg.name is not None))
    axes = tuple(axis for value in given.values for axis in axes_of(body, value))
    for name, value in given.options.items():
        (own,) = axes_of(body, value)
        axes = (*axes, own.relabelled(body.own(name)))
    if len(axes) != 2:
        raise stop(
            "wrong-arity", call.span, callee="identity", wanted=2, given=len(axes), signature="identity(i: D, j: D)"
        )
    return body.prim("eye", [], call.span, axes=axes)
