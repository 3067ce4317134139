"""Keys, draws, initial values, schedules and optimizers."""

from __future__ import annotations

import math

import pytest
import torch

from rep_runtime import RuntimeFault
from rep_runtime.draws import NOISE, Draws
from rep_runtime.inits import INITS, init
from rep_runtime.keys import counter_integers, counter_uniform, generator, key_number
from rep_runtime.optim import adam, adamw, build, muon, set_clock, sgd
from rep_runtime.schedules import Constant, Cosine, Linear, Ramp, Warmup


def test_keys_separate_their_parts() -> None:
    keys = [(1, "ab", "c"), (1, "a", "bc"), (1, "abc"), ("1", "ab", "c"), (11, "b", "c"), (1, "ab", "c", 0)]
    assert len({key_number(*key) for key in keys}) == len(keys)


def test_counters_are_uniform_and_independent() -> None:
    u = counter_uniform(0, "s", torch.arange(20_000), 8)
    assert float(u.min()) >= 0 and float(u.max()) < 1
    assert abs(float(u.mean()) - 0.5) < 0.003 and abs(float(u.var()) - 1 / 12) < 0.001
    assert float(torch.corrcoef(u.T).fill_diagonal_(0).abs().max()) < 0.03  # columns
    assert abs(float(torch.corrcoef(torch.stack([u[:-1, 0], u[1:, 0]]))[0, 1])) < 0.03  # neighbouring ids
    assert torch.equal(counter_uniform(0, "s", torch.tensor([77, 3]), 8), u[[77, 3]])
    assert not torch.equal(counter_uniform(0, "t", torch.arange(4), 8), u[:4])
    share = torch.bincount(counter_integers(1, "i", torch.arange(9000), 1, 3)[:, 0]) / 9000
    torch.testing.assert_close(share, torch.full((3,), 1 / 3), atol=0.02, rtol=0)


def test_a_draw_is_keyed_by_site_application_and_step() -> None:
    draws = Draws(0, step=4)
    e = draws.normal("m.e", (3, 2))
    assert draws.normal("m.e", (3, 2)) is not None and torch.equal(draws.normal("m.e", (3, 2)), e)
    others = [draws.normal("m.f", (3, 2)), draws.normal("m.e", (3, 2), application=1)]
    others += [Draws(0, step=5).normal("m.e", (3, 2)), Draws(1, step=4).normal("m.e", (3, 2))]
    assert not any(torch.equal(e, other) for other in others)
    assert torch.equal(Draws(0, step=4).normal("m.e", (3, 2)), e)


def test_a_micro_batch_holds_its_part_of_the_noise() -> None:
    whole = Draws(0).normal("e", (6, 2))
    parts = [Draws(0, part=(index, 3)).normal("e", (2, 2)) for index in range(3)]
    assert torch.equal(torch.cat(parts), whole)
    once = [Draws(0, part=(index, 3)).normal("o", (2,), lifted=False) for index in range(2)]
    assert torch.equal(once[0], once[1])


def test_given_values_replace_the_law() -> None:
    given = torch.full((2,), 3.0)
    assert torch.equal(Draws(0, given={("e", 0): given}).normal("e", (2,), 1.0, 2.0), torch.full((2,), 7.0))


