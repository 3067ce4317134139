"""Sizes, inputs and parameters with which declarations are tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from repc.dims import Dim, DimFault, Symbol
from repc.dims.facts import check
from repc.interpret.frame import known_size
from repc.ir import Graph, Node, Program
from repc.ir.check import facts_of
from repc.types import Type

# Distinct small numbers, so that no two axes can be taken for each other.
SIZES = (5, 3, 7, 4, 2, 6, 9, 8, 11, 10, 12, 13)
LIFTED = 2
TRIES = 400
LONGER = 16


@dataclass(frozen=True, slots=True)
class Case:
    """One trial: sizes of the free dims, and a seed."""

    sizes: Mapping[Symbol, int]
    seed: int


def free_dims(program: Program, graph: Graph) -> tuple[Symbol, ...]:
    """Dims of a declaration that nothing gives a value: those of sequences first, then those of inputs and slots."""
    found: dict[Symbol, tuple[bool, bool]] = {}
    for node in graph.nodes:
        given = node.kind in ("input", "slot", "read")
        sizes = [(axis.size, axis.kind) for axis in node.type.axes]
        if node.type.kind.size is not None:
            sizes.append((node.type.kind.size, "plain"))
        for size, kind in sizes:
            written = size.subst(program.formulas) if program.formulas else size
            if not given:
                written = graph.facts.written_out(program.facts.written_out(written))
            for symbol in written.symbols():
                if symbol not in program.values:
                    late, inner = found.get(symbol, (True, True))
                    found[symbol] = (late and not (given and kind == "seq"), inner and not given)
    return tuple(sorted(found, key=lambda symbol: (found[symbol], symbol)))


def cases(program: Program, graph: Graph, seed: int, lengths: tuple[int, ...]) -> Iterator[Case]:
    """Trials whose sizes satisfy the facts: one for each length of the first free dim, the others distinct."""
    free = free_dims(program, graph)
    facts = facts_of(program, graph)
    if not free:
        yield Case({}, seed)
        return
    generator = torch.Generator().manual_seed(seed)
    found = 0
    for length in lengths:
        first = length
        for attempt in range(TRIES):
            order = torch.randperm(len(SIZES), generator=generator).tolist() if attempt else range(len(SIZES))
            # A length that the facts never allow (an odd one that is halved) gives way to the next longer ones.
            length = first + attempt % LONGER if attempt >= TRIES // 2 else first
            others = [SIZES[place] for place in order if SIZES[place] != length]
            sizes = dict(zip(free, (length, *others), strict=False))
            try:
                fits = not check(facts, {**program.values, **sizes})
            except DimFault:
                fits = False
            if fits and len(sizes) == len(free):
                yield Case(sizes, seed + found)
                found += 1
                break


def shape_of(program: Program, graph: Graph, type: Type, sizes: Mapping[Symbol, int]) -> tuple[int, ...]:
    """The sizes of the axes of a type as numbers."""
    known = {**program.values, **sizes}
    return tuple(known_size(program, graph, axis.size, known) for axis in type.axes)


def inputs_of(program: Program, graph: Graph, case: Case, lifted: int) -> dict[str, Tensor]:
    """A tensor for every input, axes [lifted, written]: floats in float64 inside their refinement, indices in range."""
    generator = torch.Generator().manual_seed(1000 + case.seed)
    made: dict[str, Tensor] = {}
    for name in graph.inputs:
        node = graph.node(name)
        shape = (*((LIFTED,) * lifted), *shape_of(program, graph, node.type, case.sizes))
        made[node.attrs["port"]] = entries(program, graph, node, shape, case.sizes, generator)
    return made


def entries(
    program: Program,
    graph: Graph,
    node: Node,
    shape: tuple[int, ...],
    sizes: Mapping[Symbol, int],
    generator: torch.Generator,
) -> Tensor:
    """Entries of one input."""
    kind = node.type.kind
    if kind.name == "bool":
        return torch.rand(shape, generator=generator) < 0.6
    if kind.name in ("index", "code"):
        below = known_size(program, graph, kind.size or Dim.of(2), {**program.values, **sizes})
        return torch.randint(0, below, shape, generator=generator)
    if kind.name == "int":
        return torch.randint(0, 5, shape, generator=generator)
    return refined(torch.randn(shape, generator=generator, dtype=torch.float64), node.type)


def refined(value: Tensor, type: Type) -> Tensor:
    """Normal numbers brought to where a refinement wants them."""
    refine = type.refine
    if refine is None:
        return value
    if refine.name == "interval":
        low, high = refine.low, refine.high
        if low == float("-inf") and high == float("inf"):
            return value
        if high == float("inf"):
            return low + value.abs() + 0.1
        if low == float("-inf"):
            return high - value.abs() - 0.1
        return low + (high - low) * torch.sigmoid(value)
    lead = value.ndim - len(type.axes)
    along = [lead + type.labels.index(label) for label in refine.axes]
    if refine.name == "simplex":
        shares = torch.exp(value)
        return shares / shares.sum(along, keepdim=True)
    length = torch.sqrt((value * value).sum(along, keepdim=True))
    if refine.name == "ball":
        return value / (1 + length)
    if refine.name == "sphere":
        return value / length
    q: Tensor = torch.linalg.qr(value)[0]
    return q


def is_free(program: Program, path: str) -> bool:
    """Whether a slot or cell may be moved: one with a constraint stays where its init put it."""
    graphs = (*program.graphs.values(), *(step.graph for step in program.steps.values()))
    constrained = (
        node.attrs["path"]
        for graph in graphs
        for node in graph.nodes
        if node.kind == "slot" and node.attrs.get("constraint") is not None
    )
    return not any(path == own or path.endswith(f".{own}") for own in constrained)
