"""`generate(f, x, pick: argmax)`."""

from __future__ import annotations

from collections.abc import Callable

import torch

from repc.interpret import Interpreter
from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

# Every place once: what was chosen before cannot be chosen again.
POINT = (
    "dim I: seq = N\nencoder Point(x: [N], y: [I] of N) -> [I, N] {\n"
    "  s[i in I, n] = if any[m in I: m < i] (y[m] == n) then -inf else x[n]\n  return s }\n"
)


def test_choices_see_those_before_them(right: Right) -> None:
    program = right(POINT + "encoder Sorted(x: [N]) -> [I] of N { f = Point()\n  return generate(f, x, pick: argmax) }")
    x = torch.tensor([[0.5, 2.0, 1.0], [3.0, -1.0, 7.0]], dtype=torch.float64)
    made = Interpreter(program).run(program.entries["Sorted"], {"x": x}, {}, lifted=("B",)).tensor()
    assert torch.equal(made.long(), x.argsort(-1, descending=True))


def test_all_that_is_generated_is_one_argument(faults: Faults) -> None:
    text = (
        POINT + "encoder G(x: [N], y: [I] of N) -> [I] of N { f = Point()\n  return generate(f, x, y, pick: argmax) }"
    )
    assert faults(text) == [("too-many-arguments", 6)]


def test_what_is_generated_counts_the_scores(faults: Faults) -> None:
    text = (
        "encoder F(x: [D], z: [D]) -> [C] { return linear(x + z, D -> C) }\n"
        "encoder G(x: [D]) -> [D] { f = F()\n  return generate(f, x) }"
    )
    assert faults(text) == [("nothing-to-generate", 3)]


def test_only_the_best_choice_is_taken(faults: Faults) -> None:
    text = POINT + "encoder G(x: [N]) -> [I] of N { f = Point()\n  return generate(f, x, pick: worst) }"
    assert faults(text) == [("no-such-choice", 6)]
