"""Identity + rank 1 memories block by block, forward and hand-derived reverse.

``S_t = a_t S_{t-1} + k_t e_t^T`` where the error is taken on the decayed state (decay first,
``e_t = b_t (v_t - a_t S_{t-1}^T k_t)``) or on the state as it was (error first, ``e_t = b_t (v_t - S_{t-1}^T k_t)``).

Inside a block the errors solve a unit lower triangular system, ``(I + L) E = b V - b p (K S_0)`` with
``L[t, s] = b_t d(t, s) <k_t, k_s>`` for s < t, where d and p are products of decays up to t, or up to t - 1 with the
error first. Its inverse is built once for all blocks; only E and the boundary states are carried from block to block.

Shapes: N lifted positions, n blocks of C positions, K key channels, P value channels. q, k ``[N, n, C, K]``,
v ``[N, n, C, P]``, rate, decay ``[N, n, C]``, state ``[N, K, P]``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from rep_runtime.memory.affine_chunked import positions_earlier, rows_earlier
from rep_runtime.memory.decay import (
    BlockDecay,
    block_decay,
    decay_gradient,
    linear_decay,
    one_earlier,
    start_earlier,
)
from rep_runtime.memory.triangular import unit_lower_inverse

Saved = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]


def forward(
    q: Tensor, k: Tensor, v: Tensor, rate: Tensor, decay: Tensor | None, state: Tensor | None,
    log_space: bool, error_first: bool, before: bool,
) -> Saved:
    """(out ``[N, n, C, P]``, last state, boundary states, errors, inverses, query-key, key-key, products of decays)."""
    lifted, count, length, width = q.shape
    many = lifted * count
    queries, keys = q.reshape(many, length, width), k.reshape(many, length, width)
    columns = keys.transpose(1, 2).contiguous()
    scores, overlaps = torch.bmm(queries, columns), torch.bmm(keys, columns)
    rates = rate.reshape(many, length, 1)
    if decay is None:
        within = q.new_ones(length, length).tril()
        attention = scores * (within.tril(-1) if before else within)
        system = overlaps * rates
        probes, reads, kept_keys, total = keys * rates, queries, keys, None
    else:
        products = block_decay(decay, log_space)
        within = products.within.reshape(many, length, length)
        since = products.since_start
        earlier = one_earlier(within) if before or error_first else within
        since_earlier = start_earlier(since) if before or error_first else since
        attention = scores * (earlier if before else within)
        system = (overlaps * (earlier if error_first else within)).mul_(rates)
        probes = keys * (rate * (since_earlier if error_first else since)).reshape(many, length, 1)
        reads = queries * (since_earlier if before else since).reshape(many, length, 1)
        kept_keys = keys * products.until_end.reshape(many, length, 1)
        total = since[..., -1]
    inverse = unit_lower_inverse(system)

    errors = (v * rate.unsqueeze(-1)).reshape(lifted, count, length, -1)
    states = v.new_empty(lifted, count + 1, width, v.shape[-1])
    if state is None:
        states[:, 0].zero_()
    else:
        states[:, 0].copy_(state)
    solver = inverse.view(lifted, count, length, length)
    probes, kept_keys = probes.view(lifted, count, length, width), kept_keys.view(lifted, count, length, width)
    for block in range(count):
        start, error, end = states[:, block], errors[:, block], states[:, block + 1]
        error.copy_(torch.bmm(solver[:, block], torch.baddbmm(error, probes[:, block], start, alpha=-1)))
        kept = start if total is None else start * total[:, block, None, None]
        torch.baddbmm(kept, kept_keys[:, block].transpose(1, 2), error, out=end)
    flat_errors = errors.view(many, length, -1)
    out = torch.bmm(reads, states[:, :-1].reshape(many, width, -1)).baddbmm_(attention, flat_errors)
    last = states[:, -1].clone()
    return out.view(lifted, count, length, -1), last, states, errors, inverse, scores, overlaps, within


def backward(
    d_out: Tensor, d_last: Tensor, q: Tensor, k: Tensor, v: Tensor, rate: Tensor, decay: Tensor | None,
    states: Tensor, errors: Tensor, inverse: Tensor, scores: Tensor, overlaps: Tensor, within: Tensor,
    log_space: bool, error_first: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of (q, k, v, rate, decay, state); that of an absent decay has no elements."""
    lifted, count, length, width = q.shape
    many = lifted * count
    queries, keys = q.reshape(many, length, width), k.reshape(many, length, width)
    rates = rate.reshape(many, length, 1)
    d_reading = d_out.reshape(many, length, -1)
    starts = states[:, :-1].reshape(many, width, -1)
    if decay is None:
        visible = within.tril(-1) if before else within
        written = within
        reads, kept_keys, probes, total = queries, keys, keys * rates, None
        since_read = since_probe = until_end = None
    else:
        a = linear_decay(decay, log_space)
        since = a[..., :1] * within.view(lifted, count, length, length)[..., :, 0]
        earlier = one_earlier(within) if before or error_first else within
        since_earlier = start_earlier(since) if before or error_first else since
        visible = earlier if before else within
        written = earlier if error_first else within
        since_read = (since_earlier if before else since).reshape(many, length, 1)
        since_probe = (since_earlier if error_first else since).reshape(many, length, 1)
        until_end = within[:, -1].reshape(many, length, 1)
        reads, kept_keys, probes = queries * since_read, keys * until_end, keys * (rates * since_probe)
        total = since[..., -1]

    # From the last block to the first: the adjoint of the errors as they are written (d_errors), then of the right
    # hand side of their system (d_rhs), then of the state at the block's start.
    d_errors = torch.bmm((scores * visible).transpose(1, 2), d_reading).view(lifted, count, length, -1)
    through = torch.bmm(reads.transpose(1, 2), d_reading).view(lifted, count, width, -1)
    ends = torch.empty_like(through)
    d_rhs = torch.empty_like(d_errors)
    solver = inverse.view(lifted, count, length, length)
    kept_keys, probes = kept_keys.view(lifted, count, length, width), probes.view(lifted, count, length, width)
    gradient = d_last
    for block in range(count - 1, -1, -1):
        ends[:, block].copy_(gradient)
        d_error = torch.baddbmm(d_errors[:, block], kept_keys[:, block], gradient)
        right = torch.bmm(solver[:, block].transpose(1, 2), d_error)
        d_rhs[:, block].copy_(right)
        kept = gradient if total is None else gradient * total[:, block, None, None]
        gradient = torch.baddbmm(through[:, block] + kept, probes[:, block].transpose(1, 2), right, alpha=-1)
    d_state = gradient
    ends, flat_rhs = ends.view(many, width, -1), d_rhs.view(many, length, -1)

    error_columns = errors.view(many, length, -1).transpose(1, 2).contiguous()
    start_columns = starts.transpose(1, 2).contiguous()
    d_attention = torch.bmm(d_reading, error_columns)
    d_system = torch.bmm(flat_rhs, error_columns).neg_()
    d_reads = torch.bmm(d_reading, start_columns)
    d_probes = torch.bmm(flat_rhs, start_columns).neg_()
    d_kept_keys = torch.bmm(errors.view(many, length, -1), ends.transpose(1, 2))

    d_scores = d_attention * visible
    d_system_unrated = d_system * written
    d_system_unrated.tril_(-1)
    # d_probes . k and d_system . (k k^T) both scale with the rate and with the decays: one row sum serves each.
    probe_sums = (d_probes * keys).sum(-1)
    rate_sums = (d_system_unrated * overlaps).sum(-1)
    d_rate = (flat_rhs * v.reshape(many, length, -1)).sum(-1) + rate_sums
    d_rate = d_rate + (probe_sums if since_probe is None else probe_sums * since_probe.squeeze(-1))
    d_v = flat_rhs * rates
    d_overlaps = d_system_unrated.mul_(rates)
    d_overlaps = d_overlaps + d_overlaps.transpose(1, 2)
    d_q = torch.baddbmm(d_reads if since_read is None else d_reads * since_read, d_scores, keys)
    d_k = d_probes * (rates if since_probe is None else rates * since_probe)
    d_k = d_k.add_(d_kept_keys) if until_end is None else d_k.addcmul_(d_kept_keys, until_end)
    d_k = d_k.baddbmm_(d_scores.transpose(1, 2), queries).baddbmm_(d_overlaps, keys)

    d_decay = q.new_empty(0)
    if decay is not None:
        from_read = d_attention.mul_(scores)
        from_error = d_system.mul_(overlaps).mul_(rates)
        since_from_read = (d_reads * queries).sum(-1)
        since_from_error = probe_sums * rates.squeeze(-1)
        if before:
            from_read, since_from_read = rows_earlier(from_read), positions_earlier(since_from_read)
        if error_first:
            # The diagonal of the system is never read, so it must not be moved onto the products.
            from_error = rows_earlier(from_error.tril_(-1))
            since_from_error = positions_earlier(since_from_error)
        d_total = (ends * starts).sum((-1, -2))
        products = BlockDecay(within, since.reshape(many, length), within[:, -1])
        d_decay = decay_gradient(
            products,
            from_read.add_(from_error).tril_(-1),
            since_from_read + since_from_error,
            (d_kept_keys * keys).sum(-1),
            d_total,
        ).reshape(decay.shape)
        if log_space:
            d_decay = d_decay * a
    return d_q.view(q.shape), d_k.view(k.shape), d_v.view(v.shape), d_rate.view(rate.shape), d_decay, d_state
