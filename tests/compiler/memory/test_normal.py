"""Normal forms: what two declarations must share, what must keep them apart, and what follows from the form."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
import torch

import repc.lowering.kinds.memories
import repc.memory.algorithms
import repc.memory.normal
from repc.dims import Dim, Symbol
from repc.ir import Choice, MemoryRecord, Ref, Word
from repc.memory import (
    Dense,
    General,
    Gram,
    LocalConstant,
    RankOne,
    ScalarAffine,
    Stream,
    algorithms_of,
    chosen,
    normalize,
)
from repc.memory.coefficients import Port
from repc.memory.conditions import FAILS, HOLDS, UNKNOWN, conditions
from repc.memory.costs import CHUNKS, Shapes, cost
from repc.memory.forms import Descent
from repc.memory.names import equivalences, recognized
from repc.memory.slopes import slope
from repc.types import FLOAT, Refinement, Type, axis_of

T, K, P = Symbol("T"), Symbol("K"), Symbol("P")
A, B = Ref("a"), Ref("b")


def word(name: str, **args: object) -> Word:
    return Word(name, tuple(args.items()))


def memory(**fields: Word) -> MemoryRecord:
    choices = tuple((name, Choice(value, "written")) for name, value in fields.items())
    return MemoryRecord(T, T, (K,), (P,), (("q", "q"), ("k", "k"), ("v", "v")), choices)


HEBBIAN = word("hebbian")
SQUARED, DOT = word("squared"), word("dot")
ONE_STEP = word("sgd", rate=B)
IMPLICIT = word("implicit", rate=B)
RETAIN = word("value", value=A)

EQUAL = {
    "the dot loss with rate 1 is hebbian": (
        memory(loss=DOT, optimizer=word("sgd", rate=1)),
        memory(optimizer=HEBBIAN),
    ),
    "a decay of the weights is a retention, where all pairs are summed": (
        memory(optimizer=HEBBIAN, weights=word("decay", rate=A)),
        memory(optimizer=HEBBIAN, retain=RETAIN),
    ),
    "the order does not matter without a retention": (
        memory(loss=SQUARED, optimizer=ONE_STEP, order=word("error_first")),
        memory(loss=SQUARED, optimizer=ONE_STEP, order=word("decay_first")),
    ),
    "a retention of 1 is none": (
        memory(optimizer=ONE_STEP, retain=word("constant", value=1)),
        memory(optimizer=ONE_STEP),
    ),
    "a proximal step down the dot loss is a plain one": (
        memory(loss=DOT, optimizer=IMPLICIT),
        memory(loss=DOT, optimizer=ONE_STEP),
    ),
    "a loss written out is the loss of that word": (
        memory(
            loss=word("mul", x=0.5, y=word("square", x=word("sub", x=word("pred"), y=word("target")))),
            optimizer=ONE_STEP,
        ),
        memory(loss=SQUARED, optimizer=ONE_STEP),
    ),
    "lp(2) is squared": (memory(loss=word("lp", p=2), optimizer=ONE_STEP), memory(loss=SQUARED, optimizer=ONE_STEP)),
    "a rate of 0 writes nothing, whatever the loss": (
        memory(loss=SQUARED, optimizer=word("sgd", rate=0), retain=RETAIN),
        memory(loss=DOT, optimizer=word("sgd", rate=0), retain=RETAIN),
    ),
    "a momentum of 0 is none": (memory(optimizer=word("sgd", rate=B, momentum=0.0)), memory(optimizer=ONE_STEP)),
    "a window of one gradient is the newest pair": (
        memory(optimizer=word("sgd", rate=B, window=1)),
        memory(optimizer=ONE_STEP),
    ),
    "twice the loss is twice the rate": (
        memory(loss=word("square", x=word("sub", x=word("pred"), y=word("target"))), optimizer=word("sgd", rate=0.25)),
        memory(loss=SQUARED, optimizer=word("sgd", rate=0.5)),
    ),
}

DIFFERENT = {
    "orders of forgetting": (
        memory(optimizer=ONE_STEP, retain=RETAIN, order=word("decay_first")),
        memory(optimizer=ONE_STEP, retain=RETAIN, order=word("error_first")),
    ),
    "dot and squared loss": (memory(loss=DOT, optimizer=ONE_STEP), memory(loss=SQUARED, optimizer=ONE_STEP)),
    "implicit and explicit steps": (memory(optimizer=IMPLICIT), memory(optimizer=ONE_STEP)),
    "reading before and after": (
        memory(optimizer=HEBBIAN, read=word("before")),
        memory(optimizer=HEBBIAN, read=word("after")),
    ),
    "with and without a normaliser": (
        memory(optimizer=HEBBIAN, normalize=word("total", eps=0.0)),
        memory(optimizer=HEBBIAN),
    ),
    "one step and two": (memory(optimizer=ONE_STEP), memory(optimizer=word("sgd", rate=B, steps=2))),
    "a ridge in the prior and one at the read, under a decay": (
        memory(regularizer=word("ridge", l=0.1, at="prior"), weights=word("decay", rate=A)),
        memory(regularizer=word("ridge", l=0.1, at="read"), weights=word("decay", rate=A)),
    ),
    "causal and full attention": (
        memory(regressor=word("local_constant", kernel=word("exp"))),
        memory(regressor=word("local_constant", kernel=word("exp")), weights=word("full")),
    ),
}


@pytest.mark.parametrize("case", EQUAL)
def test_equal_memories_have_one_form(case: str) -> None:
    left, right = EQUAL[case]
    assert normalize(left) == normalize(right)


@pytest.mark.parametrize("case", DIFFERENT)
def test_different_memories_keep_apart(case: str) -> None:
    left, right = DIFFERENT[case]
    assert normalize(left) != normalize(right)


NAMED = {
    "linear attention": memory(optimizer=HEBBIAN),
    "RetNet": memory(optimizer=HEBBIAN, weights=word("decay", rate=0.9)),
    "Mamba-2 / simple GLA": memory(optimizer=HEBBIAN, weights=word("decay", rate=A)),
    "DeltaNet": memory(optimizer=ONE_STEP),
    "Gated DeltaNet, decay first": memory(optimizer=ONE_STEP, retain=RETAIN),
    "Gated DeltaNet, error first": memory(optimizer=ONE_STEP, retain=RETAIN, order=word("error_first")),
    "Longhorn": memory(optimizer=IMPLICIT),
    "softmax attention": memory(regressor=word("local_constant", kernel=word("exp"))),
    "sliding-window attention": memory(
        regressor=word("local_constant", kernel=word("exp")), weights=word("window", size=64)
    ),
    "the mesa layer": memory(regularizer=word("ridge", l=0.1)),
}


@pytest.mark.parametrize("name", NAMED)
def test_known_memories_are_recognised(name: str) -> None:
    known = recognized(normalize(NAMED[name]))
    assert known is not None and known.name == name and known.why


CLASSES = [
    (memory(optimizer=HEBBIAN), ScalarAffine, "scalar-affine", "chunked"),
    (memory(optimizer=ONE_STEP), RankOne, "identity + rank 1", "chunked"),
    (memory(regressor=word("local_constant", kernel=word("exp"))), LocalConstant, "key-value cache", "parallel"),
    (memory(optimizer=word("sgd", rate=B, steps=3)), Stream, "sequential", ""),
    (memory(loss=word("huber", delta=0.5), optimizer=ONE_STEP), Stream, "sequential", ""),
    (memory(), Gram, "Gram state", ""),
    (memory(optimizer=HEBBIAN, weights=word("window", size=8)), Dense, "dense", ""),
    (memory(regressor=word("local_linear", kernel=word("exp"))), Dense, "dense", ""),
    (memory(regressor=word("local_constant", kernel=word("exp")), weights=word("decay", rate=A)), Dense, "dense", ""),
]


@pytest.mark.parametrize(("record", "kind", "lowering", "name"), CLASSES)
def test_a_form_has_a_class_and_the_class_has_algorithms(
    record: MemoryRecord, kind: type, lowering: str, name: str
) -> None:
    form = normalize(record)
    assert isinstance(form, kind)
    usual = chosen(form)
    assert usual is not None and (usual.lowering, usual.name) == (lowering, name)
    assert all(chosen(form, one.name) == one for one in algorithms_of(form))
    assert chosen(form, "no such algorithm") is None


OUTSIDE = [
    (memory(regressor=word("mlp", hidden=8)), "regressor"),
    (memory(regressor=word("mlp", hidden=8), optimizer=ONE_STEP), "init"),
    (memory(regressor=word("slots", n=4)), "regressor"),
    (memory(optimizer=word("chebyshev", steps=4)), "optimizer"),
    (memory(optimizer=ONE_STEP, weights=word("levels", kind="fenwick", weight=A)), "weights"),
    (memory(optimizer=word("exact"), normalize=word("total", eps=0.0)), "normalize"),
]

SLOW = [
    (memory(optimizer=word("cg", steps=4)), Dense),
    (memory(optimizer=HEBBIAN, weights=word("levels", kind="fenwick", weight=A)), Dense),
    (memory(optimizer=HEBBIAN, bonus=word("value", value=A)), Dense),
    (memory(optimizer=HEBBIAN, regressor=word("diagonal")), Dense),
    (memory(optimizer=ONE_STEP, per=word("constant", value=16)), Descent),
    (memory(optimizer=ONE_STEP, normalize=word("total", eps=0.0)), Descent),
    (memory(optimizer=ONE_STEP, regularizer=word("l1", l=0.1)), Descent),
    (memory(optimizer=word("sgd", rate=1, window=3)), Descent),
]


@pytest.mark.parametrize(("record", "kind"), SLOW)
def test_what_has_no_short_form_has_a_general_algorithm(record: MemoryRecord, kind: type) -> None:
    form = normalize(record)
    assert isinstance(form, kind) and chosen(form) is not None and recognized(form) is None
    assert cost(form, SHAPES) is not None


@pytest.mark.parametrize(("record", "field"), OUTSIDE)
def test_what_has_no_algorithm_says_which_field_keeps_it_out(record: MemoryRecord, field: str) -> None:
    form = normalize(record)
    assert isinstance(form, General) and form.field == field and form.reason
    assert chosen(form) is None and recognized(form) is None and cost(form, SHAPES) is None


def test_a_decay_for_each_channel_is_told_by_its_type() -> None:
    record = memory(optimizer=HEBBIAN, weights=word("decay", rate=A))
    per_head, per_channel = (Type(tuple(map(axis_of, labels)), FLOAT) for labels in ((T,), (T, K)))
    assert isinstance(normalize(record, {"a": per_head}), ScalarAffine)
    found = normalize(record, {"a": per_channel})
    assert isinstance(found, Dense) and found.channels == Port("a")


ERROR = word("sub", x=word("pred"), y=word("target"))
WRITTEN: list[tuple[Word, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]]] = [
    (word("pow", x=word("abs", x=ERROR), y=3), lambda pred, target: (pred - target).abs() ** 3),
    (word("log", x=word("cosh", x=ERROR)), lambda pred, target: torch.cosh(pred - target).log()),
    (word("div", x=word("square", x=ERROR), y=word("exp", x=word("target"))), lambda p, t: (p - t) ** 2 / t.exp()),
]


@pytest.mark.parametrize(("loss", "meant"), WRITTEN)
def test_the_gradient_of_a_written_loss_is_derived(
    loss: Word, meant: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> None:
    pred = torch.randn(50, dtype=torch.float64, requires_grad=True)
    target = torch.randn(50, dtype=torch.float64)
    (wanted,) = torch.autograd.grad(meant(pred, target).sum(), pred)
    made = eval(slope(loss).text, {"pred": pred, "target": target, "torch": torch})
    assert torch.allclose(made, wanted)


SHAPES = Shapes(Dim.of(K), Dim.of(P), Dim.of(T))


def test_costs_are_formulas_of_the_sizes() -> None:
    affine, attention = (cost(normalize(NAMED[name]), SHAPES) for name in ("linear attention", "softmax attention"))
    assert affine is not None and attention is not None
    assert affine.state == Dim.of(K) * Dim.of(P) and affine.state_bytes == 4 * Dim.of(K) * Dim.of(P)
    assert not affine.grows and attention.grows
    assert attention.state == Dim.of(T) * (Dim.of(K) + Dim.of(P))
    window = cost(normalize(NAMED["sliding-window attention"]), SHAPES)
    assert window is not None and not window.grows and window.state == 64 * (Dim.of(K) + Dim.of(P))
    doubled = affine.decoding.evaluate({K: 8, P: 16}) / affine.decoding.evaluate({K: 8, P: 8})
    assert doubled == 2


def bounded(low: float, high: float) -> Type:
    return Type((axis_of(T),), FLOAT, Refinement("interval", low, high))


def test_conditions_hold_where_the_types_say_so() -> None:
    form = normalize(NAMED["Gated DeltaNet, decay first"])
    unit = Type((axis_of(T), axis_of(K)), FLOAT, Refinement("sphere", axes=(K,)))
    known = {"a": bounded(0, 1), "b": bounded(0, 1), "k": unit}
    assert [one.verdict for one in conditions(form, "k", known)] == [HOLDS, HOLDS]
    loose = {**known, "k": Type((axis_of(T), axis_of(K)), FLOAT)}
    assert [one.verdict for one in conditions(form, "k", loose)] == [HOLDS, UNKNOWN]
    assert [one.verdict for one in conditions(form, "k", {**known, "b": bounded(-2, -1)})] == [HOLDS, FAILS]
    assert [one.verdict for one in conditions(form, "k", {**known, "a": bounded(2, 3)})] == [FAILS, HOLDS]


def test_equivalences_name_other_ways_to_say_it() -> None:
    assert "`optimizer: hebbian`" in equivalences(normalize(NAMED["linear attention"]))
    assert any("b / (1 + b |k|^2)" in one for one in equivalences(normalize(NAMED["Longhorn"])))


@pytest.mark.parametrize("module", [repc.memory.normal, repc.memory.algorithms, repc.lowering.kinds.memories])
def test_nothing_is_decided_by_a_memorys_name(module: object) -> None:
    source = inspect.getsource(module)  # type: ignore[arg-type]
    assert not [name for name in ("DeltaNet", "RetNet", "Mamba", "Longhorn", "softmax attention") if name in source]


def test_costs_count_the_blocks_that_the_runtime_takes() -> None:
    import rep_runtime.memory as runtime

    for function, length in CHUNKS.items():
        assert inspect.signature(getattr(runtime, function)).parameters["chunk"].default == length, function
