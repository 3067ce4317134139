"""Identity + rank 1 memories block by block, forward and hand-derived reverse.

``S_t = a_t S_{t-1} + k_t e_t^T`` where the error is taken on the decayed state (decay first,
``e_t = b_t (v_t - a_t S_{t-1}^T k_t)``) or on the state as it was (error first, ``e_t = b_t (v_t - S_{t-1}^T k_t)``).

Inside a block the errors solve a unit lower triangular system, ``(I + L) E = b V - b p (K S_0)`` with
``L[t, s] = b_t d(t, s) <k_t, k_s>`` for s < t, where d and p are products of decays up to t, or up to t - 1 with the
error first. Its inverse is built for many blocks at once; only E and the states are carried from block to block. The
reverse pass keeps the inverses, the errors and the T / C states, and computes the rest again.

Axes: q, k ``[..., T, K]``, v ``[..., T, P]``, rate, decay ``[..., T]``, state ``[..., K, P]``; N is the number of
lifted positions, n of blocks of C positions. The read is ``o_t = S_t^T (scale q_t)``, or of S_{t-1} if ``before``.
"""

from __future__ import annotations

import torch
from torch import Tensor

from rep_runtime.memory.affine_chunked import decay_of, first_state
from rep_runtime.memory.decay import block_decay, decay_gradient, positions_earlier, rows_earlier, times
from rep_runtime.memory.geometry import accumulation_dtype, block_count, block_length, groups, lifted_size
from rep_runtime.memory.triangular import unit_lower_inverse


def forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    rate: Tensor,
    decay: Tensor | None,
    state: Tensor | None,
    scale: float,
    log_space: bool,
    error_first: bool,
    before: bool,
    chunk: int,
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """(out ``[..., T, P]``, last state ``[..., K, P]``), and if ``keep`` what the reverse needs.

    That is: states at the block starts ``[n, N, K, P]``, errors ``[n, N, C, P]``, inverses ``[n, N, C, C]``.
    """
    dtype = accumulation_dtype(q, k, v, rate, decay, state)
    lifted, count, length = lifted_size(q), block_count(q.shape[-2], chunk), block_length(q.shape[-2], chunk)
    width, wide = q.shape[-1], v.shape[-1]
    out = torch.empty_like(v, dtype=dtype)
    current = first_state(q, v, state, dtype)
    kept_states = v.new_empty((count, lifted, width, wide) if keep else (0,), dtype=dtype)
    kept_errors = v.new_empty((count, lifted, length, wide) if keep else (0,), dtype=dtype)
    kept_inverses = v.new_empty((count, lifted, length, length) if keep else (0,), dtype=dtype)
    for group in groups(q, chunk, dtype):
        blocks, keys, queries, rates = group.blocks, group.vectors(k), group.vectors(q) * scale, group.scalars(rate)
        products = block_decay(decay_of(group, decay, log_space), log_space, keys)
        read_within, read_since = products.seen(before)
        error_within, error_since = products.seen(error_first)
        columns = keys.transpose(1, 2).contiguous()
        system = torch.bmm(keys, columns).mul_(error_within).mul_(rates.unsqueeze(-1))
        inverse = unit_lower_inverse(system).view(blocks, lifted, length, length)
        attention = torch.bmm(queries, columns).mul_(read_within)
        probes = times(keys, rates if error_since is None else rates * error_since).view(blocks, lifted, length, width)
        kept_keys = times(keys, products.until_end).view(blocks, lifted, length, width).transpose(2, 3)
        targets = times(group.vectors(v), rates).view(blocks, lifted, length, wide)
        total = products.over_block(blocks, lifted)
        errors, boundary = torch.empty_like(targets), targets.new_empty(blocks + 1, lifted, width, wide)
        boundary[0] = current
        for block in range(blocks):
            unsolved = targets[block].baddbmm_(probes[block], boundary[block], alpha=-1)
            torch.bmm(inverse[block], unsolved, out=errors[block])
            boundary[block + 1] = boundary[block] if total is None else boundary[block] * total[block]
            boundary[block + 1].baddbmm_(kept_keys[block], errors[block])
        starts, current = boundary[:-1], boundary[-1]
        reads = torch.bmm(times(queries, read_since), starts.flatten(0, 1))
        group.put_vectors(out, reads.baddbmm_(attention, errors.flatten(0, 1)))
        if keep:
            here = slice(group.first, group.first + blocks)
            kept_states[here], kept_errors[here], kept_inverses[here] = starts, errors, inverse
    return out, current.reshape(*q.shape[:-2], width, wide).clone(), kept_states, kept_errors, kept_inverses


