"""Analyses of a program: what can be proved before anything runs. They read graphs and change nothing."""

from __future__ import annotations

from repc.checks import accumulation, claims, constraints, routing, unused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.diagnostics import Fault
    from repc.ir import Program

__all__ = ["check", "unused"]


def check(program: Program) -> list[Fault]:
    """Every fault that the analyses find."""
    parts = (claims, routing, accumulation, constraints)
    return [fault for part in parts for fault in part.check(program)]
