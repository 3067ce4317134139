"""Memories: REP05xx."""

from repc.diagnostics.entry import Entry

SIGNATURE = "dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D], b: [T] in (0, 1)) -> [T, D]"

ENTRIES = (
    Entry(
        code="REP0501",
        name="unknown-memory-field",
        headline="a memory has no field `{name}`",
        label="no such field",
        reason="its fields are {known}",
        help="choose one of them",
        suggest="did you mean `{suggestion}`?",
        values={"name": "the field as written", "known": "the fields there are"},
        story="A memory is a record of choices: weights, regressor, optimizer, loss, retention and a few switches. "
        "All have defaults; `repc explain` prints every one with its value.",
        bad=SIGNATURE + " { regresor: linear  optimizer: sgd(rate: b) }",
        good=SIGNATURE + " { regressor: linear  optimizer: sgd(rate: b) }",
    ),
    Entry(
        code="REP0504",
        name="memory-roles",
        headline="memory `{name}` has no parameter `{role}`",
        label="`{role}` is missing",
        reason="a memory is written with pairs (k, v) and read at q",
        help="declare `{role}: {shape}`",
        values={"name": "the memory", "role": "q, k or v", "shape": "the axes it would have"},
        story="`q`, `k` and `v` are the query, key and value; further parameters are coefficients that fields mention.",
        bad="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D]) -> [T, D] { regressor: linear }",
        good="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] { regressor: linear }",
    ),
    Entry(
        code="REP0508",
        name="memory-not-lowered",
        headline="no algorithm here runs memory `{name}`: {reason}",
        label="cannot be lowered",
        reason="its normal form is {form}",
        help="choose other fields, or run the reference with `repc verify`",
        values={"name": "the memory", "reason": "what stands against it", "form": "its normal form"},
        story="The reference semantics covers every memory; a fast algorithm exists for the classes that "
        "`repc explain` lists.",
        bad=SIGNATURE + " { regressor: mlp(hidden: 16)  algorithm: chunked }",
        good=SIGNATURE + " { regressor: linear  optimizer: sgd(rate: b)  algorithm: chunked }",
    ),
)
