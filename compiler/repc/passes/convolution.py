"""A contraction of windows with a kernel becomes one operation: the windows are not made."""

from __future__ import annotations

from collections.abc import Mapping

from repc.ir import Attrs, Graph, Node, Program
from repc.passes.record import Pass
from repc.passes.rewrite import each_graph, merged


def convolution(program: Program) -> Program:
    """`contract(windows(..windows(x)), weight)` as `convolve(x, weight)`.

    Where every axis of places is one of the kernel and summed, the windows themselves stay in the result, and all
    windows have one stride and one dilation.
    """
    return each_graph(program, lambda _, graph: convolved(graph))


def convolved(graph: Graph) -> Graph:
    """One graph; the windows stay where they are, for `dead-nodes`."""
    nodes = graph.by_name()
    return graph.with_(nodes=tuple(_convolution(node, nodes) or node for node in graph.nodes))


def _convolution(node: Node, nodes: Mapping[str, Node]) -> Node | None:
    if node.kind != "prim" or node.attrs["op"] != "contract" or len(node.args) != 2:
        return None
    first, second = (nodes[arg] for arg in node.args)
    return _of(node, first, second, nodes) or _of(node, second, first, nodes)


def _of(node: Node, framed: Node, kernel: Node, nodes: Mapping[str, Node]) -> Node | None:
    """The operation for windows and a kernel, if they are that."""
    chain: list[Node] = []
    source = framed
    while source.kind == "prim" and source.attrs["op"] == "windows":
        chain.insert(0, source)
        source = nodes[source.args[0]]
    if not chain or any(own.type.kind.name != "float" for own in (source, kernel)):
        return None
    out = node.attrs["out"]
    places = tuple(own.attrs["as"] for own in chain)
    within = tuple(own.attrs["within"] for own in chain)
    first = chain[0].attrs
    alike = all((own.attrs["stride"], own.attrs["dilation"]) == (first["stride"], first["dilation"]) for own in chain)
    fits = all(axis.label in out and kernel.type.axis(axis.label) is None for axis in places)
    inner = all(axis.label not in out and kernel.type.axis(axis.label) is not None for axis in within)
    # What only one operand has and the result lacks is summed before: that is no convolution.
    lost = [
        label
        for own, other in ((framed, kernel), (kernel, framed))
        for label in own.type.labels
        if label not in out and other.type.axis(label) is None
    ]
    if not (alike and fits and inner) or lost:
        return None
    attrs = Attrs(
        op="convolve",
        over=tuple(own.attrs["axis"] for own in chain),
        within=tuple(axis.label for axis in within),
        stride=first["stride"],
        dilation=first["dilation"],
        out=out,
        **{"as": places},
    )
    return Node(node.name, "prim", (source.name, kernel.name), attrs, node.type, merged([*chain, node]))


CONVOLUTION = Pass("convolution", "Makes contractions of windows with a kernel convolutions.", convolution)
