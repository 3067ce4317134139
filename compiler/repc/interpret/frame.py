"""Where nodes are evaluated: one graph in one application."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from repc.dims import Dim, DimFault, Symbol
from repc.interpret.faults import InterpretFault
from repc.interpret.values import Value
from repc.ir import Graph, Node, Program
from repc.types import Axis, Type


def joined(*segments: str) -> str:
    """Path segments with dots between, empty ones left out."""
    return ".".join(segment for segment in segments if segment)


@dataclass(frozen=True, slots=True)
class Owner:
    """Where the slots of a block lie: the prefix of their paths, and the axes that each of them has in front."""

    path: str
    per: Mapping[Symbol, int] = field(default_factory=dict)

    def relabelled(self, new: Mapping[Symbol, Symbol]) -> Owner:
        """The same block, its axes under other labels."""
        return Owner(self.path, {new.get(label, label): size for label, size in self.per.items()})


@dataclass(frozen=True, slots=True)
class Place:
    """What a graph inherits from where it is applied.

    `owner`: whose slots, cells and draws are its own. `sizes`: known sizes. `lifts`: lifted axes, in the order of a
    draw. `blocks`: the blocks that were passed in, by parameter. `depth`: how many applications deep.
    """

    owner: Owner
    sizes: Mapping[Symbol, int]
    lifts: Mapping[Symbol, int] = field(default_factory=dict)
    blocks: Mapping[str, Owner] = field(default_factory=dict)
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """A graph under evaluation: its place and the values of its nodes so far."""

    program: Program
    graph: Graph
    place: Place
    values: dict[str, Value] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    sites: dict[str, Mapping[str, Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.types.update((node.name, node.type) for node in self.graph.nodes)

    def keep(self, node: Node, value: Value) -> None:
        """The value of a node; an application of one result whose sites are read is that result beside them."""
        if isinstance(value, dict) and "" in value:
            self.sites[node.name] = value
            value = value[""]
        self.values[node.name] = value

    def size(self, dim: Dim) -> int:
        """A size as a number. Raises `InterpretFault` where a symbol in it has none."""
        try:
            return known_size(self.program, self.graph, dim, self.place.sizes)
        except DimFault as fault:
            raise InterpretFault(self.graph.name, f"the size {dim} is not known: {fault}") from None

    def path(self, own: str) -> str:
        """The full path of a slot, cell or draw of this graph."""
        return joined(self.place.owner.path, own)

    def block(self, path: str) -> Owner:
        """A block of this graph, or one that was passed in."""
        head, _, rest = path.partition(".")
        passed = self.place.blocks.get(head)
        if passed is not None:
            return Owner(joined(passed.path, rest), passed.per)
        per = dict(self.place.owner.per)
        for block in self.graph.blocks:
            if block.path == path:
                per.update((axis.label, self.size(axis.size)) for axis in block.per if isinstance(axis, Axis))
        return Owner(self.path(path), per)


def known_size(program: Program, graph: Graph, dim: Dim, sizes: Mapping[Symbol, int]) -> int:
    """A size as a number. Raises `DimFault` where a symbol in it has none, or it is not whole."""
    if dim.symbols() <= sizes.keys():
        return dim.evaluate(sizes)
    written = dim.subst(program.formulas) if program.formulas else dim
    return graph.facts.written_out(program.facts.written_out(written)).evaluate(sizes)
