"""Texts that several tests read: the samples beside this file, the library and every spec of the project."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

SAMPLES = sorted((HERE / "texts").glob("*.rep"))
"""Sample texts; all of them are whole and right."""

PROJECT = sorted([*SAMPLES, *(ROOT / "specs").rglob("*.rep"), *(ROOT / "compiler" / "repc" / "std").rglob("*.rep")])
"""Every text of the project that must be readable."""


def read(path: Path) -> str:
    """A text as it is stored."""
    return path.read_bytes().decode("utf-8")


def label(path: Path) -> str:
    """Name of a text in test reports."""
    return str(path.relative_to(ROOT))
