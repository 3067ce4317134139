"""`extern`: Python functions of the user with declared types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from rep_runtime.faults import RuntimeFault
from repc.api import load

Faults = Callable[[str], list[tuple[str, int]]]

NEAR = 'extern near(gap: [i: B, j: B]) -> [i: B, j: B] of bool { call: "torch:signbit" }\n'
ROLL = 'extern turned(x: [D, N], k: int = 1) -> [N, D] { call: "torch:rot90" }\n'


def test_an_extern_runs_in_interpreter_and_generated_code(verified: Callable[[str], None]) -> None:
    verified(
        NEAR
        + """encoder F(z: [B, D]) -> [B] {
  gap[i, j] = sum[d] (z[i, d] - z[j, d])^2
  edge = near(gap - 8)
  s[i] = sum[j: edge[i, j]] gap[i, j]
  return s
}"""
    )


def test_axes_that_it_does_not_name_are_carried_along_and_config_goes_by_name(
    loaded: Callable[[str], ModuleType],
) -> None:
    model = loaded(ROLL + "encoder Flat(x: [D, N]) -> [N, D] { return turned(x, k: 3) }").Flat()
    x = torch.randn(4, 8, 3)
    assert torch.equal(model(x), torch.rot90(x, 3, (1, 2)))


def test_gradients_reach_through_it(verified: Callable[[str], None]) -> None:
    verified(ROLL + "encoder F(x: [D, N]) -> [] { return sum(turned(x)^2) }")


@pytest.mark.parametrize("target", ["no_such_module:f", "torch:no_such_function", "torch:sum"])
def test_a_function_that_cannot_be_used_is_a_fault(loaded: Callable[[str], ModuleType], target: str) -> None:
    model = loaded(
        f'extern g(x: [D]) -> [D] {{ call: "{target}" }}\nencoder Outer(x: [D]) -> [D] {{ return g(x) }}'
    ).Outer()
    with pytest.raises(RuntimeFault) as caught:
        model(torch.randn(8))
    assert caught.value.code == "REP0714"


@pytest.mark.parametrize("body", ["", 'call: "os"', 'call: "a:b(1)"', 'call: "a:b"  call: "c:d"', "calls: 3"])
def test_its_one_field_is_a_function(faults: Faults, body: str) -> None:
    assert faults(f"extern f(x: [D]) -> [D] {{ {body} }}") == [("extern-call", 1)]


def test_its_claims_are_axioms(loaded: Callable[[str], ModuleType]) -> None:
    text = """dim T: seq
extern g(x: [T]) -> [T] {claim} {{ call: "torch:abs" }}
encoder Outer(x: [T]) -> [T] causal(T) {{ return g(x) }}
"""
    assert callable(loaded(text.format(claim="causal(T)")).Outer)
    with pytest.raises(Exception, match="REP08"):
        loaded(text.format(claim=""))


def test_a_function_may_lie_beside_the_text(tmp_path: Path) -> None:
    (tmp_path / "own_functions_of_a_text.py").write_text("def twice(x):\n    return 2 * x\n", encoding="utf-8")
    spec = tmp_path / "own.rep"
    spec.write_text(
        'rep 1\ndim D = 3\nextern twice(x: [D]) -> [D] { call: "own_functions_of_a_text:twice" }\n'
        "encoder Outer(x: [D]) -> [D] { return twice(x) }\n",
        encoding="utf-8",
    )
    assert torch.equal(load(str(spec)).Outer()(torch.ones(3)), torch.full((3,), 2.0))
