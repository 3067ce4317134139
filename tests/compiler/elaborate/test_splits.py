"""`e across d.test` as a value of a train."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from repc.ir import Program

Faults = Callable[[str], list[tuple[str, int]]]

TRAIN = """train T {
  data d = digits(), other = digits()
  model f = linear(P -> C)
  minimize ce = cross_entropy(f(d.x), d.label)
  optimizer: sgd(rate: 0.1)
  z = f(d.x) across d.test
"""


def test_a_measure_of_such_values_runs_across_their_split(right: Callable[[str], Program]) -> None:
    program = right(
        TRAIN
        + """  y = d.label across d.test
  near[i, j] = sum[c] z[i, c] * z[j, c] > 0
  measure agree = mean[i, j: i != j; empty: 0] float(near[i, j] == (y[i] == y[j])), plain = mean(f(d.x))
}"""
    )
    found = {one.name: one.across for one in program.steps["T"].measures}
    assert found == {"agree": ("d", "test"), "plain": ()}


def test_the_step_is_the_same_with_and_without(verified: Callable[[str], None]) -> None:
    verified(TRAIN + "  measure far = mean(z^2) }")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("measure m = mean(z - f(d.x))", "splits-mixed"),
        ("w = f(d.x) across d.valid  measure m = mean(z + w)", "splits-mixed"),
        ("measure m = mean(z) across d.valid", "splits-mixed"),
        ("minimize far = mean(z^2)", "across-in-step"),
        ("state c: [] = 0  c := mean(z)", "across-in-step"),
        ("w = f(d.x) across f.test", "split-expected"),
    ],
)
def test_a_split_does_not_meet_other_samples(faults: Faults, line: str, name: str) -> None:
    assert faults(f"{TRAIN}{line} }}") == [(name, 7)]


def test_another_source_may_stand_beside_it(right: Callable[[str], Program]) -> None:
    program = right(TRAIN + "  measure m = mean(z) + mean(f(other.x)) }")
    assert program.steps["T"].measures[0].across == ("d", "test")
