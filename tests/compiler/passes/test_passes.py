"""Every pass: the text before and after, and the same values."""

from __future__ import annotations

import pytest
import torch

from repc.dims import Symbol
from repc.elaborate import elaborate
from repc.interpret import Interpreter, Named
from repc.ir import Program
from repc.ir.check import verify
from repc.ir.text import print_graph, read_program
from repc.names import Workspace
from repc.passes import PASSES, Pass, by_name, run
from repc.passes.record import Pass as Record

HEAD = "program {\n  value D = 4\n  value W = 3\n  fact T >= 2\n}\n"
SIZES = {Symbol("T"): 5, Symbol("U"): 4}


def program(nodes: str, inputs: str = "%x", result: str = "%y") -> Program:
    return read_program(f"{HEAD}\ngraph F({inputs}) encoder F {{\n{nodes.strip()}\n  return {result}\n}}\n")


def body(made: Program) -> list[str]:
    return [line.strip() for line in print_graph(made.graphs["F"], places=False).splitlines()[1:-1]]


def values(made: Program) -> torch.Tensor:
    graph = made.graphs["F"]
    generator = torch.Generator().manual_seed(0)
    inputs: dict[str, Named] = {}
    for name in graph.inputs:
        node = graph.node(name)
        shape = [axis.size.evaluate({**made.values, **SIZES}) for axis in node.type.axes]
        value = torch.randn(2, *shape, generator=generator, dtype=torch.float64)
        inputs[node.attrs["port"]] = Named(value, (Symbol("B"), *node.type.labels))
    return Interpreter(made).run("F", inputs).tensor()


def changed(name: str, before: Program) -> list[str]:
    """The body after a pass, which is well-formed and computes the same."""
    verify(before)
    after = by_name(name).apply(before)
    verify(after)
    torch.testing.assert_close(values(after), values(before))
    return body(after)


X = "  %x = input x() : [T, D] float\n"


def test_dead_nodes() -> None:
    nodes = (
        X
        + "  %w = slot w() {constraint: none, init: zeros(), trained: true} : [D] float\n"
        + "  %1 = prim exp(%x) : [T, D] float in (0.0, inf)\n"
        + "  %2 = prim log(%1) : [T, D] float\n"
        + "  %y = prim neg(%x) : [T, D] float\n  sites a: %2, b: %y"
    )
    before = program(nodes)
    after = by_name("dead-nodes").apply(before)
    verify(after)
    assert body(after) == [
        "%x = input x() : [T, D] float",
        "%w = slot w() {constraint: none, init: zeros(), trained: true} : [D] float",
        "%y = prim neg(%x) : [T, D] float",
        "sites b: %y",
        "return %y",
    ]


def test_fold_constants() -> None:
    nodes = (
        X
        + "  %1 = const 2() : [] number\n  %2 = const <D>() : [] number\n"
        + "  %3 = prim mul(%1, %2) : [] number\n  %4 = prim sqrt(%1) : [] number\n"
        + "  %5 = const 1() : [] number\n  %6 = prim mul(%x, %5) : [T, D] float\n"
        + "  %7 = prim mul(%6, %3) : [T, D] float\n  %y = prim div(%7, %4) : [T, D] float"
    )
    assert changed("fold-constants", program(nodes)) == [
        "%x = input x() : [T, D] float",
        "%1 = const 2() : [] number",
        "%2 = const <D>() : [] number",
        "%3 = const <2*D>() : [] number",
        "%4 = const 1.4142135623730951() : [] number",
        "%5 = const 1() : [] number",
        "%7 = prim mul(%x, %3) : [T, D] float",
        "%y = prim div(%7, %4) : [T, D] float",
        "return %y",
    ]


TWO = "  %x = input x() : [T, D] float\n  %z = input z() : [U, D] float\n"


def test_einsum() -> None:
    nodes = (
        TWO
        + "  %1 = prim mul(%x, %z) : [T, D, U] float\n  %2 = const 0.5() : [] number\n"
        + "  %3 = prim mul(%1, %2) : [T, D, U] float\n  %y = prim sum(%3) {over: (D)} : [T, U] float"
    )
    assert changed("einsum", program(nodes, "%x, %z"))[-2:] == [
        "%y = prim contract(%x, %z, %2) {out: (T, U)} : [T, U] float",
        "return %y",
    ]


