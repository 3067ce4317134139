"""Every rule of well-formedness refuses a program that breaks it, and passes one that does not."""

from __future__ import annotations

import pytest

from repc.dims import Symbol
from repc.ir import Attrs, ClaimNote, Graph, Program
from repc.ir.check import IllFormed, faults, verify
from repc.ir.text import read_program

LIFTED = "lift: (T), sites: (), sizes: ((I, <D>), (O, <D>))}\n    : [T, D] float"
CONTRACTED = "%1 = prim contract(%w, %x) {out: (O)} : [O] float"
EFFECT = '%7 = effect measure(%5) {phase: 9, target: "a"} : [] float\n  %6 = prim mul(%4, %5)'
GOOD = """
program {
  value D = 4
  value L = 2
}
graph linear(%x) encoder linear {
  formals I, O
  %x = input x() : [I] float
  %w = slot weight() {constraint: none, init: fan_in(gain: 1), trained: true} : [O, I] float
  %1 = prim contract(%w, %x) {out: (O)} : [O] float
  return %1
}
graph turn(%x) encoder F {
  block lin = linear {I: <D>, O: <D>}
  %x = input x() : [T, D] float
  %1 = apply linear[lin](x: %x) {labels: ((I, D), (O, D)), lift: (T), sites: (), sizes: ((I, <D>), (O, <D>))}
    : [T, D] float
  return x: %1
}
graph energy(%x) encoder F {
  %x = input x() : [D] float
  %1 = prim sum(%x) {over: (D)} : [] float
  return %1
}
graph F(%x, %p) encoder F {
  claim causal(T)
  cell seen : [] float = zeros()
  %x = input x() : [T, D] float
  %p = input p() : [D] float
  %1 = loop turn(x: %x)
    {carried: ("x"), count: <L>, index: "", label: "layers", mode: "unroll", over: L, reversed: false, stacked: ()}
    : [] record with {x: [T, D] float}
  %2 = prim field(%1) {name: "x"} : [T, D] float
  %3 = grad energy(x: %p) {wrt: ("x")} : [D] float
  %4 = prim add(%2, %3) : [T, D] float
  %5 = read seen() : [] float
  %6 = prim mul(%4, %5) : [T, D] float
  return %6
}
"""


def changed(before: str, after: str) -> Program:
    assert GOOD.count(before) >= 1, before
    return read_program(GOOD.replace(before, after, 1))


def test_a_good_program_passes() -> None:
    verify(read_program(GOOD))


@pytest.mark.parametrize(
    ("rule", "before", "after", "what"),
    [
        (1, "%4 = prim add(%2, %3)", "%4 = prim add(%2, %9)", "%9 is not defined"),
        (1, "%4 = prim add(%2, %3)", "%3 = prim add(%2, %3)", "two nodes"),
        (1, "return %6", "return %7", "the result %7"),
        (1, "graph F(%x, %p)", "graph F(%x, %q)", "the input %q"),
        (2, "%x = input x() : [I] float", "%x = input x() : [I, I: O] float", "twice"),
        (2, CONTRACTED, CONTRACTED.replace(": [O]", ": [O: Q]"), "Q is not known"),
        (3, "%4 = prim add(%2, %3) : [T, D] float", "%4 = prim add(%2, %3) : [D, T] float", "add makes"),
        (3, "prim add(%2, %3)", "prim plus(%2, %3)", "no op plus"),
        (3, "prim sum(%x) {over: (D)}", "prim sum(%x) {over: (E)}", "does not take its operands"),
        (3, LIFTED, LIFTED.replace("float", "int"), "linear makes"),
        (4, "block lin = linear", "block lin = linear {I: <D>}\n  block lin = linear", "two blocks"),
        (4, "apply linear[lin](x: %x)", "apply linear[lin](y: %x)", "is not given"),
        (5, "return x: %1\n", "return y: %1\n", "no result of the loop"),
        (6, LIFTED, LIFTED.replace("(T)", "(T, U)"), "U is not in the result"),
        (7, "%6 = prim mul(%4, %5)", EFFECT, "outside of a step"),
        (8, "%1 = prim sum(%x) {over: (D)} : [] float", "%1 = prim neg(%x) : [D] float", "scalar"),
        (9, "graph linear(%x) encoder linear", "graph linear(%x) def linear", "def has no slot"),
        (11, "value L = 2", "value L = 2\n  fact D == 4\n  fact D == 5", "contradict"),
        (12, "apply linear[lin](x: %x)", "apply turn[lin](x: %x)", "applies itself"),
        (12, "apply linear[lin](x: %x)", "apply other[lin](x: %x)", "no graph other"),
    ],
)  # fmt: skip
def test_each_rule_refuses_what_breaks_it(rule: int, before: str, after: str, what: str) -> None:
    with pytest.raises(IllFormed) as raised:
        verify(changed(before, after))
    assert raised.value.rule == rule and what in raised.value.text, raised.value


def test_two_commits_to_one_cell() -> None:
    twice = (
        '%7 = effect commit(%5) {phase: 7, target: "seen"} : [] float\n'
        '  %8 = effect commit(%5) {phase: 7, target: "seen"} : [] float\n  %6 = prim mul(%4, %5)'
    )
    with pytest.raises(IllFormed, match="written twice"):
        verify(changed("%6 = prim mul(%4, %5)", twice))


def test_a_carried_value_keeps_its_type() -> None:
    grown = changed(
        "  return x: %1\n}",
        "  %2 = prim stack(%1, %1) {as: [two: 2]} : [two: 2, T, D] float\n  return x: %2\n}",
    )
    found = [fault for fault in faults(grown) if fault.rule == 5]
    assert found and "comes out as" in found[0].text


def with_graph(program: Program, key: str, graph: Graph) -> Program:
    graphs = {**program.graphs, key: graph}
    return Program(graphs, program.entries, program.steps, program.values, program.formulas, program.facts)


def test_a_node_without_an_origin() -> None:
    program = read_program(GOOD)
    graph = program.graphs["linear"]
    broken = graph.with_(nodes=(graph.nodes[0].with_(origin=None), *graph.nodes[1:]))
    assert next(fault.rule for fault in faults(with_graph(program, "linear", broken))) == 10


def test_what_the_text_form_cannot_say() -> None:
    program = read_program(GOOD)
    graph = program.graphs["linear"]
    node = graph.nodes[1]
    odd = node.with_(attrs=Attrs(**{**node.attrs, "init": node.attrs["init"], "over": Symbol("a`b")}))
    verify(with_graph(program, "linear", graph.with_(nodes=(graph.nodes[0], odd, *graph.nodes[2:]))))


def test_claims_are_derived_again_where_asked() -> None:
    program = read_program(GOOD)
    asked: list[str] = []

    def holds(program: Program, graph: Graph, claim: ClaimNote) -> bool:
        asked.append(f"{graph.name}: {claim.name}")
        return False

    with pytest.raises(IllFormed) as raised:
        verify(program, holds)
    assert raised.value.rule == 14 and asked == ["F: causal"]


def test_all_faults_are_told() -> None:
    text = GOOD.replace("prim add(%2, %3) : [T, D]", "prim add(%2, %3) : [D, T]").replace(
        "prim sum(%x)", "prim total(%x)"
    )
    assert [fault.where for fault in faults(read_program(text))] == ["energy.1", "F.4", "F.6"]
