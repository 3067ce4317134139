"""Formals that block arguments bind, and positional arguments that pass over optional parameters of another kind."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

STACK = """dim T: seq, V = 16
use std.nn (embed)
encoder Mixer(x: [T, D]) -> [T, D] { return 2 * x }
encoder Stack[Seq, Token, Width: feature](tokens: [Seq] of Token = none, x: [Seq, Width] = none,
  mixer: [Seq, Width] -> [Seq, Width] = Mixer) -> [Seq, Width] {
  if x == none { h = embed(tokens, Token -> Width) } else { h = x }
  return mixer(h)
}
"""


def test_the_width_is_that_of_the_block(right: Right) -> None:
    program = right(
        STACK + "encoder F(tokens: [T] of V) -> [T, D] { return Stack(tokens) }\n"
        "encoder Wide(x: [T, P]) -> [T, P] { return 3 * x }\n"
        "encoder G(tokens: [T] of V) -> [T, P] { return Stack(tokens, mixer: Wide) }"
    )
    assert {"F", "G"} <= set(program.entries)


def test_an_optional_parameter_of_another_kind_is_passed_over(right: Right) -> None:
    program = right(STACK + "encoder F(x: [T, D]) -> [T, D] { return Stack(x) }")
    graph = program.graphs[program.entries["F"]]
    (apply,) = [node for node in graph.nodes if node.kind == "apply"]
    assert apply.attrs["ports"] == ("x",)


def test_a_block_with_optional_data_alone_can_be_made_first(right: Right) -> None:
    right(STACK + "encoder F(x: [T, D]) -> [T, D] { s = Stack(mixer: Mixer)\n  return s(s(x)) }")


def test_another_width_is_refused(faults: Faults) -> None:
    assert [name for name, _ in faults(STACK + "encoder F(x: [T, P]) -> [T, P] { return Stack(x) }")] == [
        "missing-axis"
    ]


def test_two_formals_may_be_one_axis_where_no_other_is_left(right: Right) -> None:
    right(
        "use std.nn (lstm_cell)\n"
        "encoder F(x: [D], h: [D], c: [D]) -> [D] { h, c = lstm_cell(x, h, c)\n  return h }\n"
        "encoder G(x: [P], h: [D], c: [D]) -> [D] { h, c = lstm_cell(x, h, c)\n  return h }"
    )
