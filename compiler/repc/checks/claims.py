"""Claims of declarations, proved or refuted (LANGUAGE.md 8)."""

from __future__ import annotations

from repc.checks.causal import Walk
from repc.checks.reach import Leak, Reach
from repc.diagnostics import Fault
from repc.dims import Symbol
from repc.ir import ClaimNote, Graph, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.checks.reach import Fields


def check(program: Program) -> list[Fault]:
    """Every written claim `causal(A)` of the entry declarations that is not proved.

    Claims of symmetry are not decided here: nothing says that they hold. Claims of an `extern` are axioms.
    """
    found: list[Fault] = []
    for name, key in program.entries.items():
        graph = program.graphs[key]
        if graph.keyword == "extern":
            continue
        for claim in graph.claims:
            if claim.name == "causal" and len(claim.args) == 1 and isinstance(claim.args[0], Symbol):
                fault = causal(program, name, graph, claim, claim.args[0])
                if fault is not None:
                    found.append(fault)
    return found


def causal(program: Program, name: str, graph: Graph, claim: ClaimNote, axis: Symbol) -> Fault | None:
    """None where output t provably depends on inputs up to t alone."""
    nodes = graph.by_name()
    inputs: dict[str, Reach | Leak | Fields] = {}
    for own in graph.inputs:
        node = nodes[own]
        if node.type.axis(axis) is not None:
            inputs[node.attrs["port"]] = Reach(frozenset({axis}))
    for _, value in Walk(program, graph, inputs).results():
        if isinstance(value, Leak):
            return refused(name, claim, axis, value)
        if not value.labels <= {axis}:
            other = sorted(value.labels - {axis})[0]
            leak = Leak(graph.origin, f"axis {other} of the result holds positions of {axis}", False)
            return refused(name, claim, axis, leak)
    return None


def refused(name: str, claim: ClaimNote, axis: Symbol, leak: Leak) -> Fault | None:
    """The fault of a claim, with the operation that looks ahead; an assumed claim may stay unproved."""
    if claim.assumed and not leak.certain:
        return None
    said = f"causal({axis})"
    place = (leak.origin.span, f"{leak.what} is read here")
    if leak.certain:
        values = {
            "output": axis.name.lower(),
            "owner": name,
            "input": f"{axis.name.lower()} + 1",
            "claim": said,
            "path": leak.what,
            "where": leak.what.replace("`", ""),
        }
        return Fault("future-leak", claim.span, values, (place,))
    reason = f"the proof stops at {leak.what}"
    values = {"owner": name, "claim": said, "reason": reason, "hypothesis": f"`assume {said}`, which is then tested"}
    return Fault("claim-unknown", claim.span, values, (place,))
