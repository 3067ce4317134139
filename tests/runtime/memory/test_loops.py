"""Memories without a fast class: gradient steps pair by pair, sums with a solve, a weighted problem at every query."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rep_runtime.memory import rank_one, scalar_affine
from rep_runtime.memory.dense import solved
from rep_runtime.memory.gram import least_squares
from rep_runtime.memory.leading import with_leading
from rep_runtime.memory.selection import visible
from rep_runtime.memory.sequential import gradient_steps

T, K, P = 9, 4, 3


def pairs(*lead: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    random = torch.Generator().manual_seed(seed)
    q, k = (torch.randn((*lead, T, K), generator=random, dtype=torch.float64) for _ in range(2))
    return q, k / k.norm(dim=-1, keepdim=True), torch.randn((*lead, T, P), generator=random, dtype=torch.float64)


def gate(*lead: int, seed: int = 7) -> Tensor:
    return torch.rand((*lead, T), generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def squared(pred: Tensor, target: Tensor) -> Tensor:
    return pred - target


@pytest.mark.parametrize("order", ["decay_first", "error_first"])
@pytest.mark.parametrize("read", ["after", "before"])
def test_one_step_down_the_squared_loss_is_the_delta_rule(order: str, read: str) -> None:
    q, k, v = pairs(2)
    rate, decay = gate(2), gate(2, seed=8)
    mine = gradient_steps(q, k, v, slope=squared, rate=rate, decay=decay, order=order, read=read)  # type: ignore[arg-type]
    fast = rank_one(q, k, v, rate=rate, decay=decay, order=order, read=read)  # type: ignore[arg-type]
    assert torch.allclose(mine[0], fast[0]) and torch.allclose(mine[1].held, fast[1])


def test_a_step_down_the_dot_loss_is_a_sum() -> None:
    q, k, v = pairs()
    mine, _ = gradient_steps(q, k, v, slope=lambda pred, target: -target, rate=1.0, decay=0.9)
    assert torch.allclose(mine, scalar_affine(q, k, v, decay=torch.full((T,), 0.9, dtype=torch.float64))[0])


def test_momentum_and_a_ridge_move_the_state_as_written() -> None:
    q, k, v = pairs()
    state, velocity = torch.zeros(K, P, dtype=torch.float64), torch.zeros(K, P, dtype=torch.float64)
    for t in range(T):
        for _ in range(2):
            gradient = k[t, :, None] * (state.T @ k[t] - v[t])[None, :] + 0.1 * state
            velocity = 0.5 * velocity + 0.3 * gradient
            state = state - (0.5 * velocity + 0.3 * gradient)
    out, (last, _) = gradient_steps(q, k, v, slope=squared, rate=0.3, steps=2, momentum=0.5, ridge=0.1, nesterov=True)
    assert torch.allclose(last, state) and torch.allclose(out[-1], state.T @ q[-1])


def test_the_state_can_be_passed_on() -> None:
    q, k, v = pairs(2)
    rate = gate(2)
    whole, _ = gradient_steps(q, k, v, slope=squared, rate=rate)
    first, state = gradient_steps(q[:, :4], k[:, :4], v[:, :4], slope=squared, rate=rate[:, :4])
    rest, _ = gradient_steps(q[:, 4:], k[:, 4:], v[:, 4:], slope=squared, rate=rate[:, 4:], state=state)
    assert torch.allclose(torch.cat([first, rest], 1), whole)


@pytest.mark.parametrize("decays", [False, True])
@pytest.mark.parametrize("read", ["after", "before"])
def test_running_sums_and_a_problem_per_query_agree(decays: bool, read: str) -> None:
    q, k, v = pairs(3)
    decay = gate(3)
    sums, _ = least_squares(q, k, v, decay=decay, ridge=0.2, ridge_decays=decays, read=read)  # type: ignore[arg-type]
    if read == "after":
        each = solved(q, k, v, method="exact", decay=decay, ridge=0.2, ridge_decays=decays)
        assert torch.allclose(sums, each)
    for t in range(T):
        seen = t if read == "before" else t + 1
        weight = torch.stack([decay[:, i + 1 : seen].prod(-1) for i in range(seen)], -1) if seen else decay[:, :0]
        gram = torch.einsum("bs,bsk,bsl->bkl", weight, k[:, :seen], k[:, :seen])
        moment = torch.einsum("bs,bsk,bsp->bkp", weight, k[:, :seen], v[:, :seen])
        held = 0.2 * decay[:, :seen].prod(-1)[:, None, None] if decays else 0.2
        state = torch.linalg.solve(gram + held * torch.eye(K, dtype=torch.float64), moment)
        assert torch.allclose(sums[:, t], torch.einsum("bkp,bk->bp", state, q[:, t])), t


def test_without_a_ridge_the_fit_has_least_norm_and_recalls_every_pair() -> None:
    _, k, v = pairs()
    out, _ = least_squares(k, k, v)
    assert torch.allclose(out[: K - 1], v[: K - 1], atol=1e-6)
    assert torch.allclose(solved(k, k, v, method="exact")[: K - 1], v[: K - 1], atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "length", "seen"),
    [("causal", 0, {0, 1, 2, 3, 4, 5}), ("window", 2, {4, 5}), ("block", 4, {4, 5}), ("strided", 2, {1, 3, 5})],
)
def test_which_pairs_the_sixth_query_sees(kind: str, length: int, seen: set[int]) -> None:
    shown = visible(T, T, kind, length)  # type: ignore[arg-type]
    assert {i for i in range(T) if shown[5, i]} == seen
    assert visible(2, 5, "full").all()


def test_a_query_that_sees_nothing_is_answered_by_zero_with_a_gradient() -> None:
    q, k, v = (x.requires_grad_() for x in pairs())
    for method in ("local_constant", "local_linear", "hebbian"):
        out = solved(q, k, v, method=method, read="before", ridge=0.1)  # type: ignore[arg-type]
        assert torch.equal(out[0], torch.zeros(P, dtype=torch.float64))
        gradients = torch.autograd.grad(out.sum(), (q, k, v))
        assert all(one.isfinite().all() for one in gradients), method


def test_local_constant_is_softmax_attention() -> None:
    q, k, v = pairs(2)
    out = solved(q, k, v, method="local_constant", scale=0.5)
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5)
    assert torch.allclose(out, wanted)


def test_a_linear_law_is_fitted_exactly_around_every_query() -> None:
    q, k, _ = pairs()
    law = torch.randn(K, P, dtype=torch.float64)
    v = k @ law + 1.0
    out = solved(q, k, v, method="local_linear", kernel="rbf", tau=1.0, kind="full")
    assert torch.allclose(out, q @ law + 1.0, atol=1e-6)


def test_unknown_choices_are_refused() -> None:
    q, k, v = pairs()
    with pytest.raises(ValueError, match="method"):
        solved(q, k, v, method="cubic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kernel"):
        solved(q, k, v, method="local_constant", kernel="box")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="visible"):
        visible(3, 3, "random")  # type: ignore[arg-type]


def test_leading_axes_are_made_equal() -> None:
    q, k, v = torch.randn(2, 5, T, K), torch.randn(5, T, K), torch.randn(T, P)
    made = with_leading(q, k, v, torch.rand(()), torch.rand(2, 1, T))
    assert [tuple(one.shape) for one in made] == [(2, 5, T, K), (2, 5, T, K), (2, 5, T, P), (2, 5, T), (2, 5, T)]
    step = with_leading(q[..., 0, :], k[..., 0, :], v[0], torch.rand(5), along_time=False)
    assert [tuple(one.shape) for one in step] == [(2, 5, K), (2, 5, K), (2, 5, P), (2, 5)]
