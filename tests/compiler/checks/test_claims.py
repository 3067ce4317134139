"""Claims other than causality: independence is proved or refuted, the rest is never passed in silence."""

import pytest

from repc.pipeline import check_spec

HEAD = """rep 1
use std.nn (linear, layernorm)
dim B: batch, T: seq, D = 8, C = 4
"""


def codes(text: str) -> list[str]:
    found = check_spec(("claims.rep", HEAD + text)).diagnostics
    return [item.code for item in found if item.code not in {"REPW101", "REPW103"}]


@pytest.mark.parametrize(
    "body",
    [
        "return x - mean(x, over: D)",
        "return layernorm(linear(x, D -> D))",
        "y[b, d] = sum[e] x[b, d] * x[b, e]  return y",
        "repeat 2 { x = x + linear(x, D -> D) }  return x",
        "repeat d in D { x = x * 0.5 }  return x",
        "m = mean(x, over: B)  return x + 0 * x",
    ],
)
def test_what_keeps_samples_apart_is_proved(body: str) -> None:
    assert codes(f"encoder F(x: [B, D]) -> [B, D] independent(B) {{ {body} }}") == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return x - mean(x, over: B)", "REP0804"),
        ("return cumsum(x, over: B)", "REP0802"),
        ("y[b, d] = sum[c] x[b, d] * x[c, d]  return y", "REP0804"),
        ("y[b in B, d] = x[b - 1, d; outside: 0]  return y", "REP0802"),
        ("repeat 2 { x = layernorm(x, over: B) }  return x", "REP0804"),
        ("s = argsort[b] x[b, 0]  y[b in B, d] = x[s[b], d]  return y", "REP0802"),
    ],
)
def test_what_couples_samples_is_refused(body: str, code: str) -> None:
    assert codes(f"encoder F(x: [B, D]) -> [B, D] independent(B) {{ {body} }}") == [code]


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("casual(T)", "REP0806"),
        ("causal(C)", "REP0807"),
        ("independent(C)", "REP0807"),
        ("invariant(S(T))", "REPW113"),
        ("strictly_causal(T, x)", "REPW113"),
        ("assume invariant(S(T))", "REPW110"),
    ],
)
def test_no_claim_passes_in_silence(claim: str, code: str) -> None:
    assert codes(f"encoder F(x: [T, D]) -> [T, D] {claim} {{ return x }}") == [code]


@pytest.mark.parametrize(
    ("requirement", "fine"),
    [
        ("params(F) == D * D + D", True),
        ("params(F) == D * D", False),
        ("D >= 8 and D % C == 0", True),
        ("D > 8", False),
        ("degree(cost(G), T) == 2", True),
        ("degree(cost(G), T) == 1", False),
        ("degree(cost(F), T) == 0", True),
    ],
)
def test_requirements_of_a_file_are_decided(requirement: str, fine: bool) -> None:
    text = f"""encoder F(x: [D]) -> [D] {{ return linear(x, D -> D) }}
encoder G(x: [T, D]) -> [T, D] {{ y[t, d] = sum[s] x[t, d] * x[s, d]  return y }}
require {requirement}
"""
    assert codes(text) == ([] if fine else ["REP0808"])
