"""Shapes of the linear memories: checks, lifted axes folded into one, time cut into blocks."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional


class Blocks(NamedTuple):
    """Inputs of a linear memory, folded to ``[N, n, C, ...]``: N lifted positions, n blocks of C positions.

    A position past the end of the sequence is a pair of zeros, never written (write 0) and never decayed (decay 1).
    """

    q: Tensor
    k: Tensor
    v: Tensor
    write: Tensor | None
    decay: Tensor | None
    state: Tensor | None


def accumulation_dtype(*tensors: Tensor | None) -> torch.dtype:
    """The widest dtype among the tensors, at least float32: what states and sums are kept in."""
    dtype = torch.float32
    for tensor in tensors:
        if tensor is not None:
            dtype = torch.promote_types(dtype, tensor.dtype)
    return dtype


def check_pairs(
    q: Tensor, k: Tensor, v: Tensor, gates: dict[str, Tensor | None], state: Tensor | None, width: int
) -> None:
    """Raise ``ValueError`` unless q, k are ``[..., T, K]``, v ``[..., T, P]``, the gates ``[..., T]``.

    The state is ``[..., K, width]``. All leading axes must be equal: nothing is broadcast.
    """
    if q.ndim < 2:
        raise ValueError(f"queries need at least the axes [T, K], got shape {tuple(q.shape)}")
    if k.shape != q.shape:
        raise ValueError(f"keys {tuple(k.shape)} must have the shape of the queries {tuple(q.shape)}")
    if v.shape[:-1] != q.shape[:-1]:
        raise ValueError(f"values {tuple(v.shape)} must agree with the queries {tuple(q.shape)} up to the last axis")
    if q.shape[-2] == 0:
        raise ValueError("a memory needs at least one position, the time axis is empty")
    for name, gate in gates.items():
        if gate is not None and gate.shape != q.shape[:-1]:
            raise ValueError(f"{name} {tuple(gate.shape)} must have one number per position {tuple(q.shape[:-1])}")
    expected = (*q.shape[:-2], q.shape[-1], width)
    if state is not None and state.shape != expected:
        raise ValueError(f"state {tuple(state.shape)} must have the shape {expected}")


def block_length(time: int, chunk: int) -> int:
    """The block length for ``time`` positions: ``chunk``, or the power of two that holds a shorter sequence."""
    if chunk < 1 or chunk & (chunk - 1):
        raise ValueError(f"the chunk length must be a power of two, got {chunk}")
    length = 1
    while length < chunk and length < time:
        length *= 2
    return length


def to_blocks(
    q: Tensor, k: Tensor, v: Tensor, write: Tensor | None, decay: Tensor | None, state: Tensor | None,
    *, length: int, dtype: torch.dtype, decay_one: float,
) -> Blocks:
    """Fold the inputs to ``[N, n, C, ...]`` with C = ``length``; ``decay_one`` is the decay that forgets nothing."""
    time = q.shape[-2]
    missing = -time % length

    def vectors(x: Tensor) -> Tensor:
        x = x.to(dtype)
        if missing:
            x = functional.pad(x, (0, 0, 0, missing))
        return x.reshape(-1, (time + missing) // length, length, x.shape[-1])

    def scalars(x: Tensor, fill: float) -> Tensor:
        x = x.to(dtype)
        if missing:
            x = functional.pad(x, (0, missing), value=fill)
        return x.reshape(-1, (time + missing) // length, length)

    return Blocks(
        q=vectors(q),
        k=vectors(k),
        v=vectors(v),
        write=None if write is None else scalars(write, 0.0),
        decay=None if decay is None else scalars(decay, decay_one),
        state=None if state is None else state.to(dtype).reshape(-1, q.shape[-1], state.shape[-1]),
    )


def from_blocks(out: Tensor, like: Tensor) -> Tensor:
    """Unfold ``[N, n, C, P]`` to ``[..., T, P]`` with the leading axes and T of ``like`` ``[..., T, _]``."""
    flat = out.reshape(out.shape[0], out.shape[1] * out.shape[2], out.shape[3])
    return flat[:, : like.shape[-2]].reshape(*like.shape[:-1], out.shape[3])
