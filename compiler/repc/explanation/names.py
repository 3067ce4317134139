"""Types and words in the names of a spec: `K` where the file says `dim K = D / H`, not `K: D/H`."""

from __future__ import annotations

from repc.dims import Dim, Symbol
from repc.ir import ClaimNote, Graph, Program, Ref, Word
from repc.types import Axis, Type


class Names:
    """The dims that a program's files declare as formulas, looked up by what they are."""

    def __init__(self, program: Program) -> None:
        self._formulas = {formula: symbol for symbol, formula in program.formulas.items() if formula.symbol is None}

    def size(self, size: Dim) -> str:
        """A size: a dim's name where it is one, else the formula."""
        named: Symbol | None = size.symbol or self._formulas.get(size)
        return str(size if named is None else named)

    def axis(self, axis: Axis) -> str:
        """An axis of a shape: its label, with its size where the label does not say it."""
        size = self.size(axis.size)
        return size if str(axis.label) == size else f"{axis.label}: {size}"

    def shape(self, axes: tuple[Axis, ...]) -> str:
        """`[T, K]`."""
        return f"[{', '.join(map(self.axis, axes))}]"

    def type(self, kind: Type) -> str:
        """A type as it is written after a colon: `[T, D]`, `[T] of V`, `[T] in (0, 1)`."""
        if kind.kind.name == "record":
            return "(" + ", ".join(f"{name}: {self.type(inner)}" for name, inner in kind.fields) + ")"
        of = ""
        if kind.kind.name == "index" and kind.kind.size is not None:
            space = kind.kind.space
            own = space is not None and not space.scope.startswith("std.")
            of = f" of {space if own and space is not None else self.size(kind.kind.size)}"
        elif kind.kind.name not in {"float", "number"}:
            of = f" of {kind.kind}"
        return self.shape(kind.axes) + of + ("" if kind.refine is None else f" {kind.refine}")

    def signature(self, graph: Graph) -> str:
        """`encoder Mixer(x: [T, D]) -> [T, D] causal(T)`."""
        nodes = graph.by_name()
        inputs = [nodes[name] for name in graph.inputs]
        ports = [f"{node.attrs['port']}: {self.type(node.type)}" for node in inputs if ":" not in node.attrs["port"]]
        results = [(field, self.type(nodes[node].type)) for field, node in graph.results]
        if len(results) == 1 and not results[0][0]:
            made = results[0][1]
        else:
            made = "(" + ", ".join(f"{field}: {text}" for field, text in results) + ")"
        claims = "".join(f" {_claim(claim)}" for claim in graph.claims)
        return f"{graph.keyword} {graph.declaration}({', '.join(ports)}) -> {made}{claims}"


def _claim(claim: ClaimNote) -> str:
    args = f"({', '.join(map(str, claim.args))})" if claim.args else ""
    return f"{'assume ' if claim.assumed else ''}{claim.name}{args}"


# Words that stand for a plain value in a field that takes words.
_PLAIN = frozenset({"constant", "value"})


def word_text(value: object) -> str:
    """A word, or an argument of one, as it is written in a spec."""
    if isinstance(value, Word):
        if value.name in _PLAIN and len(value.args) == 1:
            return word_text(value.args[0][1])
        if value.name == "span" and len(value.args) == 2:
            return " -> ".join(word_text(end) for _, end in value.args)
        inner = ", ".join(f"{name}: {word_text(argument)}" for name, argument in value.args if argument is not None)
        return f"{value.name}({inner})" if inner else value.name
    if isinstance(value, Ref):
        return value.node
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(word_text, value))})"
    return "none" if value is None else str(value)
