"""Delta rule memories in both orders: every algorithm computes the definition and its gradients."""

from __future__ import annotations

import pytest
import torch

from rep_runtime.memory import ALGORITHMS, rank_one, rank_one_init, rank_one_step

CHUNK = 8
TIMES = [1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3]
NAMES = sorted(ALGORITHMS["rank_one"])
ORDERS = ["decay_first", "error_first"]
GATES = ["mild", "near one", "extreme", "resets", "zero", "tiny"]


def fast(algorithm, order="decay_first", read="after", chunk=CHUNK, **options):
    def run(q, k, v, rate, state=None, decay=None):
        return rank_one(
            q,
            k,
            v,
            rate=rate,
            decay=decay,
            state=state,
            order=order,
            read=read,
            algorithm=algorithm,
            chunk=chunk,
            **options,
        )

    return run


def slow(reference, order="decay_first", read="after"):
    def run(q, k, v, rate, state, decay=None):
        return reference.delta(q, k, v, rate, decay, state, order, read)

    return run


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("read", ["after", "before"])
@pytest.mark.parametrize("time", TIMES)
def test_values_and_gradients_at_every_length(reference, algorithm, order, read, time):
    x = vars(reference.inputs((2, 3), time, 5, 4, gates="resets"))
    reference.agree(fast(algorithm, order, read), slow(reference, order, read), x, 1e-10)


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("gates", GATES)
def test_extreme_gates_in_both_precisions(reference, algorithm, order, gates):
    for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        x = vars(reference.inputs((3,), 2 * CHUNK + 3, 5, 4, gates=gates, dtype=dtype))
        reference.agree(fast(algorithm, order), slow(reference, order), x, tolerance)


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("read", ["after", "before"])
def test_without_decay(reference, algorithm, read):
    x = vars(reference.inputs((2,), 2 * CHUNK + 3, 5, 4))
    del x["decay"]
    reference.agree(fast(algorithm, read=read), slow(reference, read=read), x, 1e-10)


@pytest.mark.parametrize("chunk", [1, 2, 16, 32, 64, 128])
@pytest.mark.parametrize("order", ORDERS)
def test_every_block_length(reference, chunk, order):
    for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        x = vars(reference.inputs((), 150, 16, 16, gates="near one", dtype=dtype))
        reference.agree(fast("chunked", order, chunk=chunk), slow(reference, order), x, tolerance)


@pytest.mark.parametrize("order", ORDERS)
def test_decay_given_as_a_logarithm(reference, order):
    x = vars(reference.inputs((2,), 2 * CHUNK + 3, 5, 4))
    x["decay"] = x["decay"].log()
    x["decay"][:, 5] = -1e3
    run = slow(reference, order)
    reference.agree(
        fast("chunked", order, decay_space="log"), lambda decay, **rest: run(decay=decay.exp(), **rest), x, 1e-10
    )
    x["decay"][:, 5] = -torch.inf
    x = {name: value.requires_grad_() for name, value in x.items()}
    out, state = fast("chunked", order, decay_space="log")(**x)
    wanted, _ = run(**{**x, "decay": x["decay"].exp()})
    assert reference.distance(out, wanted) <= 1e-10
    for gradient in torch.autograd.grad(out.sum() + state.sum(), list(x.values())):
        assert gradient.isfinite().all()


@pytest.mark.parametrize("algorithm", NAMES)
def test_a_decay_of_one_is_the_plain_delta_rule(reference, algorithm):
    x = vars(reference.inputs((2,), 2 * CHUNK + 3, 5, 4))
    del x["decay"]
    plain = fast(algorithm)(**x)
    for order in ORDERS:
        gated = fast(algorithm, order)(**x, decay=torch.ones_like(x["rate"]))
        for got, wanted in zip(gated, plain, strict=True):
            assert reference.distance(got, wanted) <= 1e-12


@pytest.mark.parametrize("algorithm", NAMES)
def test_a_rate_of_zero_only_forgets(reference, algorithm):
    x = vars(reference.inputs((2,), 2 * CHUNK + 3, 5, 4))
    x["rate"] = torch.zeros_like(x["rate"])
    for order in ORDERS:
        _, state = fast(algorithm, order)(**x)
        assert reference.distance(state, x["decay"].prod(-1)[:, None, None] * x["state"]) <= 1e-12


def test_the_two_orders_are_two_memories_that_map_onto_each_other(reference):
    x = vars(reference.inputs((2,), 2 * CHUNK + 3, 5, 4))
    first, state = fast("chunked", "decay_first")(**x)
    other, _ = fast("chunked", "error_first")(**x)
    assert reference.distance(other, first) > 1e-2
    mapped = {**x, "rate": x["rate"] * x["decay"], "v": x["v"] / x["decay"].unsqueeze(-1)}
    same, same_state = fast("chunked", "error_first")(**mapped)
    assert reference.distance(same, first) <= 1e-11
    assert reference.distance(same_state, state) <= 1e-11


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("split", [1, CHUNK - 1, CHUNK, CHUNK + 5])
def test_a_sequence_may_be_cut_anywhere(reference, algorithm, split):
    x = reference.inputs((2,), 2 * CHUNK + 3, 5, 4)
    run = fast(algorithm)

    def cut(part):
        return {name: getattr(x, name)[:, part] for name in ("q", "k", "v", "decay", "rate")}

    whole, last = run(**vars(x))
    head, middle = run(**cut(slice(None, split)), state=x.state)
    tail, end = run(**cut(slice(split, None)), state=middle)
    assert reference.distance(torch.cat([head, tail], 1), whole) <= 1e-12
    assert reference.distance(end, last) <= 1e-12


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("read", ["after", "before"])
def test_steps_give_the_forward(reference, order, read):
    x = reference.inputs((2, 2), 2 * CHUNK + 3, 5, 4)
    options = {"scale": 0.7, "read": read, "order": order}
    whole, last = rank_one(x.q, x.k, x.v, rate=x.rate, decay=x.decay, chunk=CHUNK, **options)
    state = rank_one_init((2, 2), 5, 4, dtype=torch.float64)
    outs = []
    for t in range(whole.shape[-2]):
        out, state = rank_one_step(
            state,
            x.q[..., t, :],
            x.k[..., t, :],
            x.v[..., t, :],
            rate=x.rate[..., t],
            decay=x.decay[..., t],
            **options,
        )
        outs.append(out)
    assert reference.distance(torch.stack(outs, -2), whole) <= 1e-12
    assert reference.distance(state, last) <= 1e-12


