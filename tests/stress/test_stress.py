"""The stress texts get at least as far through the compiler as they did before."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
SPECS = HERE.parent.parent / "specs" / "stress"


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("stress_table", HERE / "table.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table() -> ModuleType:
    return loaded()


@pytest.fixture(scope="module")
def rows(table: ModuleType) -> list[object]:
    return [table.Trial(path, verifying=False).run() for path in table.texts([str(SPECS)])]


RATCHET = json.loads((HERE / "ratchet.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RATCHET["verified"])
def test_a_text_that_was_verified_still_is(table: ModuleType, name: str) -> None:
    row = table.Trial(str(SPECS / f"{name}.rep")).run()
    assert row.passed == len(table.STAGES), row.obstacle


def test_counts_only_rise(table: ModuleType, rows: list[object]) -> None:
    least = {stage: count for stage, count in RATCHET.items() if stage != "verified"}
    reached = {**table.counts(rows), "elaborated but for library names": table.but_for_names(rows)}
    assert {stage: count for stage, count in reached.items() if count < least.get(stage, 0)} == {}


def test_no_text_ends_in_a_traceback(rows: list[object]) -> None:
    assert [row.name for row in rows if row.obstacle.startswith("TRACEBACK")] == []  # type: ignore[attr-defined]


def test_all_parse_and_format(rows: list[object]) -> None:
    assert [row.name for row in rows if row.passed < 2] == []  # type: ignore[attr-defined]
