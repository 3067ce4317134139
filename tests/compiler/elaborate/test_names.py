"""A name that an import does not bring is one fault, and nothing follows from it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Faults = Callable[[str], list[tuple[str, int]]]

USES = {
    "a declaration": "encoder F(x: [D]) -> [D] { y = missing(x)  z = y + 1  return z }",
    "a law": "encoder F(x: [D]) -> [D] { y ~ missing(x)  return x + y }",
    "a source": "train T { data d = missing()  model f = linear(P -> C)  minimize mean(f(d.x)) }",
    "a split": "train T { data d = missing()  model f = linear(P -> C)  measure m = mean(f(d.x)) across d.test }",
    "tasks": "train T { data d = missing()  model f[t in d] = linear(P -> C)  for t in d { data now = d[t] } }",
    "a train": "train T = missing(model: 3)",
    "a range": "encoder F(x: [D]) -> [] { y = missing(x)  return sum[i] y[i] }",
    "a cell": "train T { state c = missing(3) }",
}


@pytest.mark.parametrize("module", ["std.nn", "std.nothing"])
@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_nothing_follows_from_a_missing_name(faults: Faults, use: str, module: str) -> None:
    found = faults(f"use {module} (missing)\n{use}")
    assert found == [("not-exported" if module == "std.nn" else "unknown-module", 1)]
