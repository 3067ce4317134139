"""`verify` passes what is right, and finds what is wrong in generated code, steps and claims."""

from __future__ import annotations

import pytest
import torch

import repc.pipeline
from repc.elaborate import elaborate
from repc.names import Workspace
from repc.pipeline import Checked, Generated, check_spec
from repc.verify import Report, Row, verify
from repc.verify.compare import difference
from repc.verify.report import table

SPEC = """rep 1
use std.nn (linear)
dim B: batch, T: seq, D = 6, K = 3

memory Delta(q: [T, K], k: [T, K], v: [T, K], b: [T] in (0, 1)) -> [T, K] causal(T) {
  regressor: linear
  loss: squared
  optimizer: sgd(rate: b)
}

encoder Mixer(x: [T, D]) -> [T, D] causal(T) {
  q = linear(x, D -> K)
  b = sigmoid(linear(x, D -> []))
  return x + linear(Delta(q, q, q, b), K -> D)
}

encoder Noisy(x: [T, D]) -> [T, D] {
  e: [T, D] ~ normal(0, 1)
  return x + e
}
"""
LEAK = """rep 1
dim T: seq, D = 4
encoder Leak(x: [T, D]) -> [T, D] causal(T) {
  return x - mean(x, over: T)
}
"""


def checked(text: str) -> Checked:
    made = check_spec(("spec.rep", text))
    assert made.ok, made.diagnostics
    return made


@pytest.fixture(scope="module")
def report() -> Report:
    return verify(checked(SPEC))


def test_what_is_right_passes(report: Report) -> None:
    assert report.passed, report.table()
    tried = {(row.subject, row.what) for row in report.rows}
    assert {
        ("Delta", "values"),
        ("Delta", "gradients"),
        ("Delta", "step"),
        ("Mixer", "values"),
        ("Mixer", "gradients"),
        ("Mixer", "lifted axes"),
        ("Mixer", "step graph"),
        ("Mixer", "step"),
        ("Mixer", "causal(T)"),
        ("Noisy", "values"),
    } <= tried
    assert all(row.cases > 0 for row in report.rows)


def broken(monkeypatch: pytest.MonkeyPatch, before: str, after: str) -> dict[tuple[str, str], Row]:
    """Rows of a spec whose generated module has one text in place of another."""
    whole = repc.pipeline.generate

    def changed(spec: Checked, name: str) -> Generated:
        made = whole(spec, name)
        assert before in made.text, made.text
        return Generated(made.name, made.text.replace(before, after), made.line_map, made.classes)

    monkeypatch.setattr("repc.verify.run.generate", changed)
    found = verify(checked(SPEC), ["Delta", "Mixer"])
    return {(row.subject, row.what): row for row in found.rows}


def test_another_activation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = broken(monkeypatch, "torch.sigmoid", "torch.tanh")
    assert not rows["Mixer", "values"].passed and not rows["Mixer", "gradients"].passed
    assert rows["Delta", "values"].passed and rows["Mixer", "step graph"].passed


def test_a_step_that_forgets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = broken(monkeypatch, "rank_one_step(state.memory,", "rank_one_step(0 * state.memory,")
    assert rows["Delta", "values"].passed and not rows["Delta", "step"].passed
    assert not rows["Mixer", "step"].passed


def test_generated_code_that_stops_is_told_in_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = broken(monkeypatch, "torch.sigmoid", "torch.no_such_function")
    row = rows["Mixer", "values"]
    assert not row.passed and row.cases == 0 and "no_such_function" in row.note


def unproved(text: str) -> Checked:
    """A spec whose claims nobody has looked at: `check` would refuse this one before anything runs."""
    workspace, troubles = Workspace.load(("spec.rep", text))
    program, faults = elaborate(workspace)
    assert not troubles and not faults
    return Checked(workspace, program, ())


def test_a_claim_that_does_not_hold_is_found() -> None:
    rows = {row.what: row for row in verify(unproved(LEAK)).rows}
    assert rows["values"].passed and not rows["causal(T)"].passed
    assert "`x` is needed at all positions of T" in rows["step graph"].note


