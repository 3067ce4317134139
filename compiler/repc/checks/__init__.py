"""Analyses of a program: what can be proved before anything runs. They read graphs and change nothing."""

from __future__ import annotations

from repc.checks import accumulation, claims, routing, unused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.diagnostics import Fault
    from repc.ir import Program

__all__ = ["check", "unused"]


def check(program: Program) -> list[Fault]:
    """Every fault that the analyses find."""
    return [*claims.check(program), *routing.check(program), *accumulation.check(program)]
