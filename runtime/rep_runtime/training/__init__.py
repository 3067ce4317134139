"""Training: the protocol of generated train classes (`protocol.py`) and the loop that runs them."""

from __future__ import annotations

from rep_runtime.training.checkpoint import Checkpoint, load_weights, read
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
    Stage,
    TrainStep,
    Weighted,
)
from rep_runtime.training.run import RunSpec
from rep_runtime.training.trainer import Options, Result, Trainer

__all__ = [
    "Across",
    "Batch",
    "Checkpoint",
    "Feed",
    "Measure",
    "Now",
    "Optimize",
    "Options",
    "Outcome",
    "Player",
    "Result",
    "RunSpec",
    "Settings",
    "Stage",
    "TrainStep",
    "Trainer",
    "Weighted",
    "load_weights",
    "read",
]
