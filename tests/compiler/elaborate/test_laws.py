"""Declarations that draw, after `~`."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

DRAWN = "encoder Shaken(x: []) -> [] { e: [] ~ normal(0, 1)  return x + e }\n"


def paths(program: Program, key: str) -> list[str]:
    return [str(node.attrs["block"]) for node in program.graphs[key].nodes if node.kind == "apply"]


def test_every_draw_of_a_declaration_has_numbers_of_its_own(right: Right) -> None:
    program = right(DRAWN + "encoder Two(x: [D]) -> [D] {\n  u ~ Shaken(x)\n  v ~ Shaken(x)\n  return u * v }")
    assert paths(program, "Two") == ["u", "v"]
    assert [axis.label.name for axis in program.graphs["Two"].nodes[-1].type.axes] == ["D"]


def test_a_law_must_draw_and_own_nothing(faults: Faults) -> None:
    still = "encoder Same(x: [D]) -> [D] { return 2 * x }\nencoder F(x: [D]) -> [D] {\n  y ~ Same(x)\n  return y }"
    assert faults(still) == [("law-does-not-draw", 3)]
    owner = (
        "encoder Own(x: [D]) -> [D] { e: [D] ~ normal(0, 1)  return linear(x, D -> D) + e }\n"
        "encoder F(x: [D]) -> [D] {\n  y ~ Own(x)\n  return y }"
    )
    assert faults(owner) == [("law-owns", 3)]
    assert faults(DRAWN + "encoder F(x: [D]) -> [D] {\n  y ~ Shaken(x) once\n  return y }") == [
        ("law-without-option", 3)
    ]


def test_as_many_grid_axes_as_formals_bind_in_written_order(right: Right) -> None:
    program = right(
        "dim I: grid, J: grid\n"
        "encoder Flip[R: grid, Q: grid](x: [R, Q]) -> [Q, R] { y[q, r] = x[r, q]  return y }\n"
        "encoder F(x: [I, J]) -> [J, I] { return Flip(x) }"
    )
    assert [axis.label.name for axis in program.graphs["F"].nodes[-1].type.axes] == ["J", "I"]
