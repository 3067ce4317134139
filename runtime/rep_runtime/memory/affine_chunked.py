"""Scalar-affine memories block by block: ``S_t = a_t S_{t-1} + b_t k_t v_t^T``, forward and hand-derived reverse.

Inside a block of C positions everything is a matrix product; only the states at the block boundaries are carried one
by one. The reverse pass keeps these T / C states and computes the rest again, group by group.

Axes: q, k ``[..., T, K]``, v ``[..., T, P]``, write, decay ``[..., T]``, state ``[..., K, P]``; N is the number of
lifted positions, n of blocks. The read is ``o_t = S_t^T (scale q_t)``, or of S_{t-1} if ``before``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from rep_runtime.memory.decay import block_decay, decay_gradient, positions_earlier, rows_earlier, times
from rep_runtime.memory.geometry import Group, accumulation_dtype, block_count, groups, lifted_size


def first_state(q: Tensor, v: Tensor, state: Tensor | None, dtype: torch.dtype) -> Tensor:
    """The state before the first pair as ``[N, K, P]``, its own memory."""
    shape = (lifted_size(q), q.shape[-1], v.shape[-1])
    if state is None:
        return v.new_zeros(shape, dtype=dtype)
    return state.to(dtype, copy=True).reshape(shape)


def decay_of(group: Group, decay: Tensor | None, log_space: bool) -> Tensor | None:
    return None if decay is None else group.scalars(decay, 0.0 if log_space else 1.0)


def forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    write: Tensor | None,
    decay: Tensor | None,
    state: Tensor | None,
    scale: float,
    log_space: bool,
    before: bool,
    chunk: int,
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """(out ``[..., T, P]``, last state ``[..., K, P]``, states ``[n, N, K, P]`` at the block starts if ``keep``)."""
    dtype = accumulation_dtype(q, k, v, write, decay, state)
    lifted, count = lifted_size(q), block_count(q.shape[-2], chunk)
    out = torch.empty_like(v, dtype=dtype)
    current = first_state(q, v, state, dtype)
    kept_states = v.new_empty((count, *current.shape) if keep else (0,), dtype=dtype)
    for group in groups(q, chunk, dtype):
        keys, queries = group.vectors(k), group.vectors(q) * scale
        written = times(group.vectors(v), None if write is None else group.scalars(write))
        products = block_decay(decay_of(group, decay, log_space), log_space, keys)
        within, since_start = products.seen(before)
        attention = torch.bmm(queries, keys.transpose(1, 2)).mul_(within)
        total = products.over_block(group.blocks, lifted)
        boundary = current.new_empty(group.blocks + 1, *current.shape)
        boundary[0] = current
        torch.bmm(times(keys, products.until_end).transpose(1, 2), written, out=boundary[1:].flatten(0, 1))
        for block in range(group.blocks):
            if total is None:
                boundary[block + 1].add_(boundary[block])
            else:
                boundary[block + 1].addcmul_(boundary[block], total[block])
        starts, current = boundary[:-1], boundary[-1]
        if keep:
            kept_states[group.first : group.first + group.blocks] = starts
        reads = torch.bmm(times(queries, since_start), starts.flatten(0, 1))
        group.put_vectors(out, reads.baddbmm_(attention, written))
    return out, current.reshape(*q.shape[:-2], *current.shape[1:]).clone(), kept_states


def backward(
    d_out: Tensor,
    d_last: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    write: Tensor | None,
    decay: Tensor | None,
    states: Tensor,
    scale: float,
    log_space: bool,
    before: bool,
    chunk: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of (q, k, v, write, decay, state); those of an absent gate have no elements."""
    dtype = states.dtype
    lifted = lifted_size(q)
    d_q, d_k, d_v = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    d_write = q.new_empty(0) if write is None else torch.empty_like(write)
    d_decay = q.new_empty(0) if decay is None else torch.empty_like(decay)
    gradient = d_last.reshape(states.shape[1:])
    for group in groups(q, chunk, dtype, backwards=True):
        keys, queries, errors = group.vectors(k), group.vectors(q) * scale, group.vectors(d_out)
        values = group.vectors(v)
        strength = None if write is None else group.scalars(write)
        written = times(values, strength)
        gate = decay_of(group, decay, log_space)
        products = block_decay(gate, log_space, keys)
        within, since_start = products.seen(before)
        starts = states[group.first : group.first + group.blocks].flatten(0, 1)
        scores = torch.bmm(queries, keys.transpose(1, 2))

        # The adjoint of the state at the end of each block, from the last block to the first.
        total = products.over_block(group.blocks, lifted)
        adjoint = states.new_empty(group.blocks + 1, *states.shape[1:])
        torch.bmm(times(queries, since_start).transpose(1, 2), errors, out=adjoint[:-1].flatten(0, 1))
        adjoint[-1] = gradient
        for block in range(group.blocks - 1, -1, -1):
            if total is None:
                adjoint[block].add_(adjoint[block + 1])
            else:
                adjoint[block].addcmul_(adjoint[block + 1], total[block])
        end, gradient = adjoint[1:].flatten(0, 1), adjoint[0]

        d_written = torch.bmm(times(keys, products.until_end), end)
        d_written.baddbmm_((scores * within).transpose(1, 2), errors)
        d_attention = torch.bmm(errors, written.transpose(1, 2))
        d_scores = d_attention * within
        d_reads = torch.bmm(errors, starts.transpose(1, 2))
        d_kept_keys = torch.bmm(written, end.transpose(1, 2))
        group.put_vectors(d_q, torch.baddbmm(times(d_reads, since_start), d_scores, keys).mul_(scale))
        group.put_vectors(d_k, torch.baddbmm(times(d_kept_keys, products.until_end), d_scores.transpose(1, 2), queries))
        group.put_vectors(d_v, times(d_written, strength))
        if write is not None:
            group.put_scalars(d_write, (d_written * values).sum(-1))
        if gate is not None:
            d_within, d_since = d_attention.mul_(scores), (d_reads * queries).sum(-1)
            if before:
                d_within, d_since = rows_earlier(d_within), positions_earlier(d_since)
            group.put_scalars(
                d_decay,
                decay_gradient(
                    gate,
                    log_space,
                    products,
                    d_within.tril_(-1),
                    d_since,
                    (d_kept_keys * keys).sum(-1),
                    (end * starts).sum((-1, -2)),
                ),
            )
    d_state = gradient.reshape(d_last.shape).clone()
    return d_q, d_k, d_v, d_write, d_decay, d_state
