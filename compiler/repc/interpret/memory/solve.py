"""Memories that solve the weighted problem anew at every query: `argmin_M sum_i w[t,i] loss(M(k_i), v_i) + reg(M)`."""

from __future__ import annotations

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.regressor import Regressor
from repc.interpret.memory.weights import Weights
from repc.interpret.memory.words import field, number, only, whole
from repc.ir import MemoryRecord

# Singular values below this part of the largest count as zero: float64 keeps 16 digits of them.
SMALLEST = 1e-12


def solved(
    record: MemoryRecord, regressor: Regressor, weights: Weights, k: Tensor, v: Tensor, init: Tensor | None
) -> Tensor:
    """Parameters at every query: `[batch.., T, F, P]`, or `[batch.., T, P]` for a diagonal regressor.

    k: `[batch.., S, F]`, v: `[batch.., S, P]`, init: parameters before the first pair, or None for zeros.
    """
    optimizer = field(record, "optimizer", "exact").name
    if optimizer == "exact":
        loss = field(record, "loss", "squared").name
        if loss != "squared":
            raise MemoryFault(f"the exact minimum is defined here for the squared loss, not for `{loss}`")
        if weights.channel is not None:
            raise MemoryFault("a least squares problem has one weight a pair: its decay cannot differ by channel")
        if init is not None:
            raise MemoryFault("an exact memory starts from nothing: its init must be zeros")
        return _least_squares(record, regressor, weights, k, v)
    if optimizer == "hebbian":
        held = ridge(record, weights)
        made = _hebbian(regressor, weights, k, v) / (1 + (held if regressor.name == "linear" else held[..., 0]))
        if init is None:
            return made
        inner = 2 if regressor.name == "linear" else 1
        start = weights.start if inner == 1 else weights.start.unsqueeze(-1)
        return made + start * init.unsqueeze(-inner - 1)
    raise MemoryFault(f"`{optimizer}` solves no weighted problem in the reference")


def ridge(record: MemoryRecord, weights: Weights) -> Tensor:
    """The ridge at every query, `[batch.., T, 1, 1]`: decayed with the data where it stands in the prior."""
    word = field(record, "regularizer", "none")
    start = weights.start[..., :1].unsqueeze(-1)
    if word.name == "none":
        return torch.zeros_like(start)
    if word.name != "ridge":
        raise MemoryFault(f"`{word.name}` has no closed form")
    size = number(only(word, "l", "rate"), "a ridge")
    if word.get("at", "prior") == "read":
        return torch.full_like(start, size)
    return size * start


def conjugate(record: MemoryRecord, weights: Weights, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Answers `[batch.., T, P]` of `cg(steps: n)`: n steps from 0 on `(H + ridge) x = q`, then `G^T x`."""
    steps = whole(field(record, "optimizer", "cg").get("steps"), "the number of steps")
    if field(record, "loss", "squared").name != "squared" or field(record, "regressor", "linear").name != "linear":
        raise MemoryFault("conjugate gradients solve the normal equations of a linear memory with the squared loss")
    if weights.channel is not None:
        raise MemoryFault("a least squares problem has one weight a pair: its decay cannot differ by channel")
    w = torch.where(weights.seen, weights.scalar, 0.0).unsqueeze(-1)
    gram = torch.einsum("...tsf,...sg->...tfg", w * k.unsqueeze(-3), k)
    moment = torch.einsum("...tsf,...sp->...tfp", w * k.unsqueeze(-3), v)
    matrix = gram + ridge(record, weights) * torch.eye(k.shape[-1], dtype=k.dtype)
    x, r = torch.zeros_like(q), q
    p = r
    for _ in range(steps):
        bent = torch.einsum("...fg,...g->...f", matrix, p)
        below, above = (p * bent).sum(-1, keepdim=True), (r * r).sum(-1, keepdim=True)
        some = below > 0
        alpha = torch.where(some, above / torch.where(some, below, 1.0), 0.0)
        x, r = x + alpha * p, r - alpha * bent
        some = above > 0
        p = r + torch.where(some, (r * r).sum(-1, keepdim=True) / torch.where(some, above, 1.0), 0.0) * p
    return torch.einsum("...tfp,...tf->...tp", moment, x)


def _hebbian(regressor: Regressor, weights: Weights, k: Tensor, v: Tensor) -> Tensor:
    """The covariance of the keys taken as the identity: the weighted sum of products."""
    kept = torch.where(weights.seen, weights.scalar, 0.0)
    keys = k.unsqueeze(-3) * kept.unsqueeze(-1)
    if weights.channel is not None:
        if weights.channel.shape[-1] != k.shape[-1]:
            raise MemoryFault("a decay by channel needs one number per feature")
        keys = keys * weights.channel
    if regressor.name == "diagonal":
        return (keys * v.unsqueeze(-3)).sum(-2)
    return torch.einsum("...tsf,...sp->...tfp", keys, v)


def _least_squares(record: MemoryRecord, regressor: Regressor, weights: Weights, k: Tensor, v: Tensor) -> Tensor:
    kept = weights.seen & (weights.scalar > 0)
    size = ridge(record, weights)
    if regressor.name == "diagonal":
        w = torch.where(kept, weights.scalar, 0.0).unsqueeze(-1)
        above = (w * (k * v).unsqueeze(-3)).sum(-2)
        below = (w * (k * k).unsqueeze(-3)).sum(-2) + size[..., 0]
        return torch.where(below > 0, above / torch.where(below > 0, below, 1.0), 0.0)
    if field(record, "regularizer", "none").name == "none":
        # The root of a weight of 0 has no gradient, so it is not taken.
        root = torch.where(kept, torch.sqrt(torch.where(kept, weights.scalar, 1.0)), 0.0)
        keys, values = root.unsqueeze(-1) * k.unsqueeze(-3), root.unsqueeze(-1) * v.unsqueeze(-3)
        inverse: Tensor = torch.linalg.pinv(keys, rtol=SMALLEST)
        return inverse @ values
    w = torch.where(kept, weights.scalar, 0.0).unsqueeze(-1)
    gram = torch.einsum("...tsf,...sg->...tfg", w * k.unsqueeze(-3), k)
    moment = torch.einsum("...tsf,...sp->...tfp", w * k.unsqueeze(-3), v)
    identity = torch.eye(k.shape[-1], dtype=k.dtype)
    answer: Tensor = torch.linalg.solve(gram + size * identity, moment)
    return answer
