"""Target networks: a block whose slots and cells follow another's, moved in place and never by an optimizer."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

Cells = Literal["copy", "ema", "own"]


def _pairs(target: dict[str, Tensor], source: dict[str, Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    return [target[path] for path in target], [source[path].detach() for path in target]


@torch.no_grad()
def ema_(target: nn.Module, source: nn.Module, rate: float, cells: Cells = "copy") -> None:
    """`t <- rate t + (1 - rate) s` for every slot of `target`, and its cells by the rule `cells`.

    `copy`: cells are copied; `ema`: floating cells move like slots; `own`: they are left alone. Integer cells are
    copied unless they are `own`. Both modules are of the same declaration, so their paths agree.
    """
    slots = _pairs(dict(target.named_parameters()), dict(source.named_parameters()))
    if slots[0]:
        torch._foreach_lerp_(slots[0], slots[1], 1.0 - rate)
    if cells == "own":
        return
    for mine, theirs in zip(*_pairs(dict(target.named_buffers()), dict(source.named_buffers())), strict=True):
        if cells == "ema" and mine.is_floating_point():
            mine.lerp_(theirs, 1.0 - rate)
        else:
            mine.copy_(theirs)


@torch.no_grad()
def copy_(target: nn.Module | Tensor, source: nn.Module | Tensor, row: int | None = None) -> None:
    """Every slot and cell of `target` set to `source`'s: a snapshot, or the start of a target.

    `row`: the member of a family of targets that is set; the others are left alone. A slot stands for itself.
    """
    if isinstance(target, Tensor) and isinstance(source, Tensor):
        (target if row is None else target[row]).copy_(source.detach())
        return
    assert isinstance(target, nn.Module) and isinstance(source, nn.Module)
    for own, other in (
        (target.named_parameters, source.named_parameters),
        (target.named_buffers, source.named_buffers),
    ):
        for mine, theirs in zip(*_pairs(dict(own()), dict(other())), strict=True):
            (mine if row is None else mine[row]).copy_(theirs)
