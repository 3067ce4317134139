"""Groups: their elements, products and actions, as values and as axes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import ModuleType

import pytest
import torch

from repc.groups import LEFT, RIGHT_UNITS, Monoid, cyclic, dihedral, symmetric, words

Faults = Callable[[str], list[tuple[str, int]]]
Loaded = Callable[[str], ModuleType]


@pytest.mark.parametrize("group", [cyclic(5), dihedral(4), symmetric(3)], ids=lambda group: group.name)
def test_a_table_is_that_of_a_group(group: Monoid) -> None:
    table = group.table
    assert all(table[table[g][h]][k] == table[g][table[h][k]] for g, h, k in product(group.elements, repeat=3))
    assert all(table[g][group.inverses[g]] == group.unit == table[group.inverses[g]][g] for g in group.elements)
    assert group.abelian == (group.name == "C(5)")


def test_words_are_a_monoid_with_a_zero() -> None:
    made = words(2, 2)
    assert made.order == 8 and made.zero == 7 and not made.is_group
    table = made.table
    assert all(table[table[g][h]][k] == table[g][table[h][k]] for g, h, k in product(made.elements, repeat=3))


def test_quaternions_multiply_as_hamilton_says() -> None:
    left, right = torch.tensor(LEFT), torch.tensor(RIGHT_UNITS)
    assert torch.equal(left[1] @ left[2], left[3]) and torch.equal(left[1] @ left[1], -left[0])
    assert all(torch.equal(a @ b, b @ a) for a in left for b in right)


def test_an_element_turns_the_axes_that_its_group_acts_on(loaded: Loaded) -> None:
    module = loaded(
        """use std.group (act)
dim X: grid = 4, Y: grid = 4
group R = C(4) on [X, Y], Q = D(4) on [X, Y]
encoder Turn(x: [X, Y], g: [] of R) -> [X, Y] { return act(g, x) }
encoder Twice(x: [X, Y], g: [] of Q, h: [] of Q) -> [X, Y] { return act(g, act(h, x)) - act(g * h, x) }
encoder Back(x: [X, Y], g: [] of Q) -> [X, Y] { return act(g^-1, act(g, x)) }
encoder All(x: [X, Y]) -> [X, Y] { return mean[r in R] act(r, x) }"""
    )
    x = torch.randn(4, 4)
    for turn in range(4):
        moved = module.Turn()(x, torch.tensor(turn))
        assert torch.equal(moved, torch.rot90(x, turn))
    pairs = torch.tensor(list(product(range(8), repeat=2)))
    many = x.expand(64, 4, 4)
    assert torch.equal(module.Twice()(many, pairs[:, 0], pairs[:, 1]), torch.zeros(64, 4, 4))
    assert torch.equal(module.Back()(x.expand(8, 4, 4), torch.arange(8)), x.expand(8, 4, 4))
    whole = module.All()(x)
    assert torch.allclose(whole, torch.rot90(whole))


def test_a_cycle_shifts_its_axis_and_a_permutation_moves_its_set(loaded: Loaded) -> None:
    module = loaded(
        """use std.group (act)
dim T: seq = 6
group Z = C(3) on [T], S3 = S(N)
encoder Shift(x: [T], g: [] of Z) -> [T] { return act(g, x) }
encoder Move(x: [N, j: N], p: [N] of N) -> [N, j: N] { return act(p, x) }"""
    )
    assert torch.equal(module.Shift()(torch.arange(6.0), torch.tensor(1)), torch.arange(6.0).roll(2))
    x, p = torch.randn(3, 3), torch.tensor([1, 2, 0])
    moved = module.Move()(x, p)
    assert all(moved[p[i], p[j]] == x[i, j] for i in range(3) for j in range(3))


def test_the_convolution_over_a_group_is_that_of_its_table(verified: Callable[[str], None], loaded: Loaded) -> None:
    text = """use std.group (cayley, group_convolve, S, order, abelian)
group G = D(3)
encoder Both(f: [W: 6], g: [W: 6]) -> [W: 6] {
  t = cayley(S(3))
  h[w in W] = sum[u, v: t[u, v] == w] f[u] * g[v]
  return h - group_convolve(f, g, S(3))
}
encoder Counts(x: []) -> [] { return if abelian(G) then x else order(G) * x }
encoder Table(w: [G, D]) -> [a: G, b: G, D] {
  y[a in G, b in G, d] = w[a * inverse(b), d]
  return y
}"""
    verified(text)
    module = loaded(text)
    assert torch.allclose(module.Both()(torch.randn(6), torch.randn(6)), torch.zeros(6), atol=1e-6)
    assert module.Counts()(torch.tensor(1.0)) == 6


def test_random_elements_are_elements(verified: Callable[[str], None]) -> None:
    verified(
        """use std.group (act, haar)
dim X: grid = 4, Y: grid = 4
group R = C(4) on [X, Y]
encoder Any(x: [X, Y]) -> [X, Y] {
  g: R.element ~ haar(R)
  return act(g, x)
}"""
    )


def test_what_is_no_group_and_no_action_is_said(faults: Faults) -> None:
    use = "use std.group (act, order)\n"
    assert faults("group G = 3\nencoder F(x: [D], g: [] of G) -> [D] { return x }") == [("group-expected", 1)]
    assert faults("group G = S(12)\nencoder F(x: [D], g: [] of G) -> [D] { return x }") == [("group-too-large", 1)]
    assert faults(use + "group G = C(3)\nencoder F(x: [D], g: [] of G) -> [D] { return act(g, x) }") == [
        ("no-group-action", 3)
    ]
    assert faults(use + "group G = GL(D)\nencoder F(x: [D]) -> [D] { return order(G) * x }") == [
        ("group-not-finite", 3)
    ]
    assert faults("group G = C(3), H = C(3)\nencoder F(g: [] of G, h: [] of H) -> [] of G { return g * h }") == [
        ("groups-differ", 2)
    ]
    assert faults("group G = C(4)\nencoder F(x: [D, W: G.irrep(5)]) -> [D] { return sum(x, over: W) }") == [
        ("no-such-representation", 2)
    ]
