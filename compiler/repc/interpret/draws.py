"""Random values of a run: taken from a record of them, or sampled by the reference of their law."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from repc.dims import Symbol
from repc.interpret.named import Named
from repc.ir import Node


class Draws:
    """The draws of one run, keyed by (site path, application number from 0).

    `given` replaces what a law would sample. `training` False makes a draw with an `eval` value take that value.
    `made` holds every tensor that was used, axes in the order [lifted, written], so that other code can be given the
    same numbers.
    """

    def __init__(
        self,
        seed: int = 0,
        step: int = 0,
        *,
        training: bool = True,
        given: Mapping[tuple[str, int], Tensor] | None = None,
    ) -> None:
        self.seed = seed
        self.step = step
        self.training = training
        self.given = dict(given or {})
        self.made: dict[tuple[str, int], Tensor] = {}
        self._count: dict[str, int] = {}

    def take(self, site: str, node: Node, parameters: list[Named], sizes: dict[Symbol, int]) -> Named:
        """The next value of a site: `node` is its draw, `sizes` the axes of the value, lifted ones first."""
        from repc.interpret.sampling import sample

        application = self._count.get(site, 0)
        self._count[site] = application + 1
        key = (site, application)
        labels = tuple(sizes)
        if key in self.given:
            value = Named(self.given[key], labels)
        else:
            value = sample(node, parameters, sizes, (self.seed, site, application, self.step))
        self.made[key] = value.data
        return value
