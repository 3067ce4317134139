"""Scalar-affine linear memories: ``S_t = a_t S_{t-1} + b_t k_t v_t^T``, read as ``o_t = S_t^T (scale q_t)``.

The decay a is a number in [0, 1] per position and lifted axis (absent: uniform weights), the write strength b any
number (absent: 1). Axes: q, k ``[..., T, K]``, v ``[..., T, P]``, decay, write ``[..., T]`` with equal leading axes;
the state is ``[..., K, P]``, or ``[..., K, P + 1]`` with a normaliser, whose last column is the total weight
``z_t = a_t z_{t-1} + b_t k_t``. States and sums are kept in float32 or wider whatever the dtype of the inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import torch
from torch import Tensor

from rep_runtime.memory.decay import decay_matrix, linear_decay
from rep_runtime.memory.geometry import accumulation_dtype, check_chunk, check_pairs
from rep_runtime.memory.normalize import Normalize, check_normalize, normalized, with_weight
from rep_runtime.memory.operators import reverse_may_follow, scalar_affine_blocks

DecaySpace = Literal["linear", "log"]
Read = Literal["after", "before"]


def _write(k: Tensor, v: Tensor, write: Tensor | None) -> Tensor:
    return k.unsqueeze(-1) * (v if write is None else v * write.unsqueeze(-1)).unsqueeze(-2)


def _answer(state: Tensor, q: Tensor) -> Tensor:
    return (state * q.unsqueeze(-1)).sum(-2)


def scalar_affine_chunked(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    decay: Tensor | None,
    write: Tensor | None,
    state: Tensor | None,
    scale: float,
    decay_space: DecaySpace,
    read: Read,
    chunk: int,
) -> tuple[Tensor, Tensor]:
    """Blocks of ``chunk`` positions: matrix products inside, one carried state between. T may be anything."""
    check_chunk(chunk)
    out, last, _ = scalar_affine_blocks(
        q,
        k,
        v,
        write,
        decay,
        state,
        scale,
        decay_space == "log",
        read == "before",
        chunk,
        reverse_may_follow(q, k, v, write, decay, state),
    )
    return out, last


def scalar_affine_parallel(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    decay: Tensor | None,
    write: Tensor | None,
    state: Tensor | None,
    scale: float,
    decay_space: DecaySpace,
    read: Read,
    chunk: int,
) -> tuple[Tensor, Tensor]:
    """All pairs at once, T^2 scores per lifted position; ``chunk`` is not used."""
    dtype = accumulation_dtype(q, k, v, decay, write, state)
    q, k, v = q.to(dtype) * scale, k.to(dtype), v.to(dtype)
    written = v if write is None else v * write.to(dtype).unsqueeze(-1)
    time = q.shape[-2]
    # One position before the first pair stands for the given state, so that its decay is a column of the same matrix.
    gate = q.new_zeros(q.shape[:-1]) if decay is None else decay.to(dtype)
    log_space = decay is None or decay_space == "log"
    weights = decay_matrix(torch.cat([torch.zeros_like(gate[..., :1]), gate], -1), log_space)
    shown = weights[..., :-1, :] if read == "before" else weights[..., 1:, :]
    out = (torch.matmul(q, k.transpose(-1, -2)) * shown[..., 1:]).matmul(written)
    last = torch.matmul((k * weights[..., time, 1:].unsqueeze(-1)).transpose(-1, -2), written)
    if state is not None:
        start = state.to(dtype)
        out = out + shown[..., :1] * torch.matmul(q, start)
        last = last + weights[..., time, :1].unsqueeze(-1) * start
    return out, last


def scalar_affine_recurrent(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    decay: Tensor | None,
    write: Tensor | None,
    state: Tensor | None,
    scale: float,
    decay_space: DecaySpace,
    read: Read,
    chunk: int,
) -> tuple[Tensor, Tensor]:
    """One position after the other, in plain tensor operations; ``chunk`` is not used."""
    dtype = accumulation_dtype(q, k, v, decay, write, state)
    q, k, v = q.to(dtype) * scale, k.to(dtype), v.to(dtype)
    current = q.new_zeros(*q.shape[:-2], q.shape[-1], v.shape[-1]) if state is None else state.to(dtype)
    outs = []
    for t in range(q.shape[-2]):
        previous = current
        if decay is not None:
            current = linear_decay(decay[..., t].to(dtype), decay_space == "log")[..., None, None] * current
        current = current + _write(k[..., t, :], v[..., t, :], None if write is None else write[..., t].to(dtype))
        outs.append(_answer(previous if read == "before" else current, q[..., t, :]))
    return torch.stack(outs, -2), current


SCALAR_AFFINE: Mapping[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "chunked": scalar_affine_chunked,
    "parallel": scalar_affine_parallel,
    "recurrent": scalar_affine_recurrent,
}


def scalar_affine(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    decay: Tensor | None = None,
    write: Tensor | None = None,
    state: Tensor | None = None,
    scale: float = 1.0,
    decay_space: DecaySpace = "linear",
    read: Read = "after",
    normalize: Normalize = "none",
    floor: Tensor | float | None = None,
    eps: float = 0.0,
    algorithm: str = "chunked",
    chunk: int = 64,
) -> tuple[Tensor, Tensor]:
    """Answers ``[..., T, P]`` and the state after the last pair.

    q, k ``[..., T, K]``; v ``[..., T, P]``; decay ``[..., T]`` in [0, 1], or its logarithm in [-inf, 0] with
    ``decay_space="log"``; write ``[..., T]``. ``read="before"`` answers from S_{t-1}, before the pair t is written.
    ``normalize`` divides by ``max(w, floor) + eps`` with w = <z, scale q> ("weight") or its absolute value
    ("absolute"); ``floor`` is a number or ``[..., T]``. ``chunk`` is a power of two.
    Raises ``ValueError`` for shapes that disagree and for unknown choices.
    """
    check_normalize(normalize)
    if algorithm not in SCALAR_AFFINE:
        raise ValueError(f"unknown algorithm {algorithm!r}, expected one of {', '.join(SCALAR_AFFINE)}")
    check_pairs(q, k, v, {"decay": decay, "write": write}, state, v.shape[-1] + (normalize != "none"))
    out, last = SCALAR_AFFINE[algorithm](
        q,
        k,
        with_weight(v, normalize),
        decay=decay,
        write=write,
        state=state,
        scale=scale,
        decay_space=decay_space,
        read=read,
        chunk=chunk,
    )
    return normalized(out, normalize, floor, eps).to(v.dtype), last


def scalar_affine_init(
    leading: Sequence[int],
    keys: int,
    values: int,
    *,
    normalize: Normalize = "none",
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Tensor:
    """The empty state ``[*leading, K, P]`` (``[*leading, K, P + 1]`` with a normaliser)."""
    return torch.zeros(*leading, keys, values + (normalize != "none"), dtype=dtype, device=device)


def scalar_affine_step(
    state: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    decay: Tensor | None = None,
    write: Tensor | None = None,
    scale: float = 1.0,
    decay_space: DecaySpace = "linear",
    read: Read = "after",
    normalize: Normalize = "none",
    floor: Tensor | float | None = None,
    eps: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """One position in constant work: q, k ``[..., K]``, v ``[..., P]``, decay, write ``[...]`` to (out, state)."""
    dtype = accumulation_dtype(q, k, v, decay, write, state)
    current = state.to(dtype)
    if decay is not None:
        current = linear_decay(decay.to(dtype), decay_space == "log")[..., None, None] * current
    pair = with_weight(v.to(dtype), normalize)
    current = current + _write(k.to(dtype), pair, None if write is None else write.to(dtype))
    out = _answer(state.to(dtype) if read == "before" else current, q.to(dtype) * scale)
    return normalized(out, normalize, floor, eps).to(v.dtype), current
