"""Linear memories that take gradient steps, one pair after the other: any loss, several steps, momentum, a ridge.

With the state ``S [..., K, P]``, the answer ``p = S^T k`` and ``slope`` the loss's gradient by the answer, a step is

    g = k slope(p, v)^T + ridge S,    V <- momentum V + rate g,    S <- S - V   (nesterov: S <- S - momentum V - rate g)

on the state after its decay (decay first), or before it with the decay applied under the first step (error first).
States and sums are kept in float32 or wider whatever the dtype of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from rep_runtime.memory.affine import Read
from rep_runtime.memory.geometry import accumulation_dtype, check_pairs
from rep_runtime.memory.rank_one import Order

Slope = Callable[[Tensor, Tensor], Tensor]
Coefficient = Tensor | float


def _at(value: Coefficient, t: int, dtype: torch.dtype) -> Coefficient:
    """A coefficient of pair t, shaped to multiply a state."""
    return value[..., t].to(dtype)[..., None, None] if isinstance(value, Tensor) else value


def gradient_steps(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    slope: Slope,
    rate: Coefficient,
    decay: Coefficient | None = None,
    steps: int = 1,
    momentum: Coefficient = 0.0,
    nesterov: bool = False,
    ridge: Coefficient = 0.0,
    order: Order = "decay_first",
    read: Read = "after",
    scale: float = 1.0,
    state: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Answers ``[..., T, P]`` and the state ``[..., K, P]`` after the last pair.

    q, k ``[..., T, K]``; v ``[..., T, P]``; coefficients are numbers or ``[..., T]``. ``slope(pred, target)`` works on
    ``[..., P]``. The momentum starts at nothing with the sequence. Raises ``ValueError`` for shapes that disagree.
    """
    gates = {"rate": rate, "decay": decay, "momentum": momentum, "ridge": ridge}
    tensors = {name: gate for name, gate in gates.items() if isinstance(gate, Tensor)}
    check_pairs(q, k, v, dict(tensors), state, v.shape[-1])
    dtype = accumulation_dtype(q, k, v, state, *tensors.values())
    held = q.new_zeros(*q.shape[:-2], q.shape[-1], v.shape[-1], dtype=dtype) if state is None else state.to(dtype)
    velocity = torch.zeros_like(held)
    outs = []
    for t in range(q.shape[-2]):
        query, key, value = (x[..., t, :].to(dtype) for x in (q, k, v))
        kept = None if decay is None else _at(decay, t, dtype)
        before = held
        if kept is not None and order == "decay_first":
            held = kept * held
        for step in range(steps):
            error = slope((held * key.unsqueeze(-1)).sum(-2), value)
            push = _at(rate, t, dtype) * (key.unsqueeze(-1) * error.unsqueeze(-2) + _at(ridge, t, dtype) * held)
            if kept is not None and order == "error_first" and step == 0:
                held = kept * held
            inertia = _at(momentum, t, dtype)
            velocity = inertia * velocity + push
            held = held - (inertia * velocity + push if nesterov else velocity)
        outs.append(((before if read == "before" else held) * (query * scale).unsqueeze(-1)).sum(-2))
    return torch.stack(outs, -2).to(v.dtype), held
