"""Reductions over the entries at which a condition holds.

`x` and `where` broadcast. What the condition leaves out, be it infinite or NaN, reaches neither value nor gradient.
Where it holds nowhere the value is `empty`; None says that this cannot happen.
"""

from __future__ import annotations

import torch
from torch import Tensor

from rep_runtime.functional.reductions import Dims, flattened
from rep_runtime.functional.shapes import common


def sets(x: Tensor, where: Tensor, dim: Dims) -> tuple[Tensor, Tensor]:
    """Entries and condition of equal shape, the reduced dims as one at the end."""
    shape = common(x.shape, where.shape)
    return flattened(x.expand(shape), dim), flattened(where.expand(shape), dim)


def _or_empty(value: Tensor, some: Tensor, empty: float | None) -> Tensor:
    return value if empty is None else torch.where(some, value, empty)


def masked_prod(x: Tensor, where: Tensor, dim: Dims) -> Tensor:
    """The product along `dim`; 1 where there is nothing."""
    entries, keep = sets(x, where, dim)
    return torch.where(keep, entries, 1).prod(-1)


def masked_mean(x: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """The mean along `dim`."""
    entries, keep = sets(x, where, dim)
    count = keep.sum(-1)
    return _or_empty(torch.where(keep, entries, 0).sum(-1) / count.clamp(min=1), count > 0, empty)


def masked_var(x: Tensor, where: Tensor, dim: Dims, ddof: int = 0, empty: float | None = None) -> Tensor:
    """The mean square distance from the mean, the divisor less `ddof`. A set of `ddof` entries or less is empty."""
    entries, keep = sets(x, where, dim)
    count = keep.sum(-1)
    mean = torch.where(keep, entries, 0).sum(-1) / count.clamp(min=1)
    apart = torch.where(keep, entries - mean.unsqueeze(-1), 0)
    return _or_empty(apart.square().sum(-1) / (count - ddof).clamp(min=1), count > ddof, empty)


def masked_std(x: Tensor, where: Tensor, dim: Dims, ddof: int = 0, empty: float | None = None) -> Tensor:
    """The square root of `masked_var`; its gradient is finite where the set is empty."""
    if empty is None:
        return masked_var(x, where, dim, ddof).sqrt()
    _, keep = sets(x, where, dim)
    some = keep.sum(-1) > ddof
    return torch.where(some, masked_var(x, where, dim, ddof, empty=1.0).sqrt(), empty)


def _extreme(x: Tensor, sign: int) -> float:
    if x.dtype.is_floating_point:
        return sign * float("inf")
    if x.dtype == torch.bool:
        return float(sign > 0)
    limits = torch.iinfo(x.dtype)
    return limits.max if sign > 0 else limits.min


def masked_max(x: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """The largest entry along `dim`; the gradient goes to the first of equals."""
    entries, keep = sets(x, where, dim)
    return _or_empty(torch.where(keep, entries, _extreme(x, -1)).max(-1).values, keep.any(-1), empty)


def masked_min(x: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """The smallest entry along `dim`; the gradient goes to the first of equals."""
    entries, keep = sets(x, where, dim)
    return _or_empty(torch.where(keep, entries, _extreme(x, 1)).min(-1).values, keep.any(-1), empty)


def masked_argmax(x: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """The position of the first of the largest entries along `dim`."""
    return _position(x, where, dim, empty, -1)


def masked_argmin(x: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """The position of the first of the smallest entries along `dim`."""
    return _position(x, where, dim, empty, 1)


def _position(x: Tensor, where: Tensor, dim: Dims, empty: float | None, sign: int) -> Tensor:
    entries, keep = sets(x, where, dim)
    filled = torch.where(keep, entries, _extreme(x, sign))
    best = filled.max(-1).values if sign < 0 else filled.min(-1).values
    # An entry that equals the filling is told apart from it by the condition.
    found = ((filled == best.unsqueeze(-1)) & keep).to(torch.uint8).argmax(-1)
    return found if empty is None else torch.where(keep.any(-1), found, int(empty))


def masked_logsumexp(x: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """`log(sum(exp(x)))` along `dim`."""
    entries, keep = sets(x, where, dim)
    filled = torch.where(keep, entries, float("-inf"))
    if empty is None:
        return filled.logsumexp(-1)
    some = keep.any(-1)
    # The gradient of the log of an empty sum is NaN, so it is never formed.
    return torch.where(some, torch.where(some.unsqueeze(-1), filled, 0).logsumexp(-1), empty)


def masked_median(x: Tensor, where: Tensor, dim: Dims, empty: float | None = None) -> Tensor:
    """The middle entry along `dim`, the mean of the middle two where their number is even."""
    entries, keep = sets(x, where, dim)
    ranked = torch.where(keep, entries, float("inf")).sort(-1).values
    count = keep.sum(-1, keepdim=True)
    low = ranked.gather(-1, (count - 1).clamp(min=0) // 2)
    high = ranked.gather(-1, torch.where(count > 0, count // 2, 0))
    middle = torch.where(low == high, low, low + (high - low) / 2).squeeze(-1)
    return _or_empty(middle, count.squeeze(-1) > 0, empty)
