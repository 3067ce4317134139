"""The end of a body: dead nodes dropped, blocks and sites in their final names."""

from __future__ import annotations

from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.derivatives import settle
from repc.elaborate.values import BlockValue
from repc.ir import Attrs, Block, BlockParameter, Graph, Node, Origin

OWNING = {"slot"}


def finished(
    body: Body,
    declaration: str,
    results: tuple[tuple[str, str], ...],
    formals: tuple[Symbol, ...],
    rest: dict[str, object],
) -> Graph:
    """The graph of a body."""
    roots = [node for _, node in results] + list(body.inputs)
    roots += [node for node in body.sites.values() if node in body.nodes]
    roots += [node for _, _, node in body.terms] + [node for _, node, _, _ in body.commits]
    roots += [name for name, node in body.nodes.items() if node.kind in {"slot", "effect"}]
    live = reachable(body, [*roots, *between(body)])
    used = {node.attrs["block"] for node in live if node.kind == "apply"}
    blocks = []
    for block in body.blocks:
        if block.outer or not block.graph:
            continue
        if block.path and (block in used or block.family is not None or owns(body, block.graph)):
            sizes = tuple(sorted(block.sizes.items(), key=lambda pair: pair[0]))
            family = block.family.label if block.family is not None else None
            blocks.append(Block(block.path, block.graph, sizes, Origin(block.span), block.per, family, block.treatment))
    nodes = tuple(settled(body, node) for node in live)
    settle(body, {node.name: node for node in nodes}, tuple(blocks))
    return Graph(
        name=body.key,
        declaration=declaration,
        keyword=body.keyword,
        inputs=tuple(body.inputs),
        nodes=nodes,
        results=results,
        origin=body.origin,
        blocks=tuple(blocks),
        parameters=tuple(settled_parameter(body, parameter) for parameter in body.parameters),
        sites=tuple((name, node) for name, node in body.sites.items() if node in body.nodes),
        formals=formals,
        facts=body.facts,
        claims=tuple(body.claims),
        cells=tuple(body.cells),
        terms=tuple(body.terms),
        **rest,  # type: ignore[arg-type]
    )


def between(body: Body) -> list[str]:
    """What derivatives are taken through."""
    return [scalar for _, _, scalar in body.derivatives.values()]


def reachable(body: Body, roots: list[str]) -> list[Node]:
    """Nodes that a result, a site or an effect needs, in order."""
    live: set[str] = set()
    waiting = [name for name in roots if name in body.nodes]
    while waiting:
        name = waiting.pop()
        if name not in live:
            live.add(name)
            waiting.extend(body.nodes[name].args)
    return [node for name, node in body.nodes.items() if name in live]


def owns(body: Body, key: str) -> bool:
    """Whether a graph has slots or cells of its own or inside."""
    graph = body.context.graphs.get(key)
    if graph is None:
        return False
    return bool(graph.cells) or bool(graph.blocks) or any(node.kind in OWNING for node in graph.nodes)


# Attributes of nodes that name another graph.
INNER = ("graph", "body", "then", "other")


def remembers(body: Body, key: str) -> bool:
    """Whether a graph has a causal memory or a scan, or one inside: decoding keeps a state for each application."""
    graph = body.context.graphs.get(key)
    if graph is None:
        return False
    inner = [node.attrs["graph"] for node in graph.nodes if node.kind == "apply"]
    inner += [node.attrs["body"] for node in graph.nodes if node.kind == "loop"]
    own = [node.attrs["record"] for node in graph.nodes if node.kind == "memory"]
    streams = any(one.sequence == one.source and one.field("weights").name != "full" for one in own)
    streams = streams or any(node.kind == "loop" and node.attrs["mode"] == "scan" for node in graph.nodes)
    return streams or any(remembers(body, other) for other in inner)


def settled_parameter(body: Body, parameter: BlockParameter) -> BlockParameter:
    """A block that came in before anything had applied it is known by what applied it here."""
    inner = next((one for one in body.passed if one.path == parameter.name), None)
    return parameter if inner is None or not inner.graph else BlockParameter(parameter.name, inner.graph)


def is_random(body: Body, key: str) -> bool:
    """Whether a graph draws, or one inside: its sites then need a path, or two blocks would share their numbers."""
    graph = body.context.graphs.get(key)
    if graph is None:
        return False
    inner = (str(node.attrs.get(field)) for node in graph.nodes for field in INNER if node.attrs.get(field))
    return any(node.kind == "draw" for node in graph.nodes) or any(is_random(body, other) for other in inner)


def settled(body: Body, node: Node) -> Node:
    """Blocks by their path instead of the objects that stood for them."""
    if node.kind != "apply":
        return node
    block = node.attrs["block"]
    path = block.path if isinstance(block, BlockValue) else block
    passed = tuple((name, inner.path) for name, inner in node.attrs["blocks"])
    sites = tuple(sorted(body.site_requests.get(node.name, ())))
    values = dict(node.attrs)
    values.update(block=path, blocks=passed, sites=sites)
    return node.with_(attrs=Attrs(**values))


__all__ = ["Dim", "finished", "owns"]
