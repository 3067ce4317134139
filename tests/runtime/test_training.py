"""What a step learns, logs and measures."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from rep_runtime import RuntimeFault
from rep_runtime.data import digits
from rep_runtime.draws import Draws
from rep_runtime.inits import initialise
from rep_runtime.training import Across, Feed, Measure, Now, Outcome, Player, Trainer, TrainStep
from rep_runtime.training.evaluate import evaluate
from rep_runtime.training.turns import under

Train = Callable[..., Trainer]
Examples = dict[str, Callable[..., TrainStep]]


def log_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "log.csv").open() as file:
        return list(csv.DictReader(file))


def test_training_learns(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    trainer(examples["Bytes"](steps=150)).fit()
    rows = log_of(tmp_path / "run")
    bits = [float(row["bits"]) for row in rows if row["bits"]]
    assert bits[0] > 7 and bits[-1] < 3.5


def test_the_run_folder_holds_everything(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    result = trainer(examples["Digits"](), picture=True).fit()
    folder = tmp_path / "run"
    assert {path.name for path in folder.iterdir()} == {
        "spec.rep", "model.py", "config.json", "log.csv", "curves.png", "checkpoints"
    }  # fmt: skip
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    config = json.loads((folder / "config.json").read_text())
    assert config["settings"] == {"steps": 12, "batch": 8, "seed": 3, "accumulate": 1}
    rows = log_of(folder)
    assert [int(row["step"]) for row in rows] == list(range(1, 13))
    assert list(rows[0]) == ["step", "ce", "spread", "norms[0]", "norms[1]", "acc"]
    assert [bool(row["norms[0]"]) for row in rows] == [step in {6, 12} for step in range(1, 13)]
    assert float(rows[-1]["acc"]) == result.values["acc"]


def test_a_frozen_slot_rests_bitwise(trainer: Train, examples: Examples) -> None:
    step = examples["Digits"]()
    made = trainer(step)
    start = {path: parameter.clone() for path, parameter in step.named_parameters()}
    made.fit(until=4)
    moved = {path for path, parameter in step.named_parameters() if not torch.equal(parameter, start[path])}
    assert moved == {"stem.weight", "head.weight", "head.bias"}
    trainer(step, "other").fit(until=5)
    assert not torch.equal(step.get_parameter("stem.bias"), start["stem.bias"])


def test_a_maximized_term_goes_up(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    class Up(TrainStep):
        name = "Up"

        def __init__(self) -> None:
            super().__init__(examples["Digits"]().settings)
            self.w = torch.nn.Parameter(torch.zeros(3))

        def feeds(self) -> dict[str, Feed]:
            return {"d": Feed(digits(), batch=0)}

        def players(self) -> tuple[Player, ...]:
            (player,) = examples["Digits"]().players()
            rule = type(player.optimizers[0])(player.optimizers[0].rule)
            return (Player("main", self.main, (rule,), maximize=frozenset({"gain"})),)

        def main(self, now: Now) -> Outcome:
            assert now.batch["d"]["x"].shape[0] == 1438  # batch 0: the whole split
            return Outcome({"gain": self.w.sum(), "cost": (self.w**2).sum()})

    step = Up()
    trainer(step).fit()
    rows = log_of(tmp_path / "run")
    assert float(rows[0]["gain"]) == 0 and float(rows[-1]["gain"]) > 0.5
    assert bool((step.w > 0).all())


def test_micro_batches_are_the_same_step(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    """Values and gradients of separable terms do not depend on the cut; the noise neither."""
    whole, cut = examples["Digits"](writes=False), examples["Digits"](writes=False, accumulate=4)
    trainer(whole, "whole").fit(until=3)
    trainer(cut, "cut").fit(until=3)
    for path, parameter in whole.named_parameters():
        torch.testing.assert_close(cut.get_parameter(path), parameter, rtol=1e-4, atol=1e-5)
    for one, other in zip(log_of(tmp_path / "whole"), log_of(tmp_path / "cut"), strict=True):
        assert math.isclose(float(one["ce"]), float(other["ce"]), rel_tol=1e-4)


def test_micro_batches_refuse_what_needs_the_whole(trainer: Train, examples: Examples) -> None:
    with pytest.raises(RuntimeFault) as caught:
        trainer(examples["Digits"](accumulate=2), "a").fit()
    assert caught.value.code == "REP0713" and "`mean`" in caught.value.message
    with pytest.raises(RuntimeFault) as caught:
        trainer(examples["Digits"](accumulate=3, writes=False), "b").fit()
    assert caught.value.code == "REP0713" and "3 equal parts" in caught.value.message


def test_a_write_waits_for_the_end_of_the_step(trainer: Train, examples: Examples) -> None:
    step = examples["Digits"](noise=0.0)
    made = trainer(step)
    start = {path: parameter.detach().clone() for path, parameter in step.named_parameters()}
    rows = step.feeds()["d"].source.batch(0, 8, 3)
    draws = Draws(3, 0)
    keep = draws.bernoulli("keep", (8, 16), 0.9, eval=0.9)
    h = torch.relu(rows["x"] @ start["stem.weight"].T + start["stem.bias"]) * keep
    made.fit(until=1)
    torch.testing.assert_close(step.get_buffer("mean"), 0.1 * h.mean(0))


def test_across_is_the_exact_mean_over_the_split(trainer: Train, examples: Examples) -> None:
    """Pieces of unequal weight, and a last piece of another size, give what one piece gives."""
    step = examples["Digits"](noise=0.0)
    trainer(step, piece=50)
    split = next(iter(digits(flat=True).all("test", 10_000)))
    pieces = evaluate(step, names=("acc",), piece=50)["acc"]
    even = split["label"] % 2 == 0
    right = (step.head(torch.relu(step.stem(split["x"])) * 0.9).argmax(-1) == split["label"])[even]  # type: ignore[operator]
    assert math.isclose(pieces, float(right.double().mean()), rel_tol=1e-6)
    assert evaluate(step, "valid", ("acc",)) != evaluate(step, "test", ("acc",))


def test_a_whole_measure_sees_the_split_at_once(trainer: Train, examples: Examples) -> None:
    seen: list[int] = []

    def compute(now: Now) -> torch.Tensor:
        seen.append(now.batch["d"]["x"].shape[0])
        assert not torch.is_grad_enabled() and not now.draws.training
        return now.batch["d"]["x"].median()

    step = examples["Digits"]()
    step.measures = lambda: (Measure("m", compute, across=Across("d", "test"), whole=True),)  # type: ignore[method-assign]
    evaluate(step)
    assert seen == [179]


@pytest.mark.parametrize(
    ("names", "split", "part"),
    [(("nope",), None, "no measure `nope`"), ((), "holdout", "no split `holdout`"), ((), "train", "has no end")],
)
def test_bad_evaluation_is_a_fault(examples: Examples, names: tuple[str, ...], split: str | None, part: str) -> None:
    with pytest.raises(RuntimeFault, match=part) as caught:
        evaluate(examples["Bytes"](), split, names)
    assert caught.value.code == "REP0707"


def test_not_a_number_names_term_and_step(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    step = examples["Bytes"]()
    (player,) = step.players()

    def turn(now: Now) -> Outcome:
        nll = player.turn(now).terms["nll"]
        return Outcome({"nll": nll * math.nan if now.step == 5 else nll})

    step.players = lambda: (Player("main", turn, player.optimizers),)  # type: ignore[method-assign]
    with pytest.raises(RuntimeFault) as caught:
        trainer(step).fit()
    assert caught.value.code == "REP0706"
    assert "`nll` became nan at step 6" in caught.value.message and "checkpoint-000005" in caught.value.message


def test_a_parameter_has_one_optimizer(trainer: Train, examples: Examples) -> None:
    step = examples["Digits"]()
    (player,) = step.players()
    twice = (player.optimizers[0], type(player.optimizers[0])(player.optimizers[1].rule, over=("stem.weight", "head")))
    step.players = lambda: (Player("main", player.turn, twice),)  # type: ignore[method-assign]
    with pytest.raises(RuntimeFault, match=r"two optimizers move `stem\.weight`") as caught:
        trainer(step)
    assert caught.value.code == "REP0711"


def test_players_hold_each_other(trainer: Train, examples: Examples) -> None:
    """A turn moves its own parameters only, and later turns see the new ones."""

    class Duel(TrainStep):
        name = "Duel"

        def __init__(self) -> None:
            super().__init__(examples["Digits"]().settings)
            self.a, self.b = torch.nn.Parameter(torch.ones(())), torch.nn.Parameter(torch.ones(()))
            self.seen: list[float] = []

        def players(self) -> tuple[Player, ...]:
            rule = examples["Digits"]().players()[0].optimizers[0].rule
            kind = type(examples["Digits"]().players()[0].optimizers[0])
            return (
                Player("first", self.first, (kind(rule, over=("a",)),)),
                Player("second", self.second, (kind(rule, over=("b",)),), maximize=frozenset({"game"}), every=2),
            )

        def first(self, now: Now) -> Outcome:
            return Outcome({"game": self.a * self.b})

        def second(self, now: Now) -> Outcome:
            self.seen.append(self.a.item())
            return Outcome({"game": self.a * self.b})

    step = Duel()
    trainer(step).fit(until=2)
    assert math.isclose(step.seen[0], 0.9, rel_tol=1e-6) and len(step.seen) == 1  # every: 2
    assert math.isclose(step.b.item(), 1.0 + 0.1 * step.seen[0], rel_tol=1e-6)


def test_paths_match_by_whole_segments() -> None:
    assert under("f.low.weight", "f.low") and under("f", "f") and under("anything", "")
    assert not under("f.lower.weight", "f.low") and not under("f", "f.low")


def test_adding_a_layer_leaves_the_others_bit_equal(examples: Examples) -> None:
    one, other = examples["Digits"](), examples["Digits"]()
    other.add_module("extra", type(other.stem)(3, 3))  # type: ignore[operator]
    initialise(one, 5)
    initialise(other, 5)
    assert torch.equal(one.get_parameter("head.weight"), other.get_parameter("head.weight"))
    initialise(other, 6)
    assert not torch.equal(one.get_parameter("head.weight"), other.get_parameter("head.weight"))
