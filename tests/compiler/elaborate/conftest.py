"""Small texts elaborated: what they mean, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from repc.api import load
from repc.diagnostics import Fault
from repc.elaborate import elaborate
from repc.ir import Program
from repc.names import Workspace
from repc.pipeline import check_spec
from repc.verify import verify

HEAD = """rep 1
use std.nn (linear, mlp)
use std.opt (sgd)
use std.data (digits)
use std.loss (cross_entropy)
dim B: batch, P = 64, C = 10, D = 8, N: set = 3
"""


def meaning(text: str, head: str = HEAD) -> tuple[Program, list[Fault], Workspace]:
    workspace, troubles = Workspace.load(("case.rep", head + text))
    program, faults = elaborate(workspace)
    return program, [*troubles, *faults], workspace  # type: ignore[list-item]


@pytest.fixture
def right() -> Callable[[str], Program]:
    """The program of a text that must have no fault."""

    def check(text: str) -> Program:
        program, faults, _ = meaning(text)
        assert [(fault.name, fault.values) for fault in faults] == []
        return program

    return check


@pytest.fixture
def faults() -> Callable[[str], list[tuple[str, int]]]:
    """The faults of a text as (name, line of the text after the head)."""

    def check(text: str) -> list[tuple[str, int]]:
        _, found, workspace = meaning(text)
        head = HEAD.count("\n")
        made = []
        for fault in found:
            assert fault.span is not None
            made.append((fault.name, workspace.sources[fault.span.file].line_col(fault.span.start)[0] - head))
        return made

    return check


@pytest.fixture
def verified() -> Callable[[str], None]:
    """Checks that interpreter and generated code of a text agree in every row."""

    def check(text: str) -> None:
        made = check_spec(("case.rep", HEAD + text))
        assert made.ok, made.diagnostics
        report = verify(made)
        assert report.passed and report.rows, report.table()

    return check


@pytest.fixture
def loaded() -> Callable[[str], ModuleType]:
    """The generated module of a text."""
    return lambda text: load(("case.rep", HEAD + text))
