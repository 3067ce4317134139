"""Builtins of matrices: two axes of one value, of one space where nothing else is said."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Symbol
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given, present
from repc.elaborate.shapes import axes_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.builtins.given import Handler
    from repc.elaborate.values import Value


LINEAR_ALGEBRA = ["eigh", "logdet", "det", "trace", "inverse", "pinv", "cholesky", "expm", "qr_q"]


def linear_algebra(name: str) -> Handler:
    def handler(body: Body, call: tree.Call) -> Value:
        given = Given(body, call, 1, ("over",))
        value = given.tensor(0)
        rows, columns = square(given, value)
        made = body.prim(name, [value], call.span, rows=rows, columns=columns)
        if made.type.kind.name != "record":
            return made
        from repc.elaborate.values import Fields

        items = tuple((own, body.prim("field", [made], call.span, name=own)) for own, _ in made.type.fields)
        return Fields(items, made)

    return handler


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
    given = Given(body, call, -1, ())
    axes = tuple(axis for value in given.values for axis in axes_of(body, value))
    if len(axes) != 2:
        raise stop(
            "wrong-arity", call.span, callee="identity", wanted=2, given=len(axes), signature="identity(i: D, j: D)"
        )
    return body.prim("eye", [], call.span, axes=axes)
