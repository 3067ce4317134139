"""Small texts elaborated: what they mean, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from repc.diagnostics import Fault
from repc.elaborate import elaborate
from repc.ir import Program
from repc.names import Workspace

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
