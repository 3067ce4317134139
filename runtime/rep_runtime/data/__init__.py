"""Data sources: pure functions of (sample id, seed, split)."""

from __future__ import annotations

from rep_runtime.data.generated import Generated, Inner
from rep_runtime.data.limited import Limited, limited
from rep_runtime.data.recall import Mqar, mqar
from rep_runtime.data.source import SPLITS, FieldSpec, Rows, Source, Split, View
from rep_runtime.data.streams import ByteStream, bytes_stdlib, entropy0
from rep_runtime.data.tables import Arrays, arrays, digits

__all__ = [
    "SPLITS",
    "Arrays",
    "ByteStream",
    "FieldSpec",
    "Generated",
    "Inner",
    "Limited",
    "Mqar",
    "Rows",
    "Source",
    "Split",
    "View",
    "arrays",
    "bytes_stdlib",
    "digits",
    "entropy0",
    "limited",
    "mqar",
]
