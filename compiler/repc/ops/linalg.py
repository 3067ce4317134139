"""Functions of whole matrices, over two axes named `rows` and `columns`."""

from __future__ import annotations

from repc.dims import Dim, Symbol
from repc.ops import ref
from repc.ops.classes import Opaque, Source, own
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import (
    DROPS,
    KEEPS,
    NONNEGATIVE,
    ZERO,
    Action,
    Cost,
    Depends,
    Given,
    Reach,
    Reference,
    Samples,
)
from repc.ops.lazy import torch
from repc.ops.linalg_rules import (
    eigen,
    identity,
    matrix,
    scalar_of,
    singular,
    solved,
    tall,
    transposed_matrix,
)
from repc.ops.lowering import LowerCall, Written, laid_out, moved
from repc.ops.samples import SQUARE, A, B, C, I, J, M, case, floats
from repc.ops.samples import square as square_sample
from repc.types import FLOAT, Axis, Type, axis_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from repc.ops.declare import TypeRule

ROWS = Attr("rows", "axis", "The axis that counts rows.")
COLUMNS = Attr("columns", "axis", "The axis that counts columns.")


# --- references ---


def of_matrix(formula: Callable[[Tensor], Tensor], keep: bool = True) -> Reference:
    """A formula of `[.., rows, columns]` that makes a matrix over the same axes, or (not `keep`) a number."""

    def compute(x: ref.Named, rows: Symbol, columns: Symbol) -> ref.Named:
        rest, data = ref.matrices(x, rows, columns)
        return ref.Named(formula(data), (*rest, rows, columns) if keep else rest)

    return Reference(compute)


def eigen_of(x: ref.Named, rows: Symbol, columns: Symbol) -> dict[str, ref.Named]:
    """Values and vectors."""
    rest, data = ref.matrices(x, rows, columns)
    values, vectors = torch.linalg.eigh(data)
    return {"values": ref.Named(values, (*rest, columns)), "vectors": ref.Named(vectors, (*rest, rows, columns))}


def singular_of(x: ref.Named, rows: Symbol, columns: Symbol, as_: ref.Extent) -> ref.Named:
    """The largest eigenvalues of `[0, M; M', 0]`, which are the singular values and their negatives."""
    rest, data = ref.matrices(x, rows, columns)
    left, right = (torch.zeros(*data.shape[:-2], size, size, dtype=data.dtype) for size in data.shape[-2:])
    whole = torch.cat([torch.cat([left, data], -1), torch.cat([data.mT, right], -1)], -2)
    values = torch.linalg.eigvalsh(whole).flip(-1)[..., : min(data.shape[-2:])]
    return ref.Named(values, (*rest, as_.label))


def pseudoinverse(x: ref.Named, rows: Symbol, columns: Symbol) -> ref.Named:
    """From the singular values that are not zero; its differential is that of Golub and Pereyra (1973)."""
    rest, data = ref.matrices(x, rows, columns)
    fixed = data.detach()
    left, values, right = torch.linalg.svd(fixed, full_matrices=False)
    floor = values[..., :1] * max(fixed.shape[-2:]) * torch.finfo(fixed.dtype).eps
    back = right.mT @ (torch.where(values > floor, 1 / values, 0)[..., None] * left.mT)
    # Singular vectors of equal values have no derivative, the pseudoinverse of constant rank has one.
    step = data - fixed
    beside = torch.eye(fixed.shape[-2], dtype=fixed.dtype) - fixed @ back
    within = torch.eye(fixed.shape[-1], dtype=fixed.dtype) - back @ fixed
    made = back - back @ step @ back + back @ back.mT @ step.mT @ beside + within @ step.mT @ back.mT @ back
    return ref.Named(made, (*rest, columns, rows))


def solution(x: ref.Named, right: ref.Named, rows: Symbol, columns: Symbol) -> ref.Named:
    """The inverse times the right side, entry by entry."""
    rest, data = ref.matrices(x, rows, columns)
    inverse = ref.Named(torch.linalg.inv(data), (*rest, columns, rows))
    product = ref.entrywise(lambda a, b: a * b, inverse, right)
    return ref.replaced(product, rows, (), lambda entries: entries.sum(-1))


def determinant(x: Tensor) -> Tensor:
    """By expansion along the first row."""
    if x.shape[-1] == 1:
        return x[..., 0, 0]
    total = torch.zeros_like(x[..., 0, 0])
    for at in range(x.shape[-1]):
        minor = torch.cat([x[..., 1:, :at], x[..., 1:, at + 1 :]], -1)
        total = total + (-1) ** at * x[..., 0, at] * determinant(minor)
    return total


def series(x: Tensor) -> Tensor:
    """The power series of `x / 2^10`, squared ten times."""
    small = x / 1024
    term = total = torch.eye(x.shape[-1], dtype=x.dtype).expand(x.shape)
    for power in range(1, 12):
        term = term @ small / power
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def lower_factor(x: Tensor) -> Tensor:
    """The Cholesky factor of the symmetric part, column by column."""
    x = (x + x.mT) / 2
    size = x.shape[-1]
    columns: list[Tensor] = []
    for at in range(size):
        rest = x[..., at:, at]
        for before in columns:
            rest = rest - before[..., at:] * before[..., at, None]
        column = rest / rest[..., :1] ** 0.5
        columns.append(torch.cat([torch.zeros_like(x[..., :at, 0]), column], -1))
    return torch.stack(columns, -1)


