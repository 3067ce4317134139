"""Scalar-affine memories: every algorithm computes the definition and its gradients."""

from __future__ import annotations

import pytest
import torch

from rep_runtime.memory import ALGORITHMS, scalar_affine, scalar_affine_init, scalar_affine_step

CHUNK = 8
TIMES = [1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3]
NAMES = sorted(ALGORITHMS["scalar_affine"])
GATES = ["mild", "near one", "extreme", "resets", "zero", "tiny"]


GUARDS = [("weight", None, 1e-6), ("weight", 0.5, 0.0), ("absolute", 1.0, 1e-3)]


def fast(algorithm, read="after", **options):
    def run(q, k, v, state, decay=None, rate=None):
        return scalar_affine(
            q, k, v, decay=decay, write=rate, state=state, read=read, algorithm=algorithm, chunk=CHUNK, **options
        )

    return run


def slow(reference, read="after"):
    def run(q, k, v, state, decay=None, rate=None):
        return reference.affine(q, k, v, decay, rate, state, read)

    return run


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("read", ["after", "before"])
@pytest.mark.parametrize("time", TIMES)
def test_values_and_gradients_at_every_length(reference, algorithm, read, time):
    x = vars(reference.inputs((2, 3), time, 5, 4, gates="resets"))
    reference.agree(fast(algorithm, read), slow(reference, read), x, 1e-10)


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("gates", GATES)
def test_extreme_gates_in_both_precisions(reference, algorithm, gates):
    for dtype, tolerance in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        x = vars(reference.inputs((3,), 2 * CHUNK + 3, 5, 4, gates=gates, dtype=dtype))
        reference.agree(fast(algorithm), slow(reference), x, tolerance)


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize("present", [(), ("decay",), ("rate",)])
def test_absent_gates_are_ones(reference, algorithm, present):
    x = vars(reference.inputs((), 2 * CHUNK + 3, 5, 4))
    x = {name: value for name, value in x.items() if name not in ("decay", "rate") or name in present}
    reference.agree(fast(algorithm), slow(reference), x, 1e-10)
    ones = torch.ones_like(x["q"][..., 0])
    out, state = fast(algorithm)(**x)
    filled, filled_state = fast(algorithm)(**{"decay": ones, "rate": ones, **x})
    assert reference.distance(filled, out) <= 1e-12
    assert reference.distance(filled_state, state) <= 1e-12


@pytest.mark.parametrize("algorithm", NAMES)
def test_decay_given_as_a_logarithm(reference, algorithm):
    x = vars(reference.inputs((2,), 2 * CHUNK + 3, 5, 4))
    x["decay"] = x["decay"].log()
    x["decay"][:, 5] = -1e3
    run = slow(reference)
    reference.agree(fast(algorithm, decay_space="log"), lambda decay, **rest: run(decay=decay.exp(), **rest), x, 1e-10)
    x["decay"][:, 5] = -torch.inf
    x = {name: value.requires_grad_() for name, value in x.items()}
    out, state = fast(algorithm, decay_space="log")(**x)
    wanted, _ = run(**{**x, "decay": x["decay"].exp()})
    assert reference.distance(out, wanted) <= 1e-10
    for gradient in torch.autograd.grad(out.sum() + state.sum(), list(x.values())):
        assert gradient.isfinite().all()


@pytest.mark.parametrize("algorithm", NAMES)
def test_blocks_longer_than_the_default_range_of_lengths(reference, algorithm):
    x = vars(reference.inputs((), 150, 5, 4, gates="near one", dtype=torch.float32))
    run = slow(reference)
    for chunk in (16, 64):
        reference.agree(
            lambda q, k, v, rate, decay, state, chunk=chunk: scalar_affine(
                q, k, v, decay=decay, write=rate, state=state, algorithm=algorithm, chunk=chunk
            ),
            run,
            x,
            1e-5,
        )


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


@pytest.mark.parametrize("normalize", ["none", "weight", "absolute"])
@pytest.mark.parametrize("read", ["after", "before"])
def test_steps_give_the_forward(reference, normalize, read):
    x = reference.inputs((2, 2), 2 * CHUNK + 3, 5, 4)
    options = {"scale": 0.7, "read": read, "normalize": normalize, "floor": 0.3, "eps": 1e-6}
    whole, last = scalar_affine(x.q, x.k, x.v, decay=x.decay, write=x.rate, chunk=CHUNK, **options)
    state = scalar_affine_init((2, 2), 5, 4, normalize=normalize, dtype=torch.float64)
    outs = []
    for t in range(whole.shape[-2]):
        out, state = scalar_affine_step(
            state,
            x.q[..., t, :],
            x.k[..., t, :],
            x.v[..., t, :],
            decay=x.decay[..., t],
            write=x.rate[..., t],
            **options,
        )
        outs.append(out)
    assert reference.distance(torch.stack(outs, -2), whole) <= 1e-12
    assert reference.distance(state, last) <= 1e-12


