"""The texts of the design: all pass the checker, those of sections 2.1 and 2.2 agree with the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from rep_grammar.formatter import format_text
from repc.names import Workspace
from repc.pipeline import check_spec
from repc.verify import verify

DESIGN = Path(__file__).parents[2] / "specs" / "design"
TEXTS = ("sequence", "objectives", "step", "symmetry", "space", "experiment")


def test_every_text_is_listed() -> None:
    assert {path.stem for path in DESIGN.glob("*.rep")} == set(TEXTS)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_resolves_and_passes_the_checker(name: str) -> None:
    path = DESIGN / f"{name}.rep"
    _, troubles = Workspace.load(str(path))
    assert not troubles
    checked = check_spec(str(path))
    assert checked.ok, checked.diagnostics
    assert format_text(path.read_text(encoding="utf-8"), str(path))


# Smaller sizes than the text's: what is compared does not depend on them.
@pytest.mark.parametrize(("name", "smaller"), [("sequence", ("D=8", "L=1")), ("objectives", ())])
def test_the_texts_of_models_and_objectives_verify(name: str, smaller: tuple[str, ...]) -> None:
    report = verify(check_spec(str(DESIGN / f"{name}.rep"), smaller))
    assert report.passed, report.table()
    assert {"values", "gradients"} <= {row.what for row in report.rows}
