"""Linear memories that take gradient steps, one pair after the other: any loss, several steps, momentum, a ridge.

With the state ``S [..., K, P]``, the answer ``p = S^T k`` and ``slope`` the loss's gradient by the answer, a step is

    g = k slope(p, v)^T + ridge S,    V <- momentum V + rate g,    S <- S - V   (nesterov: S <- S - momentum V - rate g)

on the state after its decay (decay first), or before it with the decay applied under the first step (error first).
States and sums are kept in float32 or wider whatever the dtype of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from rep_runtime.memory.affine import Read
from rep_runtime.memory.geometry import accumulation_dtype, check_pairs
from rep_runtime.memory.rank_one import Order


class StepState(NamedTuple):
    """What goes from pair to pair: the state ``[..., K, P]`` and the velocity of its momentum."""

    held: Tensor
    velocity: Tensor


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
    state: StepState | Tensor | None = None,
) -> tuple[Tensor, StepState]:
    """Answers ``[..., T, P]`` and the state after the last pair. A tensor is a state without velocity.

    q, k ``[..., T, K]``; v ``[..., T, P]``; coefficients are numbers or ``[..., T]``. ``slope(pred, target)`` works on
    ``[..., P]``. Raises ``ValueError`` for shapes that disagree.
    """
    gates = {"rate": rate, "decay": decay, "momentum": momentum, "ridge": ridge}
    tensors = {name: gate for name, gate in gates.items() if isinstance(gate, Tensor)}
    given = state.held if isinstance(state, StepState) else state
    check_pairs(q, k, v, dict(tensors), given, v.shape[-1])
    dtype = accumulation_dtype(q, k, v, given, *tensors.values())
    held = q.new_zeros(*q.shape[:-2], q.shape[-1], v.shape[-1], dtype=dtype) if given is None else given.to(dtype)
    velocity = state.velocity.to(dtype) if isinstance(state, StepState) else torch.zeros_like(held)
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
    return torch.stack(outs, -2).to(v.dtype), StepState(held, velocity)


def gradient_steps_init(
    lead: Sequence[int], keys: int, values: int, dtype: torch.dtype | None = None, device: torch.device | None = None
) -> StepState:
    """The state before the first pair: nothing, and no velocity."""
    held = torch.zeros(*lead, keys, values, dtype=dtype, device=device)
    return StepState(held, torch.zeros_like(held))


def gradient_steps_step(
    state: StepState,
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
) -> tuple[Tensor, StepState]:
    """One pair: q, k ``[..., K]``, v ``[..., P]``, coefficients numbers or ``[...]``."""
    rate, momentum, ridge = (_alone(value) for value in (rate, momentum, ridge))
    out, after = gradient_steps(
        q.unsqueeze(-2), k.unsqueeze(-2), v.unsqueeze(-2), slope=slope, rate=rate,
        decay=None if decay is None else _alone(decay), steps=steps, momentum=momentum, nesterov=nesterov,
        ridge=ridge, order=order, read=read, scale=scale, state=state,
    )  # fmt: skip
    return out.squeeze(-2), after


def _alone(value: Coefficient) -> Coefficient:
    """A coefficient of one pair with an axis of time."""
    return value.unsqueeze(-1) if isinstance(value, Tensor) else value
