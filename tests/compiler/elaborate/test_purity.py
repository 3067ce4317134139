"""Where a condition is false, what is undefined there reaches no value and no gradient (LANGUAGE.md 4.9)."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch

from repc.ir import Program

BODIES = {
    "a sum": "return sum[d: x[d] > 0] sqrt(x[d])",
    "a choice": "y[d] = if x[d] > 0 then log(x[d]) else 0\n  return sum(y)",
    "the other side": "y[d] = if x[d] == 0 then 0 else 1 / x[d]\n  return sum(y)",
    "a def": "def f(u: []) = rsqrt(u)\n  return sum[d: x[d] > 0] f(x[d])",
    "a root of differences": "g[i, j] = (x[i] - x[j])^2\n  return sum[i, j: i < j] sqrt(g[i, j])",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_gradients_stay_finite(loaded: Callable[[str], ModuleType], body: str) -> None:
    model = loaded(f"encoder Guarded(x: [D]) -> [] {{\n  {body}\n}}").Guarded()
    x = torch.tensor([0.0, 1, 2, 0, 3, 4, 5, 6] if "g[i, j]" not in body else [1.0, 2, 3, 4, 5, 6, 7, 8])
    x.requires_grad_()
    value = model(x)
    value.backward()
    assert torch.isfinite(value) and x.grad is not None and torch.isfinite(x.grad).all()


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_interpreter_and_generated_code_agree(verified: Callable[[str], None], body: str) -> None:
    verified(f"encoder Guarded(x: [D]) -> [] {{\n  {body}\n}}")


def test_what_is_defined_everywhere_is_left_alone(right: Callable[[str], Program]) -> None:
    program = right("encoder F(x: [D] in (0, 1)) -> [] { return sum[d: x[d] > 0.5] (log(x[d]) + (x[d] / 2)^2) }")
    assert "where" not in [node.attrs["op"] for node in program.graphs["F"].nodes if node.kind == "prim"]
