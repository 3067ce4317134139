"""Blocks of one family that differ, and values for each member of a set."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

TRAIN = (
    "encoder Client(x: [P], width: int = 4) -> [D] {{ return mlp(x, P -> D, hidden: width) }}\n"
    "train T() {{\n"
    "  data d = digits()\n"
    "  model f[k in N] = Client(width: (8, 16, 32)[k]), head[k in N] = linear(D -> C)\n"
    "  {line}\n"
    "  optimizer f, head: sgd(rate: 0.1)\n"
    "}}\n"
)


def test_members_that_differ_are_blocks_of_their_own(right: Right) -> None:
    program = right(TRAIN.format(line="minimize ce = sum[k] cross_entropy(head[k](f[k](d.x)), d.label)"))
    step = program.steps["T"]
    assert {"f.0", "f.1", "f.2", "head"} <= {block.path for block in step.graph.blocks}
    sizes = [dict(block.sizes) for block in step.graph.blocks if block.path.startswith("f.")]
    assert len({str(size) for size in sizes}) == 3
    assert step.players[0].optimizers[0].over == ("f.0", "f.1", "f.2", "head")


def test_one_member_by_its_number(right: Right, faults: Faults) -> None:
    all_and_one = "minimize ce = sum[k] cross_entropy(head[k](f[k](d.x)), d.label) + mean(f[1](d.x)^2)"
    step = right(TRAIN.format(line=all_and_one)).steps["T"]
    (square,) = (node for node in step.graph.nodes if node.attrs.get("op") == "pow")
    assert step.graph.node(square.args[0]).attrs["block"] == "f.1"
    assert faults(TRAIN.format(line="minimize ce = sum[k] cross_entropy(head[k](f[3](d.x)), d.label)")) == [
        ("index-out-of-range", 4)
    ]


def test_a_value_for_each_member_of_a_set(right: Right) -> None:
    program = right(
        "dim M\n"
        "encoder Wide(x: [P]) -> [M] { return linear(x, P -> M) }\n"
        "encoder F(x: [P]) -> [n: 2] {\n"
        "  f = Wide()\n"
        "  y[n in { 1, 3 }] = sum(f(x, M: n))\n"
        "  return y\n"
        "}\n"
    )
    graph = program.graphs[program.entries["F"]]
    assert str(graph.by_name()[graph.results[0][1]].type) == "[n: 2] float"
