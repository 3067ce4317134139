"""Entries chosen by positions, with any axes carried along in front of operands and of indices."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from rep_runtime.functional.shapes import common, unflatten


def _led(x: Tensor, rank: int, lead: int) -> Tensor:
    """`x`, which has `rank` axes of its own, with at least `lead` axes in front of them."""
    missing = lead - (x.dim() - rank)
    return x.reshape((1,) * missing + tuple(x.shape)) if missing > 0 else x


def _at_end(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """`[.., rest.., n]`: the axes `dims` as one at the end, row-major."""
    return x.movedim(dims, tuple(range(-len(dims), 0))).flatten(-len(dims))


def _placed(made: Tensor, sizes: tuple[int, ...], behind: int) -> Tensor:
    """`[.., rest.., m]` with m as axes of these sizes, `behind` axes of the rest behind them."""
    if not sizes:
        return made.squeeze(-1)
    made = unflatten(made, -1, sizes)
    width = len(sizes)
    return made.movedim(tuple(range(-width, 0)), tuple(range(-width - behind, -behind))) if behind else made


def take(x: Tensor, index: Tensor, dim: int, rank: int, index_rank: int) -> Tensor:
    """`x` with its axis `dim` replaced by the axes of `index`; they have no axis in common.

    `x` has `rank` axes of its own, `index` has `index_rank`: `[.., pre, n, post]` and `[.., new]` make
    `[.., pre, new, post]`, what stands in front broadcasts.
    """
    lead = index.dim() - index_rank
    before = rank + dim
    if x.dim() == rank:
        made = unflatten(x.index_select(dim, index.reshape(-1)), dim, index.shape)
        return made.movedim(tuple(range(before, before + lead)), tuple(range(lead))) if before and lead else made
    sizes = tuple(index.shape[lead:])
    between = index.reshape(*index.shape[:lead], *(1,) * (rank - 1), -1)
    return unflatten(gather(x, between, (dim,), rank), dim, sizes)


def gather(x: Tensor, index: Tensor, dims: tuple[int, ...], rank: int, new: int = 1) -> Tensor:
    """`x` with its axes `dims` replaced by the last `new` axes of `index`, where the first of `dims` stood.

    `x` has `rank` axes of its own. `index` holds positions in the product of `dims`, row-major: it has the axes of `x`
    that stay, in their order (size 1 where it is the same along one), and then the new ones: `[.., rest.., new..]`.
    """
    rest = rank - len(dims)
    sizes = tuple(index.shape[index.dim() - new :])
    flat = index.flatten(-new) if new else index.unsqueeze(-1)
    lead = max(x.dim() - rank, flat.dim() - rest - 1)
    entries = _led(_at_end(x, dims), rest + 1, lead)
    made = torch.take_along_dim(entries, _led(flat, rest + 1, lead), -1)
    behind = sum(1 for dim in range(dims[0] + 1, 0) if dim not in dims)
    return _placed(made, sizes, behind)


def scatter(
    base: Tensor, index: Tensor, value: Tensor, dim: int, rank: int, new: int, accumulate: bool = False
) -> Tensor:
    """`base` with `value` written along `dim` at the positions `index`, or added there.

    `base` has `rank` axes of its own; `index` and `value` have those of `base` that stay, in their order (size 1 where
    they are the same along one), and then `new` further ones. Without `accumulate` the positions are distinct.
    """
    rest = rank - 1
    flat = [part.flatten(-new) if new else part.unsqueeze(-1) for part in (index, value)]
    entries = base.movedim(dim, -1)
    lead = max(entries.dim(), flat[0].dim(), flat[1].dim()) - rest - 1
    entries, at, written = (_led(part, rest + 1, lead) for part in (entries, *flat))
    shape = common(entries.shape[:-1], at.shape[:-1], written.shape[:-1])
    width = max(at.shape[-1], written.shape[-1])
    at, written = at.expand(*shape, width), written.expand(*shape, width).to(entries.dtype)
    entries = entries.expand(*shape, entries.shape[-1])
    made = entries.scatter_add(-1, at, written) if accumulate else entries.scatter(-1, at, written)
    return made.movedim(-1, dim)


def onehot(index: Tensor, size: int, dtype: torch.dtype) -> Tensor:
    """1 at the position, 0 elsewhere, along a new last axis."""
    return F.one_hot(index, size).to(dtype)


def shift(x: Tensor, by: int, dim: int, fill: float = 0) -> Tensor:
    """`y[t] = x[t - by]` along `dim`, `fill` where that does not exist."""
    size = x.shape[dim]
    by = max(-size, min(size, by))
    kept = x.narrow(dim, max(0, -by), size - abs(by))
    return F.pad(kept, (0, 0) * (-dim - 1) + (max(0, by), max(0, -by)), value=fill)


def windows(x: Tensor, dim: int, size: int, stride: int = 1, dilation: int = 1) -> Tensor:
    """`y[p, w] = x[stride * p + dilation * w]`: the axis `dim` becomes positions and, behind them, places."""
    made = x.unfold(dim, dilation * (size - 1) + 1, stride)[..., ::dilation]
    return made.movedim(-1, dim)


def wrap(x: Tensor, dim: int, before: int, after: int) -> Tensor:
    """`y[t] = x[(t - before) % T]`: an axis that goes round, longer by `before` and `after`."""
    size = x.shape[dim]
    return x.index_select(dim, torch.arange(-before, size + after, device=x.device) % size)
