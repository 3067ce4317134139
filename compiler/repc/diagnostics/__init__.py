"""Faults, their words, and how they are shown."""

from repc.diagnostics.catalogue import catalogue
from repc.diagnostics.entry import Catalogue, Entry
from repc.diagnostics.model import Applicability, Diagnostic, Fault, Fix, Label, Severity
from repc.diagnostics.suggest import nearest, suggest
from repc.diagnostics.wording import MissingValues, from_syntax, ordered, to_diagnostic, worded

__all__ = [
    "Applicability",
    "Catalogue",
    "Diagnostic",
    "Entry",
    "Fault",
    "Fix",
    "Label",
    "MissingValues",
    "Severity",
    "catalogue",
    "from_syntax",
    "nearest",
    "ordered",
    "suggest",
    "to_diagnostic",
    "worded",
]
