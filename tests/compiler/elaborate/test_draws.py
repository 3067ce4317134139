"""Draws: the axis that a law works along, choices without repetition, and laws chosen by a setting."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.distributions import Bernoulli, Exponential, Gumbel, Normal

from repc.interpret import Interpreter
from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]


def drawn(program: Program, name: str) -> list[str]:
    graph = program.graphs[program.entries[name]]
    return [f"{node.attrs['law']} {node.type}" for node in graph.nodes if node.kind == "draw"]


def test_a_law_works_along_the_axis_its_type_speaks_of(right: Right) -> None:
    program = right(
        "encoder F(x: [D, C]) -> [D, C] {\n"
        "  p: [D, N] of D ~ permutation()\n"
        "  q: [C, N] of N ~ permutation(N)\n"
        "  w: [D, C] on simplex(D) ~ dirichlet(0.5)\n"
        "  return x * w + float(p[0, 0]) + float(q[0, 0])\n"
        "}"
    )
    assert drawn(program, "F") == [
        "permutation [N, D] index(D)",
        "permutation [C, N] index(N)",
        "dirichlet [C, D] float on simplex(D)",
    ]


def test_distinct_numbers_are_places_of_a_shuffle(right: Right) -> None:
    program = right("encoder F(x: [P]) -> [N] { s: [N] of P ~ distinct(from: 6 .. 38)  return x[P = s] }")
    assert [law.split()[0] for law in drawn(program, "F")] == ["permutation"]


def test_distinct_members_of_a_value(right: Right) -> None:
    program = right("encoder F(x: [P], ids: [C] of P) -> [N] { s: [N] of P ~ distinct(from: ids)  return x[P = s] }")
    assert drawn(program, "F") == ["permutation [C] index(C)"]


def test_no_more_distinct_numbers_than_there_are(faults: Faults) -> None:
    assert faults("encoder F(x: [D]) -> [D] { s: [D] of P ~ distinct(below: 5)  return x + float(s) }") == [
        ("requirement-broken", 1)
    ]
    assert faults("encoder F(x: [D]) -> [D] { s: [N] of D ~ distinct(below: 9)  return x + float(s[0]) }") == [
        ("index-out-of-range", 1)
    ]


def test_a_setting_chooses_the_law(right: Right) -> None:
    program = right(
        "encoder F(x: [D], wide = true) -> [D] { e: [D] ~ if wide then uniform(-1, 1) else normal()  return x + e }\n"
        "encoder G(x: [D]) -> [D] { return F(x, wide: false) }"
    )
    assert drawn(program, "F") == ["uniform [D] float"]
    callee = next(node.attrs["graph"] for node in program.graphs[program.entries["G"]].nodes if node.kind == "apply")
    assert "normal [D] float" in [
        f"{node.attrs['law']} {node.type}" for node in program.graphs[callee].nodes if node.kind == "draw"
    ]


def test_log_prob_is_the_density_of_the_law(right: Right) -> None:
    program = right(
        "encoder F(m: [D], s: [D], x: [D], p: [D] in (0, 1), b: [D] of bool) -> [D] {\n"
        "  return log_prob(gaussian(m, s), x) + log_prob(gumbel(m, s), x) + log_prob(exponential(s), x)\n"
        "    + log_prob(bernoulli(p), b)\n"
        "}"
    )
    m, s, x, p = torch.rand(4, 8, dtype=torch.float64) * 0.8 + 0.1
    b = p > 0.5
    made = Interpreter(program).run("F", {"m": m, "s": s, "x": x, "p": p, "b": b}).tensor()

    wanted = Normal(m, s).log_prob(x) + Gumbel(m, s).log_prob(x) + Exponential(s).log_prob(x)
    torch.testing.assert_close(made, wanted + Bernoulli(p).log_prob(b.double()))


def test_log_prob_of_a_law_without_a_density(faults: Faults) -> None:
    assert faults("encoder F(x: [D]) -> [D] { return log_prob(permutation(), x) }") == [("unknown-law", 1)]


def test_a_drawn_position_is_between_its_ends(right: Right, faults: Faults) -> None:
    right("encoder F(x: [C, P]) -> [C] { t: [C] of P ~ uniform(0 .. P - 2)  y[c] = x[c, t[c] + 1]  return y }")
    right("encoder F(x: [C, P]) -> [C] { t: [C] of P ~ uniform(1 .. P - 1)  y[c] = x[c, t[c] - 1]  return y }")
    assert faults(
        "encoder F(x: [C, P]) -> [C] { t: [C] of P ~ uniform(0 .. P - 1)  y[c] = x[c, t[c] + 1]  return y }"
    ) == [("index-out-of-range", 1)]
