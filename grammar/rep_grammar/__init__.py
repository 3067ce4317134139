"""Text of `.rep` to syntax tree and back: grammar, spans, faults, formatter, highlighting."""

from __future__ import annotations

from rep_grammar.faults import FormatterFault, SyntaxFault, SyntaxFaults
from rep_grammar.parser import parse
from rep_grammar.spans import Source, Span

__all__ = ["FormatterFault", "Source", "Span", "SyntaxFault", "SyntaxFaults", "parse"]
