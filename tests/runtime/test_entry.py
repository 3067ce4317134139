"""The check at a public entry: every mismatch at once, in the spec's own names."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rep_runtime import Place, RuntimeFault
from rep_runtime.guards import Port, Size, check_entry, size_of, solve

TOKENS = Port("tokens", (("T", "T"),), "index", "V")
Q, K = Port("q", (("T", "T"), ("K", "K"))), Port("k", (("T", "T"), ("K", "D // H")))


def test_fitting_inputs_pass_with_lifted_axes() -> None:
    check_entry("LM", [TOKENS], [torch.zeros(7, dtype=torch.int64)], {"V": 5})
    check_entry("M", [Q, K], [torch.zeros(2, 3, 7, 4), torch.zeros(2, 3, 7, 4)], {"D": 8, "H": 2})
    check_entry("M", [Q, Port("s", ())], [torch.zeros(2, 7, 4), torch.zeros(())])


def test_all_mismatches_come_in_one_message_with_the_table() -> None:
    with pytest.raises(RuntimeFault) as caught:
        check_entry("M", [Q, K], [torch.zeros(2, 7, 4), torch.zeros(3, 6, 5)], {"D": 8, "H": 2}, Place("m.rep", 4))
    fault = caught.value
    assert fault.code == "REP0709" and str(fault.place) == "m.rep:4:1"
    for part in (
        "axis T of `k` has size 6, expected 7 = T",
        "axis K of `k` has size 5, expected 4 = D // H",
        "the axes before the declared ones differ: `q` [2], `k` [3]",
        "`k: [T, K: D // H]` got [3, 6, 5] float32",
        "T = 7  (axis T of `q`)",
        "D = 8  (of the model)",
    ):
        assert part in fault.message
    assert "axis K of `q`" not in fault.message.split("inputs:")[0]


@pytest.mark.parametrize(
    ("tensor", "part"),
    [
        (torch.tensor([0, 5]), "holds the index 5, allowed are 0 .. 4"),
        (torch.tensor([-1, 2]), "holds the index -1, allowed are 0 .. 4"),
        (torch.tensor([0.0]), "holds float values"),
        (torch.tensor([True]), "holds bool values"),
        (torch.tensor(3), "but [T] of V has 1 axes"),
    ],
)
def test_kinds_and_bounds(tensor: Tensor, part: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        check_entry("LM", [TOKENS], [tensor], {"V": 5})
    assert part in caught.value.message


@pytest.mark.parametrize(
    ("size", "actual", "expected"),
    [("2*B", 6, 3), ("B + 1", 6, 5), ("2*(B - 1) + 4", 8, 3), ("7 - B", 3, 4), ("A*B", 6, 2)],
)
def test_sizes_are_solved_from_arithmetic(size: str, actual: int, expected: int) -> None:
    found = solve([Port("x", (("M", size),))], [torch.zeros(actual)], {"A": 3})
    assert found["B"] == expected


def test_a_bare_dim_wins_over_arithmetic_whatever_the_order() -> None:
    ports = [Port("x", (("M", "2*B"),)), Port("y", (("B", "B"),))]
    with pytest.raises(RuntimeFault) as caught:
        check_entry("F", ports, [torch.zeros(6), torch.zeros(4)])
    assert "axis M of `x` has size 6, expected 8 = 2*B" in caught.value.message


@pytest.mark.parametrize(
    ("size", "part"), [("2*B", "has size 7, which no 2*B gives"), ("D / H", "D / H is no whole number here")]
)
def test_sizes_without_a_solution(size: str, part: str) -> None:
    with pytest.raises(RuntimeFault) as caught:
        check_entry("F", [Port("x", (("M", size),))], [torch.zeros(7)], {"D": 7, "H": 2})
    assert part in caught.value.message


@pytest.mark.parametrize(
    ("size", "expected"),
    [(3, 3), ("-2 + A % 3", -1), ("A // B", 3), ("A / B", None), ("A / 0", None), ("A - N", None), ("A * B", 14)],
)
def test_size_arithmetic(size: Size, expected: int | None) -> None:
    assert size_of(size, {"A": 7, "B": 2}) == expected


def test_a_size_is_no_program() -> None:
    for text in ("__import__('os')", "A.real", "[1][0]", "A if A else 1"):
        with pytest.raises(ValueError):
            size_of(text, {"A": 1})


def test_the_check_stays_out_of_captured_graphs() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            check_entry("F", [Port("x", (("T", "T"),))], [x])
            return x + 1

    exported = torch.export.export(Model(), (torch.zeros(4),))
    assert torch.equal(exported.module()(torch.zeros(4)), torch.ones(4))
