"""Which axis a call works along, and what its result is called."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]


def result(program: Program, name: str) -> str:
    graph = program.graphs[program.entries[name]]
    return str(graph.by_name()[graph.results[0][1]].type)


def test_a_slice_under_a_written_axis_has_its_own_size(right: Right) -> None:
    program = right("encoder F(x: [D]) -> [C] { return linear(x[D = :4], D -> C) }")
    assert result(program, "F") == "[C] float"


def test_copies_of_one_space_bind_in_written_order(right: Right) -> None:
    program = right(
        "encoder G(w: [i: D, j: D], x: [D]) -> [D] { return w @ x }\n"
        "encoder F(w: [D, k: D], x: [D]) -> [D] { return G(w, x) }"
    )
    assert result(program, "F") == "[D] float"


def test_the_axis_that_a_sort_leaves_is_the_sorted_one(right: Right) -> None:
    program = right("encoder F(x: [D]) -> [D] of D { return argsort[i] x[i] }")
    assert result(program, "F") == "[D] index(D)"


def test_one_hot_along_the_axis_of_its_index(right: Right) -> None:
    program = right("encoder F(y: [] of C) -> [C] { return float(onehot(y)) }")
    assert result(program, "F") == "[C] float"


def test_the_turn_of_a_loop_can_be_a_configuration(right: Right) -> None:
    program = right(
        "encoder G(x: [D], depth: int) -> [D] { return x * depth }\n"
        "encoder F(x: [D]) -> [D] { repeat l in N { x = x + G(x, depth: l) }  return x }"
    )
    graph = program.graphs[program.entries["F"]]
    assert [node.kind for node in graph.nodes].count("apply") == 3


def test_turns_of_shared_blocks_are_values(faults: Faults) -> None:
    text = (
        "encoder G(x: [D], depth: int) -> [D] { return x * depth }\n"
        "encoder F(x: [D]) -> [D] {\n  repeat l in N shared { x = x + G(x, depth: l) }\n  return x }"
    )
    assert faults(text) == [("config-needs-static", 3)]


def test_pictures_are_flat_unless_the_file_has_a_grid(right: Right) -> None:
    program = right("train T { data d = digits()  state c: [] = 0  c := mean(d.x) }")
    (source,) = program.steps["T"].sources
    assert [str(axis.label) for axis in dict(source.fields)["x"].axes] == ["B", "P"]


def test_a_number_is_known_to_lie_where_it_lies(right: Right, faults: Faults) -> None:
    gate = "encoder G(x: [D], a: [D] in (0, 1)) -> [D] { return x * a }\n"
    right(gate + "encoder F(x: [D]) -> [D] { a[i in D] = 0.5  return G(x, a) }")
    beyond = "encoder F(x: [D]) -> [D] { a[i in D] = 1.5  return G(x, a) }"
    assert faults(gate + beyond) == [("refinement-not-proved", 2)]


def test_a_quotient_stays_within_the_smaller_axis(right: Right, faults: Faults) -> None:
    right("encoder F(x: [N], y: [M: 2 * N]) -> [M: 2 * N] { z[m] = y[m] * x[m // 2]  return z }")
    text = "encoder F(x: [N], y: [M: 3 * N]) -> [M: 3 * N] {\n  z[m] = y[m] * x[m // 2]\n  return z }"
    assert faults(text) == [("index-out-of-range", 2)]
