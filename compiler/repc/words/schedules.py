"""Schedules of `std.opt`: numbers that depend on the clock of their stage. Any number of a `train` may be one."""

from __future__ import annotations

from repc.words.declare import Parameter, Word

_WARMUP = Parameter("warmup", "int", 0, "steps of a straight rise from 0 before")


def _span(alone: str, doc: str) -> Parameter:
    return Parameter("span", "span", doc=doc, alone=alone, keywords=("start", "stop"), by_position=True)


SCHEDULES = (
    Word(
        "cosine",
        "schedule",
        "std.opt",
        (_span("start", "from `start` to `stop`; one number falls to 0"), _WARMUP),
        "Half a cosine over the stage.",
        "rate: cosine(1e-3, warmup: 100)",
        "rep_runtime.schedules:Cosine",
    ),
    Word(
        "straight",
        "schedule",
        "std.opt",
        (_span("start", "from `start` to `stop`; one number falls to 0"), _WARMUP),
        "A straight line over the stage.",
        "rate: straight(1e-3 -> 1e-5)",
        "rep_runtime.schedules:Linear",
    ),
    Word(
        "warmup",
        "schedule",
        "std.opt",
        (
            Parameter("value", "number", doc="the number after the rise", by_position=True),
            Parameter("steps", "int", doc="length of the rise", keywords=("warmup",)),
        ),
        "A straight rise from 0, then constant.",
        "rate: warmup(0.3, steps: 500)",
        "rep_runtime.schedules:Warmup",
    ),
    Word(
        "ramp",
        "schedule",
        "std.opt",
        (
            _span("stop", "from `start` to `stop`; one number rises from 0"),
            Parameter("steps", "int", doc="the step at which it has arrived", keywords=("end",)),
            Parameter("begin", "int", 0, "the step at which it sets out"),
        ),
        "A straight line between two steps, constant before and after.",
        "minimize pull = ramp(0.5 -> 0, steps: 500) * distance",
        "rep_runtime.schedules:Ramp",
    ),
)
