"""`f(x, where: mask)` and `; empty: skip`: values that are absent in places."""

from __future__ import annotations

from collections.abc import Callable

import torch

from repc.interpret import Interpreter
from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

SQUARE = "dim T: seq\nencoder G(x: [D]) -> [] { return sum[d] x[d] * x[d] }\n"
X = torch.arange(24, dtype=torch.float64).reshape(3, 8) / 7
MASK = torch.tensor([True, False, True])


def value(program: Program, name: str, **inputs: torch.Tensor) -> torch.Tensor:
    return Interpreter(program).run(program.entries[name], inputs, {}).tensor()


def test_the_mean_runs_over_what_is_there(right: Right) -> None:
    program = right(
        SQUARE + "encoder F(x: [T, D], m: [T] of bool) -> [] { return mean(2 * G(x, where: m)) }\n"
        "encoder E(x: [T, D], m: [T] of bool) -> [] { return sum[t] G(x[t], where: m[t]) }"
    )
    squares = (X * X).sum(-1)
    assert torch.allclose(value(program, "F", x=X, m=MASK), 2 * squares[MASK].mean())
    assert torch.allclose(value(program, "E", x=X, m=MASK), squares[MASK].sum())


def test_absence_reaches_only_its_own_axes(right: Right) -> None:
    program = right(
        "dim T: seq\nencoder G(x: [D]) -> [D] { return 2 * x }\n"
        "encoder F(x: [T, D], m: [T] of bool) -> [D] { return mean(G(x, where: m), over: T) }\n"
        "encoder E(x: [T, D], m: [T] of bool) -> [] { return mean(sum(G(x, where: m), over: D)) }"
    )
    assert torch.allclose(value(program, "F", x=X, m=MASK), 2 * X[MASK].mean(0))
    assert torch.allclose(value(program, "E", x=X, m=MASK), 2 * X[MASK].sum(-1).mean())


def test_an_empty_set_is_left_out_of_the_mean_around_it(right: Right) -> None:
    program = right(
        "dim T: seq\n"
        "encoder F(x: [T, D], m: [T, D] of bool) -> [] { return mean[t] max[d: m[t, d]; empty: skip] x[t, d] }"
    )
    mask = torch.zeros(3, 8, dtype=torch.bool)
    mask[0, 2] = mask[2, 5] = True
    assert torch.allclose(value(program, "F", x=X, m=mask), (X[0, 2] + X[2, 5]) / 2)


def test_a_call_on_what_is_absent_is_absent(right: Right) -> None:
    program = right(
        SQUARE + "encoder H(x: []) -> [] { return x + 1 }\n"
        "encoder F(x: [T, D], m: [T] of bool) -> [] { return mean(H(G(x, where: m))) }"
    )
    assert torch.allclose(value(program, "F", x=X, m=MASK), 1 + (X * X).sum(-1)[MASK].mean())


def test_terms_and_measures_average_what_is_there(right: Right) -> None:
    program = right(
        "train Fit { data d = digits()  model f = linear(P -> C)\n  s = f(d.x)\n"
        "  minimize nll = cross_entropy(s, d.label, where: d.label != 3)\n  optimizer: sgd(rate: 0.1)\n"
        "  measure held = cross_entropy(s, d.label, where: d.label != 3) }"
    )
    step = program.steps["Fit"]
    nodes = step.graph.by_name()
    for node in (step.players[0].terms[0].node, step.measures[0].node):
        assert nodes[node].attrs["op"] == "mean" and nodes[node].attrs["masked"]


def test_what_is_absent_is_no_result(faults: Faults) -> None:
    text = SQUARE + "encoder F(x: [T, D], m: [T] of bool) -> [T] { return G(x, where: m) }"
    assert faults(text) == [("absent-in-places", 3)]


def test_a_call_that_couples_an_axis_needs_all_of_it(faults: Faults) -> None:
    text = (
        SQUARE + "encoder A(x: [T]) -> [] { return max(x) }\n"
        "encoder F(x: [T, D], m: [T] of bool) -> [] { return A(G(x, where: m)) }"
    )
    assert faults(text) == [("absent-in-places", 4)]


def test_a_condition_has_only_axes_of_the_value(faults: Faults) -> None:
    text = SQUARE + "encoder F(x: [D], m: [T] of bool) -> [] { return mean(G(x, where: m)) }"
    assert faults(text) == [("condition-does-not-nest", 3)]
