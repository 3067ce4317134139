"""Values side by side, with any axes carried along in front of each."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from rep_runtime.functional.shapes import common


def concat(parts: Sequence[Tensor], dim: int) -> Tensor:
    """The parts one after the other along `dim`; all their other dims broadcast."""
    rank = max(part.dim() for part in parts)
    level = [part.reshape((1,) * (rank - part.dim()) + tuple(part.shape)) for part in parts]
    place = rank + dim
    shapes = [(*part.shape[:place], 1, *part.shape[place + 1 :]) for part in level]
    shape = common(*shapes)
    return torch.cat([part.expand(*shape[:place], part.shape[place], *shape[place + 1 :]) for part in level], dim)


def stack(parts: Sequence[Tensor], dim: int) -> Tensor:
    """The parts along a new dim; all their dims broadcast."""
    shape = common(*(part.shape for part in parts))
    return torch.stack([part.expand(shape) for part in parts], dim)


def expand_front(x: Tensor, sizes: tuple[int, ...], rank: int) -> Tensor:
    """The same values along new axes in front of the `rank` axes of `x`'s own: `[.., sizes.., own..]`."""
    lead = x.dim() - rank
    made = x.reshape(*x.shape[:lead], *(1,) * len(sizes), *x.shape[lead:])
    return made.expand(*x.shape[:lead], *sizes, *x.shape[lead:])
