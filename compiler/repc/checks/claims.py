"""Claims of declarations, proved or refuted (LANGUAGE.md 8)."""

from __future__ import annotations

from repc.checks.causal import Walk
from repc.checks.independent import mixed
from repc.checks.reach import Leak, Reach
from repc.diagnostics import Fault, nearest
from repc.dims import Symbol
from repc.ir import ClaimNote, Graph, Node, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.checks.reach import Fields


KNOWN = ("causal", "strictly_causal", "independent", "equivariant", "invariant", "gauge", "invertible")
ALONG = ("causal", "strictly_causal", "independent")


def check(program: Program) -> list[Fault]:
    """Faults of the claims written on entry declarations: refuted, not proved, or about nothing.

    What this version cannot decide (symmetries, `strictly_causal`, claims with options) is said in a warning: no claim
    passes in silence without a proof.
    """
    return [
        fault
        for name, key in program.entries.items()
        for claim in program.graphs[key].claims
        if claim.name != "require" and (fault := verdict(program, name, program.graphs[key], claim)) is not None
    ]


def verdict(program: Program, name: str, graph: Graph, claim: ClaimNote) -> Fault | None:
    """None where the claim is proved."""
    said = f"{claim.name}({', '.join(map(str, claim.args))})" if claim.args else claim.name
    if claim.name not in KNOWN:
        values = {"name": claim.name, "known": ", ".join(f"`{known}`" for known in KNOWN)}
        return Fault("unknown-claim", claim.span, values, suggestion=nearest(claim.name, KNOWN))
    if claim.name in ALONG and len(claim.args) == 1:
        axis = claim.args[0]
        if not isinstance(axis, Symbol) or not mentions(graph, axis):
            shape = ", ".join(map(str, dict.fromkeys(a.label for node in ports(graph) for a in node.type.axes)))
            values = {"claim": said, "owner": name, "reason": f"it has no axis {axis}", "shape": f"[{shape}]"}
            return Fault("claim-does-not-apply", claim.span, values)
        if claim.name == "causal":
            return causal(program, name, graph, claim, axis)
        if claim.name == "independent":
            return independent(program, name, graph, claim, axis)
    if claim.assumed:
        return Fault("assumed-claim", claim.span, {"claim": said, "owner": name})
    return Fault("claim-not-decided", claim.span, {"claim": said, "owner": name})


def ports(graph: Graph) -> list[Node]:
    """Inputs and results."""
    nodes = graph.by_name()
    return [nodes[name] for name in (*graph.inputs, *(node for _, node in graph.results))]


def mentions(graph: Graph, axis: Symbol) -> bool:
    """Whether an input or a result has an axis."""
    kinds = [kind for node in ports(graph) for kind in (node.type, *(field for _, field in node.type.fields))]
    return any(kind.axis(axis) is not None for kind in kinds)


def independent(program: Program, name: str, graph: Graph, claim: ClaimNote, axis: Symbol) -> Fault | None:
    """None where output t provably depends on position t of the inputs alone."""
    leak = mixed(program, graph, axis)
    if leak is None:
        return None
    if claim.assumed and not leak.certain:
        return Fault("assumed-claim", claim.span, {"claim": f"independent({axis})", "owner": name})
    place = (leak.origin.span, f"{leak.what} is here")
    if leak.certain:
        return Fault("sample-leak", claim.span, {"axis": str(axis), "owner": name, "path": leak.what}, (place,))
    said = f"independent({axis})"
    reason = f"the proof stops at {leak.what}"
    values = {"owner": name, "claim": said, "reason": reason, "hypothesis": f"`assume {said}`, which is then tested"}
    return Fault("claim-unknown", claim.span, values, (place,))


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
    said = f"causal({axis})"
    if claim.assumed and not leak.certain:
        return Fault("assumed-claim", claim.span, {"claim": said, "owner": name})
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
