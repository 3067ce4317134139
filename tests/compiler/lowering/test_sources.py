"""`data` declarations as the sources of a train: pure functions of their keys, with splits, resumed bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from rep_runtime.data import Source, digits
from rep_runtime.training import Options, RunSpec, Trainer


@pytest.fixture
def step(text: Callable[[str], Any]) -> Callable[[], Any]:
    made: Callable[[], Any] = text("sampled").class_of("Guess")
    return made


def source(step: Callable[[], Any], name: str) -> Source:
    found: Source = step().feeds()[name].source
    return found


def trainer(step: Any, folder: Path) -> Trainer:
    return Trainer(RunSpec(folder, step.name, "hash"), step, Options(quiet=True, checkpoint_every=100))


def test_a_train_on_declared_data_resumes_bit_by_bit(step: Callable[[], Any], tmp_path: Path) -> None:
    straight, first, second = step(), step(), step()
    result = trainer(straight, tmp_path / "straight").fit()
    trainer(first, tmp_path / "stopped").fit(until=7)
    trainer(second, tmp_path / "stopped").fit(resume=True)
    mine, theirs = straight.state_dict(), second.state_dict()
    assert all(torch.equal(mine[path], theirs[path]) for path in mine)
    assert not all(torch.equal(mine[path], first.state_dict()[path]) for path in mine)
    assert (tmp_path / "stopped/log.csv").read_text() == (tmp_path / "straight/log.csv").read_text()
    assert {"nll", "held", "most", "first", "pairs", "gap"} == set(result.values)


def test_a_sample_is_a_function_of_its_number(step: Callable[[], Any]) -> None:
    walk, again = source(step, "d"), source(step, "d")
    ids = torch.tensor([70, 3, 129])
    for split in ("train", "valid"):
        rows = walk.rows(ids, 3, split)
        for place, one in enumerate(ids.tolist()):
            alone = again.rows(torch.tensor([one]), 3, split)
            assert all(torch.equal(rows[name][place], alone[name][0]) for name in rows)
    assert not torch.equal(walk.rows(ids, 3, "train")["obs"], walk.rows(ids, 3, "test")["obs"])
    assert not torch.equal(walk.rows(ids, 3, "train")["obs"], walk.rows(ids, 4, "train")["obs"])


def test_what_is_drawn_once_belongs_to_declaration_and_seed(step: Callable[[], Any]) -> None:
    one, two, ids = source(step, "d"), source(step, "fixed"), torch.arange(3)
    likely = one.rows(ids, 3, "train")["likely"]
    assert torch.equal(likely, one.rows(ids + 64, 3, "test")["likely"])
    assert torch.equal(likely, two.rows(ids, 3, "train")["likely"])
    assert not torch.equal(likely, one.rows(ids, 4, "train")["likely"])
    # The samples themselves are other ones.
    assert not torch.equal(one.rows(ids, 3, "train")["obs"], two.rows(ids, 3, "train")["obs"])


def test_splits_have_their_sizes_and_numbers(step: Callable[[], Any]) -> None:
    walk = source(step, "d")
    assert [walk.size(split) for split in ("train", "valid", "test")] == [150, 40, 40]
    numbers = [torch.cat([rows["id"] for rows in walk.all(split, 64)]) for split in ("train", "valid", "test")]
    assert torch.equal(torch.cat(numbers), torch.arange(230))
    assert source(step, "near").size("train") is None


def test_a_table_is_the_full_product(step: Callable[[], Any]) -> None:
    pairs = source(step, "all")
    for split in ("train", "test"):
        (rows,) = pairs.all(split, 100)
        assert list(zip(rows["a"].tolist(), rows["b"].tolist(), strict=True)) == [
            (a, b) for a in range(5) for b in range(3)
        ]


def test_a_source_within_a_source_keeps_its_splits(step: Callable[[], Any]) -> None:
    near, ids = source(step, "near"), torch.arange(20)
    pictures = digits(flat=True)
    for split in ("train", "test"):
        rows = near.rows(ids, 0, split)
        known = set(pictures.splits[split]["id"].tolist())
        assert {int(one) for one in (*rows["one"], *rows["other"])} <= known
        by_id = dict(zip(pictures.splits[split]["id"].tolist(), pictures.splits[split]["x"], strict=True))
        assert all(torch.equal(x, by_id[int(i)]) for x, i in zip(rows["x"], rows["one"], strict=True))
    assert not torch.equal(rows["one"], rows["other"])


def test_a_fixed_minibatch_stays(step: Callable[[], Any], tmp_path: Path) -> None:
    feed = step().feeds()["fixed"]
    assert feed.fixed and feed.batch == 5
    log = trainer(step(), tmp_path / "run")
    log.fit()
    lines = [line.split(",") for line in (tmp_path / "run/log.csv").read_text().splitlines()]
    column = lines[0].index("first")
    values = [line[column] for line in lines[1:] if line[column]]
    assert len(values) == 2 and len(set(values)) == 1
