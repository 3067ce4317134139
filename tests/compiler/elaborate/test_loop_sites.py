"""Sites inside `repeat l in L`: read as values of every turn."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import torch

from repc.ir import Program

LM = """dim L = 3
encoder LM(x: [D]) -> [D] {
  repeat l in L { h = linear(x, D -> D)  x = x + tanh(h)  kept = sum(h) }
  return linear(x, D -> D)
}
"""


def test_a_site_of_a_loop_has_the_axis_of_the_loop(verified: Callable[[str], None]) -> None:
    verified(LM + "encoder All(x: [D]) -> [L, D] { m = LM()  r = m(x)  return r.x + r.h }")
    verified(LM + "encoder Last(x: [D]) -> [D] { m = LM()  r = m(x)  return r.x[L = L - 1] + r.kept[L = 0] }")


def test_a_name_that_is_rebound_is_read_after_each_turn(loaded: Callable[[str], ModuleType]) -> None:
    module = loaded(LM + "encoder States(x: [D]) -> [L, D] { m = LM()  return m(x).x }")
    model = module.States()
    slots = dict(model.named_parameters())
    x = torch.randn(8)
    found, here = model(x), x
    for turn in range(3):
        names = [name for name in slots if f"blocks.{turn}." in name]
        weight = next(slots[name] for name in names if name.endswith("weight"))
        bias = next(slots[name] for name in names if name.endswith("bias"))
        here = here + torch.tanh(weight @ here + bias)
        torch.testing.assert_close(found[turn], here)


def test_sites_that_no_text_reads_are_not_kept(right: Callable[[str], Program]) -> None:
    program = right(LM + "encoder One(x: [D]) -> [L, D] { m = LM()  return m(x).h }")
    (loop,) = (node for node in program.graphs["LM"].nodes if node.kind == "loop")
    assert [name for name in loop.attrs["stacked"] if "kept" in name or ".x" in name] == []


def test_a_loop_of_modules_may_leave_its_index_unread(verified: Callable[[str], None]) -> None:
    verified(LM)
