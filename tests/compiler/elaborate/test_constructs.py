"""Smaller constructs, each run by interpreter and generated code."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from repc.ir import Program
from repc.pipeline import SpecError

Faults = Callable[[str], list[tuple[str, int]]]


def test_rows_are_pushed_in_front_of_a_bank(verified: Callable[[str], None]) -> None:
    verified("encoder F(x: [N, D], bank: [D, C]) -> [D, C] { return push(bank, x) }")


def test_a_push_keeps_the_newest_rows(loaded: Callable[[str], object]) -> None:
    module = loaded("encoder Queue(x: [N, D], bank: [C, D]) -> [C, D] { return push(bank, x, over: N) }")
    x, bank = torch.randn(3, 8), torch.randn(10, 8)
    made = module.Queue()(x, bank)  # type: ignore[attr-defined]
    assert torch.equal(made, torch.cat([x, bank])[:10])


def test_rows_that_do_not_fit_a_bank_are_refused(faults: Faults) -> None:
    assert faults("encoder F(x: [N, D], bank: [C, P]) -> [C, P] { return push(bank, x) }") == [("push-rows", 1)]


def test_a_memory_is_read_by_a_single_query(verified: Callable[[str], None]) -> None:
    verified(
        """memory Vote(q: [D], k: [N, D], v: [N, C], allow: [N] of bool) -> [C] {
  weights: selected(allow)
  regressor: local_constant(exp)
}
encoder F(x: [D], k: [N, D], v: [N, C]) -> [C] {
  allow[n] = sum[d] k[n, d] > -100
  return Vote(x, k, v, allow)
}"""
    )


def test_weights_of_a_derived_memory_are_a_formula(verified: Callable[[str], None]) -> None:
    verified(
        """dim T: seq
memory Plain(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] causal(T) { weights: uniform  regressor: local_constant(exp) }
memory Even = Plain with { weights[t in T, s in T]: s <= t and (t - s) % 2 == 0 }
encoder F(x: [T, D]) -> [T, D] { return Even(x, x, x) }"""
    )


def test_a_known_side_decides_a_condition(right: Callable[[str], Program]) -> None:
    program = right(
        "encoder F(x: [D], act: [] -> [] = relu, on = false) -> [D] {\n"
        "  require act != identity or missing(x)\n  return if on and missing(x) then x else act(x)\n}"
    )
    assert "F" in program.graphs


def test_numbers_of_sizes_are_known_where_numbers_are_asked_for(verified: Callable[[str], None]) -> None:
    verified("encoder F(x: [D]) -> [D] { param w: [D] = normal(0, 1 / sqrt(D))  return w * x }")


def test_weights_that_see_later_pairs_are_not_causal(loaded: Callable[[str], object]) -> None:
    text = """dim T: seq
memory Late(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] causal(T) {
  weights[t in T, s in T]: t <= s and s % 2 == 0
  regressor: local_constant(exp)
}"""
    with pytest.raises(SpecError):
        loaded(text)
