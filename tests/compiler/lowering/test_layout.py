"""Axis orders: whatever the order, the entries stay with their labels, for any number of leading dims."""

import ast
import itertools

import pytest
import torch

from repc.dims import Symbol
from repc.lowering.expression import name
from repc.lowering.layout import aligned, reordered
from repc.lowering.printer import text

SIZES = {"a": 2, "b": 3, "c": 5, "d": 7}


def run(code: ast.expr, x: torch.Tensor) -> torch.Tensor:
    made = eval(text(code), {"x": x, "torch": torch})
    assert isinstance(made, torch.Tensor)
    return made


@pytest.mark.parametrize("lead", [(), (11,), (11, 13)])
def test_every_order_of_up_to_four_axes(lead: tuple[int, ...]) -> None:
    for count in range(5):
        labels = tuple(Symbol(c) for c in "abcd"[:count])
        x = torch.randn((*lead, *(SIZES[label.name] for label in labels)))
        letters = "".join(label.name for label in labels)
        for wanted in itertools.permutations(labels):
            made = run(reordered(name("x"), labels, wanted), x)
            expected = torch.einsum(f"...{letters}->...{''.join(one.name for one in wanted)}", x)
            assert torch.equal(made, expected)


@pytest.mark.parametrize("led", [True, False])
def test_aligned_values_broadcast_by_label(led: bool) -> None:
    whole = tuple(Symbol(c) for c in "abcd")
    other = torch.randn((*((11,) if led else ()), 2, 3, 5, 7))
    for count in range(5):
        for chosen in itertools.permutations(whole, count):
            sizes = [SIZES[label.name] for label in chosen]
            x = torch.randn((*((11,) if led else ()), *sizes))
            made = run(aligned(name("x"), chosen, whole, led), x) * other
            letters = "".join(label.name for label in chosen)
            assert torch.allclose(made, torch.einsum(f"...{letters},...abcd->...abcd", x, other))


def test_a_swap_and_a_move_are_written_as_such() -> None:
    t, h, k = Symbol("T"), Symbol("H"), Symbol("K")
    assert text(reordered(name("q"), (t, h, k), (h, t, k))) == "q.transpose(-3, -2)"
    assert text(reordered(name("q"), (t, h, k), (h, k, t))) == "q.movedim(-3, -1)"
