"""Step graphs: a causal declaration, one position at a time (LANGUAGE.md 8.6).

`stream(program, key, axis)` gives a program with the step graph of graph `key`, under the key that the result names, or
the fact that says why there is none. A step graph has the inputs and results of its graph without the axis, and

- for every state an input `state.<name>` and a result `state.<name>` of one type. The attribute `init` of the input
  says what it is before the first position: `constant(value)`; `memory()`, nothing seen; `turns(init, type, count)`,
  one for each turn of a loop. A state has no lifted axes in its type; its value may have them.
- memories with `mode: "step"`: their first argument is the state, port `state`; `timed` names the ports whose values
  came along the sequence; the result is a record of `out` and `state`.
- loops with `each`: ports of states that have a value for each turn. They are results of the loop as well.

A single result without a name is called `out` where there are states.
"""

from repc.passes.streaming.context import Stepped, Streaming, stream, stream_all
from repc.passes.streaming.fact import NotStreamable

__all__ = ["NotStreamable", "Stepped", "Streaming", "stream", "stream_all"]
