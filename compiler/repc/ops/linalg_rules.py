"""Type rules of functions of whole matrices."""

from __future__ import annotations

from repc.ops.declare import TypeCall
from repc.ops.rules import need_axis, need_distinct, need_equal, need_kind, need_unique, shape, union
from repc.types import FLOAT, Axis, Type, record


def sides(call: TypeCall) -> tuple[Axis, Axis]:
    """The axes of rows and columns of the first operand, a float."""
    need_kind(call, 0, "float")
    rows, columns = need_distinct(call, (call.attr("rows"), call.attr("columns")))
    axes = call.operands[0].axes
    return need_axis(call, axes, rows), need_axis(call, axes, columns)


def square(call: TypeCall) -> tuple[Axis, Axis]:
    """As `sides`, of one size."""
    rows, columns = sides(call)
    need_equal(call, rows.label, rows.size, columns.size)
    return rows, columns


def matrix(call: TypeCall) -> Type:
    """A matrix over the same axes."""
    square(call)
    return Type(call.operands[0].axes, FLOAT)


def scalar_of(call: TypeCall) -> Type:
    """Rows and columns removed."""
    gone = square(call)
    return Type(tuple(axis for axis in call.operands[0].axes if axis not in gone), FLOAT, call.op.ranges)


def transposed_matrix(call: TypeCall) -> Type:
    """Rows and columns change places."""
    rows, columns = sides(call)
    other = {rows.label: columns, columns.label: rows}
    return Type(tuple(other.get(axis.label, axis) for axis in call.operands[0].axes), FLOAT)


def eigen(call: TypeCall) -> Type:
    """A record of `values` (without the rows) and `vectors`; the columns count eigenvectors."""
    rows, _ = square(call)
    axes = call.operands[0].axes
    values = Type(tuple(axis for axis in axes if axis is not rows), FLOAT)
    return record((("values", values), ("vectors", Type(axes, FLOAT))))


def singular(call: TypeCall) -> Type:
    """Rows and columns replaced by `as`, at the end."""
    gone, new = sides(call), call.attr("as")
    smaller = gone[0] if call.facts.at_least(gone[1].size, gone[0].size) else gone[1]
    need_equal(call, new.label, smaller.size, new.size)
    rest = tuple(axis for axis in call.operands[0].axes if axis not in gone)
    return Type(need_unique(call, (*rest, new)), FLOAT, call.op.ranges)


def solved(call: TypeCall) -> Type:
    """The right side with its rows replaced by the columns of the matrix, united with the matrix's other axes."""
    rows, columns = square(call)
    need_kind(call, 1, "float")
    right = call.operands[1]
    own = need_axis(call, right.axes, rows.label)
    need_equal(call, rows.label, rows.size, own.size)
    answer = Type(tuple(columns if axis is own else axis for axis in right.axes), FLOAT)
    need_unique(call, answer.axes)
    rest = Type(tuple(axis for axis in call.operands[0].axes if axis not in (rows, columns)), FLOAT)
    return Type(union((answer, rest), call.facts), FLOAT)


def tall(call: TypeCall) -> Type:
    """The same axes; there are at least as many rows as columns."""
    rows, columns = sides(call)
    if call.facts.at_least(rows.size, columns.size) is False:
        difference = "a tall matrix has at least as many rows as columns"
        raise call.fault("axis-mismatch", found=shape((rows, columns)), wanted="a tall matrix", difference=difference)
    return Type(call.operands[0].axes, FLOAT)


def identity(call: TypeCall) -> Type:
    """The two axes given, of one size."""
    first, second = call.attr("axes")
    need_equal(call, first.label, first.size, second.size)
    return Type(need_unique(call, (first, second)), FLOAT)
