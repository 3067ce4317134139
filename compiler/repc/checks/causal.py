"""Causality: a walk over a graph that follows which positions each value can see."""

from __future__ import annotations

from collections.abc import Mapping

from repc.checks.reach import FREE, NOW, Fields, Leak, Reach, product, renamed, union, without
from repc.dims import Dim, Symbol
from repc.ir import Graph, Node, Program, Ref
from repc.ops import REGISTRY
from repc.ops.classes import own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Value: TypeAlias = Reach | Leak | Fields

# Along these an output position sees what is not later than itself.
FORWARD = {"cumsum", "cumprod", "cummax"}
MASKING = {"softmax"}
ROUNDS = 8


class Walk:
    """One graph with known reaches of its inputs."""

    def __init__(self, program: Program, graph: Graph, inputs: Mapping[str, Value]) -> None:
        self.program = program
        self.graph = graph
        self.inputs = inputs
        self.nodes = graph.by_name()
        self.values: dict[str, Value] = {}
        # With conditions about, a sum over all positions may still see the early ones alone: no refutation then.
        self.masks = any(n.attrs["op"] == "where" or n.attrs.get("masked") for n in graph.nodes if n.kind == "prim")

    def run(self) -> dict[str, Value]:
        """Reach of every node."""
        for node in self.graph.nodes:
            self.values[node.name] = self.of(node)
        return self.values

    def args(self, node: Node) -> list[Reach | Leak]:
        """Reaches of the operands; a record counts as all of its fields."""
        made: list[Reach | Leak] = []
        for name in node.args:
            value = self.values[name]
            made.append(union([item for _, item in value.items]) if isinstance(value, Fields) else value)
        return made

    def of(self, node: Node) -> Value:
        if node.kind == "input":
            return self.inputs.get(node.attrs["port"], FREE)
        if node.kind in {"const", "slot", "read", "draw"}:
            return union(self.args(node))
        if node.kind == "prim":
            return self.prim(node)
        if node.kind == "memory":
            return self.memory(node)
        if node.kind == "apply":
            return self.apply(node)
        if node.kind == "loop":
            return self.loop(node)
        whole = union(self.args(node))
        return whole if isinstance(whole, Leak) or not whole.labels else Leak(node.origin, node.kind, False)

    # ---- primitives

    def prim(self, node: Node) -> Value:
        op = node.attrs["op"]
        args = self.args(node)
        if op == "field":
            value = self.values[node.args[0]]
            return value.get(node.attrs["name"]) if isinstance(value, Fields) else value
        if op == "record":
            return Fields(tuple(zip(node.attrs["names"], args, strict=True)))
        if op == "relabel":
            return renamed(args[0], dict(node.attrs["labels"]))
        if op == "diagonal":
            a, b = node.attrs["labels"]
            return renamed(args[0], {a: node.attrs["into"], b: node.attrs["into"]})
        if op == "contract":
            return self.summed(node, product(args), self.gone(node), frozenset())
        if op == "mul":
            return product(args)
        if op == "extern":
            return self.extern(node, union(args))
        if op == "div":
            made = union(args)
            first = args[0]
            return Reach(made.labels, first.zero) if isinstance(made, Reach) and isinstance(first, Reach) else made
        if op == "where":
            bounds = self.bounds(node.args[0])
            made = union(args)
            zero = isinstance(made, Reach) and self.is_zero(node.args[2])
            return Reach(made.labels, bounds) if zero and isinstance(made, Reach) else made
        if op in {"float", "int"} and self.nodes[node.args[0]].type.kind.name == "bool":
            made = args[0]
            return Reach(made.labels, self.bounds(node.args[0])) if isinstance(made, Reach) else made
        return self.structural(node, op, args)

    def structural(self, node: Node, op: str, args: list[Reach | Leak]) -> Value:
        """Ops that look along an axis, and all that do not."""
        over = node.attrs.get("over")
        if isinstance(over, tuple) and op not in FORWARD:
            return self.along(node, op, args, over)
        if op in FORWARD:
            return union(args)
        if op == "gather":
            return self.gather(node, args)
        if op in {"slice", "split"}:
            return self.kept(node, args[0], node.attrs["axis"], node.attrs["start"])
        if op == "pick":
            value = args[0]
            fine = isinstance(value, Leak) or node.attrs["axis"] not in value.labels
            return value if fine else Leak(node.origin, "a fixed position", False)
        if op == "pad":
            return args[0]
        if op == "concat":
            new = node.attrs["as"].label
            return union([renamed(a, {label: new}) for a, label in zip(args, node.attrs["along"], strict=True)])
        whole = union(args)
        if isinstance(whole, Leak) or not whole.labels & self.mixed(node, op):
            return whole
        return Leak(node.origin, f"`{op}`", False)

    def mixed(self, node: Node, op: str) -> frozenset[Symbol]:
        """Labels along which an op without a rule of its own may look anywhere: none where it is element-wise."""
        if REGISTRY[op].depends.rule is own:
            return frozenset()
        if op == "reshape":
            return frozenset(node.attrs["from"])
        return frozenset(label for name in node.args for label in self.nodes[name].type.labels)

    def kept(self, node: Node, value: Reach | Leak, axis: Symbol, start: Dim) -> Reach | Leak:
        """A part of an axis: positions move towards the front by `start`."""
        if isinstance(value, Leak) or axis not in value.labels or start == Dim.of(0):
            return value
        return Leak(node.origin, f"positions from {start} on, moved to the front", True)

    def along(self, node: Node, op: str, args: list[Reach | Leak], over: tuple[Symbol, ...]) -> Value:
        """Reductions and maps along axes."""
        masked = bool(node.attrs.get("masked", False))
        bounds = self.bounds(node.args[-1]) if masked else frozenset()
        made = union(args)
        if isinstance(made, Reach) and masked and len(args) == 2 and isinstance(args[0], Reach):
            made = Reach(made.labels, args[0].zero)
        if op == "shift":
            by = node.attrs["by"]
            late = isinstance(made, Reach) and over[0] in made.labels and isinstance(by, int) and by < 0
            return Leak(node.origin, "a shift towards the front", True) if late else union(args)
        keeps = [label for label in over if node.type.axis(label) is not None]
        if not keeps:
            zero_counts = op in {"sum", "any", "count"}
            if isinstance(made, Reach) and not zero_counts:
                made = Reach(made.labels)
            return self.summed(node, made, over, bounds)
        result = self.summed(node, made, over, bounds)
        if isinstance(result, Reach) and op in MASKING:
            return Reach(result.labels, bounds)
        return result

    def gone(self, node: Node) -> tuple[Symbol, ...]:
        """Labels that a contraction sums over."""
        labels = [label for name in node.args for label in self.nodes[name].type.labels]
        return tuple(dict.fromkeys(label for label in labels if label not in node.attrs["out"]))

    def summed(
        self, node: Node, value: Reach | Leak, over: tuple[Symbol, ...], bounds: frozenset[tuple[Symbol, Symbol]]
    ) -> Reach | Leak:
        for label in over:
            if isinstance(value, Leak):
                return value
            rest = without(value, label, bounds)
            if rest is None:
                return Leak(node.origin, f"`{node.attrs['op']}` over all of {label}", not self.masks)
            value = rest
        return value

    def is_zero(self, name: str) -> bool:
        node = self.nodes[name]
        return node.kind == "const" and node.attrs["value"] in (0, 0.0)

    # ---- orders of positions

    def bounds(self, name: str) -> frozenset[tuple[Symbol, Symbol]]:
        """Pairs (s, t) such that the condition holds only where position s is not later than position t."""
        node = self.nodes[name]
        if node.kind != "prim":
            return frozenset()
        op = node.attrs["op"]
        if op == "and":
            return self.bounds(node.args[0]) | self.bounds(node.args[1])
        if op == "or":
            return self.bounds(node.args[0]) & self.bounds(node.args[1])
        if op == "relabel":
            new = dict(node.attrs["labels"])
            return frozenset((new.get(s, s), new.get(t, t)) for s, t in self.bounds(node.args[0]))
        if op in {"transpose", "expand", "float"}:
            return self.bounds(node.args[0])
        if op in {"le", "lt"}:
            return self.order(node.args[0], node.args[1])
        if op in {"ge", "gt"}:
            return self.order(node.args[1], node.args[0])
        if op == "eq":
            return self.order(*node.args) | self.order(node.args[1], node.args[0])
        return frozenset()

    def order(self, low: str, high: str) -> frozenset[tuple[Symbol, Symbol]]:
        """`low <= high` of two positions."""
        first = self.nodes[low]
        above = self.above(high)
        if first.kind == "prim" and first.attrs["op"] == "iota" and above is not None:
            return frozenset({(first.attrs["axis"].label, above)})
        return frozenset()

    def above(self, name: str) -> Symbol | None:
        """The index that a whole-number value never exceeds."""
        node = self.nodes[name]
        if node.kind == "input" and str(node.attrs["port"]).startswith("index:") and NOW in self.index_ports():
            return NOW
        if node.kind != "prim":
            return None
        op = node.attrs["op"]
        if op == "iota":
            label: Symbol = node.attrs["axis"].label
            return label
        if op in {"index", "int", "float", "relabel"}:
            return self.above(node.args[0])
        if op == "clip":
            return self.above(node.args[0]) if self.number(node.args[1]) == 0 else None
        if op == "minimum":
            return self.above(node.args[0]) or self.above(node.args[1])
        number = self.number(node.args[1]) if len(node.args) == 2 else None
        fine = {"sub": 0, "floordiv": 1}.get(op)
        if fine is not None and number is not None and number >= fine:
            return self.above(node.args[0])
        return None

    def ahead(self, name: str) -> bool:
        """Whether a whole-number value is a position plus something positive, kept inside the axis or not."""
        node = self.nodes[name]
        op = node.attrs["op"] if node.kind == "prim" else ""
        if op in {"index", "int", "relabel", "clip", "minimum"}:
            return self.ahead(node.args[0])
        if op != "add":
            return False
        numbers = [self.number(arg) for arg in node.args]
        plus = [number for number in numbers if number is not None and number > 0]
        return len(plus) == 1 and any(self.is_position(arg) for arg in node.args)

    def is_position(self, name: str) -> bool:
        """Whether a value is the position along an axis itself."""
        node = self.nodes[name]
        op = node.attrs["op"] if node.kind == "prim" else ""
        return op == "iota" or (op in {"index", "int", "float", "relabel"} and self.is_position(node.args[0]))

    def index_ports(self) -> frozenset[Symbol]:
        return frozenset({NOW}) if self.inputs.get("scan") is not None else frozenset()

    def number(self, name: str) -> float | None:
        node = self.nodes[name]
        value = node.attrs["value"] if node.kind == "const" else None
        return value if isinstance(value, int | float) else None

    def gather(self, node: Node, args: list[Reach | Leak]) -> Reach | Leak:
        """Positions looked up: fine where the index never exceeds a position of the result."""
        value, index = args[0], union(args[1:])
        for axis, name in zip(node.attrs["axes"], node.args[1:], strict=True):
            if isinstance(value, Leak):
                return value
            if axis not in value.labels:
                continue
            above = self.above(name)
            if above is None:
                if self.ahead(name):
                    return Leak(node.origin, f"a later position of {axis}", True)
                return Leak(node.origin, f"a position of {axis} that may be a later one", False)
            value = Reach((value.labels - {axis}) | {above})
        return union([value, index])

    # ---- what has a body

    def memory(self, node: Node) -> Reach | Leak:
        record = node.attrs["record"]
        whole = union(self.args(node))
        if isinstance(whole, Leak):
            return whole
        sees_all = record.field("weights").name == "full" or record.sequence != record.source
        pairs = [
            value
            for port, value in zip(node.attrs["ports"], self.args(node), strict=True)
            if port != record.role("q") and isinstance(value, Reach)
        ]
        if sees_all and any(record.source in value.labels for value in pairs):
            return Leak(node.origin, "a memory that sees every pair", True)
        if record.field("weights").name == "matrix" and record.source in whole.labels and not self.triangular(node):
            return Leak(node.origin, "weights given by a formula", False)
        return whole

    def triangular(self, node: Node) -> bool:
        """Whether the weights of a memory, a formula of a query and a pair, are zero for every later pair."""
        value = node.attrs["record"].field("weights").get("value")
        port = value.node if isinstance(value, Ref) else ""
        given = dict(zip(node.attrs["ports"], node.args, strict=True)).get(port, "")
        labels = self.nodes[given].type.labels[-2:] if given else ()
        return len(labels) == 2 and (labels[1], labels[0]) in self.bounds(given)

    def extern(self, node: Node, made: Reach | Leak) -> Value:
        """A function of the user's looks ahead along every axis that no claim speaks of."""
        claimed = {claim.args[0] for claim in self.graph.claims if claim.name == "causal" and claim.args}
        if isinstance(made, Leak) or made.labels <= claimed:
            return made
        return Leak(node.origin, f"the function {node.attrs['call']}", False)

    def apply(self, node: Node) -> Value:
        """The callee over its own axes; lifted axes pass straight through."""
        graph = self.program.graphs[node.attrs["graph"]]
        labels = dict(node.attrs["labels"])
        inner = {caller: callee for callee, caller in labels.items()}
        lift = frozenset(node.attrs["lift"])
        inputs: dict[str, Value] = {}
        through: list[Reach | Leak] = []
        for port, value in zip(node.attrs["ports"], self.args(node), strict=True):
            if isinstance(value, Leak):
                return value
            through.append(Reach(frozenset(label for label in value.labels if label in lift)))
            rest = frozenset(label for label in value.labels if label not in lift)
            inputs[port] = renamed(Reach(rest), inner)
        results = Walk(self.program, graph, inputs).results()
        made = tuple((name, union([renamed(value, labels), *through])) for name, value in results)
        return made[0][1] if len(made) == 1 and made[0][0] == "" else Fields(made)

    def results(self) -> list[tuple[str, Reach | Leak]]:
        """Reaches of the results."""
        values = self.run()
        made: list[tuple[str, Reach | Leak]] = []
        for name, node in self.graph.results:
            value = values[node]
            made.append((name, union([item for _, item in value.items]) if isinstance(value, Fields) else value))
        return made

    def loop(self, node: Node) -> Value:
        """Turns until nothing changes; in a scan along an axis the turn's own position stands for it."""
        graph = self.program.graphs[node.attrs["body"]]
        carried = set(node.attrs["carried"])
        over = node.attrs["over"]
        scanned = node.attrs["mode"] == "scan" and isinstance(over, Symbol)
        inputs: dict[str, Value] = {}
        for port, value in zip(node.attrs["ports"], self.args(node), strict=True):
            inputs[port] = value
        along = scanned and any(isinstance(v, Reach) and over in v.labels for v in inputs.values())
        if along and node.attrs["reversed"]:
            return Leak(node.origin, "a scan from the end", True)
        if along:
            inputs["scan"] = FREE
        results: list[tuple[str, Reach | Leak]] = []
        for _ in range(ROUNDS):
            results = Walk(self.program, graph, inputs).results()
            after = {name: union([value, as_reach(inputs[name])]) for name, value in results if name in carried}
            if all(inputs[name] == value for name, value in after.items()):
                break
            inputs.update(after)
        else:
            return Leak(node.origin, "a loop whose turns do not settle", False)
        made: list[tuple[str, Reach | Leak]] = []
        for name, value in results:
            last = name in carried
            if along and last and isinstance(value, Reach) and NOW in value.labels:
                made.append((name, Leak(node.origin, "the value after the last turn", True)))
            else:
                made.append((name, renamed(value, {NOW: over}) if along else value))
        return Fields(tuple(made))


def as_reach(value: Value) -> Reach | Leak:
    """A value's reach, all fields together."""
    return union([item for _, item in value.items]) if isinstance(value, Fields) else value