def test_only_the_declarations_that_are_named() -> None:
    assert {row.subject for row in verify(checked(SPEC), ["Noisy"]).rows} == {"Noisy"}


def test_the_table() -> None:
    rows = (
        Row("LM", "values", 6, 3.25e-15, 1e-10, True),
        Row("LM", "step", 0, 0.0, 1e-10, False, "TypeError: no"),
        Row("Mixer", "values", 2, 0.5, 1e-10, False),
    )
    assert table(rows) == (
        "declaration  what    cases  largest error  allowed\n"
        "LM           values      6        3.2e-15    1e-10  ok\n"
        "LM           step        0              -    1e-10  failed: TypeError: no\n"
        "Mixer        values      2        5.0e-01    1e-10  differs\n"
    )


@pytest.mark.parametrize(
    ("found", "wanted", "error"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([100.0], [101.0], 1 / 101),
        ([float("inf")], [float("inf")], 0.0),
        ([float("nan")], [1.0], float("inf")),
        ([1.0, 2.0], [1.0], float("inf")),
    ],
)
def test_differences(found: list[float], wanted: list[float], error: float) -> None:
    assert difference(torch.tensor(found), torch.tensor(wanted).double()) == pytest.approx(error)


LAWS_SPEC = """rep 1
use std.nn (gru)
dim T: seq, N: set, K = 3

data Largest() -> (x: [N], y: []) {
  x: [N] ~ uniform(0, 1)
  return (x: x, y: max(x))
}

probe squares(x: [N, K]) {
  e: [N, K] ~ normal(0, 1)
  require (x + e)^2 == x^2 + 2 * x * e + e^2
}

probe positive(x: [N]) {
  require x > -0.5
}

encoder Recurrent(x: [T, K]) -> [T, K] causal(T) {
  return gru(x)
}
"""


@pytest.fixture(scope="module")
def laws() -> dict[tuple[str, str], Row]:
    return {(row.subject, row.what): row for row in verify(checked(LAWS_SPEC)).rows}


def test_a_declaration_without_inputs_gets_sizes(laws: dict[tuple[str, str], Row]) -> None:
    assert laws["Largest", "values"].passed and laws["Largest", "values"].cases > 0


def test_a_law_holds_up_to_rounding(laws: dict[tuple[str, str], Row]) -> None:
    row = laws["squares", "require 1"]
    assert row.passed and row.cases > 0 and 0 < row.largest_error < 1e-12


def test_a_law_that_does_not_hold_is_told(laws: dict[tuple[str, str], Row]) -> None:
    assert not laws["positive", "require 1"].passed


def test_the_state_of_a_block_carries_lifted_axes(laws: dict[tuple[str, str], Row]) -> None:
    row = laws["Recurrent", "step graph"]
    assert row.passed and row.cases > 0


def test_a_model_without_parameters_that_reads_a_memory() -> None:
    spec = """rep 1
use std.nn (linear)
use std.opt (sgd)
use std.data (digits)
dim B: batch, P = 64, D = 4
memory Ridge(q: [B, D], k: [B, D], v: [B, D]) -> [B, D] {
  weights: full  regressor: linear  loss: squared  regularizer: ridge(0.1)  optimizer: exact
}
encoder Predictor(z: [B, D], t: [B, D], solved = false) -> [B, D] { return if solved then Ridge(z, sg(z), t) else z }
train T() {
  data d = digits()
  model f = linear(P -> D), g = Predictor(solved: true)
  z = f(d.x)
  minimize gap = mean((g(z, sg(z)) - 1)^2)
  optimizer: sgd(rate: 0.1)
}
"""
    rows = {(row.subject, row.what): row for row in verify(checked(spec)).rows}
    assert rows["T", "terms"].passed and rows["T", "gradients"].passed


def test_blocks_whose_names_are_words_of_python() -> None:
    spec = """rep 1
use std.nn (linear)
dim T: seq, D = 4, E = 6
encoder A(x: [T, D]) -> [T, E] {
  import = linear(x, D -> E)
  return import
}
"""
    made = verify(checked(spec))
    assert made.passed, made.table()
