"""Changes of programs that keep their meaning, each small, named and listed here (LANGUAGE.md 10.1)."""

from __future__ import annotations

from repc.passes.affine_gather import AFFINE_GATHER
from repc.passes.convolution import CONVOLUTION
from repc.passes.dead_nodes import DEAD_NODES
from repc.passes.einsum import EINSUM
from repc.passes.fold_constants import FOLD_CONSTANTS
from repc.passes.record import Pass
from repc.passes.streaming.listed import STREAMING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from repc.ir import Program

__all__ = ["PASSES", "Pass", "by_name", "run"]

PASSES: tuple[Pass, ...] = (FOLD_CONSTANTS, AFFINE_GATHER, STREAMING, EINSUM, CONVOLUTION, DEAD_NODES)
"""All passes in the order in which they run."""


def by_name(name: str) -> Pass:
    """The pass of that name; KeyError where there is none."""
    return {known.name: known for known in PASSES}[name]


def run(program: Program, passes: Iterable[Pass] = PASSES) -> Program:
    """The program after the passes, in order. Raises ValueError where one needs what none before it established."""
    established: set[str] = set()
    for one in passes:
        missing = one.requires - established
        if missing:
            raise ValueError(f"the pass {one.name} needs {', '.join(sorted(missing))}")
        program = one.apply(program)
        established |= one.establishes
    return program
