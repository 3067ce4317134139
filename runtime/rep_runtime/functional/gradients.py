"""Functions whose gradient is not that of their value."""

from __future__ import annotations

from torch import Tensor


def straight_through(hard: Tensor, soft: Tensor) -> Tensor:
    """The value of `hard`, exactly, with the gradient of `soft`; the two broadcast."""
    return hard.detach() + (soft - soft.detach())
