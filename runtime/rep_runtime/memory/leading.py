"""Leading axes of a memory's inputs made equal, where a caller carries an axis along over some of them only."""

from __future__ import annotations

import torch
from torch import Tensor


def with_leading(q: Tensor, k: Tensor, v: Tensor, *gates: Tensor, along_time: bool = True) -> tuple[Tensor, ...]:
    """q ``[..., T, K]``, k ``[..., S, K]``, v ``[..., S, P]`` and gates ``[..., S]``, all with the same leading axes.

    A leading axis that one of them lacks, or has with size 1, is repeated without a copy; so is the time axis of a gate
    that is the same at every position. ``along_time=False``: one position, without the axes T and S.
    """
    own = 2 if along_time else 1
    fronts = [x.shape[:-own] for x in (q, k, v)] + [gate.shape[: gate.ndim - own + 1] for gate in gates]
    front = torch.broadcast_shapes(*fronts)  # type: ignore[no-untyped-call]
    pairs = [x.expand(*front, *x.shape[-own:]) for x in (q, k, v)]
    return (*pairs, *(torch.broadcast_to(gate, (*front, *k.shape[-own:-1])) for gate in gates))
