"""What a person sees while a run goes on: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

# Without a terminal: about this many lines for a whole run.
_LINES = 20


class Progress(Protocol):
    """Told of every finished step and of notes in between."""

    def advance(self, step: int, loss: float | None) -> None: ...

    def note(self, text: str) -> None: ...

    def close(self) -> None: ...


def duration(seconds: float) -> str:
    """A time span for people: `48 s`, `3:07 min`, `2:05 h`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"


class Lines:
    """Plain lines with step, loss, steps per second and time left."""

    def __init__(self, name: str, start: int, steps: int, stream: TextIO) -> None:
        self._name, self._start, self._steps, self._stream = name, start, steps, stream
        self._every = max(1, steps // _LINES)
        self._began = time.perf_counter()
        self._loss: float | None = None

    def advance(self, step: int, loss: float | None) -> None:
        self._loss = loss if loss is not None else self._loss
        if step % self._every and step != self._steps:
            return
        rate = (step - self._start) / max(1e-9, time.perf_counter() - self._began)
        told = "" if self._loss is None else f"  loss {self._loss:.4f}"
        left = duration((self._steps - step) / rate) if rate > 0 else "?"
        self.note(f"{self._name}  step {step}/{self._steps}{told}  {rate:.1f} steps/s  {left} left")

    def note(self, text: str) -> None:
        print(text, file=self._stream, flush=True)

    def close(self) -> None:
        self._stream.flush()


class Bar:
    """tqdm's bar, with the loss beside it."""

    def __init__(self, name: str, start: int, steps: int, stream: TextIO) -> None:
        from tqdm import tqdm

        self._stream = stream
        self._bar = tqdm(
            total=steps, initial=start, desc=name, unit="step", file=stream, dynamic_ncols=True, mininterval=0.2
        )
        self._write = tqdm.write

    def advance(self, step: int, loss: float | None) -> None:
        if loss is not None:
            self._bar.set_postfix_str(f"loss {loss:.4f}", refresh=False)
        self._bar.update(step - self._bar.n)

    def note(self, text: str) -> None:
        self._write(text, file=self._stream)

    def close(self) -> None:
        self._bar.close()


class Silent:
    """Says nothing."""

    def advance(self, step: int, loss: float | None) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


def progress(name: str, start: int, steps: int, *, quiet: bool = False, stream: TextIO | None = None) -> Progress:
    """A bar where `stream` (standard error) is a terminal and tqdm is there, else lines; nothing if `quiet`."""
    target = stream if stream is not None else sys.stderr
    if quiet:
        return Silent()
    if target.isatty():
        try:
            return Bar(name, start, steps, target)
        except ImportError:
            pass
    return Lines(name, start, steps, target)
