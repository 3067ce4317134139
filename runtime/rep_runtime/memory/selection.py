"""Which pairs a query sees, and with what weight: ages, dyadic levels, labels, the most similar keys."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

Visible = Literal["causal", "full", "window", "block", "strided"]


def visible(queries: int, pairs: int, kind: Visible, length: int = 0, device: torch.device | None = None) -> Tensor:
    """Which pairs each query sees: bool ``[T, S]``.

    ``window``: the newest ``length`` pairs; ``block``: those of the query's own block of ``length``; ``strided``: every
    ``length``-th, counted back from the newest. All but ``full`` see no later pair.
    """
    age = torch.arange(queries, device=device).unsqueeze(-1) - torch.arange(pairs, device=device)
    if kind == "full":
        return torch.ones_like(age, dtype=torch.bool)
    if kind == "window":
        return (age >= 0) & (age < length)
    if kind == "block":
        at = torch.arange(queries, device=device).unsqueeze(-1)
        return (age >= 0) & (torch.div(at - age, length, rounding_mode="floor") == at // length)
    if kind == "strided":
        return (age >= 0) & (age % length == 0)
    if kind != "causal":
        raise ValueError(f"pairs are visible as causal, full, window, block or strided, not {kind!r}")
    return age >= 0


def level_weights(levels: Tensor) -> Tensor:
    """Weights ``[..., T, T]`` of the dyadic blocks of the past, from one for each level ``[..., T, L]``.

    Level 0 is the newest pair. The pair s < t is in the block of the highest binary digit in which s and t differ:
    that digit, counted from 1, is its level. Levels beyond the last take the last one's weight.
    """
    at = torch.arange(levels.shape[-2], device=levels.device)
    differs = torch.bitwise_xor(at.unsqueeze(-1), at)
    level = torch.zeros_like(differs)
    for digit in range(max(1, levels.shape[-2]).bit_length()):
        level = level + (torch.bitwise_right_shift(differs, digit) > 0).to(level.dtype)
    level = level.clamp(max=levels.shape[-1] - 1).expand(*levels.shape[:-1], levels.shape[-2])
    return torch.where(at <= at.unsqueeze(-1), levels.gather(-1, level), 0.0)


def same_label(labels: Tensor, causal: bool) -> Tensor:
    """Pairs that bear the query's label: bool ``[..., T, T]`` from ``[..., T]``; no later ones where ``causal``."""
    same = labels.unsqueeze(-1) == labels.unsqueeze(-2)
    return same.tril() if causal else same


def most_similar(scores: Tensor, seen: Tensor, count: int) -> Tensor:
    """Of the pairs that are seen, the ``count`` with the largest scores ``[..., T, S]``, the earlier of equal ones."""
    held = torch.where(seen, scores.detach(), -torch.inf)
    place = torch.argsort(torch.argsort(held, dim=-1, descending=True, stable=True), dim=-1)
    return seen & (place < count)
