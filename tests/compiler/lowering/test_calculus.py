"""Kinds of node that are built by hand here: inner derivatives and branches, against the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
import torch

from rep_grammar.spans import Span
from repc.dims import Dim, Facts, Symbol
from repc.interpret import Interpreter
from repc.ir import Attrs, Graph, Node, Origin, Program
from repc.ops import infer
from repc.types import FLOAT, NUMBER, Axis, Type, axis_of, record

ByHand: TypeAlias = Callable[[Program], Any]
AT = Origin(Span("hand.rep", 0, 1))
D = axis_of(Symbol("D"))


class Maker:
    """Nodes of one graph."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[Node] = []
        self.inputs: list[str] = []

    def add(self, kind: str, args: tuple[Node, ...], type_: Type, **attrs: object) -> Node:
        made = Node(str(len(self.nodes) + 1), kind, tuple(one.name for one in args), Attrs(**attrs), type_, AT)  # type: ignore[arg-type]
        self.nodes.append(made)
        return made

    def input(self, port: str, *axes: Axis) -> Node:
        made = self.add("input", (), Type(axes, FLOAT), port=port)
        self.inputs.append(made.name)
        return made

    def number(self, value: float) -> Node:
        return self.add("const", (), Type((), NUMBER), value=value)

    def prim(self, op: str, *args: Node, **attrs: object) -> Node:
        return self.add("prim", args, infer(op, [one.type for one in args], attrs, Facts()), op=op, **attrs)

    def done(self, *results: tuple[str, Node]) -> Graph:
        found = tuple((field, node.name) for field, node in results)
        return Graph(self.name, self.name, "encoder", tuple(self.inputs), tuple(self.nodes), found, AT)


def program(entry: Graph, *others: Graph) -> Program:
    graphs = {graph.name: graph for graph in (*others, entry)}
    return Program(graphs, {entry.declaration: entry.name}, {}, {}, {}, Facts())


def check(whole: Program, by_hand: ByHand, inputs: dict[str, torch.Tensor], lift: tuple[int, ...]) -> None:
    entry = next(iter(whole.entries))
    module = by_hand(whole).class_of(entry)().double()
    run = Interpreter(whole).run(entry, inputs, lifted=("a", "b")[: len(lift)])
    weight = torch.randn_like(run.tensor())
    mine, reference = module(*inputs.values()), run.tensor()
    assert torch.allclose(mine, reference, atol=1e-12)
    floats = [one for one in inputs.values() if one.requires_grad]
    own = torch.autograd.grad((weight * mine).sum(), floats, retain_graph=True)
    theirs = torch.autograd.grad((weight * reference).sum(), floats)
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(own, theirs, strict=True))


def point(lift: tuple[int, ...], *sizes: int) -> torch.Tensor:
    return torch.randn((*lift, *sizes), dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("lift", [(), (2,), (3, 2)])
def test_inner_derivatives_are_taken_at_every_carried_position(by_hand: ByHand, lift: tuple[int, ...]) -> None:
    inner = Maker("energy")
    x, w = inner.input("x", D), inner.input("w", D)
    energy = inner.done(("", inner.prim("sum", inner.prim("mul", inner.prim("tanh", x), w), over=(D.label,))))
    outer = Maker("Force")
    x, w = outer.input("x", D), outer.input("w", D)
    slope = outer.add("grad", (x, w), Type((D,), FLOAT), graph="energy", ports=("x", "w"), wrt=("x",))
    force = outer.done(("", outer.prim("sub", x, slope)))
    check(program(force, energy), by_hand, {"x": point(lift, 5), "w": point(lift, 5)}, lift)


def sides() -> tuple[Graph, Graph]:
    made: list[Graph] = []
    for name, op in (("grow", "exp"), ("shrink", "tanh")):
        side = Maker(name)
        made.append(side.done(("", side.prim(op, side.input("x", D)))))
    return made[0], made[1]


@pytest.mark.parametrize("lift", [(), (2,), (3, 2)])
def test_a_branch_is_taken_by_each_carried_position(by_hand: ByHand, lift: tuple[int, ...]) -> None:
    outer = Maker("Either")
    x = outer.input("x", D)
    taken = outer.prim("gt", outer.prim("sum", x, over=(D.label,)), outer.number(0))
    chosen = outer.add("branch", (taken, x), Type((D,), FLOAT), then="grow", other="shrink", ports=("x",))
    either = outer.done(("", outer.prim("mul", chosen, chosen)))
    check(program(either, *sides()), by_hand, {"x": point(lift, 5)}, lift)


def test_a_branch_on_the_counter_of_a_loop_is_a_statement(by_hand: ByHand) -> None:
    turn = Maker("turn")
    x = turn.input("x", D)
    t = turn.add("input", (), Type((), NUMBER), port="index:t")
    turn.inputs.append(t.name)
    first = turn.prim("lt", t, turn.number(1))
    made = turn.add("branch", (first, x), Type((D,), FLOAT), then="grow", other="shrink", ports=("x",))
    body = turn.done(("x", made))
    outer = Maker("Turns")
    x = outer.input("x", D)

    loop = outer.add(
        "loop", (x,), record([("x", Type((D,), FLOAT))]), body="turn", mode="unroll", count=Dim.of(3), over="",
        index="index:t", reversed=False, label="", carried=("x",), stacked=(), ports=("x",), blocks=(),
    )  # fmt: skip
    whole = program(outer.done(("", outer.prim("field", loop, name="x"))), body, *sides())
    compiled = by_hand(whole)
    x_value = torch.randn(5)
    expected = torch.tanh(torch.tanh(torch.exp(x_value)))
    assert torch.allclose(compiled.class_of("Turns")()(x_value), expected)
    assert "if t < 1:" in compiled.rendered.text


def test_a_scalar_and_a_record_of_results_come_back_as_tensors(by_hand: ByHand) -> None:
    outer = Maker("Both")
    x = outer.input("x", D)
    total = outer.prim("sum", x, over=(D.label,))
    both = outer.done(("twice", outer.prim("mul", x, outer.number(2))), ("total", total), ("half", outer.number(0.5)))
    made = by_hand(program(both)).class_of("Both")()(torch.ones(2, 3))
    assert torch.equal(made.twice, torch.full((2, 3), 2.0)) and torch.equal(made.total, torch.full((2,), 3.0))
    assert made.half.item() == 0.5 and type(made).__name__ == "BothResult"
