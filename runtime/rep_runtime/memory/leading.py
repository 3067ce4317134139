"""Leading axes of a memory's inputs made equal, where a caller carries an axis along over some of them only."""

from __future__ import annotations

import torch
from torch import Tensor


def with_leading(q: Tensor, k: Tensor, v: Tensor, *gates: Tensor) -> tuple[Tensor, ...]:
    """q ``[..., T, K]``, k ``[..., S, K]``, v ``[..., S, P]`` and gates ``[..., S]``, all with the same leading axes.

    A leading axis that one of them lacks, or has with size 1, is repeated without a copy; so is the time axis of a gate
    that is the same at every position.
    """
    fronts = [x.shape[:-2] for x in (q, k, v)] + [gate.shape[:-1] for gate in gates]
    front = torch.broadcast_shapes(*fronts)  # type: ignore[no-untyped-call]
    pairs = [x.expand(*front, *x.shape[-2:]) for x in (q, k, v)]
    return (*pairs, *(gate.expand(*front, k.shape[-2]) for gate in gates))