@pytest.mark.parametrize("algorithm", NAMES)
@pytest.mark.parametrize(("normalize", "floor", "eps"), GUARDS)
def test_normalised_reads(reference, algorithm, normalize, floor, eps):
    x = vars(reference.inputs((2,), 2 * CHUNK + 3, 5, 4, gates="resets"))
    del x["state"]
    if normalize == "weight":
        x["q"], x["k"] = x["q"].abs(), x["k"].abs()

    def by_definition(q, k, v, rate, decay):
        nothing = q.new_zeros(2, 5, 4)
        numerator, state = reference.affine(q, k, v, decay, rate, nothing, "after")
        weight, total = reference.affine(q, k, torch.ones_like(v[..., :1]), decay, rate, nothing[..., :1], "after")
        weight = weight.abs() if normalize == "absolute" else weight
        weight = weight if floor is None else torch.maximum(weight, torch.full_like(weight, floor))
        return numerator / (weight + eps), torch.cat([state, total], -1)

    def fast_read(q, k, v, rate, decay):
        return scalar_affine(
            q,
            k,
            v,
            decay=decay,
            write=rate,
            normalize=normalize,
            floor=floor,
            eps=eps,
            algorithm=algorithm,
            chunk=CHUNK,
        )

    reference.agree(fast_read, by_definition, x, 1e-10)


def test_a_floor_may_differ_by_position(reference):
    x = reference.inputs((2,), 11, 5, 4)
    floor = torch.linspace(0.1, 3.0, 22, dtype=torch.float64).reshape(2, 11)
    out, state = scalar_affine(x.q, x.k, x.v, normalize="absolute", floor=floor, chunk=CHUNK)
    plain, _ = scalar_affine(x.q, x.k, x.v, chunk=CHUNK)
    weight = torch.einsum("bsk,btk->bts", x.k, x.q).tril().sum(-1).abs()
    assert reference.distance(out, plain / torch.maximum(weight, floor).unsqueeze(-1)) <= 1e-12
    assert state.shape == (2, 5, 5)


@pytest.mark.parametrize("algorithm", NAMES)
def test_a_memory_without_pairs_answers_zero(algorithm, reference):
    x = reference.inputs((), 6, 5, 4)
    q, k = x.q.abs().requires_grad_(), x.k.abs()
    out, _ = scalar_affine(q, k, x.v, normalize="weight", read="before", algorithm=algorithm)
    assert (out[0] == 0).all()
    (gradient,) = torch.autograd.grad(out.square().sum(), q)
    assert gradient.isfinite().all()


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


@pytest.mark.parametrize("algorithm", NAMES)
def test_half_precision_is_summed_in_single(reference, algorithm):
    x = vars(reference.inputs((2,), 300, 8, 4, gates="near one", dtype=torch.bfloat16))
    out, state = scalar_affine(x["q"], x["k"], x["v"], decay=x["decay"], write=x["rate"], algorithm=algorithm)
    wide = {name: value.double() for name, value in x.items()}
    wanted, wanted_state = reference.affine(
        wide["q"], wide["k"], wide["v"], wide["decay"], wide["rate"], torch.zeros_like(wide["state"]), "after"
    )
    assert out.dtype == torch.bfloat16
    assert state.dtype == torch.float32
    assert reference.distance(out, wanted) <= 2**-8
    assert reference.distance(state, wanted_state) <= 1e-5


def test_a_number_that_was_reset_away_leaves_no_trace(reference):
    x = reference.inputs((), 20, 5, 4)
    x.decay[13] = 0.0
    out, state = scalar_affine(x.q, x.k, x.v, decay=x.decay, chunk=CHUNK)
    fresh, fresh_state = scalar_affine(x.q[13:], x.k[13:], x.v[13:], decay=x.decay[13:], chunk=CHUNK)
    assert reference.distance(out[13:], fresh) <= 1e-13
    assert reference.distance(state, fresh_state) <= 1e-13


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"k": torch.zeros(3, 4)}, "keys"),
        ({"v": torch.zeros(4, 4)}, "values"),
        ({"decay": torch.zeros(4)}, "decay"),
        ({"write": torch.zeros(1, 3)}, "write"),
        ({"state": torch.zeros(4, 5)}, "state"),
        ({"chunk": 48}, "power of two"),
        ({"algorithm": "fft"}, "unknown algorithm"),
        ({"normalize": "sum"}, "normalize"),
    ],
)
def test_wrong_arguments_are_named(change, text):
    arguments = {"q": torch.zeros(3, 5), "k": torch.zeros(3, 5), "v": torch.zeros(3, 4), **change}
    with pytest.raises(ValueError, match=text):
        scalar_affine(arguments.pop("q"), arguments.pop("k"), arguments.pop("v"), **arguments)
