"""Maps along one or several dims, plain and over the entries at which a condition holds.

An entry that the condition leaves out gets what it would add to a sum: 0 (`-inf` in logarithms).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from rep_runtime.functional.reductions import Dims, flattened
from rep_runtime.functional.shapes import common, unflatten


def _along(formula: Callable[[Tensor], Tensor], x: Tensor, dim: Dims) -> Tensor:
    """`formula` of the entries `[.., n]` along `dim`, back in their places."""
    if isinstance(dim, int):
        return formula(x.movedim(dim, -1)).movedim(-1, dim)
    sizes = [x.shape[place] for place in dim]
    return unflatten(formula(flattened(x, dim)), -1, sizes).movedim(tuple(range(-len(dim), 0)), dim)


def _both(x: Tensor, where: Tensor) -> tuple[Tensor, Tensor]:
    shape = common(x.shape, where.shape)
    return x.expand(shape), where.expand(shape)


def softmax(x: Tensor, dim: tuple[int, ...]) -> Tensor:
    """Exponentials divided by their sum over several dims at once."""
    return _along(lambda entries: entries.softmax(-1), x, dim)


def log_softmax(x: Tensor, dim: tuple[int, ...]) -> Tensor:
    """The logarithm of `softmax` over several dims at once."""
    return _along(lambda entries: entries.log_softmax(-1), x, dim)


def masked_softmax(x: Tensor, where: Tensor, dim: Dims) -> Tensor:
    """Exponentials divided by their sum along `dim` where the condition holds, else 0."""
    entries, keep = _both(x, where)
    some = keep.sum(dim, keepdim=True) > 0
    filled = torch.where(keep, entries, float("-inf"))
    # A set without entries has no softmax: its zeros must not bring a NaN into the gradient.
    filled = torch.where(some, filled, 0)
    made = filled.softmax(dim) if isinstance(dim, int) else softmax(filled, dim)
    return torch.where(keep, made, 0)


def masked_log_softmax(x: Tensor, where: Tensor, dim: Dims) -> Tensor:
    """The logarithm of `masked_softmax`: `-inf` where the condition does not hold."""
    entries, keep = _both(x, where)
    some = keep.sum(dim, keepdim=True) > 0
    filled = torch.where(some, torch.where(keep, entries, float("-inf")), 0)
    made = filled.log_softmax(dim) if isinstance(dim, int) else log_softmax(filled, dim)
    return torch.where(keep, made, float("-inf"))


def l2norm(x: Tensor, dim: Dims, eps: float = 1e-6) -> Tensor:
    """`x / sqrt(sum(x^2) + eps)` along `dim`: smooth everywhere, 0 at 0."""
    return x * torch.rsqrt(x.square().sum(dim, keepdim=True) + eps)


def masked_l2norm(x: Tensor, where: Tensor, dim: Dims, eps: float = 1e-6) -> Tensor:
    """`l2norm` of what is left, 0 where the condition does not hold."""
    return l2norm(torch.where(where, x, 0), dim, eps)


def l1norm(x: Tensor, dim: Dims, eps: float = 1e-6) -> Tensor:
    """`x / (sum(abs(x)) + eps)` along `dim`."""
    return x / (x.abs().sum(dim, keepdim=True) + eps)


def masked_l1norm(x: Tensor, where: Tensor, dim: Dims, eps: float = 1e-6) -> Tensor:
    """`l1norm` of what is left, 0 where the condition does not hold."""
    return l1norm(torch.where(where, x, 0), dim, eps)


def argsort(x: Tensor, dim: int, descending: bool = False) -> Tensor:
    """Positions of the entries along `dim` in order; equals keep theirs."""
    return x.sort(stable=True, dim=dim, descending=descending).indices


def masked_argsort(x: Tensor, where: Tensor, dim: int, descending: bool = False) -> Tensor:
    """As `argsort`, the entries that the condition leaves out last."""
    entries, keep = _both(x, where)
    order = argsort(torch.where(keep, entries, 0), dim, descending)
    last = argsort(~keep.gather(dim, order), dim)
    return order.gather(dim, last)


def top(x: Tensor, dim: int, keep: int) -> Tensor:
    """Positions of the `keep` largest entries along `dim`, best first, the first of equals first."""
    return argsort(x, dim, descending=True).narrow(dim, 0, keep)


def masked_top(x: Tensor, where: Tensor, dim: int, keep: int) -> Tensor:
    """As `top`, among the entries at which the condition holds."""
    return masked_argsort(x, where, dim, descending=True).narrow(dim, 0, keep)
