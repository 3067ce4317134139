"""Faults of laws that are declarations, of sources made of sources, and of stages."""

from __future__ import annotations

from repc.diagnostics.entry import Entry

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
)
