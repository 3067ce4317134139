"""Trains in stages: sources made of sources, stores, snapshots, and runs that stop between stages and within them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from rep_runtime.training import Options, RunSpec, Trainer

TASKS = """rep 1
use std.nn (mlp)
use std.loss (cross_entropy)
use std.data (digits, split, classes, buffer, herd)
use std.opt (adamw, snapshot)
use std.probe (accuracy)
dim B: batch, P = 64, C = 10, D = 8

train Two {
  data d = digits(), tasks = split(d, by: label, sizes: (4, 6))
  model f = mlp(P -> D, depth: 2), g = mlp(D -> C, depth: 2)
  state bank = buffer(5 * C, like: d), seen: [C] of bool = false
  for t in tasks {
    target old = snapshot(f)
    data now = tasks[t] + bank
    at start { seen := seen or classes(tasks[t]) }
    minimize ce = cross_entropy(g(f(now.x)), now.label)
    if t > 0 { minimize kd = mean((f(now.x) - old(now.x))^2) }
    optimizer: adamw(rate: 1e-3)  steps: 4  batch: 16
    at end { bank := herd(bank + tasks[t], by: f, per_class: 3) }
    measure acc = accuracy(g(f(d.x)), d.label, among: seen) across d.test
  }
  measure last = accuracy(g(f(d.x)), d.label) across d.test
}
"""


def run(step: Any, folder: Path) -> Trainer:
    return Trainer(RunSpec(folder, step.name, "hash"), step, Options(quiet=True, picture=False, checkpoint_every=1))


@pytest.fixture
def two(source: Callable[[str], Any]) -> type:
    return source(TASKS).class_of("Two")  # type: ignore[no-any-return]


def test_stages_run_in_order_on_their_own_samples(two: type, tmp_path: Path) -> None:
    step = two()
    result = run(step, tmp_path / "run").fit()
    # One step before and one after the four of each task.
    assert result.steps == step.settings.steps == 12
    assert {"ce", "kd", "acc", "last"} == set(result.values)
    assert bool(step.seen.all())
    assert int(step.bank.count) == 30
    assert torch.equal(torch.bincount(step.bank.label[:30]), torch.full((10,), 3))
    first, second = (stage.step for stage in step.stages() if stage.turns and stage.steps == 4)
    labels = first.feeds()["now"].source.batch(0, 0, 0)["label"]
    assert set(labels.tolist()) == {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}  # the store is full by now
    assert not any(path.startswith("old.") for path in dict(first.named_parameters()))
    assert any(path.startswith("old_2.") for path in dict(second.named_parameters()))


def test_the_snapshot_of_a_stage_is_what_the_model_was_when_it_began(two: type, tmp_path: Path) -> None:
    step = two()
    run(step, tmp_path / "run").fit(until=6)
    before = {path: value.clone() for path, value in step.f.state_dict().items()}
    run(step, tmp_path / "run").fit(resume=True, until=11)
    for path, value in step.old_2.state_dict().items():
        assert torch.equal(value, before[path]), path
    assert not all(torch.equal(value, before[path]) for path, value in step.f.state_dict().items())


@pytest.mark.parametrize("until", [1, 3, 6, 7])
def test_a_run_that_stops_anywhere_goes_on_bit_equal(two: type, tmp_path: Path, until: int) -> None:
    straight, first, second = two(), two(), two()
    run(straight, tmp_path / "straight").fit()
    run(first, tmp_path / "stopped").fit(until=until)
    run(second, tmp_path / "stopped").fit(resume=True)
    wanted = straight.state_dict()
    assert all(torch.equal(value, wanted[path]) for path, value in second.state_dict().items())
    assert (tmp_path / "stopped/log.csv").read_text() == (tmp_path / "straight/log.csv").read_text()


def test_a_write_at_once_is_seen_by_the_next(source: Callable[[str], Any], tmp_path: Path) -> None:
    step = source(
        TASKS.split("train")[0]
        + "train Once { data d = digits()  model f = mlp(P -> C, depth: 2)\n"
        + "  state a: [] = 1, b: [] = 0\n"
        + "  minimize ce = cross_entropy(f(d.x), d.label)  optimizer: adamw(rate: 1e-3)  steps: 2  batch: 8\n"
        + "  at end { a := a + 1  b := 10 * a } }"
    ).class_of("Once")()
    run(step, tmp_path / "run").fit()
    assert (float(step.a), float(step.b)) == (2.0, 20.0)
