"""Graphs, programs and steps as text (LANGUAGE.md 9.2); `text_read` reads them back."""

from __future__ import annotations

from collections.abc import Iterator

from repc.dims import Facts
from repc.ir.attributes import Attrs
from repc.ir.graph import Block, Cell, ClaimNote, Graph, Node
from repc.ir.program import Program, Step
from repc.ir.text_values import (
    dim,
    fact,
    name,
    number,
    origin,
    pairs,
    path,
    quoted,
    reference,
    span,
    symbol,
    type_text,
    value,
)

# The attribute that is written right after the kind of a node.
HEADS = {
    "input": "port",
    "slot": "path",
    "read": "cell",
    "draw": "law",
    "prim": "op",
    "apply": "graph",
    "loop": "body",
    "grad": "graph",
    "effect": "action",
}

# Fields of a step that are written as lines of their own.
STEP_LINES = (
    ("source", "sources"),
    ("player", "players"),
    ("measure", "measures"),
    ("commit", "commits"),
    ("target", "targets"),
    ("frozen", "frozen"),
    ("fill", "fills"),
    ("store", "stores"),
)


class Writer:
    """Writes with the places of nodes, or without them (a text for people and for golden files)."""

    __slots__ = ("places",)

    def __init__(self, places: bool = True) -> None:
        self.places = places

    def node(self, of: Node) -> str:
        """One node: `%2 = prim l2norm(%1) {over: (K)} : [T, K] float  @ lm.rep:20:31`."""
        attrs = dict(of.attrs)
        text = f"{reference(of.name)} = {of.kind}"
        head = HEADS.get(of.kind)
        if head is not None and isinstance(attrs.get(head), str):
            text += f" {path(attrs.pop(head))}"
        elif of.kind == "const" and not isinstance(attrs.get("value", ()), tuple):
            text += f" {value(attrs.pop('value'))}"
        if of.kind == "apply" and isinstance(attrs.get("block"), str):
            owned = attrs.pop("block")
            text += f"[{path(owned) if owned else ''}]"
        args = [reference(arg) for arg in of.args]
        ports = attrs.get("ports")
        unnamed = 1 if of.kind == "branch" else 0
        if (
            isinstance(ports, tuple)
            and ports
            and len(args) - unnamed == len(ports)
            and all(isinstance(port, str) for port in ports)
        ):
            del attrs["ports"]
            named = (f"{path(port)}: {arg}" for port, arg in zip(ports, args[unnamed:], strict=True))
            args = [*args[:unnamed], *named]
        text += f"({', '.join(args)})"
        if attrs:
            text += f" {{{pairs(Attrs(**attrs))}}}"
        text += f" : {type_text(of.type)}"
        return f"{text}  {origin(of.origin)}" if self.places else text

    def graph(self, of: Graph, key: str | None = None) -> Iterator[str]:
        """The lines of a graph; `key`: what the program calls it."""
        head = f"graph {path(of.name if key is None else key)}"
        if key is not None and key != of.name:
            head += f" named {path(of.name)}"
        head += f"({', '.join(map(reference, of.inputs))}) {name(of.keyword)} {path(of.declaration)}"
        yield f"{head} {{" + (f"  {origin(of.origin)}" if self.places else "")
        if of.doc:
            yield f"  doc {quoted(of.doc)}"
        if of.config:
            yield f"  config {', '.join(f'{name(own)}: {quoted(text)}' for own, text in of.config)}"
        if of.formals:
            yield f"  formals {', '.join(map(symbol, of.formals))}"
        yield from self.facts(of.facts)
        for claim in of.claims:
            yield f"  {self.claim(claim)}"
        for cell in of.cells:
            yield f"  {self.cell(cell)}"
        for parameter in of.parameters:
            yield f"  parameter {path(parameter.name)} = {path(parameter.graph)}"
        for block in of.blocks:
            yield f"  {self.block(block)}"
        for node in of.nodes:
            yield f"  {self.node(node)}"
        if of.sites:
            yield f"  sites {', '.join(f'{path(own)}: {reference(node)}' for own, node in of.sites)}"
        for term in of.terms:
            yield f"  term {value(term)}"
        if of.results:
            named = (f"{path(own)}: {reference(node)}" if own else reference(node) for own, node in of.results)
            yield f"  return {', '.join(named)}"
        yield "}"

    def facts(self, of: Facts) -> Iterator[str]:
        """What is known of sizes. What follows from the facts is written only where they do not give it again."""
        if of.values:
            yield f"  known {', '.join(f'{symbol(own)} = {size}' for own, size in of.values)}"
        for item in of.facts:
            yield f"  fact {fact(item)}"
        if Facts().with_values(dict(of.values)).with_(*of.facts) != of:
            yield f"  defined {', '.join(f'{symbol(own)} = {dim(size)}' for own, size in of.definitions)}"
            yield f"  vanishing {', '.join(map(dim, of.relations))}"
            for item in of.contradictions:
                yield f"  contradiction {fact(item)}"

    def claim(self, of: ClaimNote) -> str:
        """A claim: `claim causal(T) @ ..`."""
        text = f"claim {'assumed ' if of.assumed else ''}{name(of.name)}{value(of.args)}"
        return f"{text}  {span(of.span)}" if self.places else text

    def cell(self, of: Cell) -> str:
        """A cell: its path, type and initial value."""
        text = f"cell {path(of.path)} : {type_text(of.type)} = {value(of.init)}"
        return f"{text}  {origin(of.origin)}" if self.places else text

    def block(self, of: Block) -> str:
        """A block: its path segment, what it instantiates, and the sizes of that."""
        text = f"block {path(of.path)} = {path(of.graph)}"
        if of.sizes:
            text += f" {{{', '.join(f'{symbol(own)}: {value(size)}' for own, size in of.sizes)}}}"
        if of.per:
            text += f" per {value(of.per)}"
        if of.family is not None:
            text += f" family {symbol(of.family)}"
        if of.treatment:
            text += f" treatment {quoted(of.treatment)}"
        return f"{text}  {origin(of.origin)}" if self.places else text

    def step(self, of: Step) -> Iterator[str]:
        """The lines of a step, its graph and its stages among them."""
        yield f"step {path(of.name)} {{" + (f"  {origin(of.origin)}" if self.places else "")
        if of.doc:
            yield f"  doc {quoted(of.doc)}"
        if of.when:
            yield f"  when {quoted(of.when)}"
        for setting, inner in of.settings:
            yield f"  setting {name(setting)} = {value(inner)}"
        for word, field in STEP_LINES:
            for item in getattr(of, field):
                yield f"  {word} {value(item)}"
        yield from (f"  {line}" for line in self.graph(of.graph))
        for stage in of.stages:
            yield from (f"  {line}" for line in self.step(stage))
        yield "}"

    def program(self, of: Program) -> Iterator[str]:
        """The lines of a program."""
        yield "program {"
        for own, size in of.values.items():
            yield f"  value {symbol(own)} = {number(size)}"
        for own, formula in of.formulas.items():
            yield f"  formula {symbol(own)} = {dim(formula)}"
        yield from self.facts(of.facts)
        for cell in of.cells:
            yield f"  {self.cell(cell)}"
        for entry, key in of.entries.items():
            yield f"  entry {path(entry)} = {path(key)}"
        for left, right in of.overrides:
            yield f"  override {quoted(left)} = {quoted(right)}"
        yield "}"
        for key, graph in of.graphs.items():
            yield ""
            yield from self.graph(graph, key)
        for step_name, step in of.steps.items():
            yield ""
            if step_name != step.name:
                yield f"called {path(step_name)}"
            yield from self.step(step)
