"""In which order the stages of a train run, and which class each of them is (LANGUAGE.md 6.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rep_grammar.record import Record
from repc.ir import SourceUse, Step
from repc.lowering import naming


class Leg(Record):
    """A part of a run: the class of its stage, whether it has turns, and whether it measures at its end."""

    class_name: str
    step: Step
    turns: bool
    measures: bool


def acts(step: Step) -> bool:
    """Whether a step has something to do before, between or after its stages."""
    return bool(step.players or step.commits or step.fills or step.targets)


def legs(step: Step, class_name: str, fresh: Callable[[str], str]) -> Iterator[Leg]:
    """The legs of a step in order: what is `at start`, its own turns, its stages, and what it measures at the end."""
    named = [(stage, fresh(class_name + naming.class_name(stage.name))) for stage in step.stages]
    for stage, chosen in named:
        if stage.when == "start":
            yield from legs(stage, chosen, fresh)
    if acts(step):
        yield Leg(class_name, step, True, not step.stages)
    for stage, chosen in named:
        if stage.when != "start":
            yield from legs(stage, chosen, fresh)
    if step.measures and (step.stages or not acts(step)):
        yield Leg(class_name, step, False, True)


def every_step(step: Step) -> Iterator[Step]:
    """A step and all stages inside it."""
    yield step
    for stage in step.stages:
        yield from every_step(stage)


def sources_of(step: Step) -> tuple[SourceUse, ...]:
    """What a step reads samples from, and what fills its stores."""
    return (*step.sources, *(use for _, use in step.fills))


def total(step: Step) -> int:
    """Steps of the whole run."""
    own = dict(step.settings).get("steps")
    mine = own if acts(step) and isinstance(own, int) else 0
    return mine + sum(total(stage) for stage in step.stages)


__all__ = ["Leg", "acts", "every_step", "legs", "sources_of", "total"]
