"""Draws: what each law gives, and that a draw is one value for each lifted position unless it says `once`."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from repc.interpret import Draws, Interpreter
from repc.ir import Program
from repc.ir.text import read_program
from repc.ops.laws import LAWS

TEXT = """
program {
  value D = 4
  value C = 3
}
graph F(%x, %p) encoder F {
  %x = input x() : [T, D] float
  %p = input p() : [T, C] float on simplex(C)
  NUMBERS
  %e = draw LAW(ARGS) {has_eval: EVAL, once: ONCE, over: (OVER), site: "e"} : TYPE
  return %e
}
"""


def program(
    law: str, *args: str, type: str = "[T, D] float", over: str = "", once: bool = False, eval: bool = False
) -> Program:
    numbers = "\n  ".join(
        f"%n{at} = const {arg}() : [] number" for at, arg in enumerate(args) if not arg.startswith("%")
    )
    names = ", ".join(arg if arg.startswith("%") else f"%n{at}" for at, arg in enumerate(args))
    text = TEXT.replace("NUMBERS", numbers).replace("LAW", law).replace("ARGS", names).replace("TYPE", type)
    text = text.replace("ONCE", str(once).lower()).replace("EVAL", str(eval).lower()).replace("(OVER)", f"({over})")
    return read_program(text)


def drawn(made: Program, draws: Draws | None = None, positions: int = 5) -> Tensor:
    x = torch.arange(2 * positions * 4, dtype=torch.float64).reshape(2, positions, 4)
    p = torch.zeros(2, positions, 3, dtype=torch.float64)
    p[..., 1] = 1.0
    return Interpreter(made).run("F", {"x": x, "p": p}, draws=draws, lifted=("B",)).tensor()


SAMPLES = {
    "normal": program("normal", "0.0", "1.0"),
    "gaussian": program("gaussian", "%x", "0.0"),
    "uniform": program("uniform", "-3.0", "-2.0"),
    "whole": program("whole", "2", "5", type="[T, D] int"),
    "bernoulli": program("bernoulli", "0.5", type="[T, D] bool"),
    "categorical": program("categorical", "%p", type="[T] index(C)", over="C"),
    "permutation": program("permutation", type="[D] index(D)"),
    "orthonormal": program("orthonormal", type="[D, C] float", over="D"),
    "exponential": program("exponential", "2.0"),
    "gumbel": program("gumbel", "0.0", "1.0"),
    "rademacher": program("rademacher"),
    "geometric": program("geometric", "0.5", type="[T, D] int"),
    "gamma": program("gamma", "2.5", "2.0"),
    "dirichlet": program("dirichlet", "0.3", type="[T, D] float on simplex(D)"),
    "generalized_normal": program("generalized_normal", "1.0", "2.0", "1.0"),
}


def test_every_law_is_sampled() -> None:
    assert set(SAMPLES) == set(LAWS)


def test_whole_numbers_reach_both_ends() -> None:
    made = drawn(SAMPLES["whole"], positions=50)
    assert set(made.flatten().tolist()) == {2, 3, 4, 5}


@pytest.mark.parametrize("law", SAMPLES)
def test_the_same_seed_gives_the_same_numbers(law: str) -> None:
    assert torch.equal(drawn(SAMPLES[law], Draws(3)), drawn(SAMPLES[law], Draws(3)))
    if law not in ("gaussian", "categorical"):
        assert not torch.equal(drawn(SAMPLES[law], Draws(3)), drawn(SAMPLES[law], Draws(4)))


def test_values_of_the_laws() -> None:
    assert torch.equal(drawn(SAMPLES["gaussian"]), torch.arange(40, dtype=torch.float64).reshape(2, 5, 4))
    uniform = drawn(SAMPLES["uniform"])
    assert bool((uniform >= -3).all()) and bool((uniform < -2).all())
    assert drawn(SAMPLES["bernoulli"]).dtype == torch.bool
    assert torch.equal(drawn(SAMPLES["categorical"]), torch.ones(2, 5, dtype=torch.int64))
    assert torch.equal(drawn(SAMPLES["permutation"]).sort(-1).values, torch.arange(4).expand(2, 4))
    assert bool((drawn(SAMPLES["exponential"]) > 0).all())
    assert torch.equal(drawn(SAMPLES["rademacher"]).abs(), torch.ones(2, 5, 4, dtype=torch.float64))


def test_moments_of_laws_made_of_gamma_numbers() -> None:
    shares = drawn(SAMPLES["dirichlet"], positions=4000)
    torch.testing.assert_close(shares.sum(-1), torch.ones(2, 4000, dtype=torch.float64))
    # variance of a share: m (1 - m) / (4 * 0.3 + 1) with m = 1 / 4
    assert abs(float(shares[..., 0].var()) - 0.1875 / 2.2) < 0.005
    gamma = drawn(SAMPLES["gamma"], positions=4000)
    assert abs(float(gamma.mean()) - 5) < 0.1 and abs(float(gamma.var()) - 10) < 0.5
    # Laplace: variance 2 scale^2
    laplace = drawn(SAMPLES["generalized_normal"], positions=4000)
    assert abs(float(laplace.mean()) - 1) < 0.1 and abs(float(laplace.var()) - 8) < 0.5
    assert abs(float((laplace - 1).abs().mean()) - 2) < 0.1


def test_trials_up_to_the_first_success() -> None:
    trials = drawn(SAMPLES["geometric"], positions=4000)
    assert int(trials.min()) == 1 and abs(float(trials.double().mean()) - 2) < 0.05
    sure = drawn(program("geometric", "1.0", type="[T, D] int"))
    assert torch.equal(sure, torch.ones(2, 5, 4, dtype=torch.int64))


def test_orthonormal_vectors_lie_along_the_axis_that_is_named() -> None:
    vectors = drawn(SAMPLES["orthonormal"])
    products = torch.einsum("bdc,bde->bce", vectors, vectors)
    torch.testing.assert_close(products, torch.eye(3, dtype=torch.float64).expand(2, 3, 3))


def test_moments_of_normal_numbers() -> None:
    values = drawn(SAMPLES["normal"], positions=4000)
    assert abs(float(values.mean())) < 0.05 and abs(float(values.var()) - 1) < 0.05


def test_lifted_positions_draw_apart_unless_once() -> None:
    each = drawn(SAMPLES["normal"])
    assert not torch.equal(each[0], each[1])
    together = drawn(program("normal", "0.0", "1.0", once=True))
    assert together.shape == (5, 4)


def test_outside_training_the_eval_value_is_taken() -> None:
    made = program("bernoulli", "0.5", "1", type="[T, D] float", eval=True)
    assert torch.equal(drawn(made, Draws(0, training=False)), torch.ones(2, 5, 4, dtype=torch.float64))


def test_gradients_reach_the_parameters_of_a_law() -> None:
    made = program("normal", "%x", "1.0")
    x = torch.zeros(5, 4, dtype=torch.float64, requires_grad=True)
    p = torch.full((5, 3), 1 / 3, dtype=torch.float64)
    Interpreter(made).run("F", {"x": x, "p": p}).tensor().sum().backward()
    assert x.grad is not None and torch.equal(x.grad, torch.ones(5, 4, dtype=torch.float64))
