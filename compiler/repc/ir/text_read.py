"""Reads graphs, programs and steps from their text form: the inverse of `text_write`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from repc.dims import Dim, Fact, Facts, Symbol
from repc.ir.attributes import Attrs
from repc.ir.graph import Block, BlockParameter, Cell, ClaimNote, Graph, Node
from repc.ir.program import Program, Step
from repc.ir.text_read_values import ValueReader
from repc.ir.text_tokens import END, Tokens
from repc.ir.text_write import HEADS, STEP_LINES

NODE_KINDS = frozenset(
    ("input", "const", "slot", "read", "draw", "prim", "memory", "apply", "loop", "branch", "grad", "effect")
)
Item = TypeVar("Item")


class _Facts:
    """Collects what a graph or a program says of sizes."""

    def __init__(self) -> None:
        self.values: list[tuple[Symbol, int]] = []
        self.facts: list[Fact] = []
        self.contradictions: list[Fact] = []
        self.written: dict[str, Any] = {}

    def made(self) -> Facts:
        if not self.written:
            return Facts().with_values(dict(self.values)).with_(*self.facts)
        return Facts(
            tuple(self.facts),
            tuple(self.values),
            self.written.get("defined", ()),
            self.written.get("vanishing", ()),
            tuple(self.contradictions),
        )


class Reader(ValueReader):
    """Reads whole graphs; a place that is left out is the place in this text."""

    __slots__ = ()

    def whole(self, read: Callable[[], Item]) -> Item:
        """What `read` reads, which must be all of the text."""
        made = read()
        if self.tokens.next.kind != END:
            self.tokens.fail("the end of the text")
        return made

    def _equals(self, item: Callable[[], Item]) -> Item:
        self.tokens.expect("=")
        return item()

    def _arg(self) -> tuple[str | None, str]:
        if self.tokens.next.kind == "reference":
            return None, self.reference()
        return self._pair(self.reference)

    def node(self) -> Node:
        """`%name = kind head(args) {attrs} : type`."""
        since = self.tokens.next.start
        name = self._equals_name()
        if self.tokens.next.text not in NODE_KINDS:
            self.tokens.fail("a kind of node")
        kind: Any = self.tokens.take().text
        attrs: dict[str, Any] = {}
        if kind == "const" and not self.tokens.is_mark("("):
            attrs["value"] = self.value()
        elif kind in HEADS and self.tokens.next.kind in ("word", "string"):
            attrs[HEADS[kind]] = self.tokens.name()
        if kind == "apply" and self.tokens.take_if("["):
            attrs["block"] = "" if self.tokens.is_mark("]") else self.tokens.name()
            self.tokens.expect("]")
        args = self.several("(", ")", self._arg)
        if any(port is not None for port, _ in args):
            attrs["ports"] = tuple(port for port, _ in args if port is not None)
        if self.tokens.is_mark("{"):
            attrs.update(self.attrs())
        self.tokens.expect(":")
        kind_of = self.type()
        return Node(name, kind, tuple(arg for _, arg in args), Attrs(**attrs), kind_of, self.origin(since))

    def _equals_name(self) -> str:
        name = self.reference()
        self.tokens.expect("=")
        return name

    def _facts_line(self, word: str, into: _Facts) -> bool:
        if word == "known":
            into.values.extend(self.listed(lambda: (self.symbol(), int(self._equals(self.number)))))
        elif word == "fact":
            into.facts.append(self.fact())
        elif word == "defined":
            empty = self.tokens.is_word("vanishing")
            into.written[word] = () if empty else self.listed(lambda: (self.symbol(), self._equals(self.dim)))
        elif word == "vanishing":
            into.written[word] = self.listed(self.dim) if self._dim_follows() else ()
        elif word == "contradiction":
            into.contradictions.append(self.fact())
        else:
            return False
        return True

    def _dim_follows(self) -> bool:
        token, after = self.tokens.next, self.tokens.ahead()
        if token.kind in ("number", "quoted") or (token.kind == "mark" and token.text in "(-"):
            return True
        # A line that follows starts with two words or a word and a node; a dim never does.
        return token.kind == "word" and (after.kind == "scope" or (after.kind == "mark" and after.text in "+-*/%^,"))

    def graph(self) -> tuple[str, Graph]:
        """A graph and its key."""
        since = self.tokens.next.start
        self.tokens.expect("graph")
        key = self.tokens.name("the key of the graph")
        name = self.tokens.name() if self.tokens.take_if("named") else key
        inputs = self.several("(", ")", self.reference)
        keyword = self.tokens.name("the keyword of the declaration")
        declaration = self.tokens.name("the declaration")
        self.tokens.expect("{")
        origin = self.origin(since)
        facts = _Facts()
        lists: dict[str, list[Any]] = {
            own: [] for own in ("nodes", "claims", "cells", "parameters", "blocks", "terms", "sites", "results")
        }
        fields: dict[str, Any] = {}
        while not self.tokens.take_if("}"):
            start = self.tokens.next.start
            if self.tokens.next.kind == "reference":
                lists["nodes"].append(self.node())
                continue
            word = self.tokens.name("a line of a graph")
            if self._facts_line(word, facts):
                continue
            if word == "doc":
                fields["doc"] = self.tokens.name("a text")
            elif word == "config":
                fields["config"] = self.listed(lambda: self._pair(self.tokens.name))
            elif word == "formals":
                fields["formals"] = self.listed(self.symbol)
            elif word == "claim":
                lists["claims"].append(self._claim(start))
            elif word == "cell":
                lists["cells"].append(self._cell(start))
            elif word == "parameter":
                lists["parameters"].append(BlockParameter(self.tokens.name(), self._equals(self.tokens.name)))
            elif word == "block":
                lists["blocks"].append(self._block(start))
            elif word == "sites":
                lists["sites"].extend(self.listed(lambda: self._pair(self.reference)))
            elif word == "term":
                lists["terms"].append(self.value())
            elif word == "return":
                lists["results"].extend(self.listed(self._result))
            else:
                self.tokens.fail(f"a line of a graph instead of `{word}`")
        fields.update({own: tuple(items) for own, items in lists.items()})
        fields.update(name=name, declaration=declaration, keyword=keyword, inputs=inputs)
        return key, Graph(**fields, origin=origin, facts=facts.made())

    def _result(self) -> tuple[str, str]:
        port, node = self._arg()
        return port or "", node

    def _claim(self, since: int) -> ClaimNote:
        assumed = self.tokens.is_word("assumed") and self.tokens.ahead().text != "("
        if assumed:
            self.tokens.take()
        name = self.tokens.name("a claim")
        args = self.value()
        return ClaimNote(name, args, assumed, self.origin(since).span)

    def _cell(self, since: int) -> Cell:
        path = self.tokens.name("the path of a cell")
        self.tokens.expect(":")
        kind = self.type()
        init = self._equals(self.value)
        return Cell(path, kind, init, self.origin(since))

    def _block(self, since: int) -> Block:
        path = self.tokens.name("the path of a block")
        graph = self._equals(self.tokens.name)
        sizes: tuple[tuple[Symbol, object], ...] = ()
        if self.tokens.is_mark("{"):
            sizes = self.several("{", "}", self._size)
        per = self.value() if self.tokens.take_if("per") else ()
        family = self.symbol() if self.tokens.take_if("family") else None
        treatment = self.tokens.name() if self.tokens.take_if("treatment") else ""
        return Block(path, graph, sizes, self.origin(since), per, family, treatment)

    def _size(self) -> tuple[Symbol, object]:
        own = self.symbol()
        self.tokens.expect(":")
        size: object = self.value()
        return own, size

    def step(self) -> Step:
        """A step with its graph and stages."""
        since = self.tokens.next.start
        self.tokens.expect("step")
        name = self.tokens.name("the name of the step")
        self.tokens.expect("{")
        origin = self.origin(since)
        lists: dict[str, list[Any]] = {field: [] for _, field in STEP_LINES}
        settings: list[tuple[str, object]] = []
        stages: list[Step] = []
        graph: Graph | None = None
        doc = when = ""
        fields = dict(STEP_LINES)
        while not self.tokens.take_if("}"):
            word = self.tokens.next.text
            if word == "graph":
                graph = self.graph()[1]
            elif word == "step":
                stages.append(self.step())
            elif word == "doc":
                self.tokens.take()
                doc = self.tokens.name()
            elif word == "when":
                self.tokens.take()
                when = self.tokens.name()
            elif word == "setting":
                self.tokens.take()
                settings.append((self.tokens.name(), self._equals(self.value)))
            elif word in fields:
                self.tokens.take()
                lists[fields[word]].append(self.value())
            else:
                self.tokens.fail("a line of a step")
        if graph is None:
            self.tokens.fail("the graph of the step before its end")
        made = {field: tuple(items) for field, items in lists.items()}
        return Step(
            name=name,
            graph=graph,
            settings=tuple(settings),
            origin=origin,
            stages=tuple(stages),
            doc=doc,
            when=when,
            **made,
        )

    def program(self) -> Program:
        """A program: its head, then its graphs and steps."""
        self.tokens.expect("program")
        self.tokens.expect("{")
        values: dict[Symbol, int] = {}
        formulas: dict[Symbol, Dim] = {}
        entries: dict[str, str] = {}
        cells: list[Cell] = []
        overrides: list[tuple[str, str]] = []
        facts = _Facts()
        while not self.tokens.take_if("}"):
            since = self.tokens.next.start
            word = self.tokens.name("a line of a program")
            if self._facts_line(word, facts):
                continue
            if word == "value":
                own = self.symbol()
                values[own] = int(self._equals(self.number))
            elif word == "formula":
                own = self.symbol()
                formulas[own] = self._equals(self.dim)
            elif word == "cell":
                cells.append(self._cell(since))
            elif word == "entry":
                entry = self.tokens.name()
                entries[entry] = self._equals(self.tokens.name)
            elif word == "override":
                left = self.tokens.name()
                overrides.append((left, self._equals(self.tokens.name)))
            else:
                self.tokens.fail(f"a line of a program instead of `{word}`")
        graphs: dict[str, Graph] = {}
        steps: dict[str, Step] = {}
        while self.tokens.next.kind != END:
            if self.tokens.is_word("graph"):
                key, graph = self.graph()
                graphs[key] = graph
                continue
            called = self.tokens.name() if self.tokens.take_if("called") else None
            step = self.step()
            steps[step.name if called is None else called] = step
        return Program(graphs, entries, steps, values, formulas, facts.made(), tuple(cells), tuple(overrides))


def reader(text: str, file: str) -> Reader:
    """A reader of `text`, whose nodes without a place lie in `file`."""
    return Reader(Tokens(text), file)
