"""`solve`: inner problems by descent, by Newton's method and by bisection, with and without a gradient through them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch

Faults = Callable[[str], list[tuple[str, int]]]
Loaded = Callable[[str], ModuleType]

RIDGE = """encoder Ridge(x: [N, D], y: [N]) -> [D] {{
  solve w: [D] minimize mean((y - sum(x * w, over: D))^2) + 0.1 * sum(w^2) by newton(steps: 1, through: {through})
  return w
}}"""


def ridge(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    made: torch.Tensor = torch.linalg.solve(x.T @ x / len(y) + 0.1 * torch.eye(8).double(), x.T @ y / len(y))
    return made


@pytest.mark.parametrize("through", ["unrolled", "implicit"])
def test_newton_finds_the_minimum_of_a_square_and_its_derivative(loaded: Loaded, through: str) -> None:
    model = loaded(RIDGE.format(through=through)).Ridge().double()
    x, y = torch.randn(3, 8).double(), torch.randn(3).double()
    assert torch.allclose(model(x, y), ridge(x, y))
    found, wanted = (torch.autograd.functional.jacobian(f, (x, y)) for f in (model, ridge))
    assert all(torch.allclose(a, b) for a, b in zip(found, wanted, strict=True))


def test_no_gradient_goes_through_unless_it_is_asked_for(loaded: Loaded) -> None:
    model = loaded(RIDGE.format(through="none")).Ridge().double()
    x = torch.randn(3, 8).double().requires_grad_()
    assert not model(x, torch.randn(3).double()).requires_grad


def test_descent_stays_in_its_ball(loaded: Loaded) -> None:
    module = loaded(
        """encoder Box(x: [D]) -> [D] {
  solve u: [D] in ball(0.1, norm: max) maximize sum(u * x) by sgd(rate: 0.05, direction: sign, steps: 7)
  return u
}
encoder Round(x: [D]) -> [D] {
  solve u: [D] in ball(0.1) maximize sum(u * x) by sgd(rate: 1.0, steps: 20)
  return u
}"""
    )
    x = torch.randn(5, 8)
    assert torch.allclose(module.Box()(x), 0.1 * x.sign())
    assert torch.allclose(module.Round()(x), 0.1 * x / x.norm(dim=-1, keepdim=True), atol=1e-3)


def test_bisection_finds_where_two_numbers_agree(loaded: Loaded) -> None:
    model = loaded(
        """encoder Root(y: []) -> [] {
  solve t: [] in 0 .. 4 where t^2 == y by bisection
  return t
}"""
    ).Root()
    y = torch.rand(6) * 16
    assert torch.allclose(model(y), y.sqrt(), atol=1e-5)


def test_the_interpreter_solves_the_same(verified: Callable[[str], None]) -> None:
    verified(
        """encoder Several(x: [N, D]) -> [N, D] {
  solve u: [N, D] = x minimize sum((u - 2 * x)^2) + sum(u^4) by newton(steps: 3, through: unrolled)
  return u
}
encoder Slow(x: [D]) -> [D] {
  solve u: [D] = x minimize sum((u - 2 * x)^2) by sgd(rate: 0.2, steps: 10, momentum: 0.5, through: unrolled)
  return u
}"""
    )


def test_what_cannot_be_solved_is_said(faults: Faults) -> None:
    body = "encoder F(x: [D]) -> [D] {{ solve u: [D] minimize sum((u - x)^2) by {} return u }}"
    assert faults(body.format("bisection"))[0] == ("no-such-word", 1)
    assert faults(body.format("magic(steps: 2)"))[0] == ("no-such-word", 1)
    assert faults(body.format("sgd(steps: 2)"))[0] == ("missing-argument", 1)
    root = "encoder F(y: []) -> [] { solve t: [] where t^2 == y by bisection return t }"
    assert faults(root)[0] == ("interval-expected", 1)
