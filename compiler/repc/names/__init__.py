"""Names: the files behind a spec, what every name in them stands for, and in which order they build on each other."""

from repc.names.entries import (
    ConstEntry,
    DeclarationEntry,
    DefEntry,
    DimEntry,
    Entry,
    GroupEntry,
    ImportedEntry,
    OptionEntry,
    Override,
    SpaceEntry,
    TrainEntry,
    WordEntry,
)
from repc.names.library import Library
from repc.names.module import Module, Replacement
from repc.names.references import references
from repc.names.workspace import Workspace

__all__ = [
    "ConstEntry",
    "DeclarationEntry",
    "DefEntry",
    "DimEntry",
    "Entry",
    "GroupEntry",
    "ImportedEntry",
    "Library",
    "Module",
    "OptionEntry",
    "Override",
    "Replacement",
    "SpaceEntry",
    "TrainEntry",
    "WordEntry",
    "Workspace",
    "references",
]
