"""Which slots a graph has with everything that it instantiates, and their initial values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch import Tensor

from repc.dims import Dim, Symbol
from repc.interpret.faults import InterpretFault
from repc.interpret.frame import Frame, Owner, Place
from repc.ir import Graph, Node, Program, Word


@dataclass(frozen=True, slots=True)
class SlotPlace:
    """A slot of a program: its full path, its node, its shape (`per` axes in front, then the written ones), its init.

    `law`, `numbers`, `fan_in`, `fan_out`: what `rep_runtime.inits.init` takes.
    """

    path: str
    node: Node
    shape: tuple[int, ...]
    per: int
    law: str
    numbers: tuple[float, ...]
    fan_in: int
    fan_out: int


def slots_of(
    program: Program, graph: str | Graph, values: Mapping[Symbol, int] | None = None, path: str = ""
) -> dict[str, SlotPlace]:
    """Every slot by its full path, in the order in which the graph comes to it; a slot of several sites is there once.

    `values`: sizes that the program leaves open and slots need. Raises `InterpretFault` where one is not known.
    """
    made = program.graphs[graph] if isinstance(graph, str) else graph
    place = Place(Owner(path), {**program.values, **(values or {})})
    found: dict[str, SlotPlace] = {}
    for slot in _walked(Frame(program, made, place)):
        found.setdefault(slot.path, slot)
    return found


def _walked(frame: Frame) -> Iterator[SlotPlace]:
    program, attrs_of = frame.program, {node.name: node.attrs for node in frame.graph.nodes}
    for node in frame.graph.nodes:
        attrs = attrs_of[node.name]
        if node.kind == "slot":
            yield _placed(frame, node)
        elif node.kind == "apply":
            sizes = {symbol: _known(frame, Dim.of(size)) for symbol, size in attrs.get("sizes", ())}
            blocks = {own: frame.block(path) for own, path in attrs.get("blocks", ())}
            block = attrs.get("block", "")
            owner = frame.block(block) if block else frame.place.owner
            known = {**frame.place.sizes, **{symbol: size for symbol, size in sizes.items() if size is not None}}
            yield from _walked(Frame(program, program.graphs[attrs["graph"]], Place(owner, known, {}, blocks)))
        elif node.kind == "loop":
            label = attrs.get("label", "")
            turns = range(frame.size(Dim.of(attrs["count"]))) if label else (0,)
            for turn in turns:
                yield from _inside(frame, node, attrs["body"], frame.path(f"{label}.{turn}" if label else ""))
        elif node.kind == "branch":
            yield from _inside(frame, node, attrs["then"], frame.place.owner.path)
            yield from _inside(frame, node, attrs["other"], frame.place.owner.path)
        elif node.kind == "grad":
            yield from _inside(frame, node, attrs["graph"], frame.place.owner.path)


def _placed(frame: Frame, node: Node) -> SlotPlace:
    from repc.lowering.initial import fans

    word = node.attrs["init"]
    rule = word if isinstance(word, Word) else Word("constant", (("value", word),))
    given = dict(rule.args)
    per = frame.place.owner.per
    counts = [
        _number(frame, given.pop(name, fan))
        for name, fan in zip(("fan_in", "fan_out"), fans(frame.graph, node), strict=True)
    ]
    return SlotPlace(
        frame.path(node.attrs["path"]),
        node,
        (*per.values(), *(frame.size(axis.size) for axis in node.type.axes)),
        len(per),
        rule.name,
        tuple(_number(frame, value) for value in given.values()),
        int(counts[0]),
        int(counts[1]),
    )


def _number(frame: Frame, value: object) -> float:
    if isinstance(value, Dim):
        known = value.symbols() <= frame.place.sizes.keys()
        return float(value.value(frame.place.sizes)) if known else frame.size(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InterpretFault(frame.graph.name, f"{value} is no number that an init takes")
    return value


def _inside(frame: Frame, node: Node, key: str, path: str) -> Iterator[SlotPlace]:
    place = frame.place
    passed = {**place.blocks, **{own: frame.block(outer) for own, outer in node.attrs.get("blocks", ())}}
    owner = Owner(path, place.owner.per)
    yield from _walked(Frame(frame.program, frame.program.graphs[key], Place(owner, place.sizes, {}, passed)))


def _known(frame: Frame, size: Dim) -> int | None:
    """A size of the callee; one that data decides is not needed by any slot."""
    try:
        return frame.size(size)
    except InterpretFault:
        return None


def init_slots(
    program: Program,
    graph: str | Graph,
    seed: int,
    values: Mapping[Symbol, int] | None = None,
    path: str = "",
) -> dict[str, Tensor]:
    """Initial values of all slots in float64: pure functions of (seed, path), as in generated code."""
    from rep_runtime.inits import init
    from rep_runtime.keys import slot_generator

    made: dict[str, Tensor] = {}
    for name, slot in slots_of(program, graph, values, path).items():
        law, generator = slot.law, slot_generator(seed, name)
        made[name] = init(law, slot.shape, slot.fan_in, slot.fan_out, generator, slot.numbers, slot.per)
    return made
