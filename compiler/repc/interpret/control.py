"""Nodes that run graphs in their own place: loops, branches, inner derivatives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import torch

from repc.dims import Dim, Symbol
from repc.interpret.faults import InterpretFault
from repc.interpret.frame import Frame, Owner, Place
from repc.interpret.named import Named, extents, picked, spread, stacked
from repc.interpret.states import is_state
from repc.interpret.values import Value, extra_axes, labels_of, mapped
from repc.ir import Graph, Node

if TYPE_CHECKING:
    from repc.interpret.nodes import Evaluator


def inside(
    evaluator: Evaluator,
    frame: Frame,
    body: Graph,
    inputs: Mapping[str, Value],
    path: str,
    blocks: Iterable[tuple[str, str]] = (),
) -> dict[str, Value]:
    """Results of a body that shares the sizes and lifted axes of `frame`. `blocks`: blocks of `frame` it is given."""
    place = frame.place
    passed = {**place.blocks, **{own: frame.block(outer) for own, outer in blocks}}
    lifts = dict(place.lifts)
    for node in body.nodes:
        if node.kind == "input" and node.attrs["port"] in inputs and not is_state(node.attrs["port"]):
            lifts.update(extra_axes(inputs[node.attrs["port"]], node.type))
    inner = Place(Owner(path, place.owner.per), place.sizes, lifts, passed, place.depth)
    return evaluator.graph(Frame(frame.program, body, inner), inputs)


def loop(evaluator: Evaluator, frame: Frame, node: Node) -> Value:
    """Turns of a body: carried values go from turn to turn, stacked ones are laid side by side along an axis."""
    attrs = node.attrs
    body = frame.program.graphs[attrs["body"]]
    inputs = dict(zip(attrs["ports"], (frame.values[arg] for arg in node.args), strict=True))
    count = frame.size(Dim.of(attrs["count"]))
    order = range(count - 1, -1, -1) if attrs.get("reversed", False) else range(count)
    kept: dict[str, dict[int, Value]] = {name: {} for name in attrs["stacked"]}
    before: dict[str, Value] = {name: inputs[name] for name in attrs.get("each", ())}
    after: dict[str, dict[str, Value]] = {name: {} for name in before}
    for turn in order:
        if attrs.get("index"):
            inputs[attrs["index"]] = Named(torch.tensor(turn), ())
        for name, states in before.items():
            if not isinstance(states, dict) or str(turn) not in states:
                raise InterpretFault(name, f"this state has no value for turn {turn}")
            inputs[name] = states[str(turn)]
        label = attrs.get("label", "")
        path = frame.path(f"{label}.{turn}" if label else "")
        made = inside(evaluator, frame, body, inputs, path, attrs.get("blocks", ()))
        inputs.update({name: made[name] for name in attrs["carried"]})
        for name in attrs["stacked"]:
            kept[name][turn] = made[name]
        for name in before:
            after[name][str(turn)] = made[name]
    results: dict[str, Value] = {name: inputs[name] for name in attrs["carried"]}
    results.update(after)
    for name in attrs["stacked"]:
        results[name] = _laid(node, body, name, [kept[name][turn] for turn in range(count)])
    return results


def _laid(node: Node, body: Graph, name: str, turns: list[Value]) -> Value:
    """The values of all turns along the axis that the result has and a turn has not."""
    field = node.type.field(name)
    inner = body.node(dict(body.results)[name]).type
    if field is None:
        raise InterpretFault(node.name, f"the loop has no result {name}")
    (axis,) = labels_of(field) - labels_of(inner)
    if not turns or not all(isinstance(turn, Named) for turn in turns):
        raise InterpretFault(node.name, f"{name} cannot be stacked: it needs at least one turn, each a tensor")
    return stacked([turn for turn in turns if isinstance(turn, Named)], axis)


def branch(evaluator: Evaluator, frame: Frame, node: Node) -> Value:
    """One of two graphs, by a predicate; where the predicate has lifted axes, each position takes its own."""
    predicate = evaluator.tensor(frame, node.args[0])
    attrs = node.attrs
    inputs = dict(zip(attrs["ports"], (frame.values[arg] for arg in node.args[1:]), strict=True))
    return _chosen(evaluator, frame, node, predicate, inputs)


def _chosen(evaluator: Evaluator, frame: Frame, node: Node, predicate: Named, inputs: dict[str, Value]) -> Value:
    if predicate.labels:
        label = predicate.labels[0]
        parts = [
            _chosen(
                evaluator,
                frame,
                node,
                picked(predicate, label, at),
                {port: mapped(value, lambda x, at=at: picked(x, label, at)) for port, value in inputs.items()},  # type: ignore[misc]
            )
            for at in range(predicate.size(label))
        ]
        return _side_by_side(parts, label)
    key = node.attrs["then"] if bool(predicate.data) else node.attrs["other"]
    made = inside(
        evaluator, frame, frame.program.graphs[key], inputs, frame.place.owner.path, node.attrs.get("blocks", ())
    )
    return made[""] if tuple(made) == ("",) else dict(made)


def _side_by_side(parts: list[Value], label: Symbol) -> Value:
    first = parts[0]
    if isinstance(first, dict):
        records = [part for part in parts if isinstance(part, dict)]
        return {name: _side_by_side([record[name] for record in records], label) for name in first}
    return stacked([part for part in parts if isinstance(part, Named)], label)


def gradient(evaluator: Evaluator, frame: Frame, node: Node) -> Value:
    """Derivatives of a scalar graph by some of its inputs; they can be differentiated again."""
    attrs = node.attrs
    body = frame.program.graphs[attrs["graph"]]
    inputs: dict[str, Value] = dict(zip(attrs["ports"], (frame.values[arg] for arg in node.args), strict=True))
    lifted: dict[Symbol, int] = {}
    types = {inner.attrs["port"]: inner.type for inner in body.nodes if inner.kind == "input"}
    for port, value in inputs.items():
        lifted.update(extra_axes(value, types[port]))
    recording = torch.is_grad_enabled()
    with torch.enable_grad():
        leaves: dict[str, Named] = {}
        for port in attrs["wrt"]:
            value = inputs[port]
            if not isinstance(value, Named):
                raise InterpretFault(f"{node.name}.{port}", "a derivative is taken by a tensor")
            # Every lifted position has a derivative of its own, so it needs an entry of its own.
            sizes = {**lifted, **{k: v for k, v in extents(value).items() if k not in lifted}}
            whole = spread(value, sizes)
            leaf = whole.clone() if whole.requires_grad else whole.detach().clone().requires_grad_(True)
            leaves[port] = Named(leaf, tuple(sizes))
        results = inside(evaluator, frame, body, {**inputs, **leaves}, frame.place.owner.path)
        (scalar,) = results.values()
        if not isinstance(scalar, Named) or set(scalar.labels) - lifted.keys():
            raise InterpretFault(node.name, "a derivative is taken of a scalar")
        found = torch.autograd.grad(
            spread(scalar, lifted).sum(),
            [leaf.data for leaf in leaves.values()],
            create_graph=True,
            allow_unused=True,
            materialize_grads=True,
        )
    made: dict[str, Value] = {}
    for (port, at), tensor in zip(leaves.items(), found, strict=True):
        made[port] = Named(tensor if recording else tensor.detach(), at.labels)
    if node.type.kind.name == "record":
        return made
    (only,) = made.values()
    return only
