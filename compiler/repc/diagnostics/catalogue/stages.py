"""Faults of laws that are declarations, of sources made of sources, and of stages."""

from __future__ import annotations

from repc.diagnostics.entry import Entry

_TRAIN = (
    "use std.opt (sgd)\nuse std.data (digits, bytes, split, buffer, pick)\nuse std.nn (linear)\ndim B: batch, P = 64\n"
)

ENTRIES = (
    Entry(
        code="REP0440",
        name="law-does-not-draw",
        headline="`{name}` draws nothing",
        reason="what stands after `~` is a law: one of the built-in ones, or a declaration with draws in its body",
        help="bind its value with `=`",
        values={"name": "the declaration"},
        story="A value that is the same every time is no draw; `~` would say that it is random.",
        bad="dim D = 4\nencoder Same(x: [D]) -> [D] { return 2 * x }\n"
        "encoder F(x: [D]) -> [D] { y ~ Same(x)  return y }",
        good="dim D = 4\nencoder Same(x: [D]) -> [D] { return 2 * x }\n"
        "encoder F(x: [D]) -> [D] { y = Same(x)  return y }",
    ),
    Entry(
        code="REP0441",
        name="law-owns",
        headline="`{name}` owns parameters or cells, so it is no law",
        reason="a law is made of draws and of values; a block has a name and is applied with `=`",
        help="name the block, and bind what it gives with `=`",
        values={"name": "the declaration"},
        story="`x ~ law(y)` leaves nothing behind that a name could own; parameters need a block.",
        bad="use std.nn (linear)\ndim D = 4\n"
        "encoder Mix(x: [D]) -> [D] { e: [D] ~ normal(0, 1)  return linear(x, D -> D) + e }\n"
        "encoder F(x: [D]) -> [D] { y ~ Mix(x)  return y }",
        good="use std.nn (linear)\ndim D = 4\n"
        "encoder Mix(x: [D]) -> [D] { e: [D] ~ normal(0, 1)  return linear(x, D -> D) + e }\n"
        "encoder F(x: [D]) -> [D] { y = Mix(x)  return y }",
    ),
    Entry(
        code="REP0442",
        name="law-without-option",
        headline="`{option}` cannot be said of `{name}`",
        reason="the draws of a declaration say themselves how far they reach and what they are in evaluation",
        help="write `{option}` at the draws inside `{name}`",
        values={"name": "the declaration", "option": "its law"},
        story="A declaration may draw several values; each has its own `once` and `eval`.",
        bad="use std.data (jitter)\ndim D = 4\nencoder F(x: [D]) -> [D] { y ~ jitter(x) once  return y }",
        good="use std.data (jitter)\ndim D = 4\nencoder F(x: [D]) -> [D] { y ~ jitter(x)  return y }",
    ),
    Entry(
        code="REP0443",
        name="sources-differ",
        headline="these sources cannot be joined: `{name}` is {left} in one and {right} in the other",
        reason="`a + b` holds the samples of both, so that a field is one type in all of them",
        help="join sources whose samples are alike, such as two parts of one source",
        values={"name": "the field", "left": "another type", "right": "another type"},
        story="The samples of one source follow those of the other under the names that both have.",
        bad=_TRAIN + "train Fit { data a = digits(), b = bytes(length: 8), both = a + b\n"
        "  model f = linear(P -> P)  minimize e = mean(f(a.x))  optimizer: sgd(rate: 0.1) }",
        good=_TRAIN + "train Fit { data a = digits(), b = digits(), both = a + b\n"
        "  model f = linear(P -> P)  minimize e = mean(f(both.x))  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0444",
        name="part-expected",
        headline="which part of `{name}`?",
        reason="a part of a source is named by a number that is known while compiling",
        help="write `{name}[0]`, or `for t in {name} {{ .. }}` and `{name}[t]` inside",
        values={"name": "the source"},
        story="Samples of a part are read by the loop, before anything is computed.",
        bad=_TRAIN
        + "train Fit { data img = digits(), tasks = split(digits(), by: label, sizes: (5, 5)), d = tasks[img.label]\n"
        "  model f = linear(P -> P)  minimize e = mean(f(d.x))  optimizer: sgd(rate: 0.1) }",
        good=_TRAIN + "train Fit { data tasks = split(digits(), by: label, sizes: (5, 5)), d = tasks[0]\n"
        "  model f = linear(P -> P)  minimize e = mean(f(d.x))  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0445",
        name="store-in-a-step",
        headline="`{name}` is filled in every step",
        reason="a store of samples changes between stages, where nothing is drawn from it",
        help="write it in `at end {{ .. }}` or `at start {{ .. }}`",
        values={"name": "the store"},
        story="The order of minibatches is one of the samples that a source has while its stage runs.",
        bad=_TRAIN + "train Fit { data d = digits()  state bank = buffer(50, like: d)  model f = linear(P -> P)\n"
        "  minimize e = mean(f(d.x))  optimizer: sgd(rate: 0.1)  bank := pick(d, per_class: 5) }",
        good=_TRAIN + "train Fit { data d = digits()  state bank = buffer(50, like: d)  model f = linear(P -> P)\n"
        "  minimize e = mean(f(d.x))  optimizer: sgd(rate: 0.1)  at end { bank := pick(d, per_class: 5) } }",
    ),
)
