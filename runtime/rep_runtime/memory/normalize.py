"""Division of a read by the total weight of the pairs that answered it."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

Normalize = Literal["none", "weight", "absolute"]


def check_normalize(normalize: Normalize) -> None:
    if normalize not in ("none", "weight", "absolute"):
        raise ValueError(f"normalize must be 'none', 'weight' or 'absolute', got {normalize!r}")


def with_weight(v: Tensor, normalize: Normalize) -> Tensor:
    """Values with a channel of ones appended, whose memory is the total weight z: ``[..., P]`` to ``[..., P + 1]``."""
    if normalize == "none":
        return v
    return torch.cat([v, torch.ones_like(v[..., :1])], -1)


def normalized(read: Tensor, normalize: Normalize, floor: Tensor | float | None, eps: float) -> Tensor:
    """``numerator / (max(w, floor) + eps)`` for a read ``[..., P + 1]`` whose last channel is w = <z, q> (or its size).

    A position whose guarded weight is exactly 0 has met no pair: it answers 0, with gradient 0.
    """
    if normalize == "none":
        return read
    weight = read[..., -1:]
    if normalize == "absolute":
        weight = weight.abs()
    if isinstance(floor, Tensor):
        weight = torch.maximum(weight, floor.to(weight.dtype).unsqueeze(-1))
    elif floor is not None:
        weight = weight.clamp(min=floor)
    weight = weight + eps
    empty = weight == 0
    return (read[..., :-1] / weight.masked_fill(empty, 1.0)).masked_fill(empty, 0.0)