def orthonormal(x: Tensor) -> Tensor:
    """Gram and Schmidt, column by column."""
    made: list[Tensor] = []
    for at in range(x.shape[-1]):
        column = x[..., at]
        for before in made:
            column = column - (before * x[..., at]).sum(-1, keepdim=True) * before
        made.append(column / (column * column).sum(-1, keepdim=True) ** 0.5)
    return torch.stack(made, -1)


# --- dependence, cost ---


def whole_matrix(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Every entry sees the whole matrix."""
    if axis.label not in (call.attr("rows"), call.attr("columns")):
        return own(call, at, axis)
    result = call.op.result(call)
    there = result if result.kind.name != "record" else result.fields[-1][1]
    return (Reach(axis.label if there.axis(axis.label) is not None else None),)


def cubic(call: TypeCall, result: Type) -> Dim:
    """The cube of the rows for each matrix."""
    rows = call.attr("rows")
    total = Dim.of(1)
    for axis in call.operands[0].axes:
        total = total * (axis.size**2 if axis.label == rows else axis.size)
    return total


# --- lowerings ---


def sides_last(call: LowerCall) -> str:
    """The matrix as `[.., rows, columns]`."""
    labels = call.types[0].labels
    rows, columns = call.attr("rows"), call.attr("columns")
    rest = [label for label in labels if label not in (rows, columns)]
    return moved(call.operands[0], labels, [*rest, rows, columns])


def on_matrix(function: str, swapped: bool = False) -> Written:
    """A function of `[.., rows, columns]`, the result back in its written order."""

    def write(call: LowerCall) -> str:
        rows, columns = call.attr("rows"), call.attr("columns")
        rest = [label for label in call.types[0].labels if label not in (rows, columns)]
        name = function if "." in function else call.runtime("functional", function)
        made = [*rest, columns, rows] if swapped else [*rest, rows, columns]
        return moved(f"{name}({sides_last(call)})", made, call.result.labels)

    return Written(write)


def number_of(template: str) -> Written:
    """A template over the matrix as `{x}` that removes rows and columns."""
    return Written(lambda call: template.replace("{x}", sides_last(call)))


def eigh_text(call: LowerCall) -> str:
    """The runtime's function, which keeps the dims where they are."""
    rows, columns = (call.dim(call.attr(name)) for name in ("rows", "columns"))
    tail = "" if (rows, columns) == (-2, -1) else f", {rows}, {columns}"
    return f"{call.runtime('functional', 'eigh')}({call.operands[0]}{tail})"


def linsolve_text(call: LowerCall) -> str:
    """Right sides as columns behind the axes that both have."""
    rows, columns = call.attr("rows"), call.attr("columns")
    rest = [label for label in call.types[0].labels if label not in (rows, columns)]
    extra = [label for label in call.types[1].labels if label != rows and label not in rest]
    right = laid_out(call, 1, [*rest, rows, *extra])
    made = f"{call.runtime('functional', 'linsolve')}({sides_last(call)}, {right}, {len(extra)})"
    return moved(made, [*rest, columns, *extra], call.result.labels)


def eye_text(call: LowerCall) -> str:
    """`torch.eye`."""
    size = call.size(call.attr("axes")[0].size)
    return f"torch.eye({size}, dtype={call.dtype}, device={call.device})"


# --- declarations ---


def matrices(values: str) -> Samples:
    """Square matrices with the axes in several orders."""
    plain = square_sample(values=values)
    batched = square_sample(A, values=values)
    return Samples((case(plain, rows=I, columns=J), case(batched, rows=I, columns=J), case(plain, rows=J, columns=I)))


class Matrix(Opaque):
    """A function of a matrix."""

    operands: tuple[Operand, ...] = (Operand("x"),)
    attributes: tuple[Attr, ...] = (ROWS, COLUMNS)
    result: TypeRule = staticmethod(matrix)
    depends = Depends(whole_matrix)
    cost = Cost(formula=cubic)


@op
class Eigh(Matrix):
    doc = "Eigenvalues, smallest first, and orthonormal eigenvectors of a symmetric matrix."
    example = "e = eigh(M)"
    result = staticmethod(eigen)
    reference = Reference(eigen_of)
    lower = Written(eigh_text)
    samples = matrices("spd")


@op
class Svdvals(Matrix):
    doc = "Singular values, largest first."
    example = "s = svdvals(M, as: R)"
    attributes = (ROWS, COLUMNS, Attr("as", "new axis", "The axis of the values."))
    result = staticmethod(singular)
    ranges = NONNEGATIVE
    reference = Reference(singular_of)
    lower = number_of("torch.linalg.svdvals({x})")
    action = Action(DROPS, DROPS, "positive")
    samples = Samples(
        (
            case(floats(A, C), rows=A, columns=C, as_=Axis(M, Dim.of(C), "plain", M)),
            case(floats(C, B, A), rows=A, columns=C, as_=Axis(M, Dim.of(C), "plain", M)),
        )
    )


@op
class Logdet(Matrix):
    doc = "The logarithm of the determinant of a matrix whose determinant is positive."
    example = "d = logdet(M)"
    result = staticmethod(scalar_of)
    reference = of_matrix(lambda x: torch.log(determinant(x)), keep=False)
    lower = number_of("torch.logdet({x})")
    action = Action(DROPS, DROPS, "generic")
    samples = matrices("spd")


@op
class Det(Matrix):
    doc = "The determinant."
    example = "d = det(M)"
    result = staticmethod(scalar_of)
    reference = of_matrix(determinant, keep=False)
    lower = number_of("torch.linalg.det({x})")
    action = Action(DROPS, DROPS, "generic")
    samples = matrices("regular")


def on_trace(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """The matrix is seen whole."""
    return (Reach(None),) if axis.label in (call.attr("rows"), call.attr("columns")) else own(call, at, axis)


@op
class Trace(Matrix):
    doc = "The sum of the diagonal."
    example = "t = trace(M)"
    result = staticmethod(scalar_of)
    reference = of_matrix(lambda x: torch.where(torch.eye(x.shape[-1]) == 1, x, 0).sum((-2, -1)), keep=False)
    lower = number_of("{x}.diagonal(dim1=-2, dim2=-1).sum(-1)")
    action = Action(DROPS, DROPS, "linear")
    depends = Depends(on_trace)
    cost = Cost(1, "operands", "nothing")
    samples = Samples(matrices("matrix").cases, dense=False)


@op
class Inverse(Matrix):
    doc = "The inverse of a regular matrix."
    example = "N = inverse(M)"
    reference = of_matrix(lambda x: torch.linalg.solve(x, torch.eye(x.shape[-1], dtype=x.dtype).expand(x.shape)))
    lower = on_matrix("torch.linalg.inv")
    action = Action(KEEPS, KEEPS, "generic")
    samples = matrices("regular")


@op
class Pinv(Matrix):
    doc = "The pseudoinverse; its rows are the columns of the matrix."
    example = "N = pinv(M)"
    result = staticmethod(transposed_matrix)
    reference = Reference(pseudoinverse)
    lower = on_matrix("torch.linalg.pinv", swapped=True)
    action = Action(KEEPS, KEEPS, "generic")
    samples = Samples((case(floats(A, C), rows=A, columns=C), case(floats(B, C, A), rows=C, columns=A)))


@op
class Linsolve(Matrix):
    doc = "The `y` for which the matrix times `y` is the right side."
    example = "y = linsolve(M, b)"
    operands = (Operand("x"), Operand("right"))
    result = staticmethod(solved)
    reference = Reference(solution)
    lower = Written(linsolve_text)
    action = Action(KEEPS, KEEPS, "generic")
    samples = Samples(
        (
            case(square_sample(values="regular"), Given((SQUARE[0],), "normal", FLOAT), rows=I, columns=J),
            case(
                square_sample(A, values="regular"), Given((SQUARE[0], axis_of(C)), "normal", FLOAT), rows=I, columns=J
            ),
            case(
                square_sample(A, values="regular"),
                Given((axis_of(C), SQUARE[0], axis_of(A)), "normal", FLOAT),
                rows=I,
                columns=J,
            ),
        )
    )


@op
class Cholesky(Matrix):
    doc = "The lower triangular factor of a positive definite matrix."
    example = "L = cholesky(M)"
    reference = of_matrix(lower_factor)
    lower = on_matrix("torch.linalg.cholesky")
    samples = Samples(matrices("spd").cases, dense=False)


@op
class Expm(Matrix):
    doc = "The exponential of a matrix."
    example = "E = expm(M)"
    reference = of_matrix(series)
    lower = on_matrix("torch.linalg.matrix_exp")
    action = Action(KEEPS, KEEPS, "generic")
    samples = matrices("matrix")


@op
class QrQ(Matrix):
    doc = "Orthonormal columns that span those of a tall matrix, the diagonal of the other factor positive."
    example = "Q = qr_q(M)"
    result = staticmethod(tall)
    reference = of_matrix(orthonormal)
    lower = on_matrix("qr_q")
    samples = Samples((case(floats(A, C), rows=A, columns=C), case(floats(C, A, B), rows=B, columns=A)), dense=False)


@op
class Eye(Source):
    doc = "1 where two axes have the same position, else 0."
    example = "I[i, j] = float(i == j)"
    attributes = (Attr("axes", "new axes", "The two axes."),)
    result = staticmethod(identity)
    reference = Reference(
        lambda axes: ref.Named(
            torch.where(torch.arange(axes[0].size)[:, None] == torch.arange(axes[1].size), 1.0, 0.0).to(torch.float64),
            (axes[0].label, axes[1].label),
        )
    )
    lower = Written(eye_text)
    grad = ZERO
    action = Action(KEEPS, KEEPS, "generic")
    samples = Samples((case(axes=SQUARE),), False)