def backward(
    d_out: Tensor,
    d_last: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    rate: Tensor,
    decay: Tensor | None,
    states: Tensor,
    errors: Tensor,
    inverses: Tensor,
    scale: float,
    log_space: bool,
    error_first: bool,
    before: bool,
    chunk: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Gradients of (q, k, v, rate, decay, state); that of an absent decay has no elements."""
    dtype = states.dtype
    lifted, length = lifted_size(q), inverses.shape[-1]
    width, wide = q.shape[-1], v.shape[-1]
    d_q, d_k, d_v, d_rate = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v), torch.empty_like(rate)
    d_decay = q.new_empty(0) if decay is None else torch.empty_like(decay)
    gradient = d_last.reshape(lifted, width, wide)
    for group in groups(q, chunk, dtype, backwards=True):
        here = slice(group.first, group.first + group.blocks)
        blocks, keys, queries, rates = group.blocks, group.vectors(k), group.vectors(q) * scale, group.scalars(rate)
        d_answers = group.vectors(d_out)
        gate = decay_of(group, decay, log_space)
        products = block_decay(gate, log_space, keys)
        read_within, read_since = products.seen(before)
        error_within, error_since = products.seen(error_first)
        columns = keys.transpose(1, 2).contiguous()
        scores, overlaps = torch.bmm(queries, columns), torch.bmm(keys, columns)
        start, error = states[here].flatten(0, 1), errors[here].flatten(0, 1)
        solver = inverses[here].transpose(2, 3)
        kept_keys = times(keys, products.until_end).view(blocks, lifted, length, width)
        probe_factor = rates if error_since is None else rates * error_since
        probes = times(keys, probe_factor).view(blocks, lifted, length, width).transpose(2, 3)
        total = products.over_block(blocks, lifted)

        # From the last block to the first: the adjoint of the errors as they are written, then of the right hand side
        # of their system, then of the state at the block's start.
        d_errors = torch.bmm((scores * read_within).transpose(1, 2), d_answers).view(blocks, lifted, length, wide)
        adjoint, d_rhs = states.new_empty(blocks + 1, lifted, width, wide), torch.empty_like(d_errors)
        torch.bmm(times(queries, read_since).transpose(1, 2), d_answers, out=adjoint[:-1].flatten(0, 1))
        adjoint[-1] = gradient
        for block in range(blocks - 1, -1, -1):
            d_error = d_errors[block].baddbmm_(kept_keys[block], adjoint[block + 1])
            torch.bmm(solver[block], d_error, out=d_rhs[block])
            if total is None:
                adjoint[block].add_(adjoint[block + 1])
            else:
                adjoint[block].addcmul_(adjoint[block + 1], total[block])
            adjoint[block].baddbmm_(probes[block], d_rhs[block], alpha=-1)
        end, right, gradient = adjoint[1:].flatten(0, 1), d_rhs.flatten(0, 1), adjoint[0]

        error_columns, start_columns = error.transpose(1, 2).contiguous(), start.transpose(1, 2).contiguous()
        d_attention = torch.bmm(d_answers, error_columns)
        # Only the part below the diagonal of the system exists.
        d_system = torch.bmm(right, error_columns).neg_().tril_(-1)
        d_reads = torch.bmm(d_answers, start_columns)
        d_probes = torch.bmm(right, start_columns).neg_()
        d_kept_keys = torch.bmm(error, end.transpose(1, 2))

        d_scores = d_attention * read_within
        d_unrated = d_system * error_within
        probe_sums = (d_probes * keys).sum(-1)
        d_rates = (right * group.vectors(v)).sum(-1) + (d_unrated * overlaps).sum(-1)
        d_rates = d_rates + (probe_sums if error_since is None else probe_sums * error_since)
        d_overlaps = d_unrated.mul_(rates.unsqueeze(-1))
        d_overlaps = d_overlaps + d_overlaps.transpose(1, 2)
        d_keys = times(d_probes, probe_factor).add_(times(d_kept_keys, products.until_end))
        d_keys.baddbmm_(d_scores.transpose(1, 2), queries).baddbmm_(d_overlaps, keys)
        group.put_vectors(d_q, torch.baddbmm(times(d_reads, read_since), d_scores, keys).mul_(scale))
        group.put_vectors(d_k, d_keys)
        group.put_vectors(d_v, times(right, rates))
        group.put_scalars(d_rate, d_rates)
        if gate is None:
            continue
        from_read, since_read = d_attention.mul_(scores), (d_reads * queries).sum(-1)
        from_error, since_error = d_system.mul_(overlaps).mul_(rates.unsqueeze(-1)), probe_sums * rates
        if before:
            from_read, since_read = rows_earlier(from_read), positions_earlier(since_read)
        if error_first:
            from_error, since_error = rows_earlier(from_error), positions_earlier(since_error)
        group.put_scalars(
            d_decay,
            decay_gradient(
                gate,
                log_space,
                products,
                from_read.add_(from_error).tril_(-1),
                since_read + since_error,
                (d_kept_keys * keys).sum(-1),
                (end * start).sum((-1, -2)),
            ),
        )
    return d_q, d_k, d_v, d_rate, d_decay, gradient.reshape(d_last.shape).clone()
