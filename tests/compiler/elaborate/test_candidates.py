"""Which axes of an argument may stand for a formal that the call does not write."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program

ATTENTION = "use std.nn (attention)\ndim T: seq, S: seq = 4\n"


def test_an_axis_of_slots_is_no_candidate(right: Callable[[str], Program]) -> None:
    text = "encoder Outer(x: [D, P]) -> [D, P] { return mlp(x, P -> P, per: D) + rms(x, per: D) }\n"
    right("use std.nn (rmsnorm as rms)\n" + text)


def test_a_truth_value_given_an_axis_says_which(
    right: Callable[[str], Program], faults: Callable[[str], list[tuple[str, int]]]
) -> None:
    text = ATTENTION + "encoder Outer(x: [T, S, D]) -> [T, S, D] causal(T) {{ return attention(x, causal: {}) }}"
    right(text.format("T"))
    assert faults(text.format("true")) == [("ambiguous-axis", 3)]