def test_the_laws_have_their_moments() -> None:
    draws, many = Draws(0), (100_000,)
    assert abs(float(draws.normal("n", many, 2.0, 3.0).mean()) - 2) < 0.05
    assert abs(float(draws.normal("n", many, 2.0, 3.0).std()) - 3) < 0.05
    assert abs(float(draws.uniform("u", many, -1.0, 3.0).mean()) - 1) < 0.02
    assert abs(float(draws.bernoulli("b", many, 0.3).mean()) - 0.3) < 0.01
    assert abs(float(draws.noise("g", "gumbel", many).mean()) - 0.5772) < 0.02
    assert abs(float(draws.noise("x", "exponential", many).mean()) - 1) < 0.02
    assert abs(float(draws.noise("r", "rademacher", many).mean())) < 0.02
    assert set(draws.noise("r", "rademacher", many).tolist()) == {-1.0, 1.0}
    torch.testing.assert_close(draws.noise("s", "sphere", (50, 4)).norm(dim=-1), torch.ones(50))
    orders = draws.noise("p", "permutation", (20, 6))
    assert torch.equal(torch.sort(orders).values, torch.arange(6).expand(20, 6))
    logits = torch.log(torch.tensor([0.2, 0.8])).expand(100_000, 2)
    assert abs(float(draws.categorical("c", logits).float().mean()) - 0.8) < 0.01
    assert set(draws.integers("i", many, 3).tolist()) == {0, 1, 2}
    assert set(NOISE) == {
        "normal", "uniform", "bits", "gumbel", "exponential", "rademacher", "sphere", "permutation"
    }  # fmt: skip


def test_gradients_reach_the_parameters_of_a_draw() -> None:
    mu, sd = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    draws = Draws(0)
    draws.normal("e", (5,), mu, sd).sum().backward()
    assert float(mu.grad or 0) == 5
    torch.testing.assert_close(sd.grad, draws.noise("e", "normal", (5,)).sum())


def test_eval_values() -> None:
    assert torch.equal(Draws(0, training=False).bernoulli("k", (3,), 0.9, eval=0.9), torch.full((3,), 0.9))
    drawn = Draws(0, training=False).bernoulli("k", (99,), 0.5)
    assert set(drawn.tolist()) == {0.0, 1.0}  # without an eval value a draw draws in both


def test_initial_values_have_their_law() -> None:
    def made(law: str, *numbers: float, shape: tuple[int, ...] = (400, 100), per: int = 0) -> torch.Tensor:
        return init(law, shape, 100, 400, generator(0, law), numbers, per)

    assert abs(float(made("normal", 1.0, 0.5).mean()) - 1) < 0.02
    assert abs(float(made("fan_in").std()) - 0.1) < 0.002
    assert abs(float(made("fan_in_normal").std()) - 0.1) < 0.002
    assert abs(float(made("kaiming_uniform").std()) - math.sqrt(2 / 100)) < 0.002
    assert abs(float(made("glorot").std()) - math.sqrt(2 / 500)) < 0.002
    assert float(made("uniform", -2.0, 6.0).min()) > -2.0001 and abs(float(made("uniform", -2.0, 6.0).mean()) - 2) < 0.1
    assert set(made("zeros").flatten().tolist()) == {0.0} and set(made("ones").flatten().tolist()) == {1.0}
    assert set(made("constant", 2.5).flatten().tolist()) == {2.5}
    tall, wide = made("orthogonal"), made("orthonormal_rows", shape=(10, 30))
    torch.testing.assert_close(tall.T @ tall, torch.eye(100, dtype=torch.float64))
    torch.testing.assert_close(wide @ wide.T, torch.eye(10, dtype=torch.float64))
    torch.testing.assert_close(made("unit_normal").norm(dim=1), torch.ones(400, dtype=torch.float64))
    assert torch.equal(made("eye", shape=(3, 4)), torch.eye(3, 4, dtype=torch.float64))
    experts = made("orthogonal", shape=(2, 5, 5), per=1)
    torch.testing.assert_close(experts[1] @ experts[1].T, torch.eye(5, dtype=torch.float64))
    assert not torch.equal(experts[0], experts[1])
    for law in INITS:
        numbers = [1.0] if law == "constant" else []
        assert torch.equal(made(law, *numbers, shape=(4, 4)), made(law, *numbers, shape=(4, 4)))


