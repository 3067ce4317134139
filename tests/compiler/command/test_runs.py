"""`repc train` and `repc eval`: a run folder from a spec, gone on with, and measured again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.compiler.command.conftest import Shell

SPEC = """\
rep 1
use std.nn (linear, embed)
use std.loss (cross_entropy)
use std.data (mqar)
use std.opt (adamw)

dim B: batch, T: seq, V = 16, D = 8

encoder Net(tokens: [T] of V) -> [T, V] causal(T) {
  x = embed(tokens, V -> D)
  return linear(x, D -> V)
}

train Recall {
  data d = mqar(pairs: 2, vocab: V, length: 16, held_out: 8)
  model net = Net()
  minimize nll = cross_entropy(net(d.x), d.y)
  optimizer: adamw(rate: 1e-2)
  steps: 6  batch: 4  seed: 0
  every 3 measure error = cross_entropy(net(d.x), d.y) across d.test
}
"""


def rows(folder: str) -> list[dict[str, str]]:
    with open(Path(folder) / "log.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_run_is_kept_and_measured_again(repc: Shell) -> None:
    run = repc("train", repc.write("recall.rep", SPEC), "--quiet")
    folder = "runs/recall-Recall"
    assert run.code == 0 and f"are in {folder}" in run.out and "nll" in run.out
    names = {path.name for path in Path(folder).iterdir()}
    assert {"spec.rep", "resolved.txt", "recall.py", "recall.map.json", "config.json", "log.csv"} <= names
    assert (Path(folder) / "spec.rep").read_text() == SPEC
    assert [row["step"] for row in rows(folder)][-1] == "6"
    again = repc("eval", folder, "--json")
    report = json.loads(again.out)
    assert again.code == 0 and report["steps"] == 6
    assert report["values"]["error"] == pytest.approx(float(rows(folder)[-1]["error"]), rel=1e-6)
    assert repc("eval", folder, "error").out.splitlines()[1].split()[0] == "error"


def test_a_run_goes_on_as_if_it_had_not_stopped(repc: Shell) -> None:
    name = repc.write("recall.rep", SPEC)
    assert repc("train", name, "--quiet", "--out", "whole", "--steps", "6").code == 0
    assert repc("train", name, "--quiet", "--out", "parts", "--steps", "3").code == 0
    assert repc("train", name, "--quiet", "--out", "parts", "--steps", "6", "--resume").code == 0
    assert [row["nll"] for row in rows("parts")] == [row["nll"] for row in rows("whole")]


def test_every_run_has_a_folder_of_its_own(repc: Shell) -> None:
    name = repc.write("recall.rep", SPEC)
    for _ in range(2):
        assert repc("train", name, "--quiet", "--steps", "1").code == 0
    assert sorted(path.name for path in Path("runs").iterdir()) == ["recall-Recall", "recall-Recall-2"]
    run = repc("train", name, "--quiet", "--steps", "1", "--out", "runs/recall-Recall")
    assert run.code == 2 and "REP0701" in run.err


def test_a_checkpoint_of_another_spec_is_refused(repc: Shell) -> None:
    name = repc.write("recall.rep", SPEC)
    repc("train", name, "--quiet", "--steps", "1", "--out", "run")
    run = repc("train", name, "--quiet", "--steps", "2", "--out", "run", "--resume", "--set", "D=4")
    assert run.code == 1 and "REP0702" in run.err and "`net.x.weight` is [16, 4] float32 here" in run.err


def test_comments_and_places_are_no_part_of_what_a_checkpoint_belongs_to(repc: Shell) -> None:
    repc.write("recall.rep", SPEC)
    repc("train", "recall.rep", "--quiet", "--steps", "1", "--out", "run")
    repc.write("recall.rep", SPEC.replace("encoder Net", "## Looks one token up.\n\n# nothing more\nencoder Net"))
    assert repc("train", "recall.rep", "--quiet", "--steps", "2", "--out", "run", "--resume").code == 0


def test_settings_and_values_are_set_from_outside(repc: Shell) -> None:
    name = repc.write("recall.rep", SPEC)
    options = ["--steps", "2", "--batch", "3", "--seed", "5", "--set", "D=4"]
    run = repc("train", name, "Recall", "--quiet", "--json", "--out", "run", *options)
    report = json.loads(run.out)
    assert report["steps"] == 2 and report["folder"] == "run"
    config = json.loads(Path("run/config.json").read_text())
    assert {key: config["settings"][key] for key in ("steps", "batch", "seed")} == {"steps": 2, "batch": 3, "seed": 5}
    assert Path("run/spec.rep").read_text().startswith("# --set D=4\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["recall.rep", "Recal"], "did you mean `Recall`?"),
        (["dims.rep"], "has no train"),
        (["recall.rep", "--steps", "0"], "0 is below 1"),
        (["recall.rep", "--device", "abacus"], "--device"),
        (["-"], "name a file"),
    ],
    ids=lambda value: "-".join(value).strip("-") if isinstance(value, list) else "",
)
def test_a_wrong_call_of_train_is_refused(repc: Shell, arguments: list[str], said: str) -> None:
    repc.write("recall.rep", SPEC)
    repc.write("dims.rep", "dim D = 4\n")
    run = repc("train", *arguments)
    assert run.code == 2 and said in run.err
    assert not Path("runs").exists()


def test_one_of_several_trains_must_be_named(repc: Shell) -> None:
    name = repc.write("two.rep", SPEC + SPEC[SPEC.index("train") :].replace("Recall", "Again"))
    run = repc("train", name)
    assert run.code == 2 and "Recall, Again" in run.err


@pytest.mark.parametrize("what", ["nowhere", "empty", "strange"])
def test_what_is_no_run_is_not_measured(repc: Shell, what: str) -> None:
    Path("empty").mkdir()
    Path("strange").mkdir()
    config = {"train": "X", "module": "../x.py", "class": "X", "spec_hash": ""}
    Path("strange/config.json").write_text(json.dumps(config))
    run = repc("eval", what)
    assert run.code == 2 and "is no run" in run.err


def test_a_measure_that_is_not_there_is_named(repc: Shell) -> None:
    repc("train", repc.write("recall.rep", SPEC), "--quiet", "--steps", "1", "--out", "run")
    run = repc("eval", "run", "accuracy")
    assert run.code == 1 and "`error`" in run.err


def test_text_is_sampled_from_a_causal_model(repc: Shell) -> None:
    repc("train", repc.write("recall.rep", SPEC), "--quiet", "--steps", "1", "--out", "run")
    first = repc("eval", "run", "--sample", "12", "--prompt", "\x02", "--seed", "1", "--json")
    text = json.loads(first.out)["text"]
    assert first.code == 0 and len(text) == 13 and text[0] == "\x02" and set(map(ord, text)) <= set(range(16))
    assert repc("eval", "run", "--sample", "12", "--prompt", "\x02", "--seed", "1", "--json").out == first.out
    shown = repc("eval", "run", "--sample", "12", "--prompt", "\x02", "--seed", "1").out
    assert not any(ord(character) < 32 and character != "\n" for character in shown)
    cold = repc("eval", "run", "--sample", "3", "--prompt", "\x02", "--temperature", "0")
    assert cold.code == 2 and "REP0712" in cold.err
    other = repc("eval", "run", "--sample", "3", "--prompt", "\x02", "--model", "nett")
    assert other.code == 2 and "did you mean `net`?" in other.err
