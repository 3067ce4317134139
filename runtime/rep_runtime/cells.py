"""New values of cells, gathered while a step runs and written all at once when it ends (LANGUAGE.md 6.2)."""

from __future__ import annotations

from torch import Tensor


class Writes:
    """Values by state-dict path. A view made by `inside` gathers into the same place, under a longer path.

    A second value for one path in one step replaces the first: whoever applies a block twice decides which is kept.
    """

    def __init__(self) -> None:
        self.values: dict[str, Tensor] = {}
        self._path = ""

    def inside(self, path: str) -> Writes:
        """The writes of a block at `path`."""
        view = Writes()
        view.values = self.values
        view._path = f"{self._path}{path}."
        return view

    def turn(self, label: str, index: int) -> Writes:
        """The writes of one turn of an unrolled loop, whose blocks lie at `label.index`."""
        return self.inside(f"{label}.{index}")

    def pending(self, cell: str, stored: Tensor) -> Tensor:
        """What applications before this one have made of a cell of this block; `stored` where none has."""
        return self.values.get(f"{self._path}{cell}", stored)

    def put(self, cell: str, value: Tensor) -> None:
        """The next value of a cell of this block."""
        self.values[f"{self._path}{cell}"] = value
