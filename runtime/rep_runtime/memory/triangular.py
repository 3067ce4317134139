"""Inverses of many unit lower triangular matrices: substitution in small blocks, then block doubling."""

from __future__ import annotations

import torch
from torch import Tensor

# Batched substitution is fastest up to 32 rows, and from 64 on gets slower with more threads (benchmarks/memory).
_BASE = 32


def unit_lower_inverse(a: Tensor) -> Tensor:
    """``(I + L)^-1`` for ``a`` ``[M, C, C]``, where L is the strictly lower part of ``a`` (the rest is never read).

    C is a power of two. [[X, 0], [-Y A X, Y]] inverts [[X^-1, 0], [A, Y^-1]]: each level is two batched products.
    """
    many, size, _ = a.shape
    base = min(_BASE, size)
    identity = torch.eye(base, dtype=a.dtype, device=a.device)
    if size == base:
        return _substituted(a, identity)
    corners = a.reshape(many, size // base, base, size // base, base).diagonal(dim1=1, dim2=3).permute(0, 3, 1, 2)
    solved = _substituted(corners, identity)
    inverse = torch.zeros_like(a)
    target = inverse.view(many, size // base, base, size // base, base).diagonal(dim1=1, dim2=3)
    target.copy_(solved.permute(0, 2, 3, 1))
    half = base
    while half < size:
        for start in range(0, size, 2 * half):
            low, high = slice(start, start + half), slice(start + half, start + 2 * half)
            mixed = torch.bmm(a[:, high, low], inverse[:, low, low])
            inverse[:, high, low] = torch.bmm(inverse[:, high, high], mixed).neg_()
        half *= 2
    return inverse


def _substituted(a: Tensor, identity: Tensor) -> Tensor:
    solved: Tensor = torch.linalg.solve_triangular(a, identity.expand_as(a), upper=False, unitriangular=True)
    return solved
