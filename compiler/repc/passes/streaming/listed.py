"""Streaming as a pass: step graphs beside the graphs that are claimed to be causal."""

from __future__ import annotations

from repc.passes.record import Pass
from repc.passes.streaming.context import stream_all

STREAMING = Pass(
    "streaming",
    "Adds the step graph of every graph that is claimed to be causal and can be run position by position.",
    lambda program: stream_all(program)[0],
    establishes=frozenset({"streamed"}),
)
