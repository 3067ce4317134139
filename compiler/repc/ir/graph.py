"""The core calculus (LANGUAGE.md 9): graphs of twelve kinds of node over values with named axes.

A `Graph` is what one declaration means under one structural configuration. It is generic in its formals: an `apply`
says which axis of the caller stands for which axis of the callee, and every other axis of an argument is lifted.
"""

from __future__ import annotations

from rep_grammar.record import Record
from rep_grammar.spans import Span
from repc.dims import Facts, Symbol
from repc.ir.attributes import Attrs
from repc.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    NodeKind: TypeAlias = Literal[
        "input", "const", "slot", "read", "draw", "prim", "memory", "apply", "loop", "branch", "grad", "effect"
    ]

# The twelve kinds and the attributes that each carries. `?` marks one that may be absent.
#   input   port: str (parameter name; "slot:q.weight" for a supplied slot; any name for a captured value or an index)
#   const   value: int | float | bool | str | Dim
#   slot    path: str, init: Word, constraint: Word?, trained: bool (False: `const` of a body)
#   read    cell: str, pending: bool? (what applications of the block before this one have made of it)
#   draw    site: str, law: str, over: tuple[Symbol, ...]?, once: bool; args = the law's parameters, then
#           `eval` if any
#           (attribute has_eval: bool)
#   prim    op: str and the op's own attributes; args = operands, in the order the op declares
#   memory  record: MemoryRecord; args = the inputs of the declaration in order (ports: tuple[str, ...])
#   apply   graph: str (key in Program.graphs), block: str (segment in Graph.blocks, "" where nothing is owned),
#           ports: tuple[str, ...] (one a arg), labels: tuple[(callee Symbol, caller Symbol), ...],
#           sizes: tuple[(callee Symbol, Dim), ...], lift: tuple[Symbol, ...] (lifted labels, order of the result),
#           sites: tuple[str, ...] (sites read in this application; results then follow as fields "@name"),
#           blocks: tuple[(callee's block parameter, caller's block path), ...]
#   loop    body: str, mode: "unroll" | "scan", count: Dim, over: Symbol? (the axis that the index runs
#           over), index: str?
#           (port of the index), reversed: bool, label: str (path segment: "layers", "blocks"; "" where blocks are
#           shared),
#           carried: tuple[str, ...] (ports = result names), stacked: tuple[str, ...], ports: tuple[str, ...]
#           type: a record of carried and stacked results
#   branch  then: str, other: str, ports: tuple[str, ...]; first arg is the predicate
#   grad    graph: str, ports, wrt: tuple[str, ...]
#   effect  action: "commit" | "descend" | "measure", phase: int, target: str,
#           fold: bool? (later applications of the block may follow)


class Origin(Record):
    """Where a node comes from: its span, and the chain of calls that led there, innermost first."""

    span: Span
    via: tuple[Span, ...] = ()


class Node(Record):
    """One value of a graph."""

    name: str
    kind: NodeKind
    args: tuple[str, ...]
    attrs: Attrs
    type: Type
    origin: Origin

    def with_(self, **changed: object) -> Node:
        """A copy with some fields replaced."""
        fields = {name: getattr(self, name) for name in ("name", "kind", "args", "attrs", "type", "origin")}
        fields.update(changed)
        return Node(**fields)


class Block(Record):
    """An instance of a declaration inside a graph: its path segment and what it instantiates.

    `sizes`: the callee's size symbols in the owner's symbols. `per`: axes by which every slot of it is multiplied
    (3.6).
    `supplied`: paths of slots that an `apply` provides. `where`: "" for one block, else the axis of a family (3.5).
    """

    path: str
    graph: str
    sizes: tuple[tuple[Symbol, object], ...]
    origin: Origin
    per: tuple[object, ...] = ()
    family: Symbol | None = None
    treatment: str = ""


class BlockParameter(Record):
    """A block that the caller passes in, shared wherever it is applied (2.7)."""

    name: str
    graph: str


class ClaimNote(Record):
    """A claim of a declaration: `causal(T)`; the argument texts are resolved symbols or words."""

    name: str
    args: tuple[object, ...]
    assumed: bool
    span: Span


class Cell(Record):
    """Persistent state (6.1)."""

    path: str
    type: Type
    init: object
    origin: Origin


class Graph(Record):
    """One declaration under one structural configuration.

    `inputs`: names of the input nodes, public data first. `results`: (name, node); one result without a name is
    ("", node).
    `sites`: every name bound in the body, (name, node). `formals`: symbols that callers bind. `values`: what the
    file knows
    of its own dims. `config`: structural settings, (name, text), for names and docs.
    """

    name: str
    declaration: str
    keyword: str
    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    results: tuple[tuple[str, str], ...]
    origin: Origin
    blocks: tuple[Block, ...] = ()
    parameters: tuple[BlockParameter, ...] = ()
    sites: tuple[tuple[str, str], ...] = ()
    formals: tuple[Symbol, ...] = ()
    facts: Facts = Facts()
    claims: tuple[ClaimNote, ...] = ()
    cells: tuple[Cell, ...] = ()
    config: tuple[tuple[str, str], ...] = ()
    terms: tuple[tuple[str, str, str], ...] = ()
    doc: str = ""

    def node(self, name: str) -> Node:
        """The node of that name; KeyError where there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def by_name(self) -> dict[str, Node]:
        """All nodes by name, in order."""
        return {node.name: node for node in self.nodes}

    def with_(self, **changed: object) -> Graph:
        """A copy with some fields replaced."""
        fields = {name: getattr(self, name) for name in type(self).__match_args__}
        fields.update(changed)
        return Graph(**fields)
