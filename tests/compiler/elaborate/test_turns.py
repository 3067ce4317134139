"""Sites inside a repeat, read along the axis of its turns."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

TEXT = (
    "dim L = 3\n"
    "encoder F(x: [P]) -> [C] {{\n"
    "  z = linear(x, P -> D)\n"
    "  repeat l in L as layers {{ h = linear(z, D -> D)  z = z + {scale}h }}\n"
    "  return linear(z, D -> C)\n"
    "}}\n"
    "train T() {{\n"
    "  data d = digits()\n"
    "  model f = F()\n"
    "  y = f(d.x)\n"
    "  minimize size = mean(y^2)\n"
    "  optimizer: sgd(rate: 0.1)\n"
    "  measure {measure}\n"
    "}}\n"
)


def measures(program: Program) -> list[str]:
    step = program.steps["T"]
    return [str(step.graph.by_name()[use.node].type) for use in step.measures]


def stacked(program: Program) -> list[str]:
    graph = program.graphs[program.entries["F"]]
    return [name for node in graph.nodes if node.kind == "loop" for name in node.attrs["stacked"]]


def test_a_site_of_a_repeat_has_the_axis_of_turns(right: Right) -> None:
    program = right(TEXT.format(scale="", measure="r[l in L] = mean(y.h[L = l]), q[l in L] = mean(y.z[L = l])"))
    assert measures(program) == ["[L] float", "[L] float"]


def test_a_carried_name_has_the_value_after_each_turn(right: Right) -> None:
    program = right(TEXT.format(scale="", measure="r = mean(y.z, over: [B, D]), q = mean(y.z[L = 0])"))
    assert measures(program) == ["[L] float", "[] float"]


def test_turns_that_were_written_out(right: Right) -> None:
    program = right(TEXT.format(scale="(1, 2, 3)[l] * ", measure="r[l in L] = mean(y.h[L = l])"))
    assert measures(program) == ["[L] float"] and not stacked(program)


def test_sites_that_nobody_reads_are_not_stacked(right: Right, faults: Faults) -> None:
    assert stacked(right(TEXT.format(scale="", measure="r = mean(y)"))) == []
    assert faults(TEXT.format(scale="", measure="r = mean(y.g)")) == [("no-such-site", 13)]
