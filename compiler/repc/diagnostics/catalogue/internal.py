"""Faults of ours: REP99xx."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP9901",
        name="internal-fault",
        headline="{what}",
        label="while working on this",
        reason="this is a fault of repc, not of the spec",
        help="please report it with the spec; `--passes none` may avoid it",
        values={"what": "what happened, in a few words"},
        story="Something that the compiler takes for granted was not so. The spec may well be right.",
        bad="repc compile lm.rep      # stops with REP9901",
        good="repc compile lm.rep --passes none",
    ),
    Entry(
        code="REP9902",
        name="invariant-broken",
        headline="the graph of `{owner}` breaks invariant {number} after `{stage}`",
        label="from this place",
        reason="{reason}",
        help="please report it with the spec; `--passes none` may avoid it",
        values={"owner": "the declaration", "number": "the invariant", "stage": "the pass", "reason": "what is wrong"},
        story="After every pass the graph is checked. A pass that breaks an invariant is a fault of ours, and nothing "
        "is generated from such a graph.",
        bad="repc compile lm.rep      # stops with REP9902",
        good="repc compile lm.rep --passes none",
    ),
    Entry(
        code="REP9903",
        name="not-supported-yet",
        headline="{what} is part of the language, but not of this version",
        label="not yet",
        reason="{reason}",
        help="{advice}",
        values={"what": "the construct", "reason": "which stage lacks it", "advice": "what works instead"},
        story="The language is larger than what this version lowers. Such a construct is refused with its place, never "
        "ignored or half done.",
        bad="train X { solve d: [] in ball(1) maximize f(d) by sgd(rate: 1, steps: 7) }",
        good="train X { d = f(x) }",
    ),
)
