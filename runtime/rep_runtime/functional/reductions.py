"""Reductions that PyTorch offers for one dim only, or with another gradient at equal entries."""

from __future__ import annotations

import torch
from torch import Tensor

Dims = int | tuple[int, ...]


def flattened(x: Tensor, dim: Dims) -> Tensor:
    """The dims at the end as one, row-major in the order given: `[.., n]`."""
    if isinstance(dim, int):
        return x.movedim(dim, -1)
    if not dim:
        return x.unsqueeze(-1)
    return x.movedim(dim, tuple(range(-len(dim), 0))).flatten(-len(dim))


def largest(x: Tensor, dim: Dims) -> Tensor:
    """The largest entry along `dim`; the gradient goes to the first of equals."""
    if isinstance(dim, int):
        return x.max(dim).values
    return flattened(x, dim).max(-1).values


def smallest(x: Tensor, dim: Dims) -> Tensor:
    """The smallest entry along `dim`; the gradient goes to the first of equals."""
    if isinstance(dim, int):
        return x.min(dim).values
    return flattened(x, dim).min(-1).values


def argmax(x: Tensor, dim: int) -> Tensor:
    """The position of the first of the largest entries along `dim`; bools have an order too."""
    return x.max(dim).indices


def argmin(x: Tensor, dim: int) -> Tensor:
    """The position of the first of the smallest entries along `dim`."""
    return x.min(dim).indices


def prod(x: Tensor, dim: Dims) -> Tensor:
    """The product along `dim`."""
    return flattened(x, dim).prod(-1)


def median(x: Tensor, dim: Dims) -> Tensor:
    """The middle entry along `dim`; the mean of the middle two where their number is even."""
    ranked = flattened(x, dim).sort(-1).values
    count = ranked.shape[-1]
    low, high = ranked[..., (count - 1) // 2], ranked[..., count // 2]
    return low if count % 2 else torch.lerp(low, high, 0.5)
