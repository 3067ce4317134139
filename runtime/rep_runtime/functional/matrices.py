"""Functions of matrices `[.., rows, columns]`."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from rep_runtime.functional.shapes import common, unflatten


class Eigen(NamedTuple):
    """Eigenvalues `[.., n]`, smallest first, and orthonormal eigenvectors as columns `[.., n, n]`."""

    values: Tensor
    vectors: Tensor


def eigh(x: Tensor, rows: int = -2, columns: int = -1) -> Eigen:
    """Eigenvalues and eigenvectors of symmetric matrices; both keep the dims where those of `x` are.

    The values stand where the columns do, counted without the rows.
    """
    found = torch.linalg.eigh(x.movedim((rows, columns), (-2, -1)))
    vectors = found.eigenvectors.movedim((-2, -1), (rows, columns))
    place = columns if columns > rows else columns + 1
    return Eigen(found.eigenvalues.movedim(-1, place), vectors)


def linsolve(matrix: Tensor, right: Tensor, columns: int) -> Tensor:
    """`y` with `matrix @ y = right`, for matrices `[.., n, n]` and right sides `[.., n, m..]`, m.. as `columns` axes.

    What stands in front broadcasts.
    """
    sizes = right.shape[right.dim() - columns :]
    flat = right.flatten(-columns) if columns else right.unsqueeze(-1)
    shape = common(matrix.shape[:-2], flat.shape[:-2])
    flat = flat.expand(*shape, *flat.shape[-2:])
    made: Tensor = torch.linalg.solve(matrix.expand(*shape, *matrix.shape[-2:]), flat)
    return unflatten(made, -1, sizes)


def qr_q(x: Tensor) -> Tensor:
    """Orthonormal columns that span those of `x`, the diagonal of the other factor not negative."""
    q, r = torch.linalg.qr(x)
    signs = torch.where(r.diagonal(dim1=-2, dim2=-1) < 0, -1.0, 1.0).to(q.dtype)
    made: Tensor = q * signs.unsqueeze(-2)
    return made