def test_steps_carry_gradients(reference):
    x = vars(reference.inputs((2,), 5, 5, 4))

    def stepped(q, k, v, rate, decay, state):
        outs = []
        for t in range(5):
            out, state = rank_one_step(state, q[:, t], k[:, t], v[:, t], rate=rate[:, t], decay=decay[:, t])
            outs.append(out)
        return torch.stack(outs, 1), state

    reference.agree(stepped, slow(reference), x, 1e-10)


@pytest.mark.parametrize("algorithm", NAMES)
def test_strides_do_not_matter(reference, algorithm):
    x = vars(reference.inputs((2, 3), 2 * CHUNK + 3, 5, 4))
    turned = {
        name: value.transpose(1, 2).contiguous().transpose(1, 2) if value.ndim > 3 else value.mT.contiguous().mT
        for name, value in x.items()
    }
    assert not any(value.is_contiguous() for value in turned.values())
    for got, wanted in zip(fast(algorithm)(**turned), fast(algorithm)(**x), strict=True):
        assert reference.distance(got, wanted) <= 1e-13


def test_gradients_reach_single_outputs(reference):
    """A loss of the answers alone, or of the state alone, differentiates as one of both."""
    x = {name: value.requires_grad_() for name, value in vars(reference.inputs((2,), 11, 5, 4)).items()}
    for index in (0, 1):
        got = torch.autograd.grad(fast("chunked")(**x)[index].square().sum(), list(x.values()), materialize_grads=True)
        wanted = torch.autograd.grad(
            slow(reference)(**x)[index].square().sum(), list(x.values()), materialize_grads=True
        )
        for g, w in zip(got, wanted, strict=True):
            assert reference.distance(g, w) <= 1e-10


def test_long_sequences_in_single_precision(reference):
    x = vars(reference.inputs((), 700, 16, 16, gates="near one", dtype=torch.float32))
    reference.agree(fast("chunked", chunk=64), slow(reference), x, 1e-5)


def test_repeated_keys_with_full_rate(reference):
    """The worst conditioned legal input: the same unit key again and again, each pair replacing the last."""
    x = vars(reference.inputs((), 130, 8, 4, dtype=torch.float32))
    x["k"] = x["k"][:1].expand(130, 8).clone()
    x["rate"], x["decay"] = torch.ones(130), torch.ones(130)
    reference.agree(fast("chunked", chunk=64), slow(reference), x, 1e-5)


def test_half_precision_is_summed_in_single(reference):
    x = vars(reference.inputs((2,), 300, 8, 4, gates="near one", dtype=torch.bfloat16))
    del x["state"]
    out, state = fast("chunked", chunk=64)(**x)
    assert (out.dtype, state.dtype) == (torch.bfloat16, torch.float32)
    wide = {name: value.double() for name, value in x.items()}
    wanted, _ = slow(reference)(**wide, state=torch.zeros(2, 8, 4, dtype=torch.float64))
    assert reference.distance(out, wanted) <= 2**-8


def test_a_second_derivative_raises(reference):
    x = {name: value.requires_grad_() for name, value in vars(reference.inputs((2,), 11, 5, 4)).items()}
    out, _ = fast("chunked")(**x)
    (first,) = torch.autograd.grad(out.square().sum(), x["k"], create_graph=True)
    with pytest.raises(RuntimeError, match="no second derivative"):
        torch.autograd.grad(first.square().sum(), x["k"])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"rate": torch.zeros(4)}, "rate"),
        ({"decay": torch.zeros(4)}, "decay"),
        ({"state": torch.zeros(4, 5)}, "state"),
        ({"order": "both"}, "order"),
        ({"algorithm": "parallel"}, "unknown algorithm"),
        ({"chunk": 0}, "power of two"),
    ],
)
def test_wrong_arguments_are_named(change, text):
    arguments = {"rate": torch.zeros(3), **change}
    with pytest.raises(ValueError, match=text):
        rank_one(torch.zeros(3, 5), torch.zeros(3, 5), torch.zeros(3, 4), **arguments)


def test_an_empty_batch_gives_empty_answers():
    x = {"q": torch.zeros(0, 9, 5), "k": torch.zeros(0, 9, 5), "v": torch.zeros(0, 9, 4), "rate": torch.zeros(0, 9)}
    x = {name: value.requires_grad_() for name, value in x.items()}
    out, state = fast("chunked")(**x, decay=torch.zeros(0, 9))
    assert (out.shape, state.shape) == ((0, 9, 4), (0, 5, 4))
    gradients = torch.autograd.grad(out.sum(), list(x.values()))
    assert [g.shape for g in gradients] == [value.shape for value in x.values()]
