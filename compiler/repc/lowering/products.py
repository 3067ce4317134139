"""Sums of products as contractions, so that no outer product is made (LANGUAGE.md 4.13).

`sum(weight * x, over: In)` spreads both factors over all axes before it sums. Where that would be larger than one of
the factors, the sum becomes one contraction; numbers that multiply or divide the product go outside.
"""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.ir import Attrs, Graph, Node
from repc.types import NUMBER, Type


class _Product(Record):
    """A product: its tensors, and the numbers that multiply and divide it."""

    factors: tuple[str, ...]
    times: tuple[str, ...]
    over: tuple[str, ...]


def _product(nodes: Mapping[str, Node], name: str, uses: Mapping[str, int], outer: bool) -> _Product:
    node = nodes[name]
    if node.type.kind.name == "number":
        return _Product((), (name,), ())
    single = outer or uses.get(name, 0) == 1
    if single and node.kind == "prim" and node.type.kind.name == "float":
        op = node.attrs["op"]
        if op == "mul":
            left, right = (_product(nodes, arg, uses, False) for arg in node.args)
            return _Product(left.factors + right.factors, left.times + right.times, left.over + right.over)
        if op == "div" and nodes[node.args[1]].type.kind.name == "number":
            left = _product(nodes, node.args[0], uses, False)
            return _Product(left.factors, left.times, (*left.over, node.args[1]))
    return _Product((name,), (), ())


# Stands for the axes that callers carry along: what depends on an input may have them.
_CARRIED = Symbol("carried", "lowering")


def _worth_it(nodes: Mapping[str, Node], product: _Product, carrying: set[str]) -> bool:
    """Whether the factors are spread over different axes, so that their product is larger than one of them."""
    kinds = [nodes[factor].type for factor in product.factors]
    spread = {
        frozenset({*nodes[factor].type.labels, *([_CARRIED] if factor in carrying else [])})
        for factor in product.factors
    }
    return len(kinds) > 1 and all(kind.kind.name == "float" for kind in kinds) and len(spread) > 1


def _carrying(graph: Graph) -> set[str]:
    """Nodes that depend on an input of a declaration."""
    found: set[str] = set()
    for node in graph.nodes:
        if graph.keyword != "train" and (node.kind == "input" or any(arg in found for arg in node.args)):
            found.add(node.name)
    return found


def contracted(graph: Graph) -> Graph:
    """The graph with its sums and means of products as contractions."""
    nodes = graph.by_name()
    uses: dict[str, int] = {}
    for node in graph.nodes:
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + 1
    for _, result in (*graph.results, *graph.sites):
        uses[result] = uses.get(result, 0) + 1
    carrying = _carrying(graph)
    made: list[Node] = []
    changed = False
    for node in graph.nodes:
        parts = _rewritten(node, nodes, uses, carrying)
        changed = changed or parts is not None
        made += [node] if parts is None else parts
    return graph.with_(nodes=tuple(made)) if changed else graph


def _rewritten(node: Node, nodes: Mapping[str, Node], uses: Mapping[str, int], carrying: set[str]) -> list[Node] | None:
    if node.kind != "prim" or node.attrs["op"] not in ("sum", "mean"):
        return None
    if node.attrs.get("masked", False) or node.attrs.get("empty") is not None:
        return None
    product = _product(nodes, node.args[0], uses, uses.get(node.args[0], 0) == 1)
    if not _worth_it(nodes, product, carrying):
        return None
    plain = Type(node.type.axes, node.type.kind)
    chain = [
        Node(f"{node.name}.0", "prim", product.factors, Attrs(op="contract", out=node.type.labels), plain, node.origin)
    ]
    steps = [("mul", name) for name in product.times] + [("div", name) for name in product.over]
    if node.attrs["op"] == "mean":
        count = Dim.of(1)
        for axis in nodes[node.args[0]].type.axes:
            if axis.label in node.attrs["over"]:
                count = count * axis.size
        number = f"{node.name}.n"
        chain.insert(0, Node(number, "const", (), Attrs(value=count), Type((), NUMBER), node.origin))
        steps.append(("div", number))
    for place, (op, number) in enumerate(steps, 1):
        args = (chain[-1].name, number)
        chain.append(Node(f"{node.name}.{place}", "prim", args, Attrs(op=op), plain, node.origin))
    chain[-1] = chain[-1].with_(name=node.name, type=node.type)
    return chain
