"""The text form of graphs: printing and reading back is the identity."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rep_grammar.spans import Span
from repc.dims import AtLeast, Dim, Divides, Equal, Facts, Symbol
from repc.ir import (
    Attrs,
    Block,
    BlockParameter,
    Cell,
    Choice,
    ClaimNote,
    Commit,
    Graph,
    MeasureUse,
    MemoryRecord,
    Node,
    OptimizerUse,
    Origin,
    PlayerUse,
    Program,
    Ref,
    SourceUse,
    Step,
    Target,
    Term,
    Word,
)
from repc.ir.text import print_graph, print_node, print_program, print_step, read_graph, read_program, read_step
from repc.ir.text_read import reader
from repc.ir.text_tokens import TextFault
from repc.ir.text_values import Unprintable, value
from repc.types import Axis, Kind, Refinement, Type, index_of

NAMES = st.one_of(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,4}'?", fullmatch=True),
    st.sampled_from(["true", "none", "inf", "nan", "of", "ragged", "type", "at", "graph", "over", "x-y", "a b", "_"]),
    st.just('q"`\\'),
)
SYMBOLS = st.builds(Symbol, NAMES, st.sampled_from(["", "lm.rep", "lm.rep:Mixer", "std/nn linear", 'a"b']))
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False),
    st.fractions().filter(lambda f: f.denominator != 1),
)


@st.composite
def dims(draw: st.DrawFn) -> Dim:
    total = Dim.of(draw(st.integers(-5, 5)))
    for _ in range(draw(st.integers(0, 3))):
        term = Dim.of(draw(SYMBOLS)) ** draw(st.integers(1, 3))
        match draw(st.sampled_from(["plain", "over", "floor", "rest", "under"])):
            case "over":
                term = term / draw(SYMBOLS)
            case "floor":
                term = (term + 1) // (Dim.of(draw(SYMBOLS)) + 2)
            case "rest":
                term = (term + 3) % (Dim.of(draw(SYMBOLS)) * 2)
            case "under":
                term = term / (Dim.of(draw(SYMBOLS)) + draw(SYMBOLS) + 1)
            case _:
                pass
        total = total + term * draw(st.integers(-3, 3))
    return total


KINDS = st.one_of(
    st.sampled_from(["float", "int", "bool", "number", "state", "my kind"]).map(Kind),
    st.builds(Kind, st.just("index"), st.none() | SYMBOLS, st.none() | dims()),
    st.builds(index_of, SYMBOLS, dims()),
    st.builds(Kind, st.just("element"), st.none(), st.none(), st.sampled_from(["SO(3)", ""])),
)
BOUNDS = st.sampled_from([float("-inf"), -1.5, 0.0, 1.0, float("inf")])
REFINEMENTS = st.builds(
    Refinement,
    st.sampled_from(["interval", "sphere", "simplex"]),
    BOUNDS,
    BOUNDS,
    st.booleans(),
    st.booleans(),
    st.lists(SYMBOLS, max_size=2).map(tuple),
)
AXES = st.builds(Axis, SYMBOLS, dims(), st.sampled_from(["plain", "seq", "set", "batch"]), SYMBOLS, st.booleans())
SPANS = st.builds(Span, st.sampled_from(["lm.rep", "a b.rep", "c:d", ""]), st.integers(0, 99), st.integers(0, 99))
ORIGINS = st.builds(Origin, SPANS, st.lists(SPANS, max_size=2).map(tuple))
TYPES = st.recursive(
    st.builds(Type, st.lists(AXES, max_size=3).map(tuple), KINDS, st.none() | REFINEMENTS),
    lambda inner: st.builds(
        Type,
        st.just(()),
        st.just(Kind("record")),
        st.none(),
        st.lists(st.tuples(NAMES, inner), max_size=2).map(tuple),
        st.lists(st.tuples(st.just("SO(3)"), st.just("vector")), max_size=1).map(tuple),
    ),
    max_leaves=3,
)
VALUES = st.recursive(
    st.one_of(
        NUMBERS, st.booleans(), st.none(), st.text(max_size=6), SYMBOLS, dims(), AXES, TYPES, SPANS, ORIGINS, KINDS
    )
    | NAMES.map(Ref),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.builds(Word, NAMES, st.lists(st.tuples(NAMES, inner), max_size=2).map(tuple)),
        st.dictionaries(NAMES, inner, max_size=2).map(lambda d: Attrs(**d)),
    ),
    max_leaves=5,
)


@given(VALUES)
def test_every_value_reads_back_equal(made: object) -> None:
    read = reader(value(made), "<text>")
    found = read.whole(read.value)
    assert found == made and type(found) is type(made)


@pytest.mark.parametrize("made", [1.0, 1, True, Fraction(1, 2), float("-inf"), -0.0])
def test_numbers_keep_their_kind(made: object) -> None:
    read = reader(value(made), "<text>")
    found = read.whole(read.value)
    assert type(found) is type(made) and repr(found) == repr(made)


def test_nan_reads_back_as_nan() -> None:
    read = reader(value(float("nan")), "<text>")
    assert math.isnan(read.whole(read.value))


def test_a_value_without_a_spelling_is_refused() -> None:
    with pytest.raises(Unprintable, match="set"):
        value({1, 2})


KINDS_OF_NODE = st.sampled_from(
    ["input", "const", "slot", "read", "draw", "prim", "memory", "apply", "loop", "branch", "grad", "effect"]
)
KEYS = st.sampled_from(["op", "graph", "path", "body", "ports", "block", "value", "port", "cell", "law", "over"])


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    args = tuple(draw(st.lists(NAMES, max_size=3)))
    attrs = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    if draw(st.booleans()):
        attrs["ports"] = tuple(f"p{at}" for at in range(len(args) - draw(st.integers(0, 1)) if args else 0))
    return Node(draw(NAMES), draw(KINDS_OF_NODE), args, Attrs(**attrs), draw(TYPES), draw(ORIGINS))


@given(nodes())
def test_every_node_reads_back_equal(node: Node) -> None:
    read = reader(print_node(node), "<text>")
    assert read.whole(read.node) == node


HERE = Origin(Span("lm.rep", 3, 9), (Span("std/nn.rep", 1, 2),))
T, D, H = Symbol("T"), Symbol("D", "lm.rep"), Symbol("H", "lm.rep")
ROW = Type((Axis(T, Dim.of(T), "seq", T), Axis(D, Dim.of(D), "feature", D)), Kind("float"))
MEMORY = MemoryRecord(
    T,
    T,
    (D,),
    (D,),
    (("q", "q"), ("k", "k"), ("v", "v")),
    (
        ("weights", Choice(Word("decay", (("rate", Ref("a")), ("per", "head"))), "written", Span("lm.rep", 4, 8))),
        ("loss", Choice(Word("squared"), "default")),
    ),
)


def whole_graph() -> Graph:
    nodes = (
        Node("x", "input", (), Attrs(port="x"), ROW, HERE),
        Node("1", "prim", ("x",), Attrs(op="l2norm", over=(D,)), ROW, HERE),
        Node("2", "memory", ("1", "1", "x"), Attrs(record=MEMORY, ports=("q", "k", "v")), ROW, HERE),
    )
    facts = (
        Facts()
        .with_values({D: 128, H: 4})
        .with_(Divides(Dim.of(H), Dim.of(D)), Equal(Dim.of(T), 2 * Dim.of(H)), AtLeast(Dim.of(T), Dim.of(2)))
    )
    return Graph(
        name="Mixer(causal: true)",
        declaration="Mixer",
        keyword="encoder",
        inputs=("x",),
        nodes=nodes,
        results=(("", "2"),),
        origin=HERE,
        blocks=(Block("q", "linear", ((D, Dim.of(D)), (H, H)), HERE, (ROW.axes[0],), H, "ema"),),
        parameters=(BlockParameter("inner", "std.nn.linear"),),
        sites=(("h", "1"), ("out", "2")),
        formals=(T, Symbol("F", "std/nn")),
        facts=facts,
        claims=(ClaimNote("causal", (T,), False, HERE.span), ClaimNote("equivariant", ("SO(3)",), True, HERE.span)),
        cells=(Cell("seen", ROW, Word("zeros"), HERE),),
        config=(("hidden", "4*D"),),
        terms=(("one", "minimize", "2"),),
        doc='A mixer; "quoted"\nand two lines.',
    )


def whole_step() -> Step:
    return Step(
        name="Bytes",
        graph=whole_graph(),
        sources=(SourceUse("text", Word("bytes", (("length", 256),)), "", (("", ROW),), Symbol("B"), HERE),),
        players=(PlayerUse("", (Term("nll", "minimize", "2", HERE),), (OptimizerUse(Word("adamw"), ("lm",), HERE),)),),
        measures=(MeasureUse("bits", "2", 200, ("text", "test"), HERE),),
        settings=(("steps", 2000), ("batch", Dim.of(H))),
        origin=HERE,
        commits=(Commit("seen", "1", HERE),),
        targets=(Target("f'", "f", Word("ema", (("rate", 0.99),)), HERE),),
        frozen=(("lm.embed", 100),),
        stages=(Step("warm", whole_graph(), (), (), (), (), HERE),),
        doc="Trains.",
    )


def whole_program() -> Program:
    graph = whole_graph()
    return Program(
        graphs={"Mixer": graph, graph.name: graph},
        entries={"Mixer": "Mixer"},
        steps={"Bytes": whole_step(), "other name": whole_step()},
        values={D: 128},
        formulas={Symbol("K"): Dim.of(D) / H},
        facts=graph.facts,
        cells=graph.cells,
        overrides=(("Mixer.q", "linear with {}"),),
    )


def test_a_graph_reads_back_equal() -> None:
    graph = whole_graph()
    assert read_graph(print_graph(graph)) == graph


def test_a_step_reads_back_equal() -> None:
    step = whole_step()
    assert read_step(print_step(step)) == step


def test_a_program_reads_back_equal() -> None:
    program = whole_program()
    assert read_program(print_program(program)) == program


def test_facts_that_their_own_order_does_not_give_again_are_written_out() -> None:
    equal = (Equal(Dim.of(T), Dim.of(H)),)
    odd = Facts(equal, (), ((H, Dim.of(T)),), (Dim.of(T) - 1,), (AtLeast(Dim.of(1), Dim.of(2)),))
    bare = Facts(equal)
    for facts in (odd, bare):
        graph = whole_graph().with_(facts=facts)
        assert read_graph(print_graph(graph)).facts == facts


GOLDEN = """graph Mixer(%x) encoder Mixer {
  formals T
  fact T >= 2
  claim causal(T)
  block q = linear {D: <D>}
  %x = input x() : [T seq, D feature] float
  %1 = prim l2norm(%x) {over: (D)} : [T seq, D feature] float on sphere(D)
  %2 = apply linear[q](x: %1) {labels: ((D, D))} : [T seq, m: 2*D of D] float in (0.0, 1.0]
  sites h: %1
  return %2
}
"""


def test_the_text_without_places_is_a_fixed_point() -> None:
    assert print_graph(read_graph(GOLDEN), places=False) == GOLDEN


def test_a_node_without_a_place_lies_where_it_stands() -> None:
    graph = read_graph(GOLDEN, "mixer.ir")
    span = graph.node("1").origin.span
    assert span.file == "mixer.ir"
    assert GOLDEN[span.start : span.end].startswith("%1 = prim l2norm") and GOLDEN[span.end] == "\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("graph A(%x) encoder A {\n %1 = primitive f()\n}", 2, "a kind of node"),
        ("graph A(%x) encoder A {\n %1 = prim f(%x) : [T float] x\n}", 2, "`,`"),
        ("graph A(%x) encoder A {\n", 2, "a line of a graph"),
        ("graph A(%x) encoder A {\n} ?", 2, "starts nothing"),
        ("graph A(%x) encoder A {\n} }", 2, "the end of the text"),
    ],
)
def test_a_broken_text_is_told_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(TextFault) as raised:
        read_graph(text)
    assert raised.value.line == line and what in str(raised.value)
