"""A small maker of graphs by hand, so that lowering is tested on the calculus itself and not through the elaborator."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from rep_grammar.spans import Span
from repc.dims import Dim, Facts, Symbol
from repc.ir import Attrs, Block, BlockParameter, ClaimNote, Graph, Node, Origin, Program, Word
from repc.lowering import Options, plan, render
from repc.ops import infer
from repc.types import BOOL, FLOAT, INT, NUMBER, Axis, Kind, Type, axis_of, index_of, record

AT = Origin(Span("lm.rep", 0, 1))


def axes(text: str) -> tuple[Axis, ...]:
    """`T, D, M=2*B, j:T`: axes by label; `=` a formula of dims, `:` a second axis of a space."""
    made: list[Axis] = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        if "=" in part:
            label, formula = part.split("=")
            factor, of = formula.split("*")
            made.append(Axis(Symbol(label), Dim.of(Symbol(of)) * int(factor), "plain", Symbol(label)))
        elif ":" in part:
            label, space = part.split(":")
            made.append(Axis(Symbol(label), Dim.of(Symbol(space)), "plain", Symbol(space)))
        else:
            made.append(axis_of(Symbol(part)))
    return tuple(made)


def labels(text: str) -> tuple[Symbol, ...]:
    return tuple(axis.label for axis in axes(text))


class Value:
    """A node under construction; operators make prims."""

    def __init__(self, maker: Maker, node: Node) -> None:
        self.maker, self.node = maker, node

    @property
    def type(self) -> Type:
        return self.node.type

    def __add__(self, other: object) -> Value:
        return self.maker.prim("add", self, other)

    def __sub__(self, other: object) -> Value:
        return self.maker.prim("sub", self, other)

    def __mul__(self, other: object) -> Value:
        return self.maker.prim("mul", self, other)

    def __truediv__(self, other: object) -> Value:
        return self.maker.prim("div", self, other)


class Maker:
    """Builds one graph."""

    def __init__(self, keyword: str, declaration: str, key: str = "", line: int = 0, doc: str = "") -> None:
        self.keyword, self.declaration, self.key, self.doc = keyword, declaration, key or declaration, doc
        self.nodes: list[Node] = []
        self.inputs: list[str] = []
        self.blocks: list[Block] = []
        self.parameters: list[BlockParameter] = []
        self.sites: list[tuple[str, str]] = []
        self.results: list[tuple[str, str]] = []
        self.claims: list[ClaimNote] = []
        self.at = AT

    def line(self, start: int, end: int | None = None) -> Maker:
        """What follows comes from this place of the text."""
        self.at = Origin(Span("lm.rep", start, start + 1 if end is None else end))
        return self

    def add(self, kind: str, args: Iterable[Value], type_: Type, /, **attrs: object) -> Value:
        node = Node(str(len(self.nodes) + 1), kind, tuple(one.node.name for one in args), Attrs(**attrs), type_, self.at)
        self.nodes.append(node)
        return Value(self, node)

    def input(self, port: str, shape: str = "", kind: Kind = FLOAT) -> Value:
        made = self.add("input", (), Type(axes(shape), kind), port=port)
        self.inputs.append(made.node.name)
        return made

    def const(self, value: object) -> Value:
        return self.add("const", (), Type((), BOOL if isinstance(value, bool) else NUMBER), value=value)

    def slot(self, path: str, shape: str, init: Word | None = None) -> Value:
        return self.add(
            "slot", (), Type(axes(shape), FLOAT), path=path, init=init or Word("fan_in"), constraint=None, trained=True
        )

    def tensor(self, value: object) -> Value:
        return value if isinstance(value, Value) else self.const(value)

    def prim(self, op: str, *args: object, **attrs: object) -> Value:
        operands = [self.tensor(arg) for arg in args]
        made = infer(op, [one.type for one in operands], attrs, Facts())
        return self.add("prim", operands, made, op=op, **attrs)

    def contract(self, out: str, *args: Value) -> Value:
        return self.prim("contract", *args, out=labels(out))

    def apply(
        self,
        callee: Graph,
        block: str = "",
        lift: str = "",
        same: Mapping[str, str] | None = None,
        sizes: Mapping[str, str] | None = None,
        sites: tuple[str, ...] = (),
        blocks: tuple[tuple[str, str], ...] = (),
        result: str | None = None,
        **ports: Value,
    ) -> Value:
        """A call; `same` maps callee's labels to the caller's, `sizes` callee's symbols to formulas of the caller's."""
        renamed = {Symbol(a): Symbol(b) for a, b in (same or {}).items()}
        formulas = {symbol: Dim.of(new) for symbol, new in renamed.items()}
        formulas |= {Symbol(a): axes(f"x={b}" if "*" in b else b)[0].size for a, b in (sizes or {}).items()}
        lifted = {axis.label: axis for value in ports.values() for axis in value.type.axes}
        front = tuple(lifted[label] for label in labels(lift))

        def typed(node: str) -> Type:
            inner = callee.node(node).type.subst(renamed, formulas)
            return Type((*front, *inner.axes), inner.kind, inner.refine)

        if len(callee.results) == 1 and not callee.results[0][0] and not sites:
            made = typed(callee.results[0][1])
        else:
            found = dict(callee.sites)
            fields = [(field, typed(node)) for field, node in callee.results]
            made = record([*fields, *((f"@{site}", typed(found[site])) for site in sites)])
        if block and block not in {one.path for one in self.blocks}:
            self.blocks.append(Block(block, callee.name, tuple(formulas.items()), self.at))
        return self.add(
            "apply",
            ports.values(),
            made,
            graph=callee.name,
            block=block,
            ports=tuple(port.replace("__", ":") for port in ports),
            labels=tuple(renamed.items()),
            sizes=tuple(formulas.items()),
            lift=labels(lift),
            sites=sites,
            blocks=blocks,
        )

    def field(self, value: Value, name: str) -> Value:
        return self.prim("field", value, name=name)

    def loop(
        self,
        body: Graph,
        mode: str = "unroll",
        count: object = 1,
        over: str = "",
        index: str = "",
        label: str = "",
        carried: str = "",
        stacked: str = "",
        reversed: bool = False,
        **ports: Value,
    ) -> Value:
        lines = [one for one in carried.split() if one]
        stacks = [one for one in stacked.split() if one]
        results = dict(body.results)
        fields: list[tuple[str, Type]] = [(one, ports[one].type) for one in lines]
        axis = axis_of(Symbol(over)) if over else None
        for one in stacks:
            inner = body.node(results[one]).type
            assert axis is not None
            fields.append((one, Type((axis, *inner.axes), inner.kind)))
        return self.add(
            "loop",
            ports.values(),
            record(fields),
            body=body.name,
            mode=mode,
            count=Dim.of(count) if not isinstance(count, str) else Dim.of(Symbol(count)),  # type: ignore[arg-type]
            over=Symbol(over) if over else None,
            index=index,
            reversed=reversed,
            label=label,
            carried=tuple(lines),
            stacked=tuple(stacks),
            ports=tuple(ports),
        )

    def named(self, site: str, value: Value) -> Value:
        self.sites = [one for one in self.sites if one[0] != site]
        self.sites.append((site, value.node.name))
        return value

    def done(self, *results: Value, claims: tuple[tuple[str, str], ...] = (), **named: Value) -> Graph:
        found = [("", one.node.name) for one in results] + [(field, one.node.name) for field, one in named.items()]
        notes = tuple(ClaimNote(one, (arg,), False, AT.span) for one, arg in claims)
        return Graph(
            self.key,
            self.declaration,
            self.keyword,
            tuple(self.inputs),
            tuple(self.nodes),
            tuple(found),
            self.at,
            blocks=tuple(self.blocks),
            parameters=tuple(self.parameters),
            sites=tuple(self.sites),
            claims=notes,
            doc=self.doc,
        )


def program_of(entries: Iterable[Graph], others: Iterable[Graph] = (), **values: int) -> Program:
    """A program of graphs; `values` are the file's known sizes."""
    listed = [*others, *entries]
    return Program(
        {graph.name: graph for graph in listed},
        {graph.declaration: graph.name for graph in entries},
        {},
        {Symbol(name): value for name, value in values.items()},
        {},
        Facts(),
    )


_COUNT = itertools.count()


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., ModuleType]:
    """Renders a program to a file, imports it and returns the module; `.source` is its text."""

    def loaded(program: Program, texts: Mapping[str, str] | None = None) -> ModuleType:
        made = render(plan(program, texts, Options("lm.rep")))
        return import_text(made.text, tmp_path / f"generated_{next(_COUNT)}.py")

    return loaded


def import_text(text: str, path: Path) -> ModuleType:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    module.source = text  # type: ignore[attr-defined]
    return module


__all__ = ["BOOL", "FLOAT", "INT", "Maker", "index_of", "program_of"]
