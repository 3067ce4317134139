"""Data sources: pure functions of (sample id, seed, split)."""

from __future__ import annotations

from rep_runtime.data.source import SPLITS, FieldSpec, Rows, Source, Split, View

__all__ = ["SPLITS", "FieldSpec", "Rows", "Source", "Split", "View"]
