"""Every fault that repc can report, one table per family.

Codes are never reused: REP00xx syntax, 01xx names, 02xx axes and sizes, 03xx kinds of values, 04xx calls, 05xx
memories, 06xx state and training, 07xx run time, 08xx claims, 09xx files and the command line, REPW1xx warnings,
REP99xx our own. The tables are loaded when the first fault is put into words, not before.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from repc.diagnostics.entry import Catalogue

__all__ = ["FAMILIES", "catalogue"]

FAMILIES = (
    "syntax",
    "names",
    "axes",
    "sizes",
    "bindings",
    "indices",
    "operators",
    "kinds",
    "groups",
    "values",
    "derived",
    "calls",
    "memory",
    "bodies",
    "state",
    "steps",
    "stages",
    "lowering",
    "runtime",
    "claims",
    "files",
    "warnings",
    "internal",
)


@cache
def catalogue() -> Catalogue:
    """All entries of all families."""
    return Catalogue(
        entry for family in FAMILIES for entry in import_module(f"repc.diagnostics.catalogue.{family}").ENTRIES
    )
