"""The functions that a memory may fit, as functions of their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.words import whole
from repc.ir import Word

EPSILON = 1e-6
ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gelu": lambda x: x * 0.5 * (1 + torch.erf(x / 2**0.5)),
    "relu": lambda x: torch.clamp(x, min=0),
    "silu": lambda x: x / (1 + torch.exp(-x)),
    "tanh": torch.tanh,
    "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
    "softplus": lambda x: torch.log1p(torch.exp(-x.abs())) + torch.clamp(x, min=0),
    "identity": lambda x: x,
}


@dataclass(frozen=True, slots=True)
class Regressor:
    """What is fitted.

    `name`: `linear` (a matrix, parameters `[.., F, P]`), `diagonal` (a factor per channel, `[.., P]`) or `mlp` (a
    matrix for each pair of neighbouring widths, the answer of one through the activation to the next).
    """

    name: str
    features: int
    values: int
    hidden: tuple[int, ...] = ()
    activation: str = "identity"
    residual: bool = False
    norm: str = "none"

    def zeros(self, like: Tensor) -> tuple[Tensor, ...]:
        """Parameters of zeros for the lifted axes of `like`, `[batch.., T, F]`."""
        batch = like.shape[:-2]
        if self.name == "diagonal":
            return (like.new_zeros(*batch, self.values),)
        widths = (self.features, *self.hidden, self.values)
        return tuple(like.new_zeros(*batch, widths[at], widths[at + 1]) for at in range(len(widths) - 1))

    def __call__(self, parameters: tuple[Tensor, ...], x: Tensor) -> Tensor:
        """The answer to one key `[batch.., F]`: `[batch.., P]`."""
        if self.name == "diagonal":
            (held,) = parameters
            return held * x
        first, *others = parameters
        out = torch.einsum("...fp,...f->...p", first, x)
        for weight in others:
            out = torch.einsum("...fp,...f->...p", weight, ACTIVATIONS[self.activation](out))
        if self.residual:
            out = out + x
        if self.norm == "layernorm":
            out = out - out.mean(-1, keepdim=True)
        if self.norm != "none":
            out = out / torch.sqrt((out * out).mean(-1, keepdim=True) + EPSILON)
        return out


def regressor_of(word: Word, features: int, values: int) -> Regressor:
    """The parametric regressor of a word. Raises `MemoryFault`."""
    if word.name == "diagonal" and features != values:
        raise MemoryFault("a diagonal memory needs keys and values of one size")
    if word.name == "mlp":
        return _mlp(word, features, values)
    if word.name not in ("linear", "diagonal"):
        raise MemoryFault(f"`{word.name}` is no parametric regressor of the reference")
    return Regressor(word.name, features, values)


def _mlp(word: Word, features: int, values: int) -> Regressor:
    activation = word.get("activation", "gelu")
    name = activation.name if isinstance(activation, Word) else str(activation)
    if name not in ACTIVATIONS:
        raise MemoryFault(f"`{name}` is no activation of the reference")
    width = whole(word.get("hidden"), "the width of a hidden layer")
    depth = whole(word.get("depth", 2), "the number of maps")
    residual = bool(word.get("residual", False))
    if residual and features != values:
        raise MemoryFault("a residual needs keys and values of one size")
    return Regressor("mlp", features, values, (width,) * (depth - 1), name, residual, str(word.get("norm", "none")))
