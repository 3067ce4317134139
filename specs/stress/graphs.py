"""Graphs over the positions of an axis, for the `extern` declarations of the texts beside this file."""

from __future__ import annotations

import torch
from torch import Tensor


def minimum_spanning_tree(gap: Tensor) -> Tensor:
    """The edges of a tree of least total weight, `[n, n]` of bool, symmetric (Prim 1957).

    `gap`: `[n, n]`, symmetric weights; only its order matters. Of equal weights the first in index order is taken.
    """
    count = gap.shape[0]
    edges = torch.zeros((count, count), dtype=torch.bool, device=gap.device)
    weights = gap.detach()
    inside = torch.zeros(count, dtype=torch.bool, device=gap.device)
    if not count:
        return edges
    inside[0] = True
    nearest, best = torch.zeros(count, dtype=torch.int64, device=gap.device), weights[0].clone()
    for _ in range(count - 1):
        new = int(torch.where(inside, torch.inf, best).argmin())
        old = int(nearest[new])
        edges[old, new] = edges[new, old] = True
        inside[new] = True
        closer = weights[new] < best
        best, nearest = torch.where(closer, weights[new], best), torch.where(closer, new, nearest)
    return edges
