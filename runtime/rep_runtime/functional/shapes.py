"""Shapes that several functions work out in the same way."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def common(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which all of these broadcast."""
    found: torch.Size = torch.broadcast_shapes(*(tuple(shape) for shape in shapes))  # type: ignore[no-untyped-call]
    return tuple(found)


def unflatten(x: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dim as several, row-major; with no sizes it goes, as it has one entry."""
    if not sizes:
        return x.squeeze(dim)
    made: Tensor = x.unflatten(dim, tuple(sizes))  # type: ignore[no-untyped-call]
    return made
