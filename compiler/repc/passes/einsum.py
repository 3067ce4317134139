"""Sums of products become contractions: no product over more axes than its factors is made (LANGUAGE.md 4.13)."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Symbol
from repc.ir import Attrs, Graph, Node, Program
from repc.passes.record import Pass
from repc.passes.rewrite import each_graph, merged

# Stands for the axes that callers carry along: whatever depends on an input may have them.
CARRIED = Symbol("carried", "einsum")


def einsum(program: Program) -> Program:
    """`sum(x * y * .., over)` as `contract(x, y, ..)`.

    Only sums without a condition, over products whose parts nothing else uses: a product under a condition is not
    evaluated where the condition is false, so it must not be taken apart.
    """
    return each_graph(program, lambda _, graph: contracted(graph))


def contracted(graph: Graph) -> Graph:
    """One graph with its sums of products as contractions; the products stay where they are, for `dead-nodes`."""
    nodes = graph.by_name()
    uses: dict[str, int] = {}
    for node in graph.nodes:
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + 1
    for name in {node for _, node in (*graph.results, *graph.sites)}:
        uses[name] = uses.get(name, 0) + 1
    carrying: set[str] = set()
    made: list[Node] = []
    for node in graph.nodes:
        if node.kind == "input" or any(arg in carrying for arg in node.args):
            carrying.add(node.name)
        made.append(_contraction(node, nodes, uses, carrying) or node)
    return graph.with_(nodes=tuple(made))


def _contraction(node: Node, nodes: Mapping[str, Node], uses: Mapping[str, int], carrying: set[str]) -> Node | None:
    attrs = node.attrs
    if node.kind != "prim" or attrs["op"] != "sum" or attrs.get("masked", False) or attrs.get("empty") is not None:
        return None
    if node.type.kind.name != "float":
        return None
    passed: list[Node] = []
    factors = _factors(nodes, node.args[0], uses, passed)
    tensors = [factor for factor in factors if factor.type.kind.name != "number"]
    spread = [{*own.type.labels, *((CARRIED,) if own.name in carrying else ())} for own in tensors]
    whole = set().union(*spread)
    summed = set(attrs["over"])
    # A sum over an axis that no factor has would be lost.
    if len(tensors) < 2 or not summed <= whole or any(own == whole for own in spread):
        return None
    args = tuple(factor.name for factor in factors)
    origin = merged([*passed, node])
    return Node(node.name, "prim", args, Attrs(op="contract", out=node.type.labels), node.type.plain(), origin)


def _factors(nodes: Mapping[str, Node], name: str, uses: Mapping[str, int], passed: list[Node]) -> list[Node]:
    """Factors of a product that is used once, in order; `passed` gets the products on the way."""
    node = nodes[name]
    inner = node.kind == "prim" and node.attrs["op"] == "mul" and node.type.kind.name == "float" and uses[name] == 1
    if not inner:
        return [node]
    passed.append(node)
    return [factor for arg in node.args for factor in _factors(nodes, arg, uses, passed)]


EINSUM = Pass("einsum", "Makes sums of products contractions where the product has more axes than its factors.", einsum)
