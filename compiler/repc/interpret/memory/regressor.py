"""The functions that a memory may fit, as functions of their parameters."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.ir import Word


@dataclass(frozen=True, slots=True)
class Regressor:
    """`name`: `linear` (a matrix, parameters `[.., F, P]`) or `diagonal` (a factor per channel, `[.., P]`)."""

    name: str
    features: int
    values: int

    def zeros(self, like: Tensor) -> tuple[Tensor, ...]:
        """Parameters of zeros for the lifted axes of `like`, `[batch.., T, F]`."""
        batch = like.shape[:-2]
        if self.name == "diagonal":
            return (like.new_zeros(*batch, self.values),)
        return (like.new_zeros(*batch, self.features, self.values),)

    def __call__(self, parameters: tuple[Tensor, ...], x: Tensor) -> Tensor:
        """The answer to one key `[batch.., F]`: `[batch.., P]`."""
        (held,) = parameters
        if self.name == "diagonal":
            return held * x
        return torch.einsum("...fp,...f->...p", held, x)


def regressor_of(word: Word, features: int, values: int) -> Regressor:
    """The parametric regressor of a word. Raises `MemoryFault`."""
    if word.name == "diagonal" and features != values:
        raise MemoryFault("a diagonal memory needs keys and values of one size")
    if word.name not in ("linear", "diagonal"):
        raise MemoryFault(f"`{word.name}` is no parametric regressor of the reference")
    return Regressor(word.name, features, values)
