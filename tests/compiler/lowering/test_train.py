"""Generated train classes under the runtime's loop."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from rep_runtime.draws import Draws
from rep_runtime.inits import initialise
from rep_runtime.training import Now, Options, RunSpec, Trainer


def trainer(step: Any, folder: Path) -> Trainer:
    return Trainer(RunSpec(folder / "run", step.name, "hash"), step, Options(quiet=True, checkpoint_every=100))


def test_targets_follow_without_gradient(text: Callable[[str], Any], tmp_path: Path) -> None:
    step = text("targets").class_of("Byol")()
    run = trainer(step, tmp_path)
    before = {path: value.clone() for path, value in step.state_dict().items()}
    moved = {path for path, value in step.named_parameters() if value.requires_grad}
    assert all(path.startswith(("f.", "g.")) for path in moved)
    result = run.fit(until=1)
    after = step.state_dict()
    # The target starts as a copy of f, and after one step lies where 0.99 of it and 0.01 of the new f meet.
    for path in (path for path in before if path.startswith("f_target.")):
        own = path.replace("f_target.", "f.")
        assert torch.allclose(after[path], 0.99 * before[own] + 0.01 * after[own], atol=1e-6), path
    assert torch.equal(after["seen"], torch.ones(10))
    assert torch.equal(after["g.out.weight"], before["g.out.weight"])
    assert not all(torch.equal(after[path], before[path]) for path in moved if path.startswith("f."))
    assert set(result.values) == {"one"}


def test_what_is_frozen_for_a_while_moves_later(text: Callable[[str], Any], tmp_path: Path) -> None:
    step = text("targets").class_of("Byol")()
    run = trainer(step, tmp_path)
    start = step.g.out.weight.detach().clone()
    assert step.frozen(0) == ("g",) and step.frozen(2) == ()
    result = run.fit()
    assert not torch.equal(step.g.out.weight, start)
    assert set(result.values) == {"one", "size"}


def test_players_take_turns_and_go_opposite_ways(text: Callable[[str], Any], tmp_path: Path) -> None:
    step = text("players").class_of("Game")()
    judge, forger = step.players()
    assert (judge.maximize, judge.every, forger.every) == (frozenset({"gap"}), 1, 2)
    assert [use.over for use in (*judge.optimizers, *forger.optimizers)] == [("critic",), ("maker",)]
    run = trainer(step, tmp_path)
    result = run.fit()
    assert {"judge.gap", "forger.fooled", "spread"} == set(result.values)
    # Seven steps; the slow counter is written at steps 0, 3 and 6.
    assert float(step.turns) == 7.0 and float(step.slow) == 3.0


def test_both_players_of_a_step_see_the_same_draws(text: Callable[[str], Any]) -> None:
    step = text("players").class_of("Game")()
    initialise(step, 0)
    batch = {"img": {"x": torch.rand(16, 64)}}
    now = Now(batch, Draws(0, 0), 0, 7)
    fooled = step.forger(now).terms["fooled"]
    gap = step.judge(now).terms["gap"]
    assert torch.allclose(gap, step.critic(batch["img"]["x"]).mean() - fooled)


def test_a_measure_that_is_no_mean_sees_its_split_whole(text: Callable[[str], Any]) -> None:
    (spread,) = text("players").class_of("Game")().measures()
    (size,) = text("targets").class_of("Byol")().measures()
    assert spread.whole and spread.every == 0 and spread.across.split == "valid"
    assert not size.whole and size.every == 2 and size.across.split == "test"


def test_settings_of_a_train_are_arguments(text: Callable[[str], Any]) -> None:
    step = text("players").class_of("Game")(steps=3, seed=5)
    assert (step.settings.steps, step.settings.batch, step.settings.seed) == (3, 16, 5)
    assert list(inspect.signature(type(step)).parameters) == ["steps", "batch", "seed"]


def test_cells_of_blocks_are_written_when_the_step_ends(text: Callable[[str], Any], tmp_path: Path) -> None:
    step = text("cells").class_of("Run")()
    run = trainer(step, tmp_path)
    run.fit(until=2)
    state = step.state_dict()
    for layer in (0, 1):
        assert float(state[f"net.layers.{layer}.center.seen"]) == 2.0
        # A target's own call writes nothing: its cells are copies.
        assert torch.equal(state[f"slow.layers.{layer}.center.middle"], state[f"net.layers.{layer}.center.middle"])
    assert float(state["steps_done"]) == 2.0
    assert not torch.equal(state["net.layers.0.center.middle"], torch.zeros(8))


def test_measures_and_calls_outside_training_write_nothing(text: Callable[[str], Any]) -> None:
    step = text("cells").class_of("Run")()
    initialise(step, 0)
    before = {path: value.clone() for path, value in step.state_dict().items()}
    batch = {"img": {"x": torch.rand(16, 64)}}
    step.measure_end(Now(batch, Draws(0, 0, training=False), 0, 3))
    step.net(batch["img"]["x"])
    assert all(torch.equal(value, before[path]) for path, value in step.state_dict().items())


def test_a_data_declaration_becomes_a_source(text: Callable[[str], Any], tmp_path: Path) -> None:
    step = text("generated").class_of("Fit")()
    feed = step.feeds()["d"]
    batch = feed.source.batch(0, 8, 0)
    assert batch["x"].shape == (8, 5) and torch.equal(batch["y"], batch["x"].amax(-1))
    assert torch.equal(batch["at"], batch["x"].argmax(-1)) and feed.source.fields["at"].below == 5
    assert not torch.equal(batch["x"][0], batch["x"][1])
    assert torch.equal(feed.source.batch(0, 8, 0)["x"], batch["x"])
    result = trainer(step, tmp_path).fit()
    assert set(result.values) == {"err", "far"}