def test_schedules_by_hand() -> None:
    assert Constant(3.0)(7, 10) == 3.0
    cosine = Cosine(1.0, warmup=4)
    assert [cosine(step, 100) for step in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert cosine(99, 100) == pytest.approx(0) and Cosine(1.0)(50, 101) == pytest.approx(0.5)
    assert Cosine(0.99, 1.0)(0, 50) == pytest.approx(0.99) and Cosine(0.99, 1.0)(49, 50) == pytest.approx(1.0)
    assert Linear(2.0, 1.0)(0, 11) == 2.0 and Linear(2.0, 1.0)(5, 11) == 1.5 and Linear(2.0, 1.0)(10, 11) == 1.0
    assert [Warmup(2.0, 2)(step, 9) for step in range(4)] == [1.0, 2.0, 2.0, 2.0]
    assert [Ramp(0.0, 1.0, 2, 4)(step, 9) for step in range(6)] == [0.0, 0.0, 0.0, 0.5, 1.0, 1.0]
    assert Cosine(1.0, warmup=5)(0, 1) == 0.2 and Linear(1.0)(0, 1) == 1.0  # one step, or fewer than the warm-up


def parameters() -> list[tuple[str, torch.Tensor]]:
    shapes = {"w": (3, 2), "conv": (2, 2, 2), "b": (3,), "s": ()}
    return [(name, torch.nn.Parameter(torch.ones(shape))) for name, shape in shapes.items()]


def test_decay_moves_matrices_only() -> None:
    """With a zero gradient the decay is all that moves."""
    for rule, moved in (
        (adamw(0.1, decay=0.5), {"w", "conv"}),
        (adamw(0.1, 0.5, decay_on="all"), {"w", "conv", "b", "s"}),
    ):
        named = parameters()
        optimizers = build(rule, named)
        set_clock(optimizers, rule, 0, 10)
        for _, parameter in named:
            parameter.grad = torch.zeros_like(parameter)
        for optimizer in optimizers:
            optimizer.step()
        assert {name for name, parameter in named if parameter.flatten()[0].item() != 1} == moved
        assert all(math.isclose(p.flatten()[0].item(), 0.95, rel_tol=1e-6) for name, p in named if name in moved)


def test_every_parameter_is_moved_once() -> None:
    for rule in (adamw(0.1), adam(0.1), sgd(0.1, momentum=0.9, nesterov=True), muon(0.1)):
        named = parameters()
        owners = [
            id(p) for optimizer in build(rule, named) for group in optimizer.param_groups for p in group["params"]
        ]
        assert sorted(owners) == sorted(id(parameter) for _, parameter in named)


def test_the_clock_sets_rate_and_decay() -> None:
    rule = adamw(Linear(1.0, 0.0), decay=Ramp(0.0, 1.0, 0, 10))
    optimizers = build(rule, parameters())
    assert set_clock(optimizers, rule, 5, 11) == 0.5
    assert [(group["lr"], group["weight_decay"]) for group in optimizers[0].param_groups] == [(0.5, 0.5), (0.5, 0.0)]


def test_bad_settings_are_faults() -> None:
    for rule, part in ((sgd(0.1, nesterov=True), "refuses"), (adamw(-1.0), "refuses")):
        with pytest.raises(RuntimeFault, match=part) as caught:
            build(rule, parameters())
        assert caught.value.code == "REP0711"
    with pytest.raises(RuntimeFault, match="has no parameters"):
        build(sgd(0.1), [])


def test_points_of_a_plane_have_its_rank() -> None:
    points = init("plane", (50, 16), 1, 1, generator(0, "p"), (2, 0.0))
    assert int(torch.linalg.matrix_rank(points)) == 2
    assert 0.3 < float(points.var()) < 3
    assert torch.linalg.matrix_rank(init("plane", (50, 16), 1, 1, generator(0, "p"), (2, 0.01))) == 16


def test_logarithms_of_lognormal_numbers_are_normal() -> None:
    logs = torch.log(init("lognormal", (20_000,), 1, 1, generator(0, "l"), (0.5, 2.0)))
    assert abs(float(logs.mean()) - 0.5) < 0.05 and abs(float(logs.std()) - 2) < 0.05
