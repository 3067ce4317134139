"""Scalar-affine memories block by block: ``S_t = a_t S_{t-1} + b_t k_t v_t^T``, forward and hand-derived reverse.

Inside a block of C positions everything is a matrix product; only the states at the block boundaries are carried one
by one. The reverse pass keeps these T / C states and a few ``[C, C]`` products per block, never a state per position.

Shapes: N lifted positions, n blocks of C positions, K key channels, P value channels. q, k ``[N, n, C, K]``,
v ``[N, n, C, P]``, write, decay ``[N, n, C]``, state ``[N, K, P]``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from rep_runtime.memory.decay import (
    BlockDecay,
    block_decay,
    decay_gradient,
    linear_decay,
    one_earlier,
    start_earlier,
)

Saved = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def carry(additions: Tensor, state: Tensor | None, total: Tensor | None) -> Tensor:
    """States at all block boundaries ``[N, n + 1, K, P]`` from what each block adds ``[N, n, K, P]``.

    total: ``[N, n]``, the decay over each whole block.
    """
    lifted, count = additions.shape[:2]
    states = additions.new_empty(lifted, count + 1, *additions.shape[2:])
    if state is None:
        states[:, 0].zero_()
    else:
        states[:, 0].copy_(state)
    for block in range(count):
        if total is None:
            torch.add(states[:, block], additions[:, block], out=states[:, block + 1])
        else:
            kept = total[:, block, None, None]
            torch.addcmul(additions[:, block], states[:, block], kept, out=states[:, block + 1])
    return states


def forward(
    q: Tensor, k: Tensor, v: Tensor, write: Tensor | None, decay: Tensor | None, state: Tensor | None,
    log_space: bool, before: bool,
) -> Saved:
    """(out ``[N, n, C, P]``, last state ``[N, K, P]``, boundary states, query-key products, products of decays)."""
    lifted, count, length, width = q.shape
    many = lifted * count
    queries, keys = q.reshape(many, length, width), k.reshape(many, length, width)
    written = (v if write is None else v * write.unsqueeze(-1)).reshape(many, length, -1)
    scores = torch.bmm(queries, keys.transpose(1, 2))
    if decay is None:
        within = q.new_ones(length, length).tril(-1 if before else 0)
        attention = scores * within
        added = torch.bmm(keys.transpose(1, 2), written)
        total, reads = None, queries
    else:
        products = block_decay(decay, log_space)
        within = products.within.reshape(many, length, length)
        attention = scores * (one_earlier(within) if before else within)
        until_end = products.until_end.reshape(many, length, 1)
        added = torch.bmm((keys * until_end).transpose(1, 2), written)
        total = products.since_start[..., -1]
        since = start_earlier(products.since_start) if before else products.since_start
        reads = queries * since.reshape(many, length, 1)
    states = carry(added.reshape(lifted, count, width, -1), state, total)
    starts = states[:, :-1].reshape(many, width, -1)
    out = torch.bmm(reads, starts).baddbmm_(attention, written)
    last = states[:, -1].clone()
    return out.reshape(lifted, count, length, -1), last, states, scores, within


def backward(
    d_out: Tensor, d_last: Tensor, q: Tensor, k: Tensor, v: Tensor, write: Tensor | None, decay: Tensor | None,
    states: Tensor, scores: Tensor, within: Tensor, log_space: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of (q, k, v, write, decay, state); those of an absent gate have no elements."""
    lifted, count, length, width = q.shape
    many = lifted * count
    queries, keys = q.reshape(many, length, width), k.reshape(many, length, width)
    written = (v if write is None else v * write.unsqueeze(-1)).reshape(many, length, -1)
    errors = d_out.reshape(many, length, -1)
    starts = states[:, :-1].reshape(many, width, -1)
    if decay is None:
        visible, since, until_end, total = within, None, None, None
        reads, kept_keys = queries, keys
    else:
        a = linear_decay(decay, log_space)
        since_start = a[..., :1] * within.reshape(lifted, count, length, length)[..., :, 0]
        visible = one_earlier(within) if before else within
        since = (start_earlier(since_start) if before else since_start).reshape(many, length, 1)
        until_end = within[:, -1].reshape(many, length, 1)
        total = since_start[..., -1]
        reads, kept_keys = queries * since, keys * until_end

    # The adjoint of the state at the end of each block, from the last block to the first.
    through = torch.bmm(reads.transpose(1, 2), errors).reshape(lifted, count, width, -1)
    ends = torch.empty_like(through)
    gradient = d_last
    for block in range(count - 1, -1, -1):
        ends[:, block].copy_(gradient)
        kept = gradient if total is None else gradient * total[:, block, None, None]
        gradient = through[:, block] + kept
    d_state = gradient
    ends = ends.reshape(many, width, -1)

    d_written = torch.bmm(kept_keys, ends).baddbmm_((scores * visible).transpose(1, 2), errors)
    d_attention = torch.bmm(errors, written.transpose(1, 2))
    d_scores = d_attention * visible
    d_reads = torch.bmm(errors, starts.transpose(1, 2))
    d_kept_keys = torch.bmm(written, ends.transpose(1, 2))
    d_q = torch.baddbmm(d_reads if since is None else d_reads * since, d_scores, keys)
    d_k = torch.baddbmm(
        d_kept_keys if until_end is None else d_kept_keys * until_end, d_scores.transpose(1, 2), queries
    )
    d_v, d_write = d_written, q.new_empty(0)
    if write is not None:
        d_v = d_written * write.reshape(many, length, 1)
        d_write = (d_written * v.reshape(many, length, -1)).sum(-1).reshape(write.shape)
    d_decay = q.new_empty(0)
    if decay is not None:
        d_within = d_attention.mul_(scores)
        d_since = (d_reads * queries).sum(-1)
        if before:
            d_within, d_since = rows_earlier(d_within), positions_earlier(d_since)
        d_total = (ends * starts).sum((-1, -2))
        products = BlockDecay(within, since_start.reshape(many, length), within[:, -1])
        d_decay = decay_gradient(
            products, d_within.tril_(-1), d_since, (d_kept_keys * keys).sum(-1), d_total
        ).reshape(decay.shape)
        if log_space:
            d_decay = d_decay * a
    return d_q.reshape(q.shape), d_k.reshape(k.shape), d_v.reshape(v.shape), d_write, d_decay, d_state


def rows_earlier(d_shifted: Tensor) -> Tensor:
    """Transpose of :func:`one_earlier`: what row t of the shifted products says about row t - 1."""
    moved = torch.zeros_like(d_shifted)
    moved[..., :-1, :] = d_shifted[..., 1:, :]
    return moved


def positions_earlier(d_shifted: Tensor) -> Tensor:
    """Transpose of :func:`start_earlier`."""
    return torch.cat([d_shifted[..., 1:], torch.zeros_like(d_shifted[..., :1])], -1)
