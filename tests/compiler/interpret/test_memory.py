"""The reference of memories against formulas written by hand, value by value and step by step."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from repc.dims import Symbol
from repc.interpret import MemoryFault, Named, run_memory
from repc.interpret.memory.weights import fenwick_level
from repc.ir import Choice, MemoryRecord, Ref, Word

T, S, K, P, H, M = (Symbol(name) for name in "TSKPHM")
LENGTH, KEYS, VALUES = 7, 4, 3


def word(name: str, **args: object) -> Word:
    return Word(name, tuple(args.items()))


def number(value: object) -> Word:
    return word("coefficient", value=value)


def record(source: Symbol = T, **fields: Word) -> MemoryRecord:
    chosen = tuple((name, Choice(value, "written")) for name, value in fields.items())
    return MemoryRecord(T, source, (K,), (P,), (("q", "q"), ("k", "k"), ("v", "v")), chosen)


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def no_graph(word: Word, given: object) -> Named:
    raise AssertionError(f"no graph is named: {word} {given}")


def pairs() -> dict[str, Named]:
    return {
        "q": Named(draw(LENGTH, KEYS, seed=1), (T, K)),
        "k": Named(draw(LENGTH, KEYS, seed=2), (T, K)),
        "v": Named(draw(LENGTH, VALUES, seed=3), (T, P)),
        "a": Named(torch.sigmoid(draw(LENGTH, seed=4)), (T,)),
        "b": Named(torch.sigmoid(draw(LENGTH, seed=5)), (T,)),
        "c": Named(torch.sigmoid(draw(LENGTH, KEYS, seed=6)), (T, K)),
        "d": Named(torch.sigmoid(draw(LENGTH, VALUES, seed=7)), (T, P)),
    }


def run(made: MemoryRecord, inputs: dict[str, Named] | None = None) -> Tensor:
    return run_memory(made, inputs or pairs(), no_graph)[0].ordered((T, P))


def unpack() -> tuple[Tensor, ...]:
    given = pairs()
    return tuple(given[name].data for name in ("q", "k", "v", "a", "b", "c", "d"))


def close(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-10)


def test_delta_rule() -> None:
    q, k, v, _, b, _, _ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        state = state + b[t] * torch.outer(k[t], v[t] - state.T @ k[t])
        wanted.append(state.T @ q[t])
    close(run(record(loss=word("squared"), optimizer=word("sgd", rate=Ref("b")))), torch.stack(wanted))


@pytest.mark.parametrize("order", ["decay_first", "error_first"])
def test_gated_delta_in_both_orders(order: str) -> None:
    q, k, v, a, b, _, _ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        seen = a[t] * state if order == "decay_first" else state
        state = a[t] * state + b[t] * torch.outer(k[t], v[t] - seen.T @ k[t])
        wanted.append(state.T @ q[t])
    made = record(order=word(order), retain=number(Ref("a")), optimizer=word("sgd", rate=Ref("b")))
    close(run(made), torch.stack(wanted))


@pytest.mark.parametrize(("port", "channel"), [("c", "key"), ("d", "value")])
def test_gated_delta_with_a_decay_by_channel(port: str, channel: str) -> None:
    q, k, v, _, b, c, d = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        state = (c[t][:, None] if channel == "key" else d[t][None, :]) * state
        state = state + b[t] * torch.outer(k[t], v[t] - state.T @ k[t])
        wanted.append(state.T @ q[t])
    close(run(record(retain=number(Ref(port)), optimizer=word("sgd", rate=Ref("b")))), torch.stack(wanted))


def test_several_steps_a_pair_are_several_delta_updates() -> None:
    q, k, v, a, b, _, _ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        state = a[t] * state
        for _ in range(3):
            state = state + b[t] * torch.outer(k[t], v[t] - state.T @ k[t])
        wanted.append(state.T @ q[t])
    made = record(retain=number(Ref("a")), optimizer=word("sgd", rate=Ref("b"), steps=3))
    close(run(made), torch.stack(wanted))


def test_gradients_of_one_point_a_block() -> None:
    q, k, v, _, b, _, _ = unpack()
    state, start, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), None, []
    for t in range(LENGTH):
        start = state if t % 3 == 0 else start
        assert start is not None
        state = state + b[t] * torch.outer(k[t], v[t] - start.T @ k[t])
        wanted.append(state.T @ q[t])
    made = record(per=number(3), order=word("error_first"), optimizer=word("sgd", rate=Ref("b")))
    close(run(made), torch.stack(wanted))


def test_momentum_adds_up_rate_times_gradient() -> None:
    q, k, v, a, b, _, _ = unpack()
    state = velocity = torch.zeros(KEYS, VALUES, dtype=torch.float64)
    wanted = []
    for t in range(LENGTH):
        velocity = 0.9 * velocity + b[t] * torch.outer(k[t], v[t] - state.T @ k[t])
        state = a[t] * state + velocity
        wanted.append(state.T @ q[t])
    made = record(
        order=word("error_first"),
        retain=number(Ref("a")),
        optimizer=word("sgd", rate=Ref("b"), momentum=0.9),
    )
    close(run(made), torch.stack(wanted))


def test_a_window_of_gradients() -> None:
    q, k, v, _, b, _, _ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        push = sum(
            (torch.outer(k[i], v[i] - state.T @ k[i]) for i in range(max(0, t - 1), t + 1)), torch.zeros_like(state)
        )
        state = state + b[t] * push
        wanted.append(state.T @ q[t])
    close(run(record(optimizer=word("sgd", rate=Ref("b"), window=2))), torch.stack(wanted))


def test_an_implicit_step_is_a_delta_rule_with_a_smaller_rate() -> None:
    _, k, _, _, b, _, _ = unpack()
    shrunk = {**pairs(), "b": Named(b / (1 + b * (k * k).sum(-1)), (T,))}
    implicit = run(record(optimizer=word("implicit", rate=Ref("b"))))
    close(implicit, run(record(optimizer=word("sgd", rate=Ref("b"))), shrunk))


@pytest.mark.parametrize(("loss", "power"), [(word("lp", p=3), 3.0), (word("lp", p=2), 2.0)])
def test_the_gradient_is_that_of_the_declared_loss(loss: Word, power: float) -> None:
    q, k, v, _, b, _, _ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        error = v[t] - state.T @ k[t]
        state = state + b[t] * torch.outer(k[t], error.abs() ** (power - 1) * torch.sign(error))
        wanted.append(state.T @ q[t])
    close(run(record(loss=loss, optimizer=word("sgd", rate=Ref("b")))), torch.stack(wanted))


def test_huber_caps_the_length_of_the_error() -> None:
    q, k, v, _, b, _, _ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        error = v[t] - state.T @ k[t]
        error = error * min(1.0, 0.5 / float(error.norm()))
        state = state + b[t] * torch.outer(k[t], error)
        wanted.append(state.T @ q[t])
    made = record(loss=word("huber", delta=0.5), optimizer=word("sgd", rate=Ref("b")))
    close(run(made), torch.stack(wanted))


def linear_attention(decay: Tensor | None = None) -> Tensor:
    q, k, v, *_ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        if decay is not None:
            state = (decay[t][:, None] if decay.ndim == 2 else decay[t]) * state
        state = state + torch.outer(k[t], v[t])
        wanted.append(state.T @ q[t])
    return torch.stack(wanted)


def test_linear_attention_and_its_equals() -> None:
    hebbian = run(record(optimizer=word("hebbian")))
    close(hebbian, linear_attention())
    close(run(record(loss=word("dot"), optimizer=word("sgd", rate=1.0))), hebbian)


@pytest.mark.parametrize("port", ["a", "c"])
@pytest.mark.parametrize("how", ["weights", "retain", "stream"])
def test_decay_of_weights_and_retention_of_the_state_agree(port: str, how: str) -> None:
    fields = {
        "weights": {"weights": word("decay", rate=Ref(port)), "optimizer": word("hebbian")},
        "retain": {"retain": number(Ref(port)), "optimizer": word("hebbian")},
        "stream": {"retain": number(Ref(port)), "loss": word("dot"), "optimizer": word("sgd", rate=1.0)},
    }[how]
    close(run(record(**fields)), linear_attention(pairs()[port].data))


def test_normalisation_divides_by_the_total_weight() -> None:
    q, k, v, *_ = unpack()
    q, k = torch.nn.functional.elu(q) + 1, torch.nn.functional.elu(k) + 1
    weights = torch.tril(q @ k.T)
    wanted = weights @ v / weights.sum(-1, keepdim=True)
    close(run(record(features=word("elu1"), optimizer=word("hebbian"), normalize=word("total"))), wanted)


def test_read_before_with_a_bonus() -> None:
    q, k, v, _, _, c, _ = unpack()
    state, wanted = torch.zeros(KEYS, VALUES, dtype=torch.float64), []
    for t in range(LENGTH):
        wanted.append(state.T @ q[t] + 0.5 * (q[t] @ k[t]) * v[t])
        state = c[t][:, None] * state + torch.outer(k[t], v[t])
    made = record(retain=number(Ref("c")), optimizer=word("hebbian"), read=word("before"), bonus=number(0.5))
    close(run(made), torch.stack(wanted))


@pytest.mark.parametrize("window", [None, 3])
def test_softmax_attention(window: int | None) -> None:
    q, k, v, *_ = unpack()
    t = torch.arange(LENGTH)
    seen = t[None, :] <= t[:, None]
    if window is not None:
        seen &= t[:, None] - t[None, :] < window
    scores = (q @ k.T / KEYS**0.5).masked_fill(~seen, -torch.inf)
    weights = word("uniform") if window is None else word("window", size=window)
    made = record(weights=weights, regressor=word("local_constant", kernel=word("exp")))
    close(run(made), torch.softmax(scores, -1) @ v)


def test_softmax_attention_over_another_sequence() -> None:
    inputs = {
        "q": Named(draw(LENGTH, KEYS, seed=1), (T, K)),
        "k": Named(draw(5, KEYS, seed=2), (S, K)),
        "v": Named(draw(5, VALUES, seed=3), (S, P)),
    }
    scores = inputs["q"].data @ inputs["k"].data.T / KEYS**0.5
    made = record(source=S, weights=word("full"), regressor=word("local_constant", kernel=word("exp")))
    close(run(made, inputs), torch.softmax(scores, -1) @ inputs["v"].data)


def test_a_kernel_memory_without_pairs_answers_zero() -> None:
    made = record(read=word("before"), regressor=word("local_constant", kernel=word("exp")))
    out = run(made)
    close(out[0], torch.zeros(VALUES, dtype=torch.float64))
    close(out[1], pairs()["v"].data[0])


def test_ridge_regression_with_a_prior_that_decays_or_not() -> None:
    q, k, v, a, *_ = unpack()
    for place, decays in (("prior", True), ("read", False)):
        gram, moment, held = torch.zeros(KEYS, KEYS).double(), torch.zeros(KEYS, VALUES).double(), 0.3
        wanted = []
        for t in range(LENGTH):
            gram = a[t] * gram + torch.outer(k[t], k[t])
            moment = a[t] * moment + torch.outer(k[t], v[t])
            held = held * float(a[t]) if decays else held
            wanted.append(torch.linalg.solve(gram + held * torch.eye(KEYS).double(), moment).T @ q[t])
        made = record(
            weights=word("decay", rate=Ref("a")),
            optimizer=word("exact"),
            regularizer=word("ridge", l=0.3, at=place),
        )
        close(run(made), torch.stack(wanted))


def test_least_squares_of_minimum_norm() -> None:
    q, k, v, *_ = unpack()
    wanted = torch.stack([(torch.linalg.pinv(k[: t + 1]) @ v[: t + 1]).T @ q[t] for t in range(LENGTH)])
    close(run(record(optimizer=word("exact"))), wanted)


def test_exact_and_hebbian_agree_on_orthonormal_keys() -> None:
    basis = torch.linalg.qr(draw(LENGTH, LENGTH, seed=9))[0]
    inputs = {
        "q": Named(draw(LENGTH, LENGTH, seed=1), (T, K)),
        "k": Named(basis, (T, K)),
        "v": Named(draw(LENGTH, VALUES, seed=3), (T, P)),
    }
    close(run(record(optimizer=word("exact")), inputs), run(record(optimizer=word("hebbian")), inputs))


@pytest.mark.parametrize("ridge", [0.0, 1e-2])
def test_local_linear_is_the_constant_of_the_fit_around_the_query(ridge: float) -> None:
    q, k, v, *_ = unpack()
    wanted = []
    # Seven pairs determine a constant and four slopes from the sixth on; before that a ridge is needed.
    first = 0 if ridge else KEYS + 1
    for t in range(first, LENGTH):
        w = torch.exp(k[: t + 1] @ q[t] / KEYS**0.5)
        z = k[: t + 1] - q[t]
        sigma = (w[:, None] * z).T @ z + ridge * torch.eye(KEYS).double()
        mu = (w[:, None] * z).sum(0)
        rho = torch.linalg.solve(sigma, mu)
        share = w * (1 - z @ rho) / (w.sum() - mu @ rho)
        wanted.append(share @ v[: t + 1])
    fields = {"regularizer": word("ridge", l=ridge)} if ridge else {}
    out = run(record(regressor=word("local_linear", kernel=word("exp")), **fields))
    torch.testing.assert_close(out[first:], torch.stack(wanted), rtol=1e-8, atol=1e-8)


def test_a_diagonal_memory_is_a_gated_recurrence() -> None:
    given = pairs()
    inputs = {
        "q": Named(torch.ones(LENGTH, VALUES).double(), (T, P)),
        "k": Named(1 - given["d"].data, (T, P)),
        "v": given["v"],
        "d": given["d"],
    }
    made = MemoryRecord(
        T,
        T,
        (P,),
        (P,),
        (("q", "q"), ("k", "k"), ("v", "v")),
        tuple(
            (name, Choice(value, "written"))
            for name, value in {
                "regressor": word("diagonal"),
                "retain": number(Ref("d")),
                "optimizer": word("hebbian"),
            }.items()
        ),
    )
    state, wanted = torch.zeros(VALUES).double(), []
    for t in range(LENGTH):
        d = given["d"].data[t]
        state = d * state + (1 - d) * given["v"].data[t]
        wanted.append(state)
    close(run(made, inputs), torch.stack(wanted))


def test_an_initial_state_is_what_was_there_before() -> None:
    q, k, v, a, b, *_ = unpack()
    start = draw(KEYS, VALUES, seed=8)
    inputs = {**pairs(), "s": Named(start, (K, P))}
    for fields in ({"optimizer": word("sgd", rate=Ref("b"))}, {"optimizer": word("hebbian")}):
        state, wanted = start, []
        for t in range(LENGTH):
            state = a[t] * state
            error = v[t] - state.T @ k[t] if fields["optimizer"].name == "sgd" else v[t]
            state = state + (b[t] if fields["optimizer"].name == "sgd" else 1.0) * torch.outer(k[t], error)
            wanted.append(state.T @ q[t])
        made = record(init=word("given", value=Ref("s")), retain=number(Ref("a")), **fields)
        close(run(made, inputs), torch.stack(wanted))


def test_levels_are_the_binary_digits_of_the_position() -> None:
    rows = [[fenwick_level(t, s) for s in range(t + 1)] for t in range(8)]
    assert rows[0] == [0]
    assert rows[1] == [1, 0]
    assert rows[4] == [3, 3, 3, 3, 0]
    assert rows[7] == [3, 3, 3, 3, 2, 2, 1, 0]


def test_levels_weigh_the_blocks_of_the_past() -> None:
    q, k, v, *_ = unpack()
    level = Symbol("L")
    lam = torch.sigmoid(draw(LENGTH, 4, seed=8))
    inputs = {**pairs(), "lam": Named(lam, (T, level))}
    wanted = torch.stack(
        [
            sum(
                (float(lam[t, fenwick_level(t, s)]) * (q[t] @ k[s]) * v[s] for s in range(t + 1)),
                torch.zeros(VALUES).double(),
            )
            for t in range(LENGTH)
        ]
    )
    made = record(weights=word("levels", kind="fenwick", weight=Ref("lam")), optimizer=word("hebbian"))
    close(run(made, inputs), wanted)


MEMORIES = {
    "delta": record(retain=number(Ref("a")), optimizer=word("sgd", rate=Ref("b"), momentum=0.5)),
    "blocks": record(per=number(3), optimizer=word("sgd", rate=Ref("b"))),
    "softmax": record(regressor=word("local_constant", kernel=word("exp"))),
    "exact": record(optimizer=word("exact"), regularizer=word("ridge", l=0.1)),
    "hebbian": record(weights=word("decay", rate=Ref("c")), optimizer=word("hebbian"), normalize=word("total")),
}


@pytest.mark.parametrize("name", MEMORIES)
def test_lifted_axes_are_a_loop(name: str) -> None:
    inputs = {
        **pairs(),
        "q": Named(draw(LENGTH, 2, KEYS, 3, seed=11), (T, H, K, M)),
        "v": Named(draw(3, LENGTH, VALUES, seed=12), (M, T, P)),
        "a": Named(torch.sigmoid(draw(2, LENGTH, seed=13)), (H, T)),
    }
    whole = run_memory(MEMORIES[name], inputs, no_graph)[0].ordered((H, M, T, P))
    for h in range(2):
        for m in range(3):
            one = {
                **inputs,
                "q": Named(inputs["q"].data[:, h, :, m], (T, K)),
                "v": Named(inputs["v"].data[m], (T, P)),
                "a": Named(inputs["a"].data[h], (T,)),
            }
            close(whole[h, m], run(MEMORIES[name], one))


@pytest.mark.parametrize("name", MEMORIES)
@pytest.mark.parametrize("split", [1, 3, 6])
def test_a_sequence_in_two_parts_is_the_whole(name: str, split: int) -> None:
    whole = run(MEMORIES[name])
    first = {port: Named(value.data[:split], value.labels) for port, value in pairs().items()}
    second = {port: Named(value.data[split:], value.labels) for port, value in pairs().items()}
    head, state = run_memory(MEMORIES[name], first, no_graph)
    tail, _ = run_memory(MEMORIES[name], second, no_graph, state)
    close(torch.cat([head.ordered((T, P)), tail.ordered((T, P))]), whole)


@pytest.mark.parametrize("name", MEMORIES)
def test_gradients_reach_every_input(name: str) -> None:
    given = {port: value for port, value in pairs().items() if port != "d"}
    used = [
        port for port in ("q", "k", "v", "a", "b", "c") if port in "qkv" or f"node='{port}'" in repr(MEMORIES[name])
    ]

    def loss(*tensors: Tensor) -> Tensor:
        held = {**given, **{port: Named(x, given[port].labels) for port, x in zip(used, tensors, strict=True)}}
        return run(MEMORIES[name], held)

    leaves = [given[port].data.clone().requires_grad_(True) for port in used]
    assert torch.autograd.gradcheck(loss, leaves)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"optimizer": word("exact"), "loss": word("dot")}, "squared"),
        ({"optimizer": word("exact"), "weights": word("decay", rate=Ref("c"))}, "channel"),
        ({"optimizer": word("sgd", rate=1.0, steps=2), "per": number(2)}, "exclude each other"),
        ({"optimizer": word("newton"), "regressor": word("linear")}, "newton"),
        ({"weights": word("sometimes"), "optimizer": word("hebbian")}, "sometimes"),
        ({"regressor": word("diagonal"), "optimizer": word("hebbian")}, "one size"),
    ],
)
def test_choices_without_a_meaning_are_refused(fields: dict[str, Word], reason: str) -> None:
    with pytest.raises(MemoryFault, match=reason):
        run(record(**fields))
