"""A run that stops and goes on is the run that never stopped; what lies on disk is always whole."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from rep_runtime import Interrupted, RuntimeFault
from rep_runtime.training import Now, Outcome, Trainer, TrainStep, load_weights, read
from rep_runtime.training.checkpoint import find_latest

Train = Callable[..., Trainer]
Examples = dict[str, Callable[..., TrainStep]]


def same(one: TrainStep, other: TrainStep) -> bool:
    mine, theirs = one.state_dict(), other.state_dict()
    return mine.keys() == theirs.keys() and all(torch.equal(mine[path], theirs[path]) for path in mine)


@pytest.mark.parametrize("name", ["Bytes", "Digits"])
def test_stop_and_go_on_is_bit_equal(trainer: Train, examples: Examples, tmp_path: Path, name: str) -> None:
    straight, first, second = (examples[name](steps=20) for _ in range(3))
    trainer(straight, "straight").fit()
    trainer(first, "stopped").fit(until=10)
    assert not same(first, straight)
    trainer(second, "stopped").fit(resume=True)
    assert same(second, straight)
    assert (tmp_path / "stopped/log.csv").read_text() == (tmp_path / "straight/log.csv").read_text()


def test_an_extern_on_the_global_generator_resumes_too(trainer: Train, examples: Examples) -> None:
    def noisy() -> TrainStep:
        step = examples["Bytes"]()
        (player,) = step.players()

        def turn(now: Now) -> Outcome:
            return Outcome({"nll": player.turn(now).terms["nll"] * torch.rand(())})

        step.players = lambda: (type(player)("main", turn, player.optimizers),)  # type: ignore[method-assign]
        return step

    before = torch.get_rng_state()
    straight, second = noisy(), noisy()
    trainer(straight, "straight").fit()
    trainer(noisy(), "stopped").fit(until=10)
    trainer(second, "stopped").fit(resume=True)
    assert same(second, straight)
    assert torch.equal(torch.get_rng_state(), before)  # the caller's own stream is left as it was


def test_a_log_ahead_of_its_checkpoint_is_rewound(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    """A process that was killed had logged steps which its last checkpoint does not know."""
    straight, second = examples["Bytes"](), examples["Bytes"]()
    trainer(straight, "straight").fit()
    trainer(examples["Bytes"](), "killed").fit(until=10)
    log = tmp_path / "killed/log.csv"
    log.write_text(log.read_text() + "11,1.0,\n12,2.0,\n13,3.")
    trainer(second, "killed").fit(resume=True)
    assert same(second, straight)
    assert log.read_text() == (tmp_path / "straight/log.csv").read_text()


def test_the_newest_two_checkpoints_stay(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    trainer(examples["Bytes"]()).fit()
    root = tmp_path / "run/checkpoints"
    assert sorted(path.name for path in root.iterdir()) == ["checkpoint-000015", "checkpoint-000020", "latest"]
    assert find_latest(root) == root / "checkpoint-000020"


def test_a_checkpoint_is_safetensors_and_json_alone(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    folder = trainer(examples["Digits"]()).fit().checkpoint
    assert {path.suffix for path in folder.iterdir()} == {".safetensors", ".json"}
    header = json.loads((folder / "state.json").read_text())
    assert (header["step"], header["seed"], header["spec_hash"], header["schema"]) == (12, 3, "abc", 1)
    assert header["paths"]["stem.weight"] == "[16, 64] float32"


def test_the_pointer_is_no_single_point_of_failure(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    trainer(examples["Bytes"]()).fit()
    root = tmp_path / "run/checkpoints"
    (root / "latest").write_text("checkpoint-999999\n")
    assert find_latest(root) == root / "checkpoint-000020"
    (root / "latest").write_bytes(b"\xff\xfe")
    assert find_latest(root) == root / "checkpoint-000020"


def test_another_spec_is_refused_by_name(trainer: Train, examples: Examples) -> None:
    trainer(examples["Bytes"](), "run").fit(until=5)
    with pytest.raises(RuntimeFault) as caught:
        trainer(examples["Bytes"](width=8), "run").fit(resume=True)
    assert caught.value.code == "REP0702"
    assert "`lm.out.weight` is [256, 8] float32 here, [256, 16] float32 in the checkpoint" in caught.value.message
    with pytest.raises(RuntimeFault) as caught:
        trainer(examples["Digits"](), "run").fit(resume=True)
    assert caught.value.code == "REP0702"
    assert "`stem.weight` is [16, 64] float32, not in the checkpoint" in caught.value.message
    with pytest.raises(RuntimeFault) as caught:
        trainer(examples["Bytes"](), "run", spec_hash="other").fit(resume=True)
    assert caught.value.code == "REP0702" and "same paths and shapes" in caught.value.message


def test_weights_alone_can_be_loaded(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    trained, fresh = examples["Digits"](), examples["Digits"]()
    trainer(trained).fit()
    load_weights(fresh, read(tmp_path / "run"), "abc")
    assert same(fresh, trained)


@pytest.mark.parametrize("file", ["state.json", "weights.safetensors", "optimizer.safetensors"])
@pytest.mark.parametrize("content", [None, b"", b"{}", b"\x00" * 64])
def test_a_damaged_checkpoint_is_a_fault(trainer: Train, examples: Examples, file: str, content: bytes | None) -> None:
    folder = trainer(examples["Bytes"]()).fit(until=5).checkpoint
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(content)
    with pytest.raises(RuntimeFault) as caught:
        read(folder)
    assert caught.value.code == "REP0703"


def test_a_folder_in_use_is_not_overwritten(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    trainer(examples["Bytes"]()).fit(until=5)
    before = (tmp_path / "run/log.csv").read_text()
    with pytest.raises(RuntimeFault) as caught:
        trainer(examples["Bytes"]()).fit()
    assert caught.value.code == "REP0701" and "--resume" in caught.value.hint
    with pytest.raises(RuntimeFault) as caught:
        trainer(examples["Bytes"](seed=1)).fit(resume=True)
    assert caught.value.code == "REP0701" and "seed 0, not 1" in caught.value.message
    assert (tmp_path / "run/log.csv").read_text() == before


def interrupted(step: TrainStep, at: int, times: int) -> TrainStep:
    original = step.players

    def players() -> tuple[object, ...]:
        (player,) = original()

        def turn(now: Now) -> Outcome:
            if now.step == at:
                for _ in range(times):
                    signal.raise_signal(signal.SIGINT)
            return player.turn(now)

        return (type(player)(player.name, turn, player.optimizers, player.maximize),)

    step.players = players  # type: ignore[method-assign,assignment]
    return step


def test_ctrl_c_finishes_the_step_and_saves_it(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Interrupted) as caught:
        trainer(interrupted(examples["Bytes"](), at=6, times=1), "run").fit()
    assert signal.getsignal(signal.SIGINT) is before
    assert "step 7" in caught.value.message and "checkpoint-000007" in caught.value.message
    straight, second = examples["Bytes"](), examples["Bytes"]()
    trainer(straight, "straight").fit()
    trainer(second, "run").fit(resume=True)
    assert same(second, straight)


def test_a_second_ctrl_c_stops_at_once(trainer: Train, examples: Examples, tmp_path: Path) -> None:
    with pytest.raises(Interrupted) as caught:
        trainer(interrupted(examples["Bytes"](), at=6, times=2), "run").fit()
    assert "checkpoint-000005" in caught.value.message
    assert read(tmp_path / "run").step == 5


@pytest.mark.parametrize("write", range(8))
def test_a_full_disk_leaves_the_last_checkpoint_whole(
    trainer: Train, examples: Examples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: int
) -> None:
    """The disk fills up at any of the writes of a checkpoint."""
    trainer(examples["Bytes"](), "run").fit(until=5)
    again = trainer(examples["Bytes"](), "run", log_every=100)
    sync, left = os.fsync, write

    def full(handle: int) -> None:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        left -= 1
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(RuntimeFault) as caught:
            again.fit(resume=True, until=10)
    assert caught.value.code == "REP0704" and "the disk is full" in caught.value.message
    assert read(tmp_path / "run").step in {5, 10}
    straight, second = examples["Bytes"](), examples["Bytes"]()
    trainer(straight, "straight").fit()
    trainer(second, "run").fit(resume=True)
    assert same(second, straight)
    assert not list((tmp_path / "run/checkpoints").glob(".*"))
