"""Whether a quantity is a mean over samples, so that its value over a whole split is the mean of its pieces' values."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Symbol
from repc.ir import Graph, Node, Program


def is_mean_over_samples(program: Program, graph: Graph, node: str, batch: Symbol | None) -> bool:
    """Whether a node of a step, averaged over the samples it still has, is the mean of one number for each sample."""
    nodes = graph.by_name()
    if batch is None:
        return False
    if nodes[node].type.axis(batch) is not None:
        return _by_sample(nodes, node, batch)
    return _mean(nodes, node, batch)


def _mean(nodes: Mapping[str, Node], name: str, batch: Symbol) -> bool:
    """A plain mean over samples of what each sample has alone; multiples and sums of such means."""
    node = nodes[name]
    if node.kind == "const":
        return True
    if node.kind != "prim":
        return False
    match node.attrs["op"]:
        case "mean":
            inner = nodes[node.args[0]]
            plain = not node.attrs.get("masked", False) and node.attrs.get("empty") is None
            return plain and inner.type.axis(batch) is not None and _by_sample(nodes, inner.name, batch)
        case "add" | "sub":
            return all(_mean(nodes, arg, batch) and nodes[arg].type.kind.name != "number" for arg in node.args)
        case "mul" | "div":
            left, right = (nodes[arg] for arg in node.args)
            return right.type.kind.name == "number" and _mean(nodes, left.name, batch)
        case "neg" | "relabel":
            return _mean(nodes, node.args[0], batch)
        case _:
            return False


def _by_sample(nodes: Mapping[str, Node], name: str, batch: Symbol) -> bool:
    """Whether every sample's entries of a node come from that sample alone."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        node = nodes[waiting.pop()]
        if node.name not in seen:
            seen.add(node.name)
            if not _keeps_apart(nodes, node, batch):
                return False
            waiting += node.args
    return True


def _keeps_apart(nodes: Mapping[str, Node], node: Node, batch: Symbol) -> bool:
    if node.type.axis(batch) is None:
        return all(nodes[arg].type.axis(batch) is None for arg in node.args)
    if node.kind == "apply":
        return batch in node.attrs["lift"]
    if node.kind == "prim":
        return not _works_along(node, batch)
    return node.kind in ("input", "const", "draw", "slot", "read")


def _works_along(node: Node, batch: Symbol) -> bool:
    """Whether a primitive names the samples' axis among those that it works along."""
    values = [value for key, value in node.attrs.items() if key not in ("op", "out", "order", "labels")]
    return any(value == batch or (isinstance(value, tuple) and batch in value) for value in values)
