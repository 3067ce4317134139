"""Warnings: REPW1xx."""

from repc.diagnostics.catalogue.state import TRAIN
from repc.diagnostics.entry import Entry
from repc.diagnostics.model import Severity

W = Severity.WARNING

ENTRIES = (
    Entry(
        code="REPW101",
        name="unused-import",
        headline="`{name}` is imported and not used",
        label="not used",
        reason="",
        help="remove it",
        severity=W,
        values={"name": "the import"},
        story="An import that nothing uses misleads the reader about what a file needs.",
        bad="use std.nn (linear, rmsnorm)\ndim D = 8\nencoder F(x: [D]) -> [D] { return linear(x, D -> D) }",
        good="use std.nn (linear)\ndim D = 8\nencoder F(x: [D]) -> [D] { return linear(x, D -> D) }",
    ),
    Entry(
        code="REPW103",
        name="unused-dim",
        headline="dim `{name}` is not used",
        label="not used",
        reason="",
        help="remove it",
        severity=W,
        values={"name": "the dim"},
        story="A dim that nothing mentions may be a misspelt one.",
        bad="dim D = 8, E = 4\nencoder F(x: [D]) -> [D] { return x }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { return x }",
    ),
    Entry(
        code="REPW110",
        name="assumed-claim",
        headline="`{claim}` of `{owner}` is assumed, not proved",
        label="assumed",
        reason="it is tested by `repc verify` alone",
        help="prove it, or keep it listed",
        severity=W,
        values={"claim": "the claim", "owner": "the declaration"},
        story="`assume` is an axiom. Every report of what depends on it lists it.",
        bad="dim T: seq\nencoder F(x: [T], i: [T] of T) -> [T] assume causal(T) { y[t] = x[i[t]]  return y }",
        good="dim T: seq\nencoder F(x: [T]) -> [T] causal(T) { return x }",
    ),
    Entry(
        code="REPW113",
        name="claim-not-decided",
        headline="whether `{owner}` is {claim} is not decided by this version",
        label="neither proved nor refuted",
        reason="proofs of symmetries and of strict causality are not there yet",
        help="keep it as a statement to the reader, or write `assume {claim}`",
        severity=W,
        values={"claim": "the claim", "owner": "the declaration"},
        story="A claim that is not proved is never taken for proved. Until its proof exists the compiler says so.",
        bad="dim N: set, D = 8\nencoder F(x: [N, D]) -> [D] invariant(S(N)) { return mean(x, over: N) }",
        good="dim N: set, D = 8\nencoder F(x: [N, D]) -> [D] { return mean(x, over: N) }",
    ),
    Entry(
        code="REPW111",
        name="unused-parameter",
        headline="`{name}` of `{owner}` is not used",
        label="not used",
        reason="",
        help="remove it",
        severity=W,
        values={"name": "the parameter", "owner": "the declaration"},
        story="A parameter that the body ignores suggests to callers that it matters.",
        bad="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x }",
        good="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x + y }",
    ),
    Entry(
        code="REPW112",
        name="term-switched-off",
        headline="the term `{name}` has factor 0",
        label="switched off",
        reason="",
        help="remove it, or give it a weight",
        severity=W,
        values={"name": "the term"},
        story="A weight of zero switches a term off: what only it reaches is not trained. In a spec that is worth "
        "saying; in an experiment it is one of the points.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  minimize n = 0 * mean(f(d.x)^2)  optimizer: sgd(rate: 0.1) }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  minimize n = 0.1 * mean(f(d.x)^2)  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REPW114",
        name="constraint-not-kept",
        headline="training does not keep `{name}` {constraint} yet",
        label="may leave its set",
        reason="this version neither starts the parameter in the set nor projects it back after a step",
        help="normalise it where it is used, as in `l2norm(w, over: D)`",
        severity=W,
        values={"name": "the parameter", "constraint": "the set it should stay in"},
        story="A constraint of a parameter is part of its type. Until training keeps it, the compiler says so.",
        bad="dim D = 4, C = 3\nencoder F(x: [D]) -> [C] {\n  param w: [C, D] on sphere(D) = normal()\n"
        "  y[c] = sum[d] w[c, d] * x[d]\n  return y\n}",
        good="dim D = 4, C = 3\nencoder F(x: [D]) -> [C] {\n  param w: [C, D] = normal()\n  u = l2norm(w, over: D)\n"
        "  y[c] = sum[d] u[c, d] * x[d]\n  return y\n}",
    ),
)
