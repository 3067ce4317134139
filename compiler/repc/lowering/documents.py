"""Docstrings of generated code: a declaration's signature in the language's own spelling, and what its author said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import dedent

from repc.dims import Dim, Symbol
from repc.ir import ClaimNote, Graph, Step
from repc.lowering.owned import Owned
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Formulas: TypeAlias = Mapping[Symbol, Dim]

WIDTH = 112


def _axis(axis: Axis, formulas: Formulas) -> str:
    """`T`, `M: 2*B`; an axis that the file declares as a formula by its name alone."""
    return str(axis.label) if formulas.get(axis.label) == axis.size else str(axis)


def type_text(kind: Type, formulas: Formulas | None = None) -> str:
    """A type as it is written after a colon: `[T, D]`, `[T] of V`, `[T] in (0, 1)`."""
    if kind.kind.name == "record":
        return "(" + ", ".join(f"{name}: {type_text(inner, formulas)}" for name, inner in kind.fields) + ")"
    axes = f"[{', '.join(_axis(axis, formulas or {}) for axis in kind.axes)}]"
    of = {"float": "", "number": "", "index": f" of {_index(kind)}"}.get(kind.kind.name, f" of {kind.kind}")
    return axes + of + ("" if kind.refine is None else f" {kind.refine}")


def _index(kind: Type) -> str:
    space, size = kind.kind.space, kind.kind.size
    return str(space if space is not None and not space.scope else size)


def _claim(claim: ClaimNote) -> str:
    args = f"({', '.join(map(str, claim.args))})" if claim.args else ""
    return f"{'assume ' if claim.assumed else ''}{claim.name}{args}"


def signature(graph: Graph, formulas: Formulas | None = None) -> str:
    """`encoder Mixer(x: [T, D]) -> [T, D] causal(T)`."""
    head, ports, tail = _signature(graph, formulas or {})
    return f"{head}({', '.join(ports)}){tail}"


def _signature(graph: Graph, formulas: Formulas) -> tuple[str, list[str], str]:
    nodes = graph.by_name()
    inputs = (nodes[name] for name in graph.inputs)
    public = [node for node in inputs if ":" not in node.attrs["port"]]
    ports = [f"{node.attrs['port']}: {type_text(node.type, formulas)}" for node in public]
    results = [(field, type_text(nodes[node].type, formulas)) for field, node in graph.results]
    if len(results) == 1 and not results[0][0]:
        made = results[0][1]
    else:
        made = "(" + ", ".join(f"{field}: {text}" for field, text in results) + ")"
    claims = "".join(f" {_claim(claim)}" for claim in graph.claims)
    return f"{graph.keyword} {graph.declaration}", ports, f" -> {made}{claims}"


def _signature_lines(graph: Graph, formulas: Formulas) -> list[str]:
    """The signature, its parameters on lines of their own where it is too long."""
    head, ports, tail = _signature(graph, formulas)
    flat = f"{head}({', '.join(ports)}){tail}"
    if len(flat) <= WIDTH:
        return [flat]
    return [f"{head}(", *(f"    {port}," for port in ports), f"){tail}"]


def _safe(text: str) -> str:
    """A spec's text inside a docstring: nothing in it ends the string or escapes from it."""
    return text.replace("\\", "\\\\").replace('"""', "'''").replace("\r", "")


def wrapped(text: str, width: int = WIDTH, hang: str = "    ") -> list[str]:
    """A line broken at spaces where it is too long; what follows hangs under it."""
    lines: list[str] = []
    while len(text) > width:
        cut = text.rfind(" ", 20, width)
        if cut < 0:
            break
        lines.append(text[:cut])
        text = hang + text[cut + 1 :]
    return [*lines, text]


def _told(doc: str) -> list[str]:
    """A declaration's comment, its lines as they are written; a paragraph with one that is too long is filled anew."""
    told: list[str] = []
    for paragraph in re.split(r"\n[ \t]*\n", dedent(doc.strip("\n"))):
        lines = [line.rstrip() for line in paragraph.splitlines()]
        long = any(len(line) > WIDTH for line in lines) and not any(line.startswith((" ", "-", "*")) for line in lines)
        told += [""] * bool(told) + (wrapped(" ".join(lines), hang="") if long else lines)
    return [part for line in told for part in wrapped(line, hang="")]


def class_doc(graph: Graph, holdings: Owned, formulas: Formulas, turn: bool = False) -> tuple[str, ...]:
    """Docstring of a class or function: the signature, the declaration's comment, its parameters' axes.

    `turn`: it is the body of a loop.
    """
    lines = [f"One turn of `{graph.declaration}`."] if turn else _signature_lines(graph, formulas)
    if graph.doc and not turn:
        lines += ["", *_told(graph.doc)]
    public = [node for node in graph.by_name().values() if node.kind == "input"]
    if len(public) > 1:
        lines += ["", "Axes before the declared ones are carried along; all inputs have the same ones."]
    if holdings.slots:
        held = ", ".join(f"`{node.attrs['path']}` {type_text(node.type, formulas)}" for node in holdings.slots)
        lines += ["", *wrapped(f"Parameters: {held}.")]
    return tuple(_safe(line) for line in lines)


def train_doc(step: Step) -> tuple[str, ...]:
    """Docstring of a train class: its name, what its author said, its sources, models and terms."""
    lines = [f"train {step.name}"]
    if step.doc:
        lines += ["", *_told(step.doc)]
    sources = ", ".join(f"`{use.name}`" for use in step.sources)
    terms = ", ".join(f"{term.sign} `{term.name}`" for player in step.players for term in player.terms)
    told = [f"Data: {sources}." if sources else "", f"Terms: {terms}." if terms else ""]
    lines += ["", *wrapped(" ".join(filter(None, told)))]
    return tuple(_safe(line) for line in lines)
