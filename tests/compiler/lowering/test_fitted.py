"""Memories without a short form: generated code against the reference, values, gradients and steps, one by one."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from repc.dims import Symbol
from repc.importing import import_generated
from repc.ir import Program
from repc.passes.streaming import stream_all
from repc.pipeline import check_spec, generate
from repc.verify.compare import GRADIENTS, VALUES, Subject, Tally
from repc.verify.samples import cases

TEXT = Path(__file__).parent / "texts" / "fitted.rep"
# Weights that a query's state cannot carry, and fits that look at all pairs.
WITHOUT_STEP = {"Levels", "Formula", "Top", "Labels", "Masked", "Gla", "Rwkv", "Diag", "DiagFit", "Cg", "Norm"}
NAMES = (
    *("Levels", "Formula", "Top", "Labels", "Masked", "Gla", "Rwkv", "Diag", "DiagFit", "Cg", "Norm", "Mlp", "Deep"),
    *("Written", "Cosh", "Length", "Kda", "Per", "Window", "Start", "Lasso", "Longhorn", "Scalar", "Divided"),
    *("StartSum", "StartDelta", "Huber", "Mesa", "Heads"),
)


@pytest.fixture(scope="module")
def made() -> tuple[Program, ModuleType, dict[str, str]]:
    checked = check_spec(str(TEXT))
    assert checked.program is not None, checked.diagnostics
    module = generate(checked, "fitted")
    program, _ = stream_all(checked.program)
    return program, import_generated(module), dict(module.classes)


@pytest.mark.parametrize("name", NAMES)
def test_values_gradients_and_steps(made: tuple[Program, ModuleType, dict[str, str]], name: str) -> None:
    program, module, classes = made
    subject = Subject(program, module, name, classes[name], program.entries[name])
    values, gradients, steps = Tally(name, "v", VALUES), Tally(name, "g", GRADIENTS), Tally(name, "s", VALUES)
    assert subject.streams() == (name not in WITHOUT_STEP)
    for case in cases(program, subject.graph, 0, (7, 1)):
        subject.against_generated(case, values, gradients, 1)
        if subject.streams():
            subject.steps(case, Symbol("T"), steps, subject.generated_step)
    assert values.row().passed and gradients.row().passed, (values, gradients)
    assert not subject.streams() or steps.row().passed, steps
