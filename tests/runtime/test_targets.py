"""Targets follow by formula, in place, without touching their source."""

from __future__ import annotations

import torch
from torch import nn

from rep_runtime.targets import copy_, ema_


class Block(nn.Module):
    def __init__(self, value: float) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.full((3,), value))
        self.register_buffer("mean", torch.full((2,), value))
        self.register_buffer("count", torch.tensor(int(value)))


def values(block: Block) -> list[float]:
    return [float(tensor.flatten()[0]) for tensor in block.state_dict().values()]


def test_ema_of_slots_and_the_three_rules_for_cells() -> None:
    expected = {"copy": [3.0, 7.0, 7.0], "ema": [3.0, 3.0, 7.0], "own": [3.0, 2.0, 2.0]}
    for rule, after in expected.items():
        target, source = Block(2.0), Block(7.0)
        ema_(target, source, 0.8, rule)  # type: ignore[arg-type]
        assert values(target) == after and values(source) == [7.0, 7.0, 7.0]


def test_a_copy_shares_no_storage() -> None:
    target, source = Block(2.0), Block(7.0)
    copy_(target, source)
    assert values(target) == [7.0, 7.0, 7.0]
    with torch.no_grad():
        source.w.fill_(0.0)
    assert values(target) == [7.0, 7.0, 7.0]
