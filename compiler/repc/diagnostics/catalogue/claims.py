"""Claims and checks: REP08xx."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0802",
        name="claim-unknown",
        headline="it is not proved that `{owner}` is {claim}",
        label="claimed here",
        reason="{reason}",
        help="state the hypothesis that is missing, {hypothesis}, or write `assume {claim}`",
        values={
            "owner": "the declaration",
            "claim": "the claim",
            "reason": "where the proof stops",
            "hypothesis": "what would complete it",
        },
        story="Unknown is never taken for fine. `assume` makes the claim an axiom: it is listed in every report and "
        "tested numerically by `repc verify`.",
        bad="dim T: seq\nencoder F(x: [T], i: [T] of T) -> [T] causal(T) { y[t] = x[i[t]]  return y }",
        good="dim T: seq\nencoder F(x: [T], i: [T] of T) -> [T] assume causal(T) { y[t] = x[i[t]]  return y }",
    ),
    Entry(
        code="REP0803",
        name="future-leak",
        headline="output {output} of `{owner}` sees input {input}: not {claim}",
        label="claimed here",
        reason="the path is {path}",
        help="mask or shift the operation at `{where}`",
        values={
            "output": "a position of the output",
            "owner": "the declaration",
            "input": "a later position of the input",
            "claim": "the claim",
            "path": "the operations between",
            "where": "the operation that looks ahead",
        },
        story="`causal(T)` says that output t depends on inputs up to t. The shortest path that breaks it is shown.",
        bad="dim T: seq\nencoder F(x: [T]) -> [T] causal(T) { y[t in T] = x[t + 1; outside: 0]  return y }",
        good="dim T: seq\nencoder F(x: [T]) -> [T] causal(T) { y[t in T] = x[t - 1; outside: 0]  return y }",
    ),
    Entry(
        code="REP0804",
        name="sample-leak",
        headline="samples of axis `{axis}` see each other in `{owner}`",
        label="claimed independent",
        reason="the path is {path}",
        help="normalise along another axis, or drop the claim",
        values={"axis": "the axis", "owner": "the declaration", "path": "the operations between"},
        story="`independent(B)` says that one sample's output depends on that sample alone. Statistics over the batch "
        "break it.",
        bad="dim B: batch, D = 8\nencoder F(x: [B, D]) -> [B, D] independent(B) { return x - mean(x, over: B) }",
        good="dim B: batch, D = 8\nencoder F(x: [B, D]) -> [B, D] independent(B) { return x - mean(x, over: D) }",
    ),
    Entry(
        code="REP0806",
        name="unknown-claim",
        headline="there is no claim `{name}`",
        label="no such claim",
        reason="claims are {known}",
        help="choose one of {known}",
        suggest="did you mean `{suggestion}`?",
        values={"name": "the claim as written", "known": "the claims there are"},
        story="Claims stand behind the result type, separated by spaces.",
        bad="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [T, D] casual(T) { return x }",
        good="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [T, D] causal(T) { return x }",
    ),
    Entry(
        code="REP0807",
        name="claim-does-not-apply",
        headline="`{claim}` says nothing about `{owner}`: {reason}",
        label="claimed here",
        reason="a claim names axes and groups that the signature has",
        help="name an axis of {shape}",
        values={"claim": "the claim", "owner": "the declaration", "reason": "what is missing", "shape": "its axes"},
        story="A claim about an axis that neither an input nor the result has would hold trivially and mislead.",
        bad="dim T: seq, D = 8\nencoder F(x: [D]) -> [D] causal(T) { return x }",
        good="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [T, D] causal(T) { return x }",
    ),
    Entry(
        code="REP0808",
        name="requirement-fails",
        headline="the requirement `{fact}` does not hold",
        label="required here",
        reason="{reason}",
        help="change what it speaks of, or the requirement",
        values={"fact": "the requirement", "reason": "what is the case instead"},
        story="`require` may speak of parameters, costs and dependence; what is static is proved, the rest is a test "
        "of `repc verify`.",
        bad="use std.nn (linear)\ndim D = 8\nencoder F(x: [D]) -> [D] { return linear(x, D -> D) }\n"
        "require params(F) == 1",
        good="use std.nn (linear)\ndim D = 8\nencoder F(x: [D]) -> [D] { return linear(x, D -> D) }\n"
        "require params(F) == D * D + D",
    ),
)
