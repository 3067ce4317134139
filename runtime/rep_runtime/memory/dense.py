"""Memories whose every query solves a weighted problem of its own, from all pairs at once: T x S weights.

The general parallel form of what is solved rather than stepped: any weights, a linear fit (exact, or with the key
covariance taken as the identity) or a fit around the query (local constant or local linear) under a kernel.
Sums are kept in float32 or wider; least squares are solved in float64.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from rep_runtime.memory.affine import Read
from rep_runtime.memory.decay import decay_matrix
from rep_runtime.memory.geometry import accumulation_dtype
from rep_runtime.memory.gram import SMALLEST
from rep_runtime.memory.normalize import Normalize, normalized, with_weight
from rep_runtime.memory.selection import Visible, most_similar, visible

Method = Literal["hebbian", "exact", "cg", "local_constant", "local_linear"]


def solved(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    method: Method,
    kind: Visible = "causal",
    length: int = 0,
    given: Tensor | None = None,
    top: int | None = None,
    decay: Tensor | None = None,
    channels: Tensor | None = None,
    diagonal: bool = False,
    bonus: Tensor | float | None = None,
    steps: int = 0,
    kernel: Literal["exp", "rbf"] = "exp",
    tau: float = 1.0,
    scale: float = 1.0,
    ridge: float = 0.0,
    ridge_decays: bool = False,
    read: Read = "after",
    normalize: Normalize = "none",
    floor: Tensor | float | None = None,
    eps: float = 0.0,
) -> Tensor:
    """Answers ``[..., T, P]``: q ``[..., T, K]``, k ``[..., S, K]``, v ``[..., S, P]``.

    ``given``: weights or a mask ``[..., T, S]`` instead of ``kind``; ``top``: of those that are seen only so many, the
    most similar. ``decay`` ``[..., T]`` in [0, 1]: a pair counts the product of the decays after it; ``channels``
    ``[..., T, K]``: the same for each entry of a key. ``diagonal``: the state is a number for each channel.
    ``bonus``: what the newest pair counts beside the rest, ``[..., T]`` or ``[..., T, K]``; for a local fit the
    logarithm of it. ``steps``: of conjugate gradients. ``read="before"``: the query sees what the one before it saw.
    One that sees no pair is answered by 0. Raises ``ValueError`` for unknown choices.
    """
    dtype = accumulation_dtype(q, k, v)
    query, key, value = q.to(dtype) * scale, k.to(dtype), v.to(dtype)
    seen, weights = _weights(q, k, kind, length, given, decay, dtype)
    if top is not None:
        scores = _log_kernel(query, key, kernel if method.startswith("local_") else "exp", tau)
        seen = most_similar(scores, seen, top)
    if read == "before":
        seen, weights = _row_earlier(seen, False), _row_earlier(weights, 1.0)
    held = torch.where(seen, weights, 0.0)
    if method == "hebbian":
        answer = _hebbian(query, key, with_weight(value, normalize), held, channels, diagonal, read) / (1 + ridge)
        if bonus is not None:
            share = query * key * (bonus.to(dtype) if isinstance(bonus, Tensor) else bonus)
            share = share if diagonal else share.sum(-1, keepdim=True)
            answer = answer + share * with_weight(value, normalize)
        return normalized(answer, normalize, floor, eps).to(v.dtype)
    if method in ("exact", "cg"):
        start = decay.to(dtype).cumprod(-1) if ridge_decays and decay is not None else None
        if start is not None and read == "before":
            start = torch.cat([torch.ones_like(start[..., :1]), start[..., :-1]], -1)
        if diagonal:
            return _diagonal(query, key, value, held, ridge, start).to(v.dtype)
        if method == "cg":
            return _conjugate(query, key, value, held, ridge, start, steps).to(v.dtype)
        return _exact(query, key, value, held, ridge, start).to(v.dtype)
    if method not in ("local_constant", "local_linear"):
        raise ValueError(f"the method must be hebbian, exact, cg, local_constant or local_linear, not {method!r}")
    if bonus is not None:
        newest = torch.eye(q.shape[-2], dtype=torch.bool, device=q.device)
        extra = torch.exp(bonus if isinstance(bonus, Tensor) else q.new_full((1,), bonus)).to(dtype)
        seen, weights = seen | newest, torch.where(newest, extra, weights)
        held = torch.where(seen, weights, 0.0)
    # The scale belongs to the kernel; the fit is around the query itself.
    logs = _log_kernel(query, key, kernel, tau)
    if method == "local_constant":
        return _local_constant(logs, seen & (weights > 0), weights, value).to(v.dtype)
    kept = torch.where(seen, torch.exp(torch.where(seen, logs, 0.0)), 0.0) * held
    return _local_linear(q.to(dtype), key, value, kept, seen, ridge).to(v.dtype)


def _row_earlier(rows: Tensor, first: float) -> Tensor:
    """What the query before saw; the first one saw ``first``."""
    return torch.cat([torch.full_like(rows[..., :1, :], first), rows[..., :-1, :]], -2)


def _hebbian(q: Tensor, k: Tensor, v: Tensor, w: Tensor, channels: Tensor | None, diagonal: bool, read: Read) -> Tensor:
    """The weighted sum of products, read by the query; with a decay for each channel, every channel has its own."""
    if channels is None:
        if diagonal:
            return q * torch.matmul(w, k * v)
        return torch.matmul(torch.matmul(q, k.transpose(-1, -2)) * w, v)
    left = decay_matrix(channels.to(q.dtype).transpose(-1, -2), False)
    if read == "before":
        left = _row_earlier(left, 1.0)
    if diagonal:
        return q * torch.einsum("...ts,...kts,...sk->...tk", w, left, k * v)
    return torch.matmul(torch.einsum("...tk,...kts,...sk->...ts", q, left, k) * w, v)


def _diagonal(q: Tensor, k: Tensor, v: Tensor, w: Tensor, ridge: float, start: Tensor | None) -> Tensor:
    """A least squares fit of one factor for each channel."""
    held = ridge if start is None else ridge * start.unsqueeze(-1)
    below = torch.matmul(w, k * k) + held
    some = below > 0
    return q * torch.where(some, torch.matmul(w, k * v) / torch.where(some, below, 1.0), 0.0)


def _conjugate(q: Tensor, k: Tensor, v: Tensor, w: Tensor, ridge: float, start: Tensor | None, steps: int) -> Tensor:
    """``steps`` conjugate gradients from 0 on ``(H + ridge) x = q``; then the answer is ``G^T x``."""
    held = ridge if start is None else ridge * start.unsqueeze(-1)

    def normal(x: Tensor) -> Tensor:
        return torch.matmul(torch.matmul(x, k.transpose(-1, -2)) * w, k) + held * x

    found, residual, way = torch.zeros_like(q), q, q
    square = (residual * residual).sum(-1, keepdim=True)
    for _ in range(steps):
        moved = normal(way)
        bent = (way * moved).sum(-1, keepdim=True)
        # At the solution there is no way left to go.
        length = torch.where(bent > 0, square / torch.where(bent > 0, bent, 1.0), 0.0)
        found, residual = found + length * way, residual - length * moved
        after = (residual * residual).sum(-1, keepdim=True)
        way = residual + torch.where(square > 0, after / torch.where(square > 0, square, 1.0), 0.0) * way
        square = after
    return torch.matmul(torch.matmul(found, k.transpose(-1, -2)) * w, v)


def _weights(
    q: Tensor, k: Tensor, kind: Visible, length: int, given: Tensor | None, decay: Tensor | None, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """Which pairs are seen and with what weight, over the leading axes of the queries."""
    shape = (*q.shape[:-1], k.shape[-2])
    if given is not None:
        seen = (given if given.dtype == torch.bool else given != 0).expand(shape)
        weights = given.to(dtype).expand(shape)
        return seen, weights if decay is None else weights * decay_matrix(decay.to(dtype), False)
    seen = visible(q.shape[-2], k.shape[-2], kind, length, q.device).expand(shape)
    if decay is None:
        return seen, q.new_ones(shape, dtype=dtype)
    return seen, torch.where(seen, decay_matrix(decay.to(dtype), False), 1.0)


def _log_kernel(q: Tensor, k: Tensor, kernel: str, tau: float) -> Tensor:
    if kernel == "exp":
        return torch.matmul(q, k.transpose(-1, -2))
    if kernel == "rbf":
        return -(q.unsqueeze(-2) - k.unsqueeze(-3)).square().sum(-1) / (2 * tau * tau)
    raise ValueError(f"the kernel must be exp or rbf, not {kernel!r}")


def _local_constant(logs: Tensor, seen: Tensor, weights: Tensor, v: Tensor) -> Tensor:
    scores = torch.where(seen, logs + torch.log(torch.where(seen, weights, 1.0)), -torch.inf)
    top = scores.amax(-1, keepdim=True).detach()
    # Any common factor cancels; the largest keeps the exponentials finite, also where nothing is seen.
    part = torch.where(seen, torch.exp(torch.where(seen, scores, 0.0) - torch.where(top.isfinite(), top, 0.0)), 0.0)
    total = part.sum(-1, keepdim=True)
    return torch.matmul(part / torch.where(total > 0, total, 1.0), v)


def _exact(q: Tensor, k: Tensor, v: Tensor, w: Tensor, ridge: float, start: Tensor | None) -> Tensor:
    precise = torch.promote_types(q.dtype, torch.float64)
    query, key, value, weight = (x.to(precise) for x in (q, k, v, w))
    if ridge == 0:
        root = torch.where(weight > 0, torch.sqrt(torch.where(weight > 0, weight, 1.0)), 0.0).unsqueeze(-1)
        inverse: Tensor = torch.linalg.pinv(root * key.unsqueeze(-3), rtol=SMALLEST)
        fitted = inverse @ (root * value.unsqueeze(-3))
        return torch.einsum("...tk,...tkp->...tp", query, fitted)
    gram = torch.einsum("...ts,...sk,...sl->...tkl", weight, key, key)
    moment = torch.einsum("...ts,...sk,...sp->...tkp", weight, key, value)
    size = ridge if start is None else ridge * start.to(precise)[..., None, None]
    probe = torch.linalg.solve(gram + size * torch.eye(key.shape[-1], dtype=precise, device=key.device), query)
    return torch.einsum("...tk,...tkp->...tp", probe, moment)


def _local_linear(q: Tensor, k: Tensor, v: Tensor, w: Tensor, seen: Tensor, ridge: float) -> Tensor:
    """The constant of the weighted least squares fit ``v = c + A (k - q)``; a ridge holds A alone."""
    precise = torch.promote_types(q.dtype, torch.float64)
    query, key, value, weight = (x.to(precise) for x in (q, k, v, w))
    distance = key.unsqueeze(-3) - query.unsqueeze(-2)
    design = torch.cat([torch.ones_like(distance[..., :1]), distance], -1)
    if ridge == 0:
        root = torch.where(weight > 0, torch.sqrt(torch.where(weight > 0, weight, 1.0)), 0.0).unsqueeze(-1)
        inverse: Tensor = torch.linalg.pinv(root * design, rtol=SMALLEST)
        return (inverse @ (root * value.unsqueeze(-3)))[..., 0, :]
    free = torch.full((design.shape[-1],), ridge, dtype=precise, device=q.device)
    free[0] = 0.0
    weighted = weight.unsqueeze(-1) * design
    gram = torch.einsum("...tsf,...tsg->...tfg", weighted, design) + torch.diag(free)
    moment = torch.einsum("...tsf,...sp->...tfp", weighted, value)
    # A query that sees nothing has no fit, and is answered by 0.
    some = seen.any(-1)[..., None, None]
    gram = torch.where(some, gram, torch.eye(design.shape[-1], dtype=precise, device=q.device))
    answer: Tensor = torch.linalg.solve(gram, moment)
    return answer[..., 0, :]
