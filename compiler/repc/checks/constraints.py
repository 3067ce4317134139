"""Constraints of parameters that training does not keep yet (LANGUAGE.md 3.7)."""

from __future__ import annotations

from repc.diagnostics import Fault
from repc.ir import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rep_grammar.spans import Span


def check(program: Program) -> list[Fault]:
    """One warning for each constrained parameter that is trained."""
    steps = (step.graph for whole in program.steps.values() for step in (whole, *whole.stages))
    found: dict[Span, Fault] = {}
    for graph in (*program.graphs.values(), *steps):
        for node in graph.nodes:
            if node.kind == "slot" and node.attrs["trained"] and node.type.refine is not None:
                values = {"name": node.attrs["path"].rpartition(".")[2], "constraint": node.type.refine}
                found.setdefault(node.origin.span, Fault("constraint-not-kept", node.origin.span, values))
    return list(found.values())
