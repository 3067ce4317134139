"""Memories without parameters: every answer is a fit around the query, from all pairs that it sees."""

from __future__ import annotations

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.solve import SMALLEST
from repc.interpret.memory.weights import Weights
from repc.interpret.memory.words import field, number, only
from repc.ir import MemoryRecord, Word


def log_kernel(word: Word, q: Tensor, k: Tensor) -> Tensor:
    """The logarithm of the kernel: `[batch.., T, F]` and `[batch.., S, F]` to `[batch.., T, S]`.

    `exp`: the product of query and key. `rbf(tau)`: minus the squared distance over `2 tau^2`.
    """
    if word.name == "exp":
        return torch.einsum("...tf,...sf->...ts", q, k)
    if word.name == "rbf":
        width = number(only(word, "tau"), "tau")
        distance = q.unsqueeze(-2) - k.unsqueeze(-3)
        return -(distance * distance).sum(-1) / (2 * width * width)
    raise MemoryFault(f"`{word.name}` is no kernel of the reference")


def answered(record: MemoryRecord, weights: Weights, q: Tensor, k: Tensor, v: Tensor, scale: Tensor) -> Tensor:
    """Answers `[batch.., T, P]`; a query that sees no pair is answered by 0. `scale` multiplies it in the kernel."""
    word = field(record, "regressor", "local_constant")
    kernel = only(word, "kernel")
    if not isinstance(kernel, Word):
        raise MemoryFault(f"a kernel is a word, not {kernel}")
    if weights.channel is not None:
        raise MemoryFault("a kernel memory has one weight a pair: its decay cannot differ by channel")
    seen = weights.seen & (weights.scalar > 0)
    logs = log_kernel(kernel, scale * q, k) + torch.log(torch.where(seen, weights.scalar, 1.0))
    if word.name == "local_constant":
        # Any common factor cancels; the largest keeps the exponentials finite.
        top = torch.where(seen, logs, -torch.inf).amax(-1, keepdim=True).detach()
        w = torch.where(seen, torch.exp(torch.where(seen, logs - top, 0.0)), 0.0)
        total = w.sum(-1, keepdim=True)
        answer: Tensor = torch.einsum("...ts,...sp->...tp", w / torch.where(total > 0, total, 1.0), v)
        return answer
    if word.name == "local_linear":
        w = torch.where(seen, torch.exp(torch.where(seen, logs, 0.0)), 0.0)
        return _local_linear(record, w, seen, q, k, v)
    raise MemoryFault(f"`{word.name}` is no kernel memory of the reference")


def _local_linear(record: MemoryRecord, w: Tensor, seen: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The constant of the weighted least squares fit `v = c + A (k - q)`; a ridge holds A alone, on the raw sums."""
    distance = k.unsqueeze(-3) - q.unsqueeze(-2)
    design = torch.cat([torch.ones_like(distance[..., :1]), distance], -1)
    word = field(record, "regularizer", "none")
    if word.name == "none":
        root = torch.where(seen, torch.sqrt(torch.where(seen, w, 1.0)), 0.0).unsqueeze(-1)
        inverse: Tensor = torch.linalg.pinv(root * design, rtol=SMALLEST)
        return (inverse @ (root * v.unsqueeze(-3)))[..., 0, :]
    if word.name != "ridge":
        raise MemoryFault(f"`{word.name}` has no closed form")
    size = number(only(word, "l", "rate"), "a ridge")
    held = torch.full((design.shape[-1],), size, dtype=k.dtype)
    held[0] = 0.0
    gram = torch.einsum("...tsf,...tsg->...tfg", w.unsqueeze(-1) * design, design) + torch.diag(held)
    moment = torch.einsum("...tsf,...sp->...tfp", w.unsqueeze(-1) * design, v)
    # A query that sees nothing has no fit, and is answered by 0.
    some = seen.any(-1)[..., None, None]
    gram = torch.where(some, gram, torch.eye(design.shape[-1], dtype=k.dtype))
    answer: Tensor = torch.linalg.solve(gram, moment)
    return answer[..., 0, :]