@pytest.mark.parametrize(
    ("more", "total"),
    [
        # The product is used elsewhere.
        ("  %2 = prim exp(%1) : [T, D, U] float in (0.0, inf)\n  %3 = prim add(%1, %2) : [T, D, U] float\n", "%3"),
        # What is summed is no product.
        ("  %3 = prim neg(%1) : [T, D, U] float\n", "%3"),
    ],
)
def test_einsum_leaves_other_sums(more: str, total: str) -> None:
    nodes = TWO + "  %1 = prim mul(%x, %z) : [T, D, U] float\n" + more
    before = program(nodes + f"  %y = prim sum({total}) {{over: (D)}} : [T, U] float", "%x, %z")
    assert changed("einsum", before) == body(before)


def test_einsum_leaves_sums_under_a_condition() -> None:
    nodes = (
        TWO
        + "  %1 = prim mul(%x, %z) : [T, D, U] float\n  %2 = prim gt(%x, %z) : [T, D, U] bool\n"
        + "  %y = prim sum(%1, %2) {masked: true, over: (D)} : [T, U] float"
    )
    before = program(nodes, "%x, %z")
    assert changed("einsum", before) == body(before)


def test_einsum_leaves_a_product_that_is_no_larger_than_a_factor() -> None:
    before = program(X + "  %1 = prim mul(%x, %x) : [T, D] float\n  %y = prim sum(%1) {over: (D)} : [T] float")
    assert changed("einsum", before) == body(before)


WINDOWED = (
    X
    + "  %w = input w() : [U, D, k: 3 of k] float\n"
    + "  %1 = prim windows(%x) {as: [T: -2 + T of p], axis: T, dilation: <1>, size: <3>, stride: <1>, "
    + "within: [k: 3 of k]} : [T: -2 + T of p, k: 3 of k, D] float\n"
)


def test_convolution() -> None:
    nodes = WINDOWED + "  %y = prim contract(%1, %w) {out: (T, U)} : [T: -2 + T of p, U] float"
    assert changed("convolution", program(nodes, "%x, %w"))[-2:] == [
        "%y = prim convolve(%x, %w) {as: ([T: T - 2 of p]), dilation: <1>, out: (T, U), over: (T), stride: <1>, "
        "within: (k)} : [T: T - 2 of p, U] float",
        "return %y",
    ]


@pytest.mark.parametrize(
    "total",
    [
        # The places in the window stay.
        "contract(%1, %w) {out: (T, k, U)} : [T: -2 + T of p, k: 3 of k, U] float",
        # The windows are summed.
        "contract(%1, %w) {out: (U)} : [U] float",
        # Only the kernel has an axis that is summed.
        "contract(%1, %w) {out: (T)} : [T: -2 + T of p] float",
    ],
)
def test_convolution_leaves_other_contractions(total: str) -> None:
    before = program(f"{WINDOWED}  %y = prim {total}", "%x, %w")
    assert changed("convolution", before) == body(before)


IOTA = "  %i = prim iota() {axis: [t: SIZE of T]} : [t: SIZE of T] index(T: SIZE)\n"


def index(size: str, *nodes: str) -> str:
    return (
        X
        + IOTA.replace("SIZE", size).replace(f"index(T: {size})", "index(T)" if size == "T" else f"index(T: {size})")
        + "".join(f"  {node}\n" for node in nodes)
    )


def test_a_gather_at_a_shifted_index_is_a_slice() -> None:
    nodes = index(
        "T - 1",
        "%c = const 1() : [] number",
        "%j = prim add(%i, %c) : [t: T - 1 of T] int",
        "%y = prim gather(%x, %j) {axes: (T)} : [t: T - 1 of T, D] float",
    )
    assert changed("affine-gather", program(nodes))[-3:] == [
        '%y.cut = prim slice(%x) {as: [T: T - 1 of T~"[1:T]"], axis: T, start: <1>, stop: <T>} '
        ': [T: T - 1 of T~"[1:T]", D] float',
        '%y = prim relabel(%y.cut) {labels: ((T, t))} : [t: T - 1 of T~"[1:T]", D] float',
        "return %y",
    ]


def test_a_gather_backwards_is_a_flip() -> None:
    nodes = index(
        "T",
        "%c = const <T - 1>() : [] number",
        "%j = prim sub(%c, %i) : [t: T of T] int",
        "%y = prim gather(%x, %j) {axes: (T)} : [t: T of T, D] float",
    )
    assert changed("affine-gather", program(nodes))[-3:] == [
        "%y.flip = prim flip(%x) {over: (T)} : [T, D] float",
        "%y = prim relabel(%y.flip) {labels: ((T, t))} : [t: T of T, D] float",
        "return %y",
    ]


