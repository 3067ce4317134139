"""Linear memories that solve their weighted least squares problem exactly at every query.

    H_t = a_t H_{t-1} + k_t k_t^T,    G_t = a_t G_{t-1} + k_t v_t^T,    o_t = G_t^T (H_t + l_t I)^-1 (scale q_t)

The ridge l_t is the same at every query, or decays with the data where it stands in the prior. Without a ridge the
solution of least norm is taken. Sums are kept in float32 or wider, solves done in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from rep_runtime.memory.affine import Read
from rep_runtime.memory.geometry import accumulation_dtype, check_pairs

# Singular values below this part of the largest count as zero: sums in float64 keep 16 digits, squares half of them.
SMALLEST = 1e-12


class GramState(NamedTuple):
    """The sums so far: ``gram`` ``[..., K, K]``, ``moment`` ``[..., K, P]``; ``left`` ``[...]`` of a decaying ridge."""

    gram: Tensor
    moment: Tensor
    left: Tensor


def least_squares_init(
    lead: Sequence[int], keys: int, values: int, dtype: torch.dtype | None = None, device: torch.device | None = None
) -> GramState:
    """The sums of no pairs; they are kept in float64, whatever ``dtype`` is narrower."""
    wide = torch.promote_types(dtype or torch.float32, torch.float64)
    gram = torch.zeros(*lead, keys, keys, dtype=wide, device=device)
    moment = torch.zeros(*lead, keys, values, dtype=wide, device=device)
    return GramState(gram, moment, torch.ones(tuple(lead), dtype=wide, device=device))


def least_squares_step(
    state: GramState,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    decay: Tensor | float | None = None,
    ridge: Tensor | float = 0.0,
    ridge_decays: bool = False,
    read: Read = "after",
    scale: float = 1.0,
) -> tuple[Tensor, GramState]:
    """One query: q, k ``[..., K]``, v ``[..., P]``, decay and ridge numbers or ``[...]``."""
    dtype = torch.promote_types(accumulation_dtype(q, k, v), torch.float64)
    query, key, value = (x.to(dtype) for x in (q, k, v))
    gram, moment, left = state
    identity = torch.eye(key.shape[-1], dtype=dtype, device=key.device)
    before = _answer(gram, moment, identity, _ridge(ridge, left, ridge_decays), query * scale)
    if decay is not None:
        kept = decay.to(dtype) if isinstance(decay, Tensor) else torch.full_like(left, decay)
        gram, moment, left = kept[..., None, None] * gram, kept[..., None, None] * moment, kept * left
    column = key.unsqueeze(-1)
    gram = gram + column * column.transpose(-1, -2)
    moment = moment + column * value.unsqueeze(-2)
    after = GramState(gram, moment, left)
    if read == "before":
        return before.to(v.dtype), after
    return _answer(gram, moment, identity, _ridge(ridge, left, ridge_decays), query * scale).to(v.dtype), after


def least_squares(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    decay: Tensor | float | None = None,
    ridge: Tensor | float = 0.0,
    ridge_decays: bool = False,
    read: Read = "after",
    scale: float = 1.0,
    state: GramState | None = None,
) -> tuple[Tensor, GramState]:
    """Answers ``[..., T, P]`` and the sums after the last pair.

    q, k ``[..., T, K]``, v ``[..., T, P]``, decay and ridge numbers or ``[..., T]``.
    Raises ``ValueError`` for shapes that disagree.
    """
    gates = {name: gate for name, gate in (("decay", decay), ("ridge", ridge)) if isinstance(gate, Tensor)}
    check_pairs(q, k, v, dict(gates), None, v.shape[-1])
    dtype = accumulation_dtype(q, k, v)
    held = state or least_squares_init(k.shape[:-2], k.shape[-1], v.shape[-1], dtype, k.device)
    outs = []
    for t in range(k.shape[-2]):
        out, held = least_squares_step(
            held, q[..., t, :], k[..., t, :], v[..., t, :],
            decay=decay[..., t] if isinstance(decay, Tensor) else decay,
            ridge=ridge[..., t] if isinstance(ridge, Tensor) else ridge,
            ridge_decays=ridge_decays, read=read, scale=scale,
        )  # fmt: skip
        outs.append(out)
    return torch.stack(outs, -2), held


def _ridge(ridge: Tensor | float, left: Tensor, decays: bool) -> Tensor | None:
    if not isinstance(ridge, Tensor) and ridge == 0:
        return None
    size = ridge.to(left.dtype) if isinstance(ridge, Tensor) else torch.full_like(left, ridge)
    return (size * left if decays else size)[..., None, None]


def _answer(gram: Tensor, moment: Tensor, identity: Tensor, ridge: Tensor | None, query: Tensor) -> Tensor:
    if ridge is None:
        inverse: Tensor = torch.linalg.pinv(gram, rtol=SMALLEST, hermitian=True)
        probe = (inverse @ query.unsqueeze(-1)).squeeze(-1)
    else:
        probe = torch.linalg.solve(gram + ridge * identity, query)
    return (moment * probe.unsqueeze(-1)).sum(-2)
