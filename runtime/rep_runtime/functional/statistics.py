"""Covariance and correlation of two values along shared axes."""

from __future__ import annotations

import torch
from torch import Tensor

from rep_runtime.functional.masked import masked_mean
from rep_runtime.functional.reductions import Dims, flattened
from rep_runtime.functional.shapes import common


def _count(x: Tensor, dim: Dims) -> int:
    return flattened(x, dim).shape[-1]


def cov(x: Tensor, y: Tensor, dim_x: Dims, dim_y: Dims, equation: str, ddof: int = 0) -> Tensor:
    """The covariance along `dim_x` of `x` and `dim_y` of `y`, the same axes.

    `equation` contracts those and lays out the rest, as `...bd,...be->...de`: nothing of the size of all axes is made.
    """
    apart_x = x - x.mean(dim_x, keepdim=True)
    apart_y = y - y.mean(dim_y, keepdim=True)
    return torch.einsum(equation, apart_x, apart_y) / (_count(x, dim_x) - ddof)


def corr(x: Tensor, y: Tensor, dim_x: Dims, dim_y: Dims, equation: str) -> Tensor:
    """The covariance of `x` and `y` divided by their standard deviations first."""
    apart_x = x - x.mean(dim_x, keepdim=True)
    apart_y = y - y.mean(dim_y, keepdim=True)
    unit_x = apart_x / torch.linalg.vector_norm(apart_x, dim=dim_x, keepdim=True)
    unit_y = apart_y / torch.linalg.vector_norm(apart_y, dim=dim_y, keepdim=True)
    return torch.einsum(equation, unit_x, unit_y)


def _apart(x: Tensor, keep: Tensor) -> Tensor:
    mean = masked_mean(x, keep, -1).unsqueeze(-1)
    return torch.where(keep, x - mean, 0)


def _sets(x: Tensor, y: Tensor, where: Tensor, dim: Dims) -> tuple[Tensor, Tensor, Tensor]:
    shape = common(x.shape, y.shape, where.shape)
    entries_x, entries_y, keep = (flattened(part.expand(shape), dim) for part in (x, y, where))
    return entries_x, entries_y, keep


def masked_cov(x: Tensor, y: Tensor, where: Tensor, dim: Dims, ddof: int = 0, empty: float | None = None) -> Tensor:
    """The covariance along `dim` over the entries at which the condition holds; all three broadcast."""
    entries_x, entries_y, keep = _sets(x, y, where, dim)
    count = keep.sum(-1)
    made = (_apart(entries_x, keep) * _apart(entries_y, keep)).sum(-1) / (count - ddof).clamp(min=1)
    return made if empty is None else torch.where(count > ddof, made, empty)


def masked_corr(x: Tensor, y: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """The correlation along `dim` over the entries at which the condition holds; all three broadcast."""
    entries_x, entries_y, keep = _sets(x, y, where, dim)
    apart_x, apart_y = _apart(entries_x, keep), _apart(entries_y, keep)
    some = keep.any(-1)
    scale = apart_x.square().sum(-1) * apart_y.square().sum(-1)
    made = (apart_x * apart_y).sum(-1) * torch.rsqrt(scale if empty is None else torch.where(some, scale, 1))
    return made if empty is None else torch.where(some, made, empty)
