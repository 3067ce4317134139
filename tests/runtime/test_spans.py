"""A fault in generated code is told at its place in the `.rep` text."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from rep_runtime import RuntimeFault
from rep_runtime.spans import load_map, parse_map, rep_spans
from rep_runtime.training import Now, Outcome, Player, Trainer, TrainStep

MODULE = """\
def join(a, b):
    c = a + 1
    d = (
        c @ b
    )
    return d
"""
MAP = {
    "version": 1,
    "module": "m.py",
    "lines": {
        "2": {"file": "m.rep", "line": 7},
        "3": {"file": "m.rep", "line": 8, "column": 3, "end_line": 8, "end_column": 12, "text": "  d = c @ b"},
        "6": {"file": "m.rep", "line": 9},
    },
}  # fmt: skip


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "m.py"
    path.write_text(MODULE)
    path.with_suffix(".map.json").write_text(json.dumps(MAP))
    spec = importlib.util.spec_from_file_location("m", path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_an_exception_gets_its_place(module: ModuleType) -> None:
    with pytest.raises(RuntimeFault) as caught, rep_spans(module.__file__):
        module.join(torch.zeros(2, 3), torch.zeros(2, 3))
    fault = caught.value
    assert fault.code == "REP0710" and fault.place is not None
    assert (fault.place.file, fault.place.line, fault.place.column, fault.place.end_column) == ("m.rep", 8, 3, 12)
    assert fault.place.text == "  d = c @ b" and "2x3 and 2x3" in fault.message
    assert isinstance(fault.__cause__, RuntimeError)


def test_what_is_not_generated_code_passes_through(module: ModuleType) -> None:
    with pytest.raises(ZeroDivisionError), rep_spans(module.__file__):
        1 / 0  # noqa: B018
    with pytest.raises(RuntimeFault, match="own") as caught, rep_spans(module.__file__):
        raise RuntimeFault("REP0707", "own")
    assert caught.value.code == "REP0707"
    with pytest.raises(KeyboardInterrupt), rep_spans(module.__file__):
        raise KeyboardInterrupt
    with pytest.raises(TypeError), rep_spans(None):
        module.join("a", 1)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "lines": {}}', '{"version": 1, "lines": {"x": {}}}'])
def test_a_map_that_cannot_be_read_is_no_map(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.map.json").write_text(text)
    assert load_map(tmp_path / "m.py") is None
    assert load_map(tmp_path / "absent.py") is None


def test_lines_belong_to_the_nearest_mapped_line_above() -> None:
    known = parse_map(json.dumps(MAP), Path("m.py"))
    places = [known.place(line) for line in range(1, 8)]
    assert [place.line if place else None for place in places] == [None, 7, 8, 8, 8, 9, 9]


def test_training_tells_the_place(
    module: ModuleType, trainer: Callable[..., Trainer], examples: dict[str, Callable[..., TrainStep]]
) -> None:
    step = examples["Bytes"]()
    (player,) = step.players()

    def turn(now: Now) -> Outcome:
        return Outcome({"nll": module.join(now.batch["text"]["x"].float(), torch.zeros(3, 3)).mean()})

    step.players = lambda: (Player("main", turn, player.optimizers),)  # type: ignore[method-assign]
    with pytest.raises(RuntimeFault) as caught:
        trainer(step, module=module.__file__).fit()
    assert caught.value.code == "REP0710" and str(caught.value.place) == "m.rep:8:3"
