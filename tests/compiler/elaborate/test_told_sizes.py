"""The size of a dim that the source of a train is told (LANGUAGE.md 13.2)."""

from __future__ import annotations

from collections.abc import Callable

SORTING = """dim M: set, R = 2
data Sorting() -> (x: [M], y: [M] of M) {
  x: [M] ~ uniform(0, 1)
  return (x: x, y: argsort[i] x[i])
}
"""
TRAIN = """train Fit {
  data d = Sorting(M: 4)
  p: [R, M] of M ~ permutation(M)
  z = d.x[M = p]
  model f = linear([] -> C)
  minimize mean(f(z)^2)
  optimizer: sgd(rate: 0.1)  steps: 1  batch: 2
}"""


def test_it_is_that_size_in_the_rest_of_the_train(verified: Callable[[str], None]) -> None:
    verified(SORTING + TRAIN)
