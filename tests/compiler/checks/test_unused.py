"""Warnings for names that nothing mentions, and for no others."""

import pytest

from repc.pipeline import check_spec

USED = {
    "an import in a with": """use std.nn (linear, swiglu)
dim D = 8
encoder Net(x: [D], inner: [D] -> [D] = swiglu) -> [D] { return linear(inner(x), D -> D) }
encoder Other = Net with { inner: linear(D -> D) }
""",
    "a dim in an index": "dim T: seq, D = 8\nencoder F(x: [T, D]) -> [D] { y[d] = sum[t] x[t, d]  return y }\n",
    "a batch axis that a source takes": """use std.nn (linear)
use std.data (digits)
use std.opt (sgd)
dim B: batch, P = 64
train Fit() {
  data d = digits()
  model f = linear(P -> P)
  minimize mean(f(d.x)^2)
  optimizer: sgd(rate: 0.1)
}
""",
    "inputs of a memory": "dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] { loss: dot }\n",
}
UNUSED = {
    "an import": (
        "use std.nn (linear, swiglu)\ndim D = 8\nencoder F(x: [D]) -> [D] { return linear(x, D -> D) }\n",
        "REPW101",
    ),
    "an import in a comment": (
        "use std.nn (linear)\ndim D = 8\n# no linear here\nencoder F(x: [D]) -> [D] { return x }\n",
        "REPW101",
    ),
    "a dim": ("dim D = 8, E = 4\nencoder F(x: [D]) -> [D] { return x }\n", "REPW103"),
    "a parameter": ("dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x }\n", "REPW111"),
}


@pytest.mark.parametrize("name", USED)
def test_used_names_are_quiet(name: str) -> None:
    assert check_spec(("used.rep", f"rep 1\n{USED[name]}")).diagnostics == ()


@pytest.mark.parametrize("name", UNUSED)
def test_unused_names_are_told_once(name: str) -> None:
    text, code = UNUSED[name]
    checked = check_spec(("unused.rep", f"rep 1\n{text}"))
    assert checked.ok
    assert [item.code for item in checked.diagnostics] == [code]
