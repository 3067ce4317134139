"""Local constant memories (Nadaraya-Watson, softmax kernel): the answer is a mean of the values seen, weighted by
``exp(scale <q_t, k_i> + bias[t, i])``, over the pairs that the mask shows.

Axes: q ``[..., T, K]``, k ``[..., S, K]``, v ``[..., S, P]`` with equal leading axes; bias broadcasts to
``[..., T, S]``. The state is a cache of the last pairs with a fixed capacity, so that a step is constant work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

Mask = Literal["causal", "full", "window"]


class PairCache(NamedTuple):
    """The last pairs seen: keys ``[..., L, K]``, values ``[..., L, P]``, and how many pairs were ever written.

    Pair i lies in slot i mod L. ``written`` is an int64 tensor without axes.
    """

    keys: Tensor
    values: Tensor
    written: Tensor


def slot_positions(cache: PairCache, upcoming: int = 0) -> Tensor:
    """The index of the pair in each slot ``[L]`` once ``upcoming`` more pairs are written; negative where empty."""
    slots = torch.arange(cache.keys.shape[-2], device=cache.keys.device)
    last = cache.written + (upcoming - 1)
    return last - torch.remainder(last - slots, slots.shape[0])


def local_constant_init(
    leading: Sequence[int],
    keys: int,
    values: int,
    *,
    capacity: int,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> PairCache:
    """An empty cache. ``capacity``: the longest sequence for a causal mask, the window for a window mask."""
    if capacity < 1:
        raise ValueError(f"a cache needs a capacity of at least 1, got {capacity}")
    return PairCache(
        torch.zeros(*leading, capacity, keys, dtype=dtype, device=device),
        torch.zeros(*leading, capacity, values, dtype=dtype, device=device),
        torch.zeros((), dtype=torch.int64, device=device),
    )


def _check(q: Tensor, k: Tensor, v: Tensor, mask: Mask, window: int | None) -> None:
    if mask not in ("causal", "full", "window"):
        raise ValueError(f"mask must be 'causal', 'full' or 'window', got {mask!r}")
    if (mask == "window") != (window is not None):
        raise ValueError("a window length belongs to mask='window', and only to it")
    if window is not None and window < 1:
        raise ValueError(f"a window holds at least 1 pair, got {window}")
    if k.shape[:-1] != v.shape[:-1]:
        raise ValueError(f"keys {tuple(k.shape)} and values {tuple(v.shape)} must agree up to the last axis")
    if q.shape[-1] != k.shape[-1] or q.ndim != k.ndim:
        raise ValueError(f"queries {tuple(q.shape)} and keys {tuple(k.shape)} must have the same channels")


def _attend(q: Tensor, k: Tensor, v: Tensor, scale: float, mask: Tensor | None, causal: bool = False) -> Tensor:
    """Fused attention over any number of leading axes; ``mask`` broadcasts to ``[..., T, S]``."""
    leading = q.shape[:-2]
    if q.ndim == 4:
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, scale=scale)
    if mask is not None and mask.ndim > 2:
        mask = mask.expand(*leading, *mask.shape[-2:]).reshape(-1, 1, *mask.shape[-2:])
    folded = [x.reshape(-1, 1, *x.shape[-2:]) for x in (q, k, v)]
    out = functional.scaled_dot_product_attention(
        folded[0], folded[1], folded[2], attn_mask=mask, is_causal=causal, scale=scale
    )
    return out.reshape(*leading, *out.shape[-2:])


def _with_bias(visible: Tensor, bias: Tensor | None) -> Tensor:
    return visible if bias is None else bias.masked_fill(~visible, -torch.inf)


def _windowed(q: Tensor, k: Tensor, v: Tensor, scale: float, window: int) -> Tensor:
    """Blocks of ``window`` queries, each against its own and the previous block: O(T window) instead of O(T^2)."""
    time = q.shape[-2]
    missing = -time % window
    queries, keys, values = (
        functional.pad(x, (0, 0, 0, missing)).reshape(*x.shape[:-2], -1, window, x.shape[-1]) for x in (q, k, v)
    )
    both = [torch.cat([functional.pad(x, (0, 0, 0, 0, 1, 0))[..., :-1, :, :], x], -2) for x in (keys, values)]
    age = torch.arange(window, device=q.device).unsqueeze(-1) + window - torch.arange(2 * window, device=q.device)
    visible = (age >= 0) & (age < window)
    # The block before the first one does not exist.
    first = torch.arange(queries.shape[-3], device=q.device)[:, None, None] == 0
    exists = ~first | (torch.arange(2 * window, device=q.device) >= window)
    out = _attend(queries, both[0], both[1], scale, visible & exists)
    return out.flatten(-3, -2)[..., :time, :]


def local_constant_parallel(
    q: Tensor, k: Tensor, v: Tensor, *, scale: float, mask: Mask, window: int | None, bias: Tensor | None
) -> Tensor:
    """All pairs at once through torch's fused attention; a narrow window without a bias goes block by block."""
    time, pairs = q.shape[-2], k.shape[-2]
    if mask == "full":
        return _attend(q, k, v, scale, bias)
    if time != pairs:
        raise ValueError(f"mask={mask!r} needs as many queries as pairs, got {time} and {pairs}")
    if window is not None and window >= time:
        window = None
    if window is None and bias is None:
        return _attend(q, k, v, scale, None, causal=True)
    if window is not None and bias is None and 2 * window < time:
        return _windowed(q, k, v, scale, window)
    position = torch.arange(time, device=q.device)
    age = position.unsqueeze(-1) - position
    visible = age >= 0 if window is None else (age >= 0) & (age < window)
    return _attend(q, k, v, scale, _with_bias(visible, bias))


