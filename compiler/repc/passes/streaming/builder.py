"""A step graph under construction: nodes, states, the position counter, and values kept from earlier steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from repc.dims import Dim, Facts, Symbol
from repc.ir import Attrs, Block, Node, Origin, Word
from repc.ops import infer
from repc.types import INT, NUMBER, Axis, Type, scalar


def constant(value: float) -> Word:
    """The start of a state that is one number everywhere."""
    return Word("constant", (("value", value),))


class Builder:
    """Collects the nodes of one step graph. Names of nodes that stand for one of the graph are kept."""

    def __init__(self, name: str, facts: Facts, origin: Origin) -> None:
        self.name = name
        self.facts = facts
        self.origin = origin
        self.nodes: dict[str, Node] = {}
        self.inputs: list[str] = []
        self.states: dict[str, str] = {}
        self.blocks: dict[str, Block] = {}
        self._kept: dict[tuple[str, Dim, float], tuple[str, Axis]] = {}
        self._counter: str | None = None

    def type(self, node: str) -> Type:
        """The type of a node."""
        return self.nodes[node].type

    def unique(self, hint: str) -> str:
        """A node name that is free."""
        name, count = hint, 1
        while name in self.nodes:
            count += 1
            name = f"{hint}_{count}"
        return name

    def add(self, hint: str, kind: str, args: Sequence[str], attrs: Attrs, type: Type, origin: Origin) -> str:
        """A node; its name."""
        name = self.unique(hint)
        self.nodes[name] = Node(name, kind, tuple(args), attrs, type, origin)  # type: ignore[arg-type]
        return name

    def prim(self, hint: str, op: str, args: Sequence[str], origin: Origin, **attrs: object) -> str:
        """A primitive, its type by the rule of its op."""
        type = infer(op, [self.type(arg) for arg in args], attrs, self.facts)
        return self.add(hint, "prim", args, Attrs(op=op, **attrs), type, origin)

    def number(self, value: int | float | Dim, origin: Origin) -> str:
        """A constant."""
        return self.add("c", "const", (), Attrs(value=value), scalar(NUMBER), origin)

    def input(self, port: str, hint: str, type: Type, attrs: Mapping[str, object], origin: Origin) -> str:
        """An input."""
        name = self.add(hint, "input", (), Attrs(port=port, **attrs), type, origin)
        self.inputs.append(name)
        return name

    def state(self, hint: str, type: Type, init: Word, origin: Origin) -> tuple[str, str]:
        """A state: its port, and the node of its value before this position. `carry` gives it its next value."""
        port, count = f"state.{hint}", 1
        while port in self.states:
            count += 1
            port = f"state.{hint}_{count}"
        self.states[port] = ""
        return port, self.input(port, port, type.plain(), {"init": init}, origin)

    def carry(self, port: str, node: str) -> None:
        """The value of a state after this position."""
        self.states[port] = node

    def counter(self) -> str:
        """How many positions came before this one."""
        if self._counter is None:
            port, before = self.state("position", scalar(INT), constant(0), self.origin)
            self._counter = before
            self.carry(port, self.prim("next", "add", (before, self.number(1, self.origin)), self.origin))
        return self._counter

    def past(self, node: str, length: Dim, fill: float, origin: Origin) -> tuple[str, Axis]:
        """The last `length` values of a node, oldest first, along an axis in front; `fill` stands for missing ones."""
        key = (node, length, fill)
        if key not in self._kept:
            label = Symbol(f"past_{len(self._kept) + 1}", self.name)
            earlier = Axis(label, length - 1, "plain", Symbol(f"{label.name}_before", self.name))
            whole = Axis(label, length, "plain", label)
            one = Axis(Symbol(f"{label.name}_now", self.name), Dim.of(1), "plain", label)
            own = self.type(node)
            port, before = self.state(f"past.{node}", Type((earlier, *own.axes), own.kind), constant(fill), origin)
            newest = self.prim(f"{node}.now", "expand", (node,), origin, axes=(one,))
            along = (label, one.label)
            held = self.prim(f"{node}.past", "concat", (before, newest), origin, along=along, **{"as": whole})
            kept = self.prim(
                f"{node}.kept", "slice", (held,), origin, axis=label, start=Dim.of(1), stop=length, **{"as": earlier}
            )
            self.carry(port, kept)
            self._kept[key] = held, whole
        return self._kept[key]
