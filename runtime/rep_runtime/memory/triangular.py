"""Inverses of many unit lower triangular matrices: substitution in small blocks, then block doubling."""

from __future__ import annotations

import torch
from torch import Tensor

_BASE = 8


def unit_lower_inverse(a: Tensor) -> Tensor:
    """``(I + L)^-1`` for ``a`` ``[M, C, C]``, where L is the strictly lower part of ``a`` (the rest is never read).

    C is a power of two. [[X, 0], [-Y A X, Y]] inverts [[X^-1, 0], [A, Y^-1]]: each level is two batched products.
    """
    many, size, _ = a.shape
    base = min(_BASE, size)
    inverse = torch.zeros_like(a)
    diagonal = a.reshape(many, size // base, base, size // base, base).diagonal(dim1=1, dim2=3)
    # Rows first, matrices last: each row of all the small inverses is one vectorised expression.
    small = diagonal.permute(1, 2, 0, 3).reshape(base, base, -1)
    solved = torch.zeros_like(small)
    for row in range(base):
        solved[row, row] = 1.0
        if row:
            solved[row, :row] = -(small[row, :row].unsqueeze(1) * solved[:row, :row]).sum(0)
    target = inverse.view(many, size // base, base, size // base, base).diagonal(dim1=1, dim2=3)
    target.copy_(solved.view(base, base, many, size // base).permute(2, 0, 1, 3))
    half = base
    while half < size:
        for start in range(0, size, 2 * half):
            low, high = slice(start, start + half), slice(start + half, start + 2 * half)
            mixed = torch.bmm(a[:, high, low], inverse[:, low, low])
            inverse[:, high, low] = torch.bmm(inverse[:, high, high], mixed).neg_()
        half *= 2
    return inverse