LOCAL_CONSTANT: Mapping[str, Callable[..., Tensor]] = {"parallel": local_constant_parallel}


def _extended(cache: PairCache, k: Tensor, v: Tensor) -> PairCache:
    """The cache after the pairs k, v ``[..., T, _]``: each slot keeps the newest pair that belongs to it."""
    pairs = k.shape[-2]
    newest = slot_positions(cache, pairs) - cache.written
    fresh = (newest >= 0).unsqueeze(-1)
    source = newest.clamp(min=0)
    keys = torch.where(fresh, k.index_select(-2, source).to(cache.keys.dtype), cache.keys)
    values = torch.where(fresh, v.index_select(-2, source).to(cache.values.dtype), cache.values)
    return PairCache(keys, values, cache.written + pairs)


def _refuse_overflow(cache: PairCache, pairs: int, mask: Mask) -> None:
    """Raise where the number of pairs can be looked at; compiled code answers NaN instead (see :func:`_poisoned`)."""
    if mask == "causal" and not torch.compiler.is_compiling() and int(cache.written) + pairs > cache.keys.shape[-2]:
        raise ValueError(
            f"the cache holds {cache.keys.shape[-2]} pairs and was given {int(cache.written) + pairs}: "
            "initialise it with a larger capacity, or use a window"
        )


def _poisoned(out: Tensor, cache: PairCache, mask: Mask) -> Tensor:
    if mask != "causal":
        return out
    return out.masked_fill(cache.written > cache.keys.shape[-2], torch.nan)


def local_constant(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    scale: float,
    mask: Mask = "causal",
    window: int | None = None,
    bias: Tensor | None = None,
    state: PairCache | None = None,
    capacity: int | None = None,
    algorithm: str = "parallel",
) -> tuple[Tensor, PairCache | None]:
    """Answers ``[..., T, P]`` and the cache to continue from.

    A cache is made if ``capacity`` is given or ``state`` is; otherwise None is returned. With a state the queries
    also see its pairs, and ``bias`` then has the axes ``[..., T, L + T]`` (the slots, then the new pairs). The bias
    is added to the scaled scores. Only causal and window masks have a state. Raises ``ValueError`` for shapes that
    disagree, for unknown choices, and when a causal cache is too small.
    """
    _check(q, k, v, mask, window)
    if algorithm not in LOCAL_CONSTANT:
        raise ValueError(f"unknown algorithm {algorithm!r}, expected one of {', '.join(LOCAL_CONSTANT)}")
    if state is None and capacity is None:
        return LOCAL_CONSTANT[algorithm](q, k, v, scale=scale, mask=mask, window=window, bias=bias), None
    if mask == "full":
        raise ValueError("a memory that sees all pairs at once has no state to carry")
    if state is None:
        out = LOCAL_CONSTANT[algorithm](q, k, v, scale=scale, mask=mask, window=window, bias=bias)
        state = local_constant_init(
            k.shape[:-2], k.shape[-1], v.shape[-1], capacity=capacity or 1, dtype=k.dtype, device=k.device
        )
        _check_capacity(state, window)
        _refuse_overflow(state, k.shape[-2], mask)
        return out, _extended(state, k, v)
    _check_capacity(state, window)
    _refuse_overflow(state, k.shape[-2], mask)
    fresh = state.written + torch.arange(k.shape[-2], device=k.device)
    held = slot_positions(state)
    age = fresh.unsqueeze(-1) - torch.cat([held, fresh])
    visible = (age >= 0) & (torch.cat([held, fresh]) >= 0)
    if window is not None:
        visible = visible & (age < window)
    keys = torch.cat([state.keys.to(k.dtype), k], -2)
    values = torch.cat([state.values.to(v.dtype), v], -2)
    after = _extended(state, k, v)
    return _poisoned(_attend(q, keys, values, scale, _with_bias(visible, bias)), after, mask), after


def _check_capacity(state: PairCache, window: int | None) -> None:
    if window is not None and state.keys.shape[-2] < window:
        raise ValueError(f"a window of {window} pairs needs a cache at least as large, got {state.keys.shape[-2]}")


def local_constant_step(
    state: PairCache,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    scale: float,
    mask: Mask = "causal",
    window: int | None = None,
    bias: Tensor | None = None,
) -> tuple[Tensor, PairCache]:
    """One position in constant work: q, k ``[..., K]``, v ``[..., P]`` to (out ``[..., P]``, cache).

    ``bias`` broadcasts to ``[..., L]``, one number per slot after the write (:func:`slot_positions` with
    ``upcoming=1`` tells which pair lies in which slot).
    """
    if mask == "full":
        raise ValueError("a memory that sees all pairs at once has no step")
    query, key, value = q.unsqueeze(-2), k.unsqueeze(-2), v.unsqueeze(-2)
    _check(query, key, value, mask, window)
    _check_capacity(state, window)
    _refuse_overflow(state, 1, mask)
    after = _extended(state, key, value)
    held = slot_positions(after)
    visible = held >= 0
    if window is not None:
        visible = visible & (held > state.written - window)
    visible = visible.unsqueeze(0)
    allowed = _with_bias(visible, None if bias is None else bias.unsqueeze(-2))
    out = _attend(query, after.keys.to(k.dtype), after.values.to(v.dtype), scale, allowed)
    return _poisoned(out, after, mask).squeeze(-2), after
