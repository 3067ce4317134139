"""What a class holds: parameters, cells, blocks, and the modules of its unrolled loops."""

from __future__ import annotations

from collections.abc import Iterator

from rep_grammar.record import Record
from repc.ir import Block, Cell, Graph, Node, Program
from repc.lowering.lead import called
from repc.lowering.stepping import step_of


class Owned(Record):
    """Holdings of a graph, those of the bodies that are written in place included."""

    slots: tuple[Node, ...]
    blocks: tuple[Block, ...]
    loops: tuple[Node, ...]
    cells: tuple[Cell, ...]

    @property
    def nothing(self) -> bool:
        return not (self.slots or self.blocks or self.loops or self.cells)


def is_module(program: Program, key: str) -> bool:
    """Whether a graph is a class: it is public, decodes step by step, owns something, or applies such a class."""
    if key in program.entries.values() or step_of(program, key) is not None:
        return True
    graph = program.graphs[key]
    if not owned(program, graph).nothing:
        return True
    nodes = (node for part in written_here(program, graph) for node in part.nodes)
    return any(n.kind == "apply" and not n.attrs["block"] and is_module(program, n.attrs["graph"]) for n in nodes)


def in_place(program: Program, node: Node) -> tuple[Graph, ...]:
    """Graphs whose statements are written where the node stands."""
    if node.kind == "loop":
        return () if has_modules(program, node) else (program.graphs[node.attrs["body"]],)
    if node.kind in ("branch", "grad"):
        return tuple(program.graphs[key] for key in called(node))
    return ()


def has_modules(program: Program, node: Node) -> bool:
    """Whether every turn of a loop has parameters of its own, so that its body is a class."""
    return bool(node.attrs["label"]) and not owned(program, program.graphs[node.attrs["body"]]).nothing


def written_here(program: Program, graph: Graph) -> Iterator[Graph]:
    """The graph and all bodies that are written in place inside it."""
    yield graph
    for node in graph.nodes:
        for inner in in_place(program, node):
            yield from written_here(program, inner)


def owned(program: Program, graph: Graph) -> Owned:
    """What the class of a graph holds; what several places share is listed once."""
    slots: dict[str, Node] = {}
    blocks: dict[str, Block] = {}
    loops: dict[str, Node] = {}
    cells: dict[str, Cell] = {}
    for part in written_here(program, graph):
        for node in part.nodes:
            if node.kind == "slot" and not node.attrs.get("of"):
                slots.setdefault(node.attrs["path"], node)
            if node.kind == "loop" and has_modules(program, node):
                loops.setdefault(node.attrs["label"], node)
        for block in part.blocks:
            # A function has no place to stand; its path is one of draws alone.
            if is_module(program, block.graph):
                blocks.setdefault(block.path, block)
        for cell in part.cells:
            cells.setdefault(cell.path, cell)
    return Owned(tuple(slots.values()), tuple(blocks.values()), tuple(loops.values()), tuple(cells.values()))


def slots_inside(program: Program, graph: Graph) -> bool:
    """Whether a class has parameters, those of its blocks included."""
    seen: set[str] = set()
    waiting = [graph]
    while waiting:
        at = waiting.pop()
        if at.name in seen:
            continue
        seen.add(at.name)
        held = owned(program, at)
        if held.slots:
            return True
        waiting += [program.graphs[block.graph] for block in held.blocks]
        waiting += [program.graphs[loop.attrs["body"]] for loop in held.loops]
    return False
