"""Docstrings of generated code: a declaration's signature in the language's own spelling, and what its author said."""

from __future__ import annotations

from textwrap import dedent

from repc.ir import ClaimNote, Graph
from repc.lowering.owned import Owned
from repc.types import Type

WIDTH = 112


def type_text(kind: Type) -> str:
    """A type as it is written after a colon: `[T, D]`, `[T] of V`, `[T] in (0, 1)`."""
    if kind.kind.name == "record":
        return "(" + ", ".join(f"{name}: {type_text(inner)}" for name, inner in kind.fields) + ")"
    axes = f"[{', '.join(map(str, kind.axes))}]"
    of = {"float": "", "number": "", "index": f" of {_index(kind)}"}.get(kind.kind.name, f" of {kind.kind}")
    return axes + of + ("" if kind.refine is None else f" {kind.refine}")


def _index(kind: Type) -> str:
    space, size = kind.kind.space, kind.kind.size
    return str(space if space is not None and not space.scope else size)


def _claim(claim: ClaimNote) -> str:
    args = f"({', '.join(map(str, claim.args))})" if claim.args else ""
    return f"{'assume ' if claim.assumed else ''}{claim.name}{args}"


def signature(graph: Graph) -> str:
    """`encoder Mixer(x: [T, D]) -> [T, D] causal(T)`."""
    nodes = graph.by_name()
    inputs = (nodes[name] for name in graph.inputs)
    public = [node for node in inputs if ":" not in node.attrs["port"]]
    ports = ", ".join(f"{node.attrs['port']}: {type_text(node.type)}" for node in public)
    results = [(field, type_text(nodes[node].type)) for field, node in graph.results]
    if len(results) == 1 and not results[0][0]:
        made = results[0][1]
    else:
        made = "(" + ", ".join(f"{field}: {text}" for field, text in results) + ")"
    claims = "".join(f" {_claim(claim)}" for claim in graph.claims)
    return f"{graph.keyword} {graph.declaration}({ports}) -> {made}{claims}"


def _safe(text: str) -> str:
    """A spec's text inside a docstring: nothing in it ends the string or escapes from it."""
    return text.replace("\\", "\\\\").replace('"""', "'''").replace("\r", "")


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """A line broken after commas and spaces where it is too long."""
    lines: list[str] = []
    while len(text) > width:
        cut = text.rfind(" ", 20, width)
        if cut < 0:
            break
        lines.append(text[:cut])
        text = "    " + text[cut + 1 :]
    return [*lines, text]


def class_doc(graph: Graph, holdings: Owned, turn: bool = False) -> tuple[str, ...]:
    """Docstring of a class or function: the signature, the declaration's comment, its parameters' axes.

    `turn`: it is the body of a loop.
    """
    lines = [f"One turn of `{graph.declaration}`."] if turn else wrapped(signature(graph))
    if graph.doc and not turn:
        lines += ["", *(line.rstrip() for line in dedent(graph.doc.strip("\n")).splitlines())]
    public = [node for node in graph.by_name().values() if node.kind == "input"]
    if len(public) > 1:
        lines += ["", "Axes before the declared ones are carried along; all inputs have the same ones."]
    if holdings.slots:
        held = ", ".join(f"`{node.attrs['path']}` {type_text(node.type)}" for node in holdings.slots)
        lines += ["", *wrapped(f"Parameters: {held}.")]
    return tuple(_safe(line) for line in lines)
