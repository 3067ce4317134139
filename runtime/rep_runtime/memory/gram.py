"""Linear memories that solve their weighted least squares problem exactly at every query.

    H_t = a_t H_{t-1} + k_t k_t^T,    G_t = a_t G_{t-1} + k_t v_t^T,    o_t = G_t^T (H_t + l_t I)^-1 (scale q_t)

The ridge l_t is the same at every query, or decays with the data where it stands in the prior. Without a ridge the
solution of least norm is taken. Sums are kept in float32 or wider, solves done in float64.
"""

from __future__ import annotations

import torch
from torch import Tensor

from rep_runtime.memory.affine import Read
from rep_runtime.memory.geometry import accumulation_dtype, check_pairs

# Singular values below this part of the largest count as zero: sums in float64 keep 16 digits, squares half of them.
SMALLEST = 1e-12


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
) -> Tensor:
    """Answers ``[..., T, P]``: q, k ``[..., T, K]``, v ``[..., T, P]``, decay and ridge numbers or ``[..., T]``.

    Raises ``ValueError`` for shapes that disagree.
    """
    gates = {name: gate for name, gate in (("decay", decay), ("ridge", ridge)) if isinstance(gate, Tensor)}
    check_pairs(q, k, v, dict(gates), None, v.shape[-1])
    dtype = torch.promote_types(accumulation_dtype(q, k, v), torch.float64)
    query, key, value = (x.to(dtype) for x in (q, k, v))
    left = torch.ones_like(key[..., 0, 0])
    size = key.shape[-1]
    gram = key.new_zeros(*key.shape[:-2], size, size)
    moment = key.new_zeros(*key.shape[:-2], size, value.shape[-1])
    identity = torch.eye(size, dtype=dtype, device=key.device)
    outs = []
    for t in range(key.shape[-2]):
        if read == "before":
            outs.append(_answer(gram, moment, identity, _ridge(ridge, t, left, ridge_decays), query[..., t, :] * scale))
        if decay is not None:
            kept = decay[..., t].to(dtype) if isinstance(decay, Tensor) else torch.full_like(left, decay)
            gram, moment, left = kept[..., None, None] * gram, kept[..., None, None] * moment, kept * left
        column = key[..., t, :].unsqueeze(-1)
        gram = gram + column * column.transpose(-1, -2)
        moment = moment + column * value[..., t, :].unsqueeze(-2)
        if read == "after":
            outs.append(_answer(gram, moment, identity, _ridge(ridge, t, left, ridge_decays), query[..., t, :] * scale))
    return torch.stack(outs, -2).to(v.dtype)


def _ridge(ridge: Tensor | float, t: int, left: Tensor, decays: bool) -> Tensor | None:
    if not isinstance(ridge, Tensor) and ridge == 0:
        return None
    size = ridge[..., t].to(left.dtype) if isinstance(ridge, Tensor) else torch.full_like(left, ridge)
    return (size * left if decays else size)[..., None, None]


def _answer(gram: Tensor, moment: Tensor, identity: Tensor, ridge: Tensor | None, query: Tensor) -> Tensor:
    if ridge is None:
        inverse: Tensor = torch.linalg.pinv(gram, rtol=SMALLEST, hermitian=True)
        probe = (inverse @ query.unsqueeze(-1)).squeeze(-1)
    else:
        probe = torch.linalg.solve(gram + ridge * identity, query)
    return (moment * probe.unsqueeze(-1)).sum(-2)
