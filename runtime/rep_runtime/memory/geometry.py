"""Shapes of the linear memories: checks, and time cut into blocks that are worked on in groups.

A group is as many blocks as keep the intermediate products in the processor's caches. They are copied out of the inputs
whatever their strides and dtype, so nothing of the size of the whole sequence is allocated but the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

# Entries of all [C, C] products worked on at once on a CPU (512 KiB in float32): measured, see benchmarks/memory.
_ENTRIES_AT_ONCE = 2**17


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


def check_chunk(chunk: int) -> None:
    if chunk < 1 or chunk & (chunk - 1):
        raise ValueError(f"the chunk length must be a power of two, got {chunk}")


@dataclass(frozen=True, slots=True)
class Group:
    """Positions ``start .. stop`` of the sequence as ``blocks`` blocks of ``length`` positions.

    Parts have the block axis first, ``[blocks * N, C, ...]``, so that each block of all lifted positions is contiguous.
    A position past the end of the sequence is a pair of zeros, never written (gate 0) and never decayed.
    """

    first: int
    blocks: int
    start: int
    stop: int
    length: int
    dtype: torch.dtype

    @property
    def missing(self) -> int:
        return self.blocks * self.length - (self.stop - self.start)

    def vectors(self, x: Tensor) -> Tensor:
        """``[..., T, W]`` to ``[blocks * N, C, W]``."""
        part = x[..., self.start : self.stop, :].to(self.dtype)
        if self.missing:
            part = functional.pad(part, (0, 0, 0, self.missing))
        part = part.view(*part.shape[:-2], self.blocks, self.length, part.shape[-1])
        return part.movedim(-3, 0).reshape(-1, self.length, x.shape[-1])

    def scalars(self, x: Tensor, fill: float = 0.0) -> Tensor:
        """``[..., T]`` to ``[blocks * N, C]``."""
        part = x[..., self.start : self.stop].to(self.dtype)
        if self.missing:
            part = functional.pad(part, (0, self.missing), value=fill)
        part = part.view(*part.shape[:-1], self.blocks, self.length)
        return part.movedim(-2, 0).reshape(-1, self.length)

    def put_vectors(self, target: Tensor, part: Tensor) -> None:
        """Write ``[blocks * N, C, W]`` to its place in ``[..., T, W]``."""
        rows = part.view(self.blocks, *target.shape[:-2], self.length, target.shape[-1]).movedim(0, -3)
        place = target[..., self.start : self.stop, :]
        if self.missing:
            place.copy_(rows.flatten(-3, -2)[..., : self.stop - self.start, :])
        else:
            place.view(rows.shape).copy_(rows)

    def put_scalars(self, target: Tensor, part: Tensor) -> None:
        """Write ``[blocks * N, C]`` to its place in ``[..., T]``."""
        entries = part.view(self.blocks, *target.shape[:-1], self.length).movedim(0, -2).flatten(-2)
        target[..., self.start : self.stop].copy_(entries[..., : self.stop - self.start])


def block_length(time: int, chunk: int) -> int:
    """``chunk``, or the power of two that holds a shorter sequence."""
    length = 1
    while length < chunk and length < time:
        length *= 2
    return length


def block_count(time: int, chunk: int) -> int:
    length = block_length(time, chunk)
    return (time + length - 1) // length


def lifted_size(x: Tensor) -> int:
    """The number of lifted positions N of ``[..., T, W]``."""
    size = 1
    for extent in x.shape[:-2]:
        size *= extent
    return size


def groups(x: Tensor, chunk: int, dtype: torch.dtype, *, backwards: bool = False) -> Iterator[Group]:
    """The groups that make up the time axis of ``x`` ``[..., T, W]``, in order or from the last to the first."""
    time = x.shape[-2]
    length, count = block_length(time, chunk), block_count(time, chunk)
    each = max(1, lifted_size(x)) * length * length
    at_once = max(1, _ENTRIES_AT_ONCE // each) if x.device.type == "cpu" else count
    starts = range(0, count, at_once)
    for first in reversed(starts) if backwards else starts:
        blocks = min(at_once, count - first)
        yield Group(first, blocks, first * length, min(time, (first + blocks) * length), length, dtype)
