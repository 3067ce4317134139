"""Sizes that a signature names, indices over parts of an axis, membership, open names of a reshape, scatters."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]


def result(program: Program, name: str) -> str:
    graph = program.graphs[program.entries[name]]
    return str(graph.by_name()[graph.results[0][1]].type)


def test_a_signature_says_the_size_of_a_free_dim(right: Right) -> None:
    program = right(
        "dim T: seq\n"
        "encoder F(x: [D], y: [D]) -> [T: 2 * D] {\n"
        "  z[t in T] = if t < D then x[t] else y[t - D]\n"
        "  return z\n"
        "}"
    )
    assert result(program, "F") == "[T: 2*D] float"


def test_an_index_that_may_leave_an_axis_needs_a_condition(faults: Faults) -> None:
    text = "encoder F(x: [N], y: [D]) -> [D] { z[d in D] = y[d] + x[d]  return z }"
    assert faults(text) == [("index-over-two-sizes", 1)]
    text = "encoder F(x: [N], y: [D]) -> [D] { z[d in D] = y[d] + (if d < N then x[d] else 0)  return z }"
    assert faults(text) == []


def test_membership(right: Right, faults: Faults) -> None:
    program = right(
        "encoder F(x: [D]) -> [D] {\n"
        "  near[i, j in D] = j in top[m: m != i; keep: 2] (-abs(x[i] - x[m]))\n"
        "  y[i] = sum[j: near[i, j]] x[j]\n"
        "  z[i] = if i in { 0, 2 } then y[i] else x[i]\n"
        "  return z\n"
        "}"
    )
    assert result(program, "F") == "[D] float"
    assert faults("encoder F(y: [] of D, u: [C, D] of D) -> [] { return float(y in u) }") == [("axes-to-search", 1)]


def test_one_name_of_a_reshape_may_be_open(right: Right, faults: Faults) -> None:
    program = right("encoder F(x: [P]) -> [C] { return linear(mean(reshape(x, P -> [R, D]), over: R), D -> C) }")
    assert result(program, "F") == "[C] float"
    assert ("unknown-axis", 1) in faults(
        "encoder F(x: [P]) -> [C] { return linear(mean(reshape(x, P -> [R, Q]), over: R), Q -> C) }"
    )


def test_numbers_decide_the_sizes_of_a_reshape(right: Right, faults: Faults) -> None:
    program = right("dim E = 8\nencoder F(x: [P]) -> [D, E] { return reshape(x, P -> [D, E]) }")
    assert result(program, "F") == "[D, E] float"
    assert faults("dim E = 9\nencoder F(x: [P]) -> [D, E] { return reshape(x, P -> [D, E]) }") == [("reshape-sizes", 2)]


def test_a_renamed_axis_is_the_one_it_is_named_after(right: Right) -> None:
    program = right("encoder F(x: [P]) -> [D] { u = rename(x[P = :D], P -> D)  y[d] = 2 * u[d]  return y }")
    assert result(program, "F") == "[D] float"


def test_leading_axes_may_be_subscripted_in_arguments(right: Right) -> None:
    program = right("encoder F(x: [N, D]) -> [i: N, j: N] { d[i, j] = dist(x[i], x[j])  return d }")
    assert result(program, "F") == "[i: N, j: N] float in 0 .. inf"


def test_writes_at_computed_places(right: Right, faults: Faults) -> None:
    head = (
        "dim M: set\n"
        "train T() {\n"
        "  data d = digits(id: M)\n"
        "  model f = linear(P -> D)\n"
        "  state bank: [M, D] = 0\n"
        "  z = f(d.x)\n"
        "  minimize near = mean((z - bank[M = d.id])^2)\n"
        "  optimizer: sgd(rate: 0.1)\n"
    )
    program = right(head + "  bank[d.id[b], e] := z[b, e]\n}")
    scatters = [node for node in program.steps["T"].graph.nodes if node.attrs.get("op") == "scatter"]
    assert len(scatters) == 1
    assert faults(head + "  bank[d.label[b], e] := z[b, e]\n}") == [("scatter-may-collide", 9)]


def test_a_memory_across_two_sequences(right: Right) -> None:
    program = right(
        "dim T: seq, S: seq\n"
        "memory M(q: [T, D], k: [S, D], v: [S, D]) -> [T, D] {\n"
        "  weights[t in T, s in S]: float(s <= t + 1)\n"
        "  regressor: local_constant(exp)\n"
        "}\n"
    )
    assert result(program, "M") == "[T, D] float"


def test_pairs_are_there_as_soon_as_two_places_are(right: Right, faults: Faults) -> None:
    program = right("encoder F(m: [i: N, j: N]) -> [] { return mean[i, j: j < i] m[i, j] }")
    assert result(program, "F") == "[] float"
    one_by_one = "encoder F(m: [i: N, j: N]) -> [N] { r[i] = mean[j: j < i] m[i, j]  return r }"
    assert faults(one_by_one) == [("maybe-empty", 1)]


def test_a_number_over_a_size_is_no_size(right: Right) -> None:
    program = right("encoder F(x: [D]) -> [D] { return x * (1 / C) + x * (-2 / N) }")
    assert result(program, "F") == "[D] float"
