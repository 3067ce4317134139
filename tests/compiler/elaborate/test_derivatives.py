"""`grad(e, x)`: slopes of scalars by values of the same body."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import torch

Faults = Callable[[str], list[tuple[str, int]]]

STEP = """encoder F(x: [D], y: [N, D]) -> [D] {
  m = mlp(D -> D)
  z = m(x) + x
  return x - 0.1 * grad(mean(z^2) + sum(y * z), x)
}"""


def test_a_gradient_step_inside_an_encoder(verified: Callable[[str], None]) -> None:
    verified(STEP)


def test_a_slope_by_a_slot_inside_a_scan(verified: Callable[[str], None]) -> None:
    verified(
        """encoder F(x: [D]) -> [D] {
  param w: [D] = normal()
  scan N { x = x + grad(sum((w * x + 1)^2), w) }
  return x
}"""
    )


def test_a_slope_by_an_activation_of_a_step(verified: Callable[[str], None]) -> None:
    verified(
        """train T {
  data d = digits()
  model f = linear(P -> C)
  param s: [P] = normal()
  u = d.x * s
  ce = cross_entropy(f(u), d.label)
  minimize plain = ce
  minimize moved = cross_entropy(f(u + sg(grad(sum(ce), u))), d.label)
  optimizer: sgd(rate: 0.1)
}"""
    )


def test_the_slope_is_that_of_the_formula(loaded: Callable[[str], ModuleType]) -> None:
    model = loaded("encoder Slope(x: [D]) -> [D] { return grad(sum(x^3), x) }").Slope()
    x = torch.randn(2, 8)
    assert torch.allclose(model(x), 3 * x**2)


def test_only_scalars_have_slopes_and_only_by_what_they_are_made_from(faults: Faults) -> None:
    assert faults("encoder F(x: [D]) -> [D] { return grad(x^2, x) }") == [("scalar-needed", 1)]
    assert faults("encoder F(x: [D], y: [D]) -> [D] { return grad(sum(x^2), y) }") == [("derivative-of-other", 1)]
    assert faults("encoder F(i: [] of C, x: [D]) -> [] { return grad(sum(x), i) }") == [("kind-mismatch", 1)]
