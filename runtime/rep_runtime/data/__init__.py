"""Data sources: pure functions of (sample id, seed, split)."""

from __future__ import annotations

from rep_runtime.data.episodes import Episodes, episodes
from rep_runtime.data.generated import Generated, Inner
from rep_runtime.data.limited import Limited, limited
from rep_runtime.data.portions import Classes, Joined, Part, classes, herded, joined, part, picked, uneven_part
from rep_runtime.data.recall import Mqar, mqar
from rep_runtime.data.source import SPLITS, FieldSpec, Rows, Source, Split, View
from rep_runtime.data.store import Store, Stored
from rep_runtime.data.streams import ByteStream, bytes_stdlib, entropy0
from rep_runtime.data.tables import Arrays, arrays, digits

__all__ = [
    "SPLITS",
    "Arrays",
    "ByteStream",
    "Classes",
    "Episodes",
    "FieldSpec",
    "Generated",
    "Inner",
    "Joined",
    "Limited",
    "Mqar",
    "Part",
    "Rows",
    "Source",
    "Split",
    "Store",
    "Stored",
    "View",
    "arrays",
    "bytes_stdlib",
    "classes",
    "digits",
    "entropy0",
    "episodes",
    "herded",
    "joined",
    "limited",
    "mqar",
    "part",
    "picked",
    "uneven_part",
]
