"""Products of decays inside a block, and their gradient, for any decay in [0, 1] with 0 included.

``within[t, s]`` is the product of the decays of positions s+1 .. t. Nothing is ever divided by a decay: the products
are exponentials of non-positive differences, and the gradient uses products that leave the position out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

# exp(-800) is 0 in float64 and float32, so a decay of 0 needs no infinity (whose differences would be NaN).
_LOG_OF_ZERO = -800.0


class BlockDecay(NamedTuple):
    """Products of decays in M blocks of C positions; without a decay the vectors are None, for ones.

    within: ``[M, C, C]`` (``[C, C]`` without a decay), ``[t, s]`` = product over s < r <= t, 0 above the diagonal.
    since_start: ``[M, C]``, product over r <= t. until_end: ``[M, C]``, product over r > t.
    """

    within: Tensor
    since_start: Tensor | None
    until_end: Tensor | None

    def seen(self, earlier: bool) -> tuple[Tensor, Tensor | None]:
        """(within, since_start) up to position t, or up to the one before it, where the pair t is not seen either."""
        if not earlier:
            return self.within, self.since_start
        if self.since_start is None:
            return self.within.tril(-1), None
        shifted = torch.zeros_like(self.within)
        shifted[:, 1:] = self.within[:, :-1]
        return shifted, start_earlier(self.since_start)

    def over_block(self, blocks: int, lifted: int) -> Tensor | None:
        """The product over each whole block, ``[blocks, lifted, 1, 1]``."""
        return None if self.since_start is None else self.since_start[:, -1].view(blocks, lifted, 1, 1)


def linear_decay(decay: Tensor, log_space: bool) -> Tensor:
    return decay.exp() if log_space else decay


def times(x: Tensor, factor: Tensor | None) -> Tensor:
    """Rows of ``x`` ``[..., C, W]`` scaled by ``factor`` ``[..., C]``, absent for ones."""
    return x if factor is None else x * factor.unsqueeze(-1)


def block_decay(decay: Tensor | None, log_space: bool, like: Tensor) -> BlockDecay:
    """Products for ``decay`` ``[M, C]`` in [0, 1], or its logarithm (``-inf`` allowed); ``like`` is ``[M, C, _]``."""
    length = like.shape[-2]
    if decay is None:
        return BlockDecay(like.new_ones(length, length).tril(), None, None)
    exact = decay.to(torch.float64)
    # Sums in float64: in float32 their differences would lose what strong decays have in common.
    total = (exact if log_space else exact.log()).clamp(min=_LOG_OF_ZERO).cumsum(-1)
    future = torch.full((length, length), -torch.inf, dtype=decay.dtype, device=decay.device).triu(1)
    if decay.dtype == torch.float64:
        logs = total.unsqueeze(-1) - total.unsqueeze(-2)
    else:
        # A coarse part whose differences are exact in float32, and a small rest.
        coarse = total.mul(16).round().div(16)
        high, low = coarse.to(decay.dtype), (total - coarse).to(decay.dtype)
        logs = high.unsqueeze(-1) - high.unsqueeze(-2)
        logs.add_(low.unsqueeze(-1)).sub_(low.unsqueeze(-2))
    # Products below the normal range are 0. Clamped first: the exponential of what underflows costs 100 times more.
    lowest = math.ceil(math.log(torch.finfo(decay.dtype).smallest_normal))
    within = torch.threshold_(logs.add_(future).clamp_(min=lowest).exp_(), 1.01 * math.exp(lowest), 0.0)
    first = linear_decay(decay[:, :1], log_space)
    return BlockDecay(within, first * within[:, :, 0], within[:, -1])


def start_earlier(since_start: Tensor) -> Tensor:
    """``[t] -> [t - 1]``, 1 at the first position."""
    return torch.cat([torch.ones_like(since_start[:, :1]), since_start[:, :-1]], -1)


def rows_earlier(d_shifted: Tensor) -> Tensor:
    """Gradient of the products ``within`` from that of their earlier form: row t of it is about row t - 1."""
    moved = torch.zeros_like(d_shifted)
    moved[:, :-1] = d_shifted[:, 1:]
    return moved


def positions_earlier(d_shifted: Tensor) -> Tensor:
    """Gradient of ``since_start`` from that of its earlier form."""
    return torch.cat([d_shifted[:, 1:], torch.zeros_like(d_shifted[:, :1])], -1)


def decay_gradient(
    decay: Tensor,
    log_space: bool,
    products: BlockDecay,
    d_within: Tensor,
    d_since_start: Tensor,
    d_until_end: Tensor,
    d_total: Tensor,
) -> Tensor:
    """Gradient with respect to ``decay`` ``[M, C]`` as it was given, from the gradients of its products.

    d_within: ``[M, C, C]``, zero on and above the diagonal; d_since_start, d_until_end: ``[M, C]``; d_total: ``[M]``,
    for the product over the whole block.

    The decay at t scales every path from a position before t to one at or after t. The product along such a path
    without t itself is ``within[t - 1, s] * within[u, t]``, which is exact for a decay of 0 as well.
    """
    within, since_start, until_end = products
    assert since_start is not None and until_end is not None
    later = within.transpose(1, 2)
    from_start = torch.zeros_like(decay)
    if decay.shape[1] > 1:
        crossing = (torch.bmm(later, d_within)[:, 1:] * within[:, :-1]).sum(-1)
        before = torch.bmm(within, d_until_end.unsqueeze(-1))[:, :-1, 0]
        from_start[:, 1:] = torch.addcmul(crossing, until_end[:, 1:], before)
    reads = torch.bmm(later, d_since_start.unsqueeze(-1)).squeeze(-1)
    reads = torch.addcmul(reads, until_end, d_total.unsqueeze(-1))
    gradient = torch.addcmul(from_start, start_earlier(since_start), reads)
    return gradient * decay.exp() if log_space else gradient


def decay_matrix(decay: Tensor, log_space: bool) -> Tensor:
    """``[..., T]`` to ``[..., T, T]``: ``[t, s]`` = product of the decays over s < r <= t, 0 above the diagonal.

    Plain differentiable operations, O(T^2). Blocks are joined two by two: a product across the border is what the
    upper block has up to t times what the lower block has after s, so that no division occurs here either.
    """
    time = decay.shape[-1]
    size = 1
    while size < time:
        size *= 2
    one, zero = (0.0, -torch.inf) if log_space else (1.0, 0.0)
    combine = torch.add if log_space else torch.mul
    since = functional.pad(decay, (0, size - time), value=one).unsqueeze(-1)
    after = torch.full_like(since, one)
    within = torch.full_like(since, one).unsqueeze(-1)
    while within.shape[-1] < size:
        low, high = within[..., 0::2, :, :], within[..., 1::2, :, :]
        since_low, since_high = since[..., 0::2, :], since[..., 1::2, :]
        after_low, after_high = after[..., 0::2, :], after[..., 1::2, :]
        across = combine(since_high.unsqueeze(-1), after_low.unsqueeze(-2))
        top = torch.cat([low, torch.full_like(low, zero)], -1)
        within = torch.cat([top, torch.cat([across, high], -1)], -2)
        after = torch.cat([combine(after_low, since_high[..., -1:]), after_high], -1)
        since = torch.cat([since_low, combine(since_high, since_low[..., -1:])], -1)
    result = within.squeeze(-3)[..., :time, :time]
    return result.exp() if log_space else result
