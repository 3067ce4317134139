"""What a memory minimises for one pair, written as declared; its gradient is autograd's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    value = written(word, pred, target)
    return value.sum(-1)


_SIGNS: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
}
_FUNCTIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "neg": lambda x: -x,
    "square": lambda x: x * x,
    "abs": torch.abs,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "tanh": torch.tanh,
    "cosh": torch.cosh,
    "relu": lambda x: torch.where(x > 0, x, 0.0),
    "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
    "softplus": lambda x: torch.log1p(torch.exp(-x.abs())) + torch.where(x > 0, x, 0.0),
    "sum": lambda x: x.sum(-1, keepdim=True),
}


def written(word: object, pred: Tensor, target: Tensor) -> Tensor:
    """A loss that is written out in `pred` and `target` `[.., P]`: `[.., P]`, or `[.., 1]` where it sums over P."""
    if isinstance(word, int | float) and not isinstance(word, bool):
        return pred.new_full((1,), float(word))
    if isinstance(word, Word):
        if word.name in ("pred", "target"):
            return pred if word.name == "pred" else target
        parts = [written(part, pred, target) for _, part in word.args]
        if word.name in _SIGNS and len(parts) == 2:
            return _SIGNS[word.name](*parts)
        if word.name in _FUNCTIONS and len(parts) == 1:
            return _FUNCTIONS[word.name](*parts)
        raise MemoryFault(f"`{word.name}` is no loss of a memory")
    raise MemoryFault(f"`{word}` is no loss of a memory")


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
