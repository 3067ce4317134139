"""Step graphs: their texts, and that n steps are one forward pass."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from repc.dims import Symbol
from repc.interpret import Interpreter, Named, init_slots
from repc.interpret.values import Value
from repc.ir import Graph, Program
from repc.ir.check import verify
from repc.ir.text import print_graph, read_program
from repc.passes.streaming import NotStreamable, Stepped, stream, stream_all
from repc.passes.streaming.context import causal_axes

FOLDER = Path(__file__).parent / "streaming"
NAMES = ("convolution", "layers", "recurrence", "running_sum", "shift")
POSITIONS = 5


def before(name: str) -> Program:
    return read_program((FOLDER / f"{name}.ir").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_step_graphs(name: str) -> None:
    program = before(name)
    made, facts = stream_all(program)
    assert not facts
    verify(made)
    new = "\n".join(print_graph(graph, places=False) for key, graph in made.graphs.items() if key not in program.graphs)
    assert new == (FOLDER / f"{name}.step.ir").read_text(encoding="utf-8")


def inputs_of(program: Program, graph: Graph, time: Symbol) -> dict[str, Named]:
    generator = torch.Generator().manual_seed(1)
    sizes = {**program.values, time: POSITIONS}
    made: dict[str, Named] = {}
    for name in graph.inputs:
        node = graph.node(name)
        shape = [axis.size.subst(program.formulas).evaluate(sizes) for axis in node.type.axes]
        value = torch.rand(2, *shape, generator=generator, dtype=torch.float64)
        made[node.attrs["port"]] = Named(value, (Symbol("B"), *node.type.labels))
    return made


def at(value: Named, time: Symbol, position: int) -> Named:
    if time not in value.labels:
        return value
    place = value.labels.index(time)
    return Named(value.data.select(place, position), (*value.labels[:place], *value.labels[place + 1 :]))


def in_order(value: Value, *labels: Symbol) -> Tensor:
    assert isinstance(value, Named)
    return value.ordered(labels)


@pytest.mark.parametrize("name", NAMES)
def test_steps_are_the_forward_pass(name: str) -> None:
    program, _ = stream_all(before(name))
    run = Interpreter(program).run
    tried = 0
    for key, graph in before(name).graphs.items():
        for time in causal_axes(graph):
            tried += 1
            slots = init_slots(program, key, seed=2)
            inputs = inputs_of(program, graph, time)
            rest = graph.node(graph.results[0][1]).type.labels
            others = tuple(label for label in rest if label != time)
            whole = in_order(run(key, inputs, slots).results[""], Symbol("B"), time, *others)
            state: dict[str, Value] = {}
            for position in range(POSITIONS):
                now = {port: at(value, time, position) for port, value in inputs.items()}
                results = run(f"{key}.step", {**now, **state}, slots).results
                state = {port: value for port, value in results.items() if port.startswith("state.")}
                (out,) = (value for port, value in results.items() if not port.startswith("state."))
                torch.testing.assert_close(in_order(out, Symbol("B"), *others), whole[:, position])
    assert tried


HEAD = "program {\n  value D = 4\n}\n"
BODY = """
graph F(%x) encoder F {
  claim causal(T)
  %x = input x() : [T seq, D] float
NODES
  sites y: %y
  return %y
}
"""
LOOKS_AHEAD = """
  %i = prim iota() {axis: [t: T seq of T]} : [t: T seq of T] index(T)
  %c = const 1() : [] number
  %j = prim add(%i, %c) : [t: T seq of T] int
  %g = prim gather(%x, %j) {axes: (T)} : [t: T seq of T, D] float
  %y = prim relabel(%g) {labels: ((t, T))} : [T seq, D] float"""
BROUGHT_INTO_RANGE = """
  %i = prim iota() {axis: [t: T seq of T]} : [t: T seq of T] index(T)
  %c = const 1() : [] number
  %z = const 0() : [] number
  %l = const <T - 1>() : [] number
  %j = prim sub(%i, %c) : [t: T seq of T] int
  %k = prim clip(%j, %z, %l) : [t: T seq of T] int
  %g = prim gather(%x, %k) {axes: (T)} : [t: T seq of T, D] float
  %y = prim relabel(%g) {labels: ((t, T))} : [T seq, D] float"""
ATTENTION = """
  %q = prim relabel(%x) {labels: ((T, t))} : [t: T seq of T, D] float
  %k = prim relabel(%x) {labels: ((T, u))} : [u: T seq of T, D] float
  %s = prim contract(%q, %k) {out: (t, u)} : [t: T seq of T, u: T seq of T] float
  %i = prim iota() {axis: [t: T seq of T]} : [t: T seq of T] index(T)
  %j = prim iota() {axis: [u: T seq of T]} : [u: T seq of T] index(T)
  %m = prim le(%j, %i) : [u: T seq of T, t: T seq of T] bool
  %w = prim softmax(%s, %m) {masked: true, over: (u)} : [t: T seq of T, u: T seq of T] float
  %o = prim contract(%w, %k) {out: (t, D)} : [t: T seq of T, D] float
  %y = prim relabel(%o) {labels: ((t, T))} : [T seq, D] float"""
MEAN = """
  %m = prim mean(%x) {over: (T)} : [D] float
  %y = prim sub(%x, %m) : [T seq, D] float"""
LENGTH = """
  %n = const <T>() : [] number
  %y = prim div(%x, %n) : [T seq, D] float"""
CUT_OFF = """
  %1 = prim slice(%x) {as: [T: T - 1 seq of U], axis: T, start: <1>, stop: <T>} : [T: T - 1 seq of U, D] float
  %y = prim pad(%1) {after: <1>, as: [T seq], axis: T, before: <0>, value: 7.0} : [T seq, D] float"""
REVERSED = """
  %y = prim flip(%x) {over: (T)} : [T seq, D] float"""
SOFTMAX = """
  %y = prim softmax(%x) {over: (T)} : [T seq, D] float"""
FULL = """
  %y = memory(q: %x, k: %x, v: %x)
    {record: MemoryRecord{T from T, key (D), value (D), roles {q: q, k: k, v: v}, weights = full() written}}
    : [T seq, D] float"""


@pytest.mark.parametrize(
    ("nodes", "reason", "what"),
    [
        (LOOKS_AHEAD, "later", "gather"),
        (BROUGHT_INTO_RANGE, "unsupported", "brought into range"),
        (ATTENTION, "all-positions", "`x`"),
        (MEAN, "all-positions", "`x`"),
        (LENGTH, "length", "T"),
        (SOFTMAX, "all-positions", "`y`"),
        (FULL, "memory", "full"),
        (CUT_OFF, "later", "slice"),
        (REVERSED, "unsupported", "`y`"),
    ],
)
def test_why_there_is_no_step_graph(nodes: str, reason: str, what: str) -> None:
    program = read_program(HEAD + BODY.replace("NODES", nodes))
    fact = stream(program, "F", Symbol("T"))
    assert isinstance(fact, NotStreamable)
    assert fact.reason == reason and what in fact.what
    assert fact.graph == "F" and what in str(fact)
    kept, facts = stream_all(program)
    assert kept.graphs == program.graphs and facts == {"F": fact}


def test_a_learned_table_of_positions_is_read_at_the_position() -> None:
    nodes = """
  %p = slot table() {init: normal(mean: 0.0, sd: 1.0), trained: true} : [T seq, D] float
  %y = prim add(%x, %p) : [T seq, D] float"""
    text = (HEAD + BODY.replace("NODES", nodes)).replace("value D = 4", "value D = 4\n  value T = 5")
    made = stream(read_program(text), "F", Symbol("T"))
    assert isinstance(made, Stepped)
    verify(made.program)
    table, x = torch.rand(5, 4).double(), torch.rand(5, 4).double()
    state: dict[str, Value] = {}
    for position in range(5):
        results = Interpreter(made.program).run(made.key, {"x": x[position], **state}, {"table": table}).results
        state = {port: value for port, value in results.items() if port.startswith("state.")}
        torch.testing.assert_close(in_order(results["out"], Symbol("D")), x[position] + table[position])


CUT_AND_PADDED = """
  %1 = prim slice(%x) {as: [T: T - 1 seq of U], axis: T, start: <0>, stop: <T - 1>} : [T: T - 1 seq of U, D] float
  %2 = prim pad(%1) {after: <0>, as: [T seq], axis: T, before: <1>, value: 7.0} : [T seq, D] float
  %y = prim sub(%x, %2) : [T seq, D] float"""
WINDOWS = """
  %1 = prim pad(%x) {after: <0>, as: [T: T + 2 seq of U], axis: T, before: <2>, value: 0.0}
    : [T: T + 2 seq of U, D] float
  %2 = prim windows(%1) {as: [T seq], axis: T, dilation: <1>, size: <3>, stride: <1>, within: [w: 3]}
    : [T seq, w: 3, D] float
  %w = slot w() {init: normal(mean: 0.0, sd: 1.0), trained: true} : [w: 3, D] float
  %y = prim contract(%2, %w) {out: (T, D)} : [T seq, D] float"""
DILATED = (
    WINDOWS.replace("T + 2", "T + 5").replace("before: <2>", "before: <5>").replace("dilation: <1>", "dilation: <2>")
    .replace("as: [T seq]", "as: [T: T + 1 seq of W]").replace(": [T seq, w", ": [T: T + 1 seq of W, w")
    .replace("%y = prim contract(%2, %w) {out: (T, D)} : [T seq, D] float",
    "%3 = prim slice(%2) {as: [T seq], axis: T, start: <0>, stop: <T>} : [T seq, w: 3, D] float\n"
    "  %y = prim contract(%3, %w) {out: (T, D)} : [T seq, D] float")
)  # fmt: skip
MASKED_SUM = """
  %z = const 0.0() : [] number
  %m = prim gt(%x, %z) : [T seq, D] bool
  %y = prim cumsum(%x, %m) {masked: true, over: (T)} : [T seq, D] float"""
RUNNING_MAXIMUM = "  %y = prim cummax(%x) {over: (T)} : [T seq, D] float"
SHIFTED = "  %y = prim shift(%x) {by: <2>, fill: 3.0, over: (T)} : [T seq, D] float"
SHIFTED_OF_SHIFTED = """
  %1 = prim shift(%x) {by: <1>, fill: 3.0, over: (T)} : [T seq, D] float
  %2 = prim exp(%1) : [T seq, D] float in (0.0, inf)
  %y = prim shift(%2) {by: <1>, fill: 0.0, over: (T)} : [T seq, D] float"""


@pytest.mark.parametrize(
    "nodes", [CUT_AND_PADDED, WINDOWS, DILATED, MASKED_SUM, RUNNING_MAXIMUM, SHIFTED, SHIFTED_OF_SHIFTED]
)
def test_ops_that_look_back(nodes: str) -> None:
    made = stream(read_program(HEAD + BODY.replace("NODES", nodes)), "F", Symbol("T"))
    assert isinstance(made, Stepped), made
    verify(made.program)
    x = torch.randn(2, POSITIONS, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    slots = init_slots(made.program, "F", seed=1)
    run = Interpreter(made.program).run
    whole = run("F", {"x": x}, slots, lifted=("B",)).tensor()
    state: dict[str, Value] = {}
    for position in range(POSITIONS):
        found = run(made.key, {"x": x[:, position], **state}, slots, lifted=("B",))
        state = {port: value for port, value in found.results.items() if port.startswith("state.")}
        torch.testing.assert_close(found.tensor("out"), whole[:, position])


def test_a_declaration_without_memory_has_no_state() -> None:
    made = stream(
        read_program(HEAD + BODY.replace("NODES", "  %y = prim exp(%x) : [T seq, D] float")), "F", Symbol("T")
    )
    assert isinstance(made, Stepped)
    assert made.states == () and made.graph.results == (("", "y"),)
