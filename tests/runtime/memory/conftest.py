"""The definitions of the memories, position by position in float64, and how results are compared with them."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor


def affine_definition(q, k, v, decay, write, state, read):
    """S_t = a_t S_{t-1} + b_t k_t v_t^T, o_t = S_t^T q_t, for [..., T, _] inputs."""
    outs = []
    for t in range(q.shape[-2]):
        if read == "before":
            outs.append(torch.einsum("...kp,...k->...p", state, q[..., t, :]))
        if decay is not None:
            state = decay[..., t, None, None] * state
        pair = torch.einsum("...k,...p->...kp", k[..., t, :], v[..., t, :])
        state = state + (pair if write is None else write[..., t, None, None] * pair)
        if read == "after":
            outs.append(torch.einsum("...kp,...k->...p", state, q[..., t, :]))
    return torch.stack(outs, -2), state


def delta_definition(q, k, v, rate, decay, state, order, read):
    """One gradient step on 1/2 |v - S^T k|^2 per position, with the decay before or after the error is taken."""
    outs = []
    for t in range(q.shape[-2]):
        if read == "before":
            outs.append(torch.einsum("...kp,...k->...p", state, q[..., t, :]))
        decayed = state if decay is None else decay[..., t, None, None] * state
        point = decayed if order == "decay_first" else state
        error = v[..., t, :] - torch.einsum("...kp,...k->...p", point, k[..., t, :])
        state = decayed + rate[..., t, None, None] * torch.einsum("...k,...p->...kp", k[..., t, :], error)
        if read == "after":
            outs.append(torch.einsum("...kp,...k->...p", state, q[..., t, :]))
    return torch.stack(outs, -2), state


def attention_definition(q, k, v, scale, mask, window, bias):
    """The weighted mean of the visible values, with weights exp(scale <q, k> + bias), for [..., T, _] inputs."""
    outs = []
    for t in range(q.shape[-2]):
        first, last = 0, k.shape[-2]
        if mask != "full":
            last = t + 1
            first = 0 if mask == "causal" else max(0, t + 1 - window)
        scores = scale * torch.einsum("...k,...sk->...s", q[..., t, :], k[..., first:last, :])
        if bias is not None:
            scores = scores + bias[..., t, first:last]
        weights = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = weights / weights.sum(-1, keepdim=True)
        outs.append(torch.einsum("...s,...sp->...p", weights, v[..., first:last, :]))
    return torch.stack(outs, -2)


def inputs(leading, time, keys, values, *, gates="mild", seed=0, dtype=torch.float64) -> SimpleNamespace:
    """Random q, k (of unit length), v, rate, decay and state. ``gates`` chooses how extreme the gates are."""
    source = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*leading, *shape, generator=source, dtype=torch.float64)

    q, v, state = normal(time, keys) / math.sqrt(keys), normal(time, values), normal(keys, values)
    k = torch.nn.functional.normalize(normal(time, keys), dim=-1)
    uniform = torch.rand(2, *leading, time, generator=source, dtype=torch.float64)
    rate, decay = uniform[0], uniform[1]
    if gates == "near one":
        decay = 1 - 1e-4 * decay
    elif gates == "extreme":
        kinds = torch.randint(0, 5, decay.shape, generator=source)
        table = torch.tensor([0.0, 1.0, 1e-300, 1e-30, 0.5], dtype=torch.float64)
        decay = table[kinds]
        rate = torch.tensor([0.0, 1.0, 1e-300, 0.5, 1.0], dtype=torch.float64)[kinds.flip(-1)]
    elif gates == "resets":
        decay = torch.where(decay < 0.1, 0.0, 1 - 0.1 * decay)
    elif gates == "zero":
        decay = torch.zeros_like(decay)
    elif gates == "tiny":
        decay = torch.full_like(decay, 1e-300)
    elif gates != "mild":
        raise ValueError(gates)
    parts = {"q": q, "k": k, "v": v, "rate": rate, "decay": decay, "state": state}
    return SimpleNamespace(**{name: part.to(dtype) for name, part in parts.items()})


def distance(got: Tensor, wanted: Tensor) -> float:
    """Largest difference relative to the largest wanted entry (absolute below 1); infinite if anything is NaN."""
    gap = (got.double() - wanted.double()).abs().max().item()
    return math.inf if math.isnan(gap) else gap / max(1.0, wanted.double().abs().max().item())


def agree(
    fast: Callable[..., tuple[Tensor, ...]],
    slow: Callable[..., tuple[Tensor, ...]],
    arguments: dict[str, Tensor],
    tolerance: float,
) -> None:
    """Assert that both functions of the same named tensors give the same outputs and the same gradients.

    The slow one is run in float64 on the very numbers that the fast one is given.
    """
    mine = {name: value.detach().clone().requires_grad_() for name, value in arguments.items()}
    theirs = {name: value.detach().double().requires_grad_() for name, value in arguments.items()}
    got, wanted = fast(**mine), slow(**theirs)
    source = torch.Generator().manual_seed(99)
    seen = [torch.randn(w.shape, generator=source, dtype=torch.float64) / math.sqrt(w.numel()) for w in wanted]
    errors = {f"output {i}": distance(g, w) for i, (g, w) in enumerate(zip(got, wanted, strict=True))}
    loss_got = sum((g * s.to(g.dtype)).sum() for g, s in zip(got, seen, strict=True))
    loss_wanted = sum((w * s).sum() for w, s in zip(wanted, seen, strict=True))
    d_got = torch.autograd.grad(loss_got, list(mine.values()), materialize_grads=True)
    d_wanted = torch.autograd.grad(loss_wanted, list(theirs.values()), materialize_grads=True)
    for name, g, w in zip(mine, d_got, d_wanted, strict=True):
        assert g.dtype == mine[name].dtype
        errors[f"gradient of {name}"] = distance(g, w)
    assert {name: error for name, error in errors.items() if not error <= tolerance} == {}


@pytest.fixture
def reference() -> SimpleNamespace:
    return SimpleNamespace(
        affine=affine_definition,
        delta=delta_definition,
        attention=attention_definition,
        inputs=inputs,
        distance=distance,
        agree=agree,
    )
