"""Gradient routing: what no term reaches is refused, what it reaches in any way is not."""

import pytest

from repc.pipeline import check_spec

HEAD = """rep 1
use std.nn (linear)
use std.data (digits)
use std.loss (cross_entropy)
use std.opt (sgd, ema)

dim B: batch, P = 64, C = 10

encoder Two(x: [P]) -> (a: [C], b: [C]) {
  return (a: linear(x, P -> C), b: linear(x, P -> C))
}

encoder Gated(x: [P], open: [P] -> [C]) -> [C] {
  param w: [C] = ones()
  return w * open(x)
}

"""
CE = "minimize ce = cross_entropy(f(d.x), d.label)"


def codes(body: str) -> list[str]:
    text = f"{HEAD}train X() {{\n  data d = digits()\n{body}\n  optimizer: sgd(rate: 0.1)  steps: 2  batch: 4\n}}\n"
    found = check_spec(("routing.rep", text)).diagnostics
    return [item.code for item in found if item.code != "REPW101"]


@pytest.mark.parametrize(
    "body",
    [
        f"  model f = linear(P -> C)\n  {CE}",
        "  model f = Two()\n  y = f(d.x)\n  minimize ce = cross_entropy(y.a + y.b, d.label)",
        f"  model g = linear(P -> C), f = Gated(open: g)\n  {CE}",
        f"  model f = linear(P -> C)\n  target t = ema(f, rate: 0.9)\n  {CE} + mean((f(d.x) - t(d.x))^2)",
        f"  model f = linear(P -> C), g = linear(P -> C)\n  freeze g\n  {CE} + mean((f(d.x) - g(d.x))^2)",
    ],
)
def test_reached_parameters_pass(body: str) -> None:
    assert codes(body) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (f"  model f = linear(P -> C), g = linear(P -> C)\n  {CE}", "REP0606"),
        (f"  model f = linear(P -> C), g = linear(P -> C)\n  {CE} + mean((f(d.x) - sg(g(d.x)))^2)", "REP0606"),
        (f"  model f = linear(P -> C), g = linear(P -> C)\n  {CE}\n  measure m = mean(g(d.x))", "REP0606"),
        (f"  model f = linear(P -> C)\n  {CE}\n  minimize n = mean(d.x^2)", "REP0607"),
        (f"  model f = linear(P -> C)\n  {CE}\n  minimize n = mean(sg(f(d.x)))", "REP0607"),
        (f"  model f = linear(P -> C)\n  {CE}\n  minimize off = 0 * mean(f(d.x))", "REPW112"),
        ("  model f = linear(P -> C)\n  measure m = mean(f(d.x))", "REP0608"),
    ],
)
def test_unreached_parameters_and_idle_terms_are_refused(body: str, code: str) -> None:
    assert codes(body) == [code]


MEANS = [
    "cross_entropy(f(d.x), d.label)",
    "0.5 * mean(f(d.x)^2) + cross_entropy(f(d.x), d.label)",
    "mean(logsumexp(f(d.x), over: C))",
]
COUPLED = [
    "mean[c] var[b] f(d.x)[b, c]",
    "max(f(d.x))",
    "sqrt(mean(f(d.x)^2))",
    "sum(f(d.x))",
    "mean((f(d.x) - mean(f(d.x), over: B))^2)",
]


@pytest.mark.parametrize("term", MEANS)
def test_means_of_samples_accumulate(term: str) -> None:
    assert codes(f"  model f = linear(P -> C)\n  minimize e = {term}\n  accumulate: 4") == []


@pytest.mark.parametrize("term", COUPLED)
def test_terms_that_couple_the_batch_do_not_accumulate(term: str) -> None:
    assert codes(f"  model f = linear(P -> C)\n  minimize e = {term}\n  accumulate: 4") == ["REP0612"]
    assert codes(f"  model f = linear(P -> C)\n  minimize e = {term}") == []
