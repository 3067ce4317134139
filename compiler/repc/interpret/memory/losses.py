"""What a memory minimises for one pair, written as declared; its gradient is autograd's."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.words import number, only
from repc.ir import Word

LossGraph = Callable[[Word, Tensor, Tensor], Tensor]


def pair_loss(word: Word, pred: Tensor, target: Tensor, apply_graph: LossGraph) -> Tensor:
    """The loss of answers `[.., P]` against targets `[.., P]`: `[..]`.

    `squared` has its half, `dot` is minus the product, `huber(delta)` looks at the length of the error,
    `lp(p)` is the p-th power of its entries over p.
    """
    error = pred - target
    match word.name:
        case "squared":
            return 0.5 * (error * error).sum(-1)
        case "dot":
            return -(pred * target).sum(-1)
        case "huber":
            delta = number(only(word, "delta"), "delta")
            square = (error * error).sum(-1)
            far = square > delta * delta
            # The root is taken where it is needed alone, so that an error of 0 has a gradient.
            length = torch.sqrt(torch.where(far, square, torch.ones_like(square)))
            return torch.where(far, delta * (length - 0.5 * delta), 0.5 * square)
        case "lp":
            power = number(only(word, "p"), "p")
            return (error.abs() ** power).sum(-1) / power
        case "graph":
            return apply_graph(word, pred, target)
    raise MemoryFault(f"`{word.name}` is no loss of a memory")


def penalty(word: Word, parameters: tuple[Tensor, ...], batch: int) -> Tensor | None:
    """The regulariser of parameters `[batch.., ..]`, summed over all their own axes: `[batch..]`, or None."""
    if word.name == "none":
        return None
    size = number(only(word, "l", "rate"), "a regulariser")
    total: Tensor | None = None
    for parameter in parameters:
        inner = list(range(batch, parameter.ndim))
        match word.name:
            case "ridge":
                part = 0.5 * size * (parameter * parameter).sum(inner)
            case "l1":
                part = size * parameter.abs().sum(inner)
            case _:
                raise MemoryFault(f"`{word.name}` is no regulariser of a memory")
        total = part if total is None else total + part
    return total
