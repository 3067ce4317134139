"""Losses of the library along an axis that is said."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import torch
from torch.nn.functional import cross_entropy


def test_the_answer_of_cross_entropy_may_be_a_distribution(loaded: Callable[[str], ModuleType]) -> None:
    text = "encoder Outer(s: [N, D], t: [N, D]) -> [N] { return cross_entropy(s, t, over: D) }"
    model = loaded(text).Outer()
    scores, target = torch.randn(2, 3, 8), torch.rand(2, 3, 8).softmax(-1)
    expected = cross_entropy(scores.flatten(0, 1), target.flatten(0, 1), reduction="none").reshape(2, 3)
    torch.testing.assert_close(model(scores, target), expected)


def test_the_classes_of_cross_entropy_may_be_any_axis(loaded: Callable[[str], ModuleType]) -> None:
    model = loaded("encoder Outer(s: [N, D], k: [D] of N) -> [D] { return cross_entropy(s, k, over: N) }").Outer()
    scores, label = torch.randn(3, 8), torch.randint(0, 3, (8,))
    torch.testing.assert_close(model(scores, label), cross_entropy(scores.T, label, reduction="none"))
