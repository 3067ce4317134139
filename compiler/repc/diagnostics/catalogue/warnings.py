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
        code="REPW102",
        name="unused-value",
        headline="`{name}` is not used",
        label="computed for nothing",
        reason="",
        help="remove it, or read it as a site",
        severity=W,
        values={"name": "the value"},
        story="A value that neither the result nor a site read needs is usually a slip: the next line was to use it.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x)  return x }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x)  return y }",
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
        code="REPW104",
        name="two-readings",
        headline="`{text}` is read as {reading}, not as {other}",
        label="read as {reading}",
        reason="the body of an axis operator is the rest of its product",
        help="write parentheses for either: {spelling}",
        severity=W,
        values={
            "text": "the expression",
            "reading": "what it means",
            "other": "what it looks like",
            "spelling": "both spellings",
        },
        story="`sum[d](x[d])^2` is a sum of squares, though the parentheses look like those of a call.",
        bad="dim D = 8\nencoder F(x: [D]) -> [] { return sum[d](x[d])^2 }",
        good="dim D = 8\nencoder F(x: [D]) -> [] { return sum[d] (x[d]^2) }",
    ),
    Entry(
        code="REPW105",
        name="collapse",
        headline="a constant {model} minimises `{term}`, and nothing prevents it",
        label="minimal for a constant",
        reason="{reason}",
        help="add a term or a structure that a constant does not satisfy: negatives, variance, a target with a "
        "predictor",
        severity=W,
        values={"model": "the encoder", "term": "the objective", "reason": "why"},
        story="Agreement of two views alone is reached by ignoring the input. Contrast, variance terms, targets with "
        "stop-gradient or whitening exist to prevent that.",
        bad="dim B: batch, D = 8\nobjective L(z: [B, D], y: [B, D]) { minimize mean[b, d] (z[b, d] - y[b, d])^2 }",
        good="dim B: batch, D = 8\nobjective L(z: [B, D], y: [B, D]) { "
        "minimize mean[b, d] (z[b, d] - y[b, d])^2  minimize mean[d] relu(1 - sqrt(var[b] z[b, d] + 1e-4)) }",
    ),
    Entry(
        code="REPW106",
        name="not-defined-at",
        headline="`{operation}` is not defined at {value}, which its argument can reach",
        label="may be {value}",
        reason="{reason}",
        help="write `{spelling}`",
        severity=W,
        values={
            "operation": "the operation",
            "value": "the point",
            "reason": "how it is reached",
            "spelling": "a form that is safe",
        },
        story="A logarithm of zero, a root whose gradient at zero is infinite, a division by a sum that can vanish: "
        "they end training after thousands of steps.",
        bad="dim D = 8\nencoder F(x: [D]) -> [] { return sqrt(sum[d] x[d]^2) }",
        good="dim D = 8\nencoder F(x: [D]) -> [] { return sqrt(sum[d] x[d]^2 + 1e-8) }",
    ),
    Entry(
        code="REPW107",
        name="large-intermediate",
        headline="this needs a value of {size} entries",
        label="{size} entries",
        reason="it has {count} axes that grow with the data",
        help="{advice}",
        severity=W,
        values={"size": "the size as a formula", "count": "how many such axes", "advice": "another way to say it"},
        story="`repc explain` prints the largest intermediate as a formula. A product of three batch-sized axes rarely "
        "fits in memory.",
        bad="dim B: batch, T: seq, D = 8\n"
        "encoder F(x: [B, T, D]) -> [B, T] { y[b, t] = max[c, s] (sum[d] x[b, t, d] * x[c, s, d])  return y }",
        good="dim B: batch, T: seq, D = 8\n"
        "encoder F(x: [T, D]) -> [T] { y[t] = max[s] (sum[d] x[t, d] * x[s, d])  return y }",
    ),
    Entry(
        code="REPW108",
        name="shared-in-fresh-repeat",
        headline="the block `{name}` is shared by all turns of this `repeat`",
        label="one block for all turns",
        reason="it is made outside; what is made inside is new in every turn",
        help="pass a declaration instead, or write `repeat n shared`",
        severity=W,
        values={"name": "the block"},
        story="A block passed as a block argument is one block wherever it is applied.",
        bad="use std.nn (linear)\ndim D = 8\n"
        "encoder F(x: [D]) -> [D] { f = linear(D -> D)  repeat 3 { x = f(x) } return x }",
        good="use std.nn (linear)\ndim D = 8\nencoder F(x: [D]) -> [D] { repeat 3 { x = linear(x, D -> D) } return x }",
    ),
    Entry(
        code="REPW109",
        name="memory-unstable",
        headline="memory `{name}` may grow without bound",
        label="not bounded",
        reason="{reason}",
        help="{advice}",
        severity=W,
        values={"name": "the memory", "reason": "the condition that is not proved", "advice": "what would bound it"},
        story="A delta rule is stable while rate |k|^2 stays below 2; retention above 1 grows. Normalised keys and a "
        "rate in (0, 1) satisfy both.",
        bad="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D], b: [T]) -> [T, D] "
        "{ regressor: linear  loss: squared  optimizer: sgd(rate: b) }",
        good="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D], b: [T] in (0, 1)) -> [T, D] "
        "{ regressor: linear  loss: squared  optimizer: sgd(rate: b)  keys: l2norm }",
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
        bad="dim T: seq\nencoder F(x: [T]) -> [T] assume causal(T) { return x }",
        good="dim T: seq\nencoder F(x: [T]) -> [T] causal(T) { return x }",
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
)
