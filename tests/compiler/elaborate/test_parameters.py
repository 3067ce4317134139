"""Parameters of a declaration as sizes and values: `F.params`, `F(x, params: w)`."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import torch

Faults = Callable[[str], list[tuple[str, int]]]

OWN = """encoder Own(x: [D]) -> [D] {
  param a: [i: D, j: D] = normal(), b: [D] = 0, c: [] = 1
  y[i] = c * sum[j] a[i, j] * x[j] + b[i]
  return y
}
"""
DEEP = """encoder Deep(x: [D]) -> [C] {
  repeat 3 { x = x + linear(tanh(x), D -> D) }
  return linear(x, D -> C)
}
encoder HyperDeep(x: [D], z: [N]) -> [C] { return Deep(x, params: linear(z, N -> Deep.params)) }
"""


def test_a_network_makes_the_parameters_of_another(verified: Callable[[str], None]) -> None:
    verified(OWN + "encoder Hyper(x: [D], z: [N]) -> [D] { return Own(x, params: linear(z, N -> Own.params)) }")
    verified(DEEP)


def test_parameters_are_data_of_a_record_type(verified: Callable[[str], None]) -> None:
    verified(OWN + "encoder Read(w: Own.params) -> [C] { return linear(w, Own.params -> C) + sum(w.a) + w.c }")


def test_given_parameters_mean_what_owned_ones_mean(loaded: Callable[[str], ModuleType]) -> None:
    module = loaded(DEEP)
    plain, hyper = module.Deep(), module.HyperDeep()
    slots = dict(plain.named_parameters())
    turns = [f"blocks.{turn}.x." for turn in range(3)]
    rows = [slots[f"{turn}weight"] for turn in turns] + [slots[f"{turn}bias"] for turn in turns]
    rows += [slots["out.weight"], slots["out.bias"]]
    with torch.no_grad():
        weight, bias = dict(hyper.named_parameters()).values()
        weight.zero_()
        bias.copy_(torch.cat([row.flatten() for row in rows]))
        x = torch.randn(5, 8)
        torch.testing.assert_close(hyper(x, torch.randn(5, 3)), plain(x))


def test_slots_that_are_shared_cannot_all_be_given(faults: Faults) -> None:
    text = """encoder F(i: [] of C) -> [C] {
  e = embed(C -> D)
  return linear(e(i), D -> C, weight: e.weight, bias: none)
}
encoder G(i: [] of C, z: [D]) -> [C] { return F(i, params: linear(z, D -> F.params)) }"""
    assert faults("use std.nn (embed)\n" + text) == [("params-not-reached", 6)]


def test_only_declarations_have_parameters(faults: Faults) -> None:
    assert faults("encoder G(x: [D]) -> [D] { return linear(x, D -> x.params) }") == [("no-such-field", 1)]
