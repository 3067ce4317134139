"""Claims of causality: what is proved, what is refuted and where, and what stays open."""

from __future__ import annotations

import pytest

from repc.diagnostics import Diagnostic
from repc.pipeline import check_spec

HEAD = """rep 1
use std.nn (linear, attention, transformer, gru, rotary)
dim T: seq, S: seq, D = 16
"""
PROVED = {
    "pointwise": "encoder F(x: [T, D]) -> [T, D] causal(T) { return relu(linear(x, D -> D)) }",
    "mask written by hand": """encoder F(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] causal(T) {
  p[t, s] = softmax[s: s <= t] sum[d] q[t, d] * k[s, d] / sqrt(D)
  o[t, d] = sum[s] p[t, s] * v[s, d]
  return o
}""",
    "weights with zeros": """encoder F(x: [T, D]) -> [T, D] causal(T) {
  w[t in T, s in T] = if s <= t then 1.0 else 0.0
  y[t, d] = sum[s] w[t, s] * x[s, d]
  return y
}""",
    "masked sum": "encoder F(x: [T]) -> [T] causal(T) { y[t in T] = sum[s: s < t] x[s]  return y }",
    "through calls and loops": """encoder F(x: [T, D]) -> [T, D] causal(T) {
  return transformer(x, over: T, heads: 2, causal: T)
}""",
    "scan": "encoder F(x: [T, D]) -> [T, D] causal(T) { return gru(x, over: T) }",
    "shift, running sum, positions": """encoder F(x: [T, D]) -> [T, D] causal(T) {
  return shift(x, over: T, by: 1) + cumsum(x, over: T) + rotary(x, over: T)
}""",
    "the position before": """encoder F(x: [T, D]) -> [T, D] causal(T) {
  y[t in T, d] = x[t - 1, d; outside: 0]
  return y
}""",
    "another axis may be summed": "encoder F(x: [T, S]) -> [T] causal(T) { return mean(x, over: S) }",
}
REFUTED = {
    "mean": ("encoder F(x: [T, D]) -> [T, D] causal(T) { return x - mean(x, over: T) }", "`mean` over all of T"),
    "attention without a mask": (
        "encoder F(x: [T, D]) -> [T, D] causal(T) { return transformer(x, over: T, heads: 2) }",
        "a memory that sees every pair",
    ),
    "slice": (
        "encoder F(x: [T]) -> [T] causal(T) { require T >= 2\n y = x[T = 1:]  return concat(y, x[T = :1], along: T) }",
        "moved to the front",
    ),
    "the next position": (
        "encoder F(x: [T, D]) -> [T, D] causal(T) { y[t in T, d] = x[t + 1, d; outside: 0]  return y }",
        "a later position of T",
    ),
}
OPEN = {
    "mask the wrong way round": """encoder F(q: [T, D], k: [T, D]) -> [T, D] causal(T) {
  p[t, s] = softmax[s: t <= s] sum[d] q[t, d] * k[s, d]
  o[t, d] = sum[s] p[t, s] * k[s, d]
  return o
}""",
}


def checked(text: str) -> tuple[Diagnostic, ...]:
    found = check_spec(("f.rep", HEAD + text)).diagnostics
    return tuple(item for item in found if not item.code.startswith("REPW10"))


@pytest.mark.parametrize("name", PROVED)
def test_a_causal_declaration_is_proved(name: str) -> None:
    assert [item.message for item in checked(PROVED[name])] == []


@pytest.mark.parametrize("name", REFUTED)
def test_a_leak_is_shown_at_its_operation(name: str) -> None:
    text, what = REFUTED[name]
    (found,) = checked(text)
    assert found.code == "REP0803"
    assert any(what in label.text for label in found.labels)
    assert found.span is not None
    assert (HEAD + text)[found.span.start : found.span.end] == "causal(T)"


@pytest.mark.parametrize("name", OPEN)
def test_what_is_not_proved_is_an_error(name: str) -> None:
    (found,) = checked(OPEN[name])
    assert found.code == "REP0802"


@pytest.mark.parametrize("name", OPEN)
def test_an_assumed_claim_may_stay_open(name: str) -> None:
    assert [item.code for item in checked(OPEN[name].replace("causal(T)", "assume causal(T)"))] == ["REPW110"]


def test_a_refuted_claim_may_not_be_assumed() -> None:
    text = REFUTED["mean"][0].replace("causal(T)", "assume causal(T)")
    assert [item.code for item in checked(text)] == ["REP0803"]
