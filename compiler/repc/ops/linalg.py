"""Functions of whole matrices, over two axes named `rows` and `columns`."""

from __future__ import annotations

from repc.ops.classes import Opaque, Source
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.rules import need_axis, need_distinct, need_equal, need_kind, need_unique, shape, union
from repc.types import FLOAT, Axis, Type, record

MATRIX = (Operand("x"),)
ROWS = Attr("rows", "axis", "The axis that counts rows.")
COLUMNS = Attr("columns", "axis", "The axis that counts columns.")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.ops.declare import TypeRule


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


class Matrix(Opaque):
    """A function of a matrix."""

    operands: tuple[Operand, ...] = MATRIX
    attributes: tuple[Attr, ...] = (ROWS, COLUMNS)
    result: TypeRule = staticmethod(matrix)


@op
class Eigh(Matrix):
    doc = "Eigenvalues, smallest first, and orthonormal eigenvectors of a symmetric matrix."
    example = "e = eigh(M)"
    result = staticmethod(eigen)


@op
class Svdvals(Matrix):
    doc = "Singular values, largest first."
    example = "s = svdvals(M, as: R)"
    attributes = (ROWS, COLUMNS, Attr("as", "new axis", "The axis of the values."))
    result = staticmethod(singular)


@op
class Logdet(Matrix):
    doc = "The logarithm of the determinant of a matrix whose determinant is positive."
    example = "d = logdet(M)"
    result = staticmethod(scalar_of)


@op
class Det(Matrix):
    doc = "The determinant."
    example = "d = det(M)"
    result = staticmethod(scalar_of)


@op
class Trace(Matrix):
    doc = "The sum of the diagonal."
    example = "t = trace(M)"
    result = staticmethod(scalar_of)


@op
class Inverse(Matrix):
    doc = "The inverse of a regular matrix."
    example = "N = inverse(M)"


@op
class Pinv(Matrix):
    doc = "The pseudoinverse; its rows are the columns of the matrix."
    example = "N = pinv(M)"
    result = staticmethod(transposed_matrix)


@op
class Linsolve(Matrix):
    doc = "The `y` for which the matrix times `y` is the right side."
    example = "y = linsolve(M, b)"
    operands = (Operand("x"), Operand("right"))
    result = staticmethod(solved)


@op
class Cholesky(Matrix):
    doc = "The lower triangular factor of a positive definite matrix."
    example = "L = cholesky(M)"


@op
class Expm(Matrix):
    doc = "The exponential of a matrix."
    example = "E = expm(M)"


@op
class QrQ(Matrix):
    doc = "Orthonormal columns that span those of a tall matrix, the diagonal of the other factor positive."
    example = "Q = qr_q(M)"
    result = staticmethod(tall)


@op
class Eye(Source):
    doc = "1 where two axes have the same position, else 0."
    example = "I[i, j] = float(i == j)"
    attributes = (Attr("axes", "new axes", "The two axes."),)
    result = staticmethod(identity)
