"""Ctrl-C: the first one asks the loop to stop after its step, the second stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType


class StopRequest:
    """Within it, `asked` turns true at the first interrupt signal; a second one raises KeyboardInterrupt.

    Outside the main thread signals cannot be caught: there an interrupt stays a KeyboardInterrupt.
    """

    def __init__(self, told: Callable[[str], None]) -> None:
        self.asked = False
        self._told = told
        self._before: Callable[[int, FrameType | None], object] | int | None = None

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._told("stopping after this step (Ctrl-C again: at once)")

    def __enter__(self) -> StopRequest:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None
