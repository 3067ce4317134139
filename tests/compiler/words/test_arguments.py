"""Calls of words against their declarations, and axes of sources against the dims of a file."""

from __future__ import annotations

import pytest

from rep_grammar import parse
from rep_grammar import tree as t
from repc.words import find
from repc.words.arguments import Matched, match_arguments
from repc.words.sources import SOURCES, FileDim, SourceWord, axes_in


def match(text: str, family: str) -> Matched:
    item = parse(f"const it = {text}", "call").items[0]
    assert isinstance(item, t.ConstItem)
    call = item.slots[0].value
    assert isinstance(call, t.Call) and isinstance(call.func, t.Name)
    word = find(call.func.text, family)
    assert word is not None
    return match_arguments(word, call.args, call.span)


def test_arguments_go_by_position_and_by_name() -> None:
    matched = match("cosine(1e-3 -> 1e-5, warmup: 100)", "schedule")
    assert matched.faults == ()
    span, warmup = matched.get("span"), matched.get("warmup")
    assert isinstance(span, t.Binary) and span.op == "->"
    assert isinstance(warmup, t.Number) and warmup.value == 100
    assert match("cosine(1e-3)", "schedule").get("warmup") is None


@pytest.mark.parametrize(
    ("text", "family", "fault", "suggestion"),
    [
        ("adamw(rate: 1e-3, decays: 0.1)", "optimizer", "unknown-argument", "decay"),
        ("adamw(decay: 0.1)", "optimizer", "missing-argument", None),
        ("adamw(1e-3)", "optimizer", "config-by-position", None),
        ("cosine(1e-3, span: 2)", "schedule", "argument-twice", None),
        ("decay(a, b)", "weights", "wrong-arity", None),
    ],
)
def test_what_does_not_fit_is_a_fault_of_calls(text: str, family: str, fault: str, suggestion: str | None) -> None:
    faults = match(text, family).faults
    assert fault in [found.name for found in faults]
    assert next(found for found in faults if found.name == fault).suggestion == suggestion


def digits(settings: dict[str, object], *dims: FileDim) -> dict[str, str]:
    word = next(word for word in SOURCES if word.name == "digits")
    assert isinstance(word, SourceWord)
    return axes_in(word.sample(settings), settings, dims)


def test_a_source_is_spread_over_the_axes_of_the_file() -> None:
    grid = (FileDim("X", "grid", 8), FileDim("Y", "grid", 8), FileDim("D", None, 64), FileDim("C", None, 10))
    assert digits({}, *grid) == {"X": "X", "Y": "Y", "Class": "C"}


def test_grid_axes_of_other_names_are_taken_in_written_order() -> None:
    assert digits({}, FileDim("I", "grid", 8), FileDim("J", "grid", 8)) == {"Y": "I", "X": "J"}


def test_a_dim_is_never_found_by_its_number_alone() -> None:
    assert digits({"flat": True}, FileDim("D", None, 64), FileDim("E", None, 10)) == {}
    assert digits({"flat": True}, FileDim("D", None, 64), FileDim("P", None, 64)) == {"P": "P"}


def test_a_setting_names_the_dim_outright() -> None:
    found = digits({"flat": True, "pixels": "D", "classes": "E"}, FileDim("D", None, 64), FileDim("E", None, 10))
    assert found == {"P": "D", "Class": "E"}


def test_a_stream_runs_along_the_sequence_axis_of_the_file() -> None:
    word = next(word for word in SOURCES if word.name == "bytes")
    sample = word.sample({"length": 256})
    assert axes_in(sample, {"length": 256}, (FileDim("S", "seq", None), FileDim("V", None, 256))) == {
        "T": "S",
        "Byte": "V",
    }
    assert axes_in(sample, {"length": 256}, (FileDim("S", "seq", None), FileDim("R", "seq", None))) == {}
