"""Why a graph cannot be run position by position."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Symbol
from repc.ir import Origin


class NotStreamable(Record):
    """A fact: at `node` of `graph` the result needs what a step does not have.

    `reason`:
      all-positions  a value at every position of the axis is needed at once: `what` names it
      later          a position needs later ones
      length         the number of positions is needed
      memory         a memory's choices look at all pairs: `what` is the choice
      draw           numbers that are the same for all positions would have to be kept
      pairs          values of pairs of positions, as in attention written by hand
      unsupported    `what` has no step form
    """

    graph: str
    node: str
    axis: Symbol
    reason: str
    what: str
    origin: Origin

    def __str__(self) -> str:
        words = {
            "all-positions": f"{self.what} is needed at all positions of {self.axis} at once",
            "later": f"{self.what} needs later positions of {self.axis}",
            "length": f"{self.what} needs the number of positions of {self.axis}",
            "memory": f"the memory looks at all pairs: {self.what}",
            "draw": f"the draw {self.what} is one for all positions of {self.axis}",
            "pairs": f"{self.what} is a value of pairs of positions of {self.axis}",
            "unsupported": f"{self.what} has no step form",
        }
        return f"{self.graph}, %{self.node}: {words[self.reason]}"


class Refused(Exception):
    """Stops the making of a step graph; carries the fact."""

    def __init__(self, fact: NotStreamable) -> None:
        super().__init__(str(fact))
        self.fact = fact
