"""Softmax memories: masks, windows, biases, caches and steps compute the definition and its gradients."""

from __future__ import annotations

import pytest
import torch

from rep_runtime.memory import local_constant, local_constant_init, local_constant_step, slot_positions

MASKS = [("causal", None), ("full", None), ("window", 1), ("window", 3), ("window", 8), ("window", 100)]


CAPACITIES = [("causal", None, 19), ("causal", None, 40), ("window", 3, 3), ("window", 4, 7)]


def pick(x, *names):
    return {name: getattr(x, name) for name in names}


def alibi(query_positions, pair_positions):
    return -0.1 * (query_positions.unsqueeze(-1) - pair_positions).double()


@pytest.mark.parametrize("leading", [(3,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize(("mask", "window"), MASKS)
@pytest.mark.parametrize("time", [1, 8, 19])
def test_values_and_gradients(reference, leading, mask, window, time):
    for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        x = pick(reference.inputs(leading, time, 5, 4, dtype=dtype), "q", "k", "v")
        reference.agree(
            lambda q, k, v: local_constant(q, k, v, scale=2.0, mask=mask, window=window)[:1],
            lambda q, k, v: (reference.attention(q, k, v, 2.0, mask, window, None),),
            x,
            tolerance,
        )


@pytest.mark.parametrize(("mask", "window"), MASKS)
@pytest.mark.parametrize("leading", [(), (3,), (2, 3)])
def test_a_bias_shifts_the_scores_and_has_a_gradient(reference, mask, window, leading):
    x = pick(reference.inputs(leading, 9, 5, 4), "q", "k", "v")
    x["bias"] = torch.randn(9, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    reference.agree(
        lambda q, k, v, bias: local_constant(q, k, v, scale=0.5, mask=mask, window=window, bias=bias)[:1],
        lambda q, k, v, bias: (reference.attention(q, k, v, 0.5, mask, window, bias.expand(*leading, 9, 9)),),
        x,
        1e-10,
    )


def test_queries_of_another_length_see_all_pairs(reference):
    x, y = reference.inputs((2,), 7, 5, 4), reference.inputs((2,), 3, 5, 4, seed=1)
    out, cache = local_constant(y.q, x.k, x.v, scale=1.0, mask="full")
    assert cache is None
    assert reference.distance(out, reference.attention(y.q, x.k, x.v, 1.0, "full", None, None)) <= 1e-12


@pytest.mark.parametrize(("mask", "window", "capacity"), CAPACITIES)
def test_steps_and_cuts_give_the_forward(reference, mask, window, capacity):
    x = reference.inputs((2, 3), 19, 5, 4)
    options = {"scale": 0.7, "mask": mask, "window": window}
    whole, _ = local_constant(x.q, x.k, x.v, **options)
    cache = local_constant_init((2, 3), 5, 4, capacity=capacity, dtype=torch.float64)
    for t in range(19):
        out, cache = local_constant_step(cache, x.q[..., t, :], x.k[..., t, :], x.v[..., t, :], **options)
        assert reference.distance(out, whole[..., t, :]) <= 1e-12
    for split in (1, 2, 5, 18):
        head, middle = local_constant(
            x.q[..., :split, :], x.k[..., :split, :], x.v[..., :split, :], capacity=capacity, **options
        )
        tail, end = local_constant(
            x.q[..., split:, :], x.k[..., split:, :], x.v[..., split:, :], state=middle, **options
        )
        assert reference.distance(torch.cat([head, tail], -2), whole) <= 1e-12
        assert all(torch.equal(mine, theirs) for mine, theirs in zip(end, cache, strict=True))


def test_a_biased_step_sees_pairs_by_their_position(reference):
    x = reference.inputs((2,), 11, 5, 4)
    position = torch.arange(11)
    for mask, window, capacity in (("causal", None, 16), ("window", 4, 5)):
        whole, _ = local_constant(x.q, x.k, x.v, scale=1.0, mask=mask, window=window, bias=alibi(position, position))
        cache = local_constant_init((2,), 5, 4, capacity=capacity, dtype=torch.float64)
        for t in range(11):
            bias = alibi(position[t : t + 1], slot_positions(cache, upcoming=1))[0]
            out, cache = local_constant_step(
                cache, x.q[:, t], x.k[:, t], x.v[:, t], scale=1.0, mask=mask, window=window, bias=bias
            )
            assert reference.distance(out, whole[:, t]) <= 1e-12


def test_gradients_pass_through_a_cache(reference):
    x = pick(reference.inputs((2,), 9, 5, 4), "q", "k", "v")

    def in_two(q, k, v):
        head, cache = local_constant(q[:, :4], k[:, :4], v[:, :4], scale=1.0, mask="window", window=3, capacity=3)
        tail, _ = local_constant(q[:, 4:], k[:, 4:], v[:, 4:], scale=1.0, mask="window", window=3, state=cache)
        return (torch.cat([head, tail], 1),)

    reference.agree(in_two, lambda q, k, v: (reference.attention(q, k, v, 1.0, "window", 3, None),), x, 1e-10)


def test_a_full_cache_refuses_another_pair(reference):
    x = reference.inputs((), 4, 5, 4)
    _, cache = local_constant(x.q, x.k, x.v, scale=1.0, capacity=4)
    with pytest.raises(ValueError, match="larger capacity"):
        local_constant_step(cache, x.q[0], x.k[0], x.v[0], scale=1.0)
    step = torch.compile(lambda c, q, k, v: local_constant_step(c, q, k, v, scale=1.0), fullgraph=True, backend="eager")
    out, _ = step(cache, x.q[0], x.k[0], x.v[0])
    assert out.isnan().all()


def test_large_scores_do_not_overflow(reference):
    x = reference.inputs((2,), 9, 5, 4, dtype=torch.float32)
    q, k = x.q * 1e4, x.k * 1e4
    out, _ = local_constant(q, k, x.v, scale=1.0)
    assert out.isfinite().all()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"mask": "band"}, "mask must be"),
        ({"mask": "window"}, "window length"),
        ({"window": 3}, "window length"),
        ({"mask": "window", "window": 0}, "at least 1"),
        ({"algorithm": "chunked"}, "unknown algorithm"),
        ({"mask": "full", "capacity": 3}, "no state"),
        ({"mask": "window", "window": 4, "capacity": 3}, "at least as large"),
        ({"capacity": 2}, "larger capacity"),
    ],
)
def test_wrong_arguments_are_named(change, text):
    with pytest.raises(ValueError, match=text):
        local_constant(torch.zeros(3, 5), torch.zeros(3, 5), torch.zeros(3, 4), **{"scale": 1.0, **change})
