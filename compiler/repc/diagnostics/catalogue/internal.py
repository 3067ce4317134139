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
)
