"""The stages of a run at work: which step of which stage a step of the run is, and what moves parameters there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rep_runtime.training.protocol import Feed, Measure, Stage, TrainStep
from rep_runtime.training.tensors import Owned
from rep_runtime.training.turns import Seat, owned, seats


@dataclass(frozen=True, slots=True)
class Leg:
    """A stage from step `start` of the run on. `seats`: its players with optimizers that start anew."""

    step: TrainStep
    start: int
    steps: int
    feeds: Mapping[str, Feed]
    measures: tuple[Measure, ...]
    seats: tuple[Seat, ...]
    owned: Owned
    closing: bool

    @property
    def end(self) -> int:
        """The step of the run after its last one."""
        return self.start + self.steps

    def due(self, after: int) -> tuple[Measure, ...]:
        """What is measured when `after` steps of this stage are done."""
        done = after == self.steps
        return tuple(
            one
            for one in self.measures
            if (self.closing and done) or (self.steps and one.every and after % one.every == 0)
        )


class Course:
    """The stages of a run in order. A leg is made when it is reached: its optimizers then start anew."""

    def __init__(self, whole: TrainStep) -> None:
        self._stages: list[Stage] = list(whole.stages())
        self._starts: list[int] = []
        at = 0
        for stage in self._stages:
            self._starts.append(at)
            at += stage.steps
        self.steps = at
        # Of the train itself, whatever the stage.
        self._always = tuple(one for one in whole.measures() if one.every) if len(self._stages) > 1 else ()
        self._whole = whole

    @property
    def last(self) -> int:
        """The number of the last stage."""
        return len(self._stages) - 1

    def leg(self, number: int) -> Leg:
        """The stage of that number, with fresh optimizers."""
        stage = self._stages[number]
        step = stage.step
        own = step.measures()
        taken = {one.name for one in own}
        always = tuple(one for one in self._always if one.name not in taken) if stage.turns else ()
        feeds = step.feeds()
        if always:
            feeds = {**self._whole.feeds(), **feeds}
        at = seats(step) if stage.turns else ()
        return Leg(
            step, self._starts[number], stage.steps, feeds, (*own, *always), at, owned(step, at), stage.measures
        )  # fmt: skip

    def at(self, done: int) -> int:
        """The number of the stage that step `done` of the run belongs to."""
        for number, (stage, start) in enumerate(zip(self._stages, self._starts, strict=True)):
            if start <= done < start + stage.steps:
                return number
        return len(self._stages)

    def closing(self, number: int) -> tuple[int, ...]:
        """The stages without steps that follow stage `number` at once."""
        found: list[int] = []
        for later in range(number + 1, len(self._stages)):
            if self._stages[later].steps:
                break
            found.append(later)
        return tuple(found)
