"""Functions of the user's own that a spec declares as `extern`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from itertools import product
from typing import Any

import torch
from torch import Tensor

from rep_runtime.faults import RuntimeFault

__all__ = ["external"]


def external(
    target: str, *operands: tuple[Tensor, int], shape: tuple[int, ...], dtype: torch.dtype, **options: object
) -> Tensor:
    """What the function `module:name` makes of its operands, at every place of the axes in front.

    `operands`: tensors `[*lead, *axes]` and how many axes the function takes of each. `shape`: what it returns.
    `options` go to it by name. Returns `[*lead, *shape]`.
    Raises `RuntimeFault` where there is no such function, it fails, or it returns something else.
    """
    function = partial(_function(target), **options)
    leads = [tensor.shape[: tensor.dim() - count] for tensor, count in operands]
    lead: tuple[int, ...] = torch.broadcast_shapes(*leads)  # type: ignore[no-untyped-call]
    if not lead:
        return _called(target, function, [tensor for tensor, _ in operands], shape, dtype)
    spread = [tensor.expand(*lead, *tensor.shape[tensor.dim() - count :]) for tensor, count in operands]
    rows = [
        _called(target, function, [tensor[place] for tensor in spread], shape, dtype)
        for place in product(*map(range, lead))
    ]
    if not rows:
        return torch.zeros((*lead, *shape), dtype=dtype)
    return torch.stack(rows).reshape(*lead, *shape)


@cache
def _function(target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    try:
        found = getattr(import_module(module), name)
    except Exception as error:
        raise RuntimeFault("REP0714", f"`{target}` cannot be used: {error}", "check that it can be imported") from error
    if not callable(found):
        raise RuntimeFault("REP0714", f"`{target}` is no function")
    return found  # type: ignore[no-any-return]


def _called(
    target: str, function: Callable[..., Any], given: list[Tensor], shape: tuple[int, ...], dtype: torch.dtype
) -> Tensor:
    try:
        made = function(*given)
    except RuntimeFault:
        raise
    except Exception as error:
        raise RuntimeFault("REP0714", f"`{target}` failed: {type(error).__name__}: {error}") from error
    if not isinstance(made, Tensor):
        made = torch.as_tensor(made)
    if tuple(made.shape) != tuple(shape):
        raise RuntimeFault(
            "REP0714", f"`{target}` returned the shape {tuple(made.shape)}, where {tuple(shape)} is declared"
        )
    return made.to(dtype)