def test_a_gather_round_the_end_is_a_roll() -> None:
    nodes = index(
        "T",
        "%c = const 2() : [] number",
        "%n = const <T>() : [] number",
        "%j = prim add(%i, %c) : [t: T of T] int",
        "%k = prim mod(%j, %n) : [t: T of T] int",
        "%y = prim gather(%x, %k) {axes: (T)} : [t: T of T, D] float",
    )
    assert changed("affine-gather", program(nodes))[-3:-1] == [
        "%y.roll = prim roll(%x) {by: <-2>, over: (T)} : [T, D] float",
        "%y = prim relabel(%y.roll) {labels: ((T, t))} : [t: T of T, D] float",
    ]


def test_a_guarded_gather_is_a_shift() -> None:
    nodes = index(
        "T",
        "%c = const 1() : [] number",
        "%z = const 0() : [] number",
        "%n = const <T>() : [] number",
        "%l = const <T - 1>() : [] number",
        "%j = prim sub(%i, %c) : [t: T of T] int",
        "%a = prim ge(%j, %z) : [t: T of T] bool",
        "%b = prim lt(%j, %n) : [t: T of T] bool",
        "%m = prim and(%a, %b) : [t: T of T] bool",
        "%k = prim clip(%j, %z, %l) : [t: T of T] int",
        "%g = prim gather(%x, %k) {axes: (T)} : [t: T of T, D] float",
        "%y = prim where(%m, %g, %z) : [t: T of T, D] float",
    )
    before = program(nodes)
    assert changed("affine-gather", before)[-3:-1] == [
        "%y.shift = prim shift(%x) {by: <1>, fill: 0, over: (T)} : [T, D] float",
        "%y = prim relabel(%y.shift) {labels: ((T, t))} : [t: T of T, D] float",
    ]
    cleaned = body(run(before, [by_name("affine-gather"), by_name("dead-nodes")]))
    assert cleaned[0] == "%x = input x() : [T, D] float" and len(cleaned) == 4


def test_a_gather_at_its_own_index_is_a_diagonal() -> None:
    nodes = (
        "  %x = input x() : [T, t: T of T] float\n"
        "  %i = prim iota() {axis: [t: T of T]} : [t: T of T] index(T)\n"
        "  %y = prim gather(%x, %i) {axes: (T)} : [t: T of T] float"
    )
    assert changed("affine-gather", program(nodes))[-2:-1] == [
        "%y = prim diagonal(%x) {into: t, labels: (t, T)} : [t: T of T] float"
    ]


def test_a_gather_that_may_leave_its_axis_stays() -> None:
    nodes = index(
        "T",
        "%c = const 1() : [] number",
        "%j = prim add(%i, %c) : [t: T of T] int",
        "%y = prim gather(%x, %j) {axes: (T)} : [t: T of T, D] float",
    )
    before = program(nodes)
    assert body(by_name("affine-gather").apply(before)) == body(before)


def test_a_pass_whose_needs_are_not_met_does_not_run() -> None:
    first = Record("first", "Makes something hold.", lambda p: p, establishes=frozenset({"shiny"}))
    second = Record("second", "Needs it.", lambda p: p, requires=frozenset({"shiny"}))
    before = program(X + "  %y = prim neg(%x) : [T, D] float")
    assert run(before, [first, second]) == before
    with pytest.raises(ValueError, match="second needs shiny"):
        run(before, [second, first])


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.name)
def test_names_and_documentation(one: Pass) -> None:
    assert one.name == one.name.lower() and " " not in one.name and "_" not in one.name
    assert one.doc.endswith(".") and by_name(one.name) is one


def test_what_a_step_names_follows_the_nodes_of_its_graph() -> None:
    workspace, _ = Workspace.load(
        (
            "case.rep",
            "rep 1\nuse std.nn (linear)\nuse std.data (digits)\nuse std.opt (sgd)\ndim B: batch, P = 64, C = 10\n"
            "train T(lam = 1) {\n  data d = digits()\n  model f = linear(P -> C)\n"
            "  minimize size = lam * mean(f(d.x)^2)\n  optimizer: sgd(rate: 0.1)\n"
            "  measure same = lam * mean(f(d.x))\n}\n",
        )
    )
    program, faults = elaborate(workspace)
    assert not faults
    step = run(program).steps["T"]
    names = {node.name for node in step.graph.nodes}
    assert {term.node for use in step.players for term in use.terms} <= names
    assert {measure.node for measure in step.measures} <= names
