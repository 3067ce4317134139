"""Numbers that depend on the clock: pure functions of (step, steps), `steps` being the length of the stage.

`step` counts finished optimizer steps from 0, so the first update sees `schedule(0, steps)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol


class Schedule(Protocol):
    """A number at optimizer step `step` of `steps`."""

    def __call__(self, step: int, steps: int) -> float: ...


@dataclass(frozen=True, slots=True)
class Constant:
    """The same number at every step."""

    value: float

    def __call__(self, step: int, steps: int) -> float:
        return self.value


def _warm(step: int, warmup: int) -> float | None:
    # The first update already moves: factor 1/warmup, and 1 at the warmup-th update.
    return (step + 1) / warmup if step < warmup else None


def _progress(step: int, steps: int, start: int) -> float:
    return min(1.0, max(0.0, (step - start) / max(1, steps - 1 - start)))


@dataclass(frozen=True, slots=True)
class Cosine:
    """Half a cosine from `start` to `stop` over the stage, after a linear warm-up of `warmup` steps.

    `cosine(1e-3, warmup: 100)` is `Cosine(1e-3, warmup=100)`; `cosine(0.99 -> 1.0)` is `Cosine(0.99, 1.0)`.
    """

    start: float
    stop: float = 0.0
    warmup: int = 0

    def __call__(self, step: int, steps: int) -> float:
        factor = _warm(step, self.warmup)
        if factor is not None:
            return self.start * factor
        wave = 0.5 * (1 + math.cos(math.pi * _progress(step, steps, self.warmup)))
        return self.stop + (self.start - self.stop) * wave


@dataclass(frozen=True, slots=True)
class Linear:
    """A straight line from `start` to `stop` over the stage, after a linear warm-up of `warmup` steps."""

    start: float
    stop: float = 0.0
    warmup: int = 0

    def __call__(self, step: int, steps: int) -> float:
        factor = _warm(step, self.warmup)
        if factor is not None:
            return self.start * factor
        return self.start + (self.stop - self.start) * _progress(step, steps, self.warmup)


@dataclass(frozen=True, slots=True)
class Warmup:
    """From 0 up to `value` in `warmup` steps, then constant."""

    value: float
    warmup: int

    def __call__(self, step: int, steps: int) -> float:
        factor = _warm(step, self.warmup)
        return self.value if factor is None else self.value * factor


@dataclass(frozen=True, slots=True)
class Ramp:
    """`start` until step `begin`, `stop` from step `end` on, a straight line in between."""

    start: float
    stop: float
    begin: int
    end: int

    def __call__(self, step: int, steps: int) -> float:
        share = 1.0 if step >= self.end else max(0.0, (step - self.begin) / max(1, self.end - self.begin))
        return self.start + (self.stop - self.start) * share


def schedule(value: float | Schedule) -> Schedule:
    """A plain number as a constant schedule; a schedule as it is."""
    return Constant(float(value)) if isinstance(value, int | float) else value
