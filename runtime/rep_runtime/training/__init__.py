"""Training: the protocol of generated train classes (`protocol.py`) and the loop that runs them."""

from __future__ import annotations

from rep_runtime.training.protocol import (
    Across,
    Batch,
    Feed,
    Measure,
    Now,
    Optimize,
    Outcome,
    Player,
    Settings,
    TrainStep,
    Weighted,
)

__all__ = [
    "Across",
    "Batch",
    "Feed",
    "Measure",
    "Now",
    "Optimize",
    "Outcome",
    "Player",
    "Settings",
    "TrainStep",
    "Weighted",
]
