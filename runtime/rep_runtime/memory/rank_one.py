"""Identity + rank 1 linear memories: the delta rule, plain or with a decay, in both orders of forgetting and erring.

    decay first:  S <- a_t S,  e_t = b_t (v_t - S^T k_t),            S <- S + k_t e_t^T
    error first:               e_t = b_t (v_t - S_{t-1}^T k_t),      S <- a_t S_{t-1} + k_t e_t^T

read as ``o_t = S_t^T (scale q_t)``. The two orders are different memories for any decay other than 1. Axes: q, k
``[..., T, K]``, v ``[..., T, P]``, rate b and decay a ``[..., T]`` with equal leading axes, state ``[..., K, P]``.
The memory is stable for b |k|^2 < 2. States and sums are kept in float32 or wider whatever the dtype of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import torch
from torch import Tensor

from rep_runtime.memory.affine import DecaySpace, Read
from rep_runtime.memory.decay import linear_decay
from rep_runtime.memory.geometry import accumulation_dtype, check_chunk, check_pairs
from rep_runtime.memory.operators import rank_one_blocks, reverse_may_follow

Order = Literal["decay_first", "error_first"]


def rank_one_chunked(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    rate: Tensor,
    decay: Tensor | None,
    state: Tensor | None,
    scale: float,
    order: Order,
    decay_space: DecaySpace,
    read: Read,
    chunk: int,
) -> tuple[Tensor, Tensor]:
    """Blocks of ``chunk`` positions: one triangular system per block, one carried state between. T may be anything."""
    check_chunk(chunk)
    out, last, *_ = rank_one_blocks(
        q,
        k,
        v,
        rate,
        decay,
        state,
        scale,
        decay_space == "log",
        order == "error_first",
        read == "before",
        chunk,
        reverse_may_follow(q, k, v, rate, decay, state),
    )
    return out, last


def rank_one_recurrent(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    rate: Tensor,
    decay: Tensor | None,
    state: Tensor | None,
    scale: float,
    order: Order,
    decay_space: DecaySpace,
    read: Read,
    chunk: int,
) -> tuple[Tensor, Tensor]:
    """One position after the other, in plain tensor operations; ``chunk`` is not used."""
    dtype = accumulation_dtype(q, k, v, rate, decay, state)
    current = q.new_zeros(*q.shape[:-2], q.shape[-1], v.shape[-1], dtype=dtype) if state is None else state.to(dtype)
    outs = []
    for t in range(q.shape[-2]):
        out, current = _advance(
            current,
            q[..., t, :].to(dtype) * scale,
            k[..., t, :].to(dtype),
            v[..., t, :].to(dtype),
            rate[..., t].to(dtype),
            None if decay is None else linear_decay(decay[..., t].to(dtype), decay_space == "log"),
            order,
            read,
        )
        outs.append(out)
    return torch.stack(outs, -2), current


def _advance(
    state: Tensor, q: Tensor, k: Tensor, v: Tensor, rate: Tensor, decay: Tensor | None, order: Order, read: Read
) -> tuple[Tensor, Tensor]:
    column = k.unsqueeze(-1)
    decayed = state if decay is None else decay[..., None, None] * state
    known = decayed if order == "decay_first" else state
    error = rate.unsqueeze(-1) * (v - (known * column).sum(-2))
    current = decayed + column * error.unsqueeze(-2)
    return ((state if read == "before" else current) * q.unsqueeze(-1)).sum(-2), current


RANK_ONE: Mapping[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "chunked": rank_one_chunked,
    "recurrent": rank_one_recurrent,
}


def _check_order(order: Order) -> None:
    if order not in ("decay_first", "error_first"):
        raise ValueError(f"order must be 'decay_first' or 'error_first', got {order!r}")


def rank_one(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    rate: Tensor,
    decay: Tensor | None = None,
    order: Order = "decay_first",
    state: Tensor | None = None,
    scale: float = 1.0,
    decay_space: DecaySpace = "linear",
    read: Read = "after",
    algorithm: str = "chunked",
    chunk: int = 32,
) -> tuple[Tensor, Tensor]:
    """Answers ``[..., T, P]`` and the state ``[..., K, P]`` after the last pair.

    q, k ``[..., T, K]``; v ``[..., T, P]``; rate ``[..., T]``; decay ``[..., T]`` in [0, 1], or its logarithm in
    [-inf, 0] with ``decay_space="log"``. ``read="before"`` answers from S_{t-1}, before the pair t is written.
    ``chunk`` is a power of two. Raises ``ValueError`` for shapes that disagree and for unknown choices.
    """
    _check_order(order)
    if algorithm not in RANK_ONE:
        raise ValueError(f"unknown algorithm {algorithm!r}, expected one of {', '.join(RANK_ONE)}")
    check_pairs(q, k, v, {"rate": rate, "decay": decay}, state, v.shape[-1])
    out, last = RANK_ONE[algorithm](
        q,
        k,
        v,
        rate=rate,
        decay=decay,
        state=state,
        scale=scale,
        order=order,
        decay_space=decay_space,
        read=read,
        chunk=chunk,
    )
    return out.to(v.dtype), last


def rank_one_init(
    leading: Sequence[int],
    keys: int,
    values: int,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Tensor:
    """The empty state ``[*leading, K, P]``."""
    return torch.zeros(*leading, keys, values, dtype=dtype, device=device)


def rank_one_step(
    state: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    rate: Tensor,
    decay: Tensor | None = None,
    order: Order = "decay_first",
    scale: float = 1.0,
    decay_space: DecaySpace = "linear",
    read: Read = "after",
) -> tuple[Tensor, Tensor]:
    """One position in constant work: q, k ``[..., K]``, v ``[..., P]``, rate, decay ``[...]`` to (out, state)."""
    _check_order(order)
    dtype = accumulation_dtype(q, k, v, rate, decay, state)
    out, current = _advance(
        state.to(dtype),
        q.to(dtype) * scale,
        k.to(dtype),
        v.to(dtype),
        rate.to(dtype),
        None if decay is None else linear_decay(decay.to(dtype), decay_space == "log"),
        order,
        read,
    )
    return out.to(v.dtype), current
