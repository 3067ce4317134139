"""Giving up on an expression: the fault that says why."""

from __future__ import annotations

from rep_grammar.spans import Span
from repc.diagnostics import Fault


class Stop(Exception):
    """Raised inside a stage when a construct has no meaning; caught at the statement, which then absorbs it."""

    def __init__(self, fault: Fault | None) -> None:
        super().__init__(fault.name if fault is not None else "absorbed")
        self.fault = fault


def stop(name: str, span: Span, /, *related: tuple[Span, str], suggestion: str | None = None, **values: object) -> Stop:
    """A fault at `span`; `values` fill the catalogue's texts."""
    return Stop(Fault(name, span, values, related, suggestion))


ABSORBED = Stop(None)
