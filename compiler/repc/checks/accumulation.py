"""Terms over parts of a batch: a mean over samples may be computed in parts, anything else may not."""

from __future__ import annotations

from repc.checks.independent import Apart
from repc.checks.reach import Leak
from repc.diagnostics import Fault
from repc.dims import Symbol
from repc.ir import Program, Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(program: Program) -> list[Fault]:
    """Terms whose value over micro-batches is not their value over the batch."""
    return [fault for step in program.steps.values() for part in (step, *step.stages) for fault in train(program, part)]


def train(program: Program, step: Step) -> Iterator[Fault]:
    """Faults of one train, which may be a stage."""
    count = dict(step.settings).get("accumulate", 1)
    if not isinstance(count, int) or count < 2:
        return
    nodes = step.graph.by_name()
    for axis in dict.fromkeys(source.batch for source in step.sources):
        ports = {
            nodes[name].attrs["port"]: axis for name in step.graph.inputs if nodes[name].type.axis(axis) is not None
        }
        walk = Apart(program, step.graph, ports)
        walk.results()
        for term in (term for player in step.players for term in player.terms):
            if not separable(step, walk, term.node, axis):
                values = {"name": term.name, "count": count}
                yield Fault("accumulation-changes-objective", term.origin.span, values)


def separable(step: Step, walk: Apart, name: str, axis: Symbol) -> bool:
    """Sums and multiples of means over the batch of what keeps its samples apart."""
    node = walk.nodes[name]
    if walk.seen[name] is None:
        return True
    op = node.attrs["op"] if node.kind == "prim" else ""
    if op in {"add", "sub", "neg"}:
        return all(separable(step, walk, arg, axis) for arg in node.args)
    if op in {"mul", "div"}:
        apart = [arg for arg in node.args if walk.seen[arg] is not None]
        return len(apart) == 1 and (op == "mul" or apart[0] == node.args[0]) and separable(step, walk, apart[0], axis)
    if op == "mean" and not node.attrs.get("masked"):
        return averaged(step, walk, node.args[0], node.attrs["over"], axis)
    return False


def averaged(step: Step, walk: Apart, name: str, over: tuple[Symbol, ...], axis: Symbol) -> bool:
    """Whether the mean of a value over some axes is separable: a mean of a sum is the sum of means."""
    seen, node = walk.seen[name], walk.nodes[name]
    if not isinstance(seen, Leak):
        return seen is None or seen in over
    if node.type.axis(axis) is None:
        return separable(step, walk, name, axis)
    added = node.kind == "prim" and node.attrs["op"] in {"add", "sub"}
    return added and all(averaged(step, walk, arg, over, axis) for arg in node.args)
