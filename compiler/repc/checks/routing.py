"""Where gradients go: which parameters the terms of a train reach (LANGUAGE.md 6.6).

The walk is coarse towards "reached": of a call it takes all results together, of a loop all turns. What it says is not
reached has no path at all, so a fault here is certain.
"""

from __future__ import annotations

from rep_grammar.record import Record
from repc.diagnostics import Fault
from repc.ir import Graph, Node, Program, Step
from repc.ops import REGISTRY
from repc.ops.fields import ZERO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rep_grammar.spans import Span


class Reached(Record):
    """What has a gradient: parameters by path, and inputs by port."""

    slots: frozenset[str]
    ports: frozenset[str]


NOTHING = Reached(frozenset(), frozenset())


class Routes:
    """Reaches in a program; those of a graph are found once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known: dict[str, Reached] = {}
        self.held: dict[str, frozenset[str]] = {}

    def into(self, key: str) -> Reached:
        """What any result of a graph reaches."""
        if key not in self.known:
            self.known[key] = NOTHING  # a graph that applies itself adds nothing new to itself
            graph = self.program.graphs[key]
            named = [node for _, node in (*graph.results, *graph.sites)]
            self.known[key] = self.from_nodes(graph, named)
        return self.known[key]

    def from_nodes(self, graph: Graph, names: Iterable[str]) -> Reached:
        """What some nodes of a graph reach."""
        nodes = graph.by_name()
        # `held(f)` stands at the path of `f`: where both are applied, a path may be the one that moves.
        still = {block.path for block in graph.blocks if block.treatment}
        still -= {block.path for block in graph.blocks if not block.treatment}
        slots: set[str] = set()
        ports: set[str] = set()
        pending = [name for name in names if name in nodes]
        done: set[str] = set()
        while pending:
            node = nodes[pending.pop()]
            if node.name in done or not carries(node):
                continue
            done.add(node.name)
            if node.kind == "slot":
                slots.add(node.attrs["path"])
            elif node.kind == "input":
                ports.add(node.attrs["port"])
            elif node.kind == "apply":
                self.called(node, still, slots, pending)
            elif node.kind != "prim" or REGISTRY[node.attrs["op"]].grad != ZERO:
                pending.extend(node.args)
                for inner, label in bodies(node):
                    found = self.into(inner)
                    slots.update(f"{label}.{path}" if label else path for path in found.slots)
        return Reached(frozenset(slots), frozenset(ports))

    def called(self, node: Node, still: set[str], slots: set[str], pending: list[str]) -> None:
        """An application: the arguments whose ports count, and the parameters of its block."""
        found = self.into(node.attrs["graph"])
        block = node.attrs["block"]
        passed = dict(node.attrs.get("blocks", ()))
        for path in found.slots:
            head, _, rest = path.partition(".")
            if head in passed:
                if passed[head] not in still:
                    slots.add(f"{passed[head]}.{rest}")
            elif block not in still:
                slots.add(f"{block}.{path}" if block else path)
        ports = node.attrs["ports"]
        pending.extend(
            arg for port, arg in zip(ports, node.args, strict=False) if port in found.ports or port.startswith("slot:")
        )
        pending.extend(node.args[len(ports) :])

    def owned(self, key: str) -> frozenset[str]:
        """Paths of the trained parameters that a graph owns."""
        if key not in self.held:
            self.held[key] = frozenset()
            self.held[key] = frozenset(self.parameters(self.program.graphs[key]))
        return self.held[key]

    def parameters(self, graph: Graph) -> Iterator[str]:
        """Paths of the trained parameters of a graph and of the blocks in it."""
        for node in graph.nodes:
            if node.kind == "slot" and node.attrs.get("trained", True):
                yield node.attrs["path"]
            for inner, label in bodies(node):
                yield from (f"{label}.{path}" if label else path for path in self.owned(inner))
        for block in graph.blocks:
            if not block.treatment:
                yield from (f"{block.path}.{path}" for path in self.owned(block.graph))


def carries(node: Node) -> bool:
    """Whether a value can have a gradient at all."""
    return node.type.kind.name not in {"bool", "int", "index"}


def bodies(node: Node) -> Iterator[tuple[str, str]]:
    """The graphs inside a loop, a branch or a derivative, and the segment that they add to paths."""
    for name in ("body", "then", "other", "graph"):
        inner = node.attrs.get(name)
        if node.kind in {"loop", "branch", "grad"} and isinstance(inner, str):
            yield inner, node.attrs.get("label", "") if node.kind == "loop" else ""


def check(program: Program) -> list[Fault]:
    """Trains whose terms move nothing, and parameters that no term reaches."""
    routes = Routes(program)
    return [fault for step in program.steps.values() for fault in train(routes, step)]


def train(routes: Routes, step: Step) -> Iterator[Fault]:
    """Faults of one train."""
    parts = step.stages or (step,)
    reached: set[str] = set()
    objectives = False
    for part in parts:
        for player in part.players:
            if player.optimizers and not player.terms:
                yield Fault("nothing-to-minimize", player.optimizers[0].origin.span, {"name": player.name})
            for term in player.terms:
                objectives = True
                found = routes.from_nodes(part.graph, [term.node]).slots
                reached |= found
                if switched_off(part, term.node):
                    yield Fault("term-switched-off", term.origin.span, {"name": term.name})
                elif not found:
                    reason = "no path without `sg` leads from it to a parameter"
                    yield Fault("term-without-gradient", term.origin.span, {"name": term.name, "reason": reason})
    if not objectives:
        return
    for part in parts[:1]:
        yield from unreached(routes, part, reached, [frozen for one in parts for frozen, _ in one.frozen])


def switched_off(step: Step, name: str) -> bool:
    """Whether a term is a product with the number 0, as `weight * e` is where `weight` is 0."""
    node = step.graph.node(name)
    if node.kind == "const":
        return bool(node.attrs["value"] == 0)
    factors = node.kind == "prim" and node.attrs["op"] == "mul"
    return factors and any(switched_off(step, arg) for arg in node.args)


def unreached(routes: Routes, step: Step, reached: set[str], frozen: list[str]) -> Iterator[Fault]:
    """Blocks, or single parameters of them, that no term reaches; frozen ones may stay as they are."""
    for block in step.graph.blocks:
        if block.treatment:
            continue
        own = {f"{block.path}.{path}" for path in routes.owned(block.graph)}
        lost = {path for path in own - reached if not any(under(path, held) for held in frozen)}
        if not lost:
            continue
        said = [block.path] if lost == own else sorted(lost)
        names = ", ".join(f"`{name}`" for name in said[:3]) + (" .." if len(said) > 3 else "")
        reason = "no path of operations with a gradient leads from a term to it"
        yield Fault("parameter-unreached", span_of(step, block.path), {"parameters": names, "reason": reason})


def under(path: str, owner: str) -> bool:
    """Whether a path is `owner` or inside it."""
    return path == owner or path.startswith(f"{owner}.")


def span_of(step: Step, path: str) -> Span:
    """Where a block of a train is made."""
    return next(block.origin.span for block in step.graph.blocks if block.path == path)
