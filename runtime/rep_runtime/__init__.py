"""What generated modules import: data, draws, optimizers, the training loop, memory algorithms. Needs torch alone."""

from __future__ import annotations

from rep_runtime.faults import Interrupted, Place, RuntimeFault

__all__ = ["Interrupted", "Place", "RuntimeFault"]
