"""Step forms of ops that cut, pad and window the axis itself: what they read lies a fixed way back."""

from __future__ import annotations

from repc.dims import Dim, Symbol
from repc.ir import Node
from repc.passes.affine import in_order
from repc.passes.streaming.walker import Walker
from repc.types import Axis


def cut(walker: Walker, node: Node, label: Symbol) -> str | None:
    """`x[T = :-1]` is x at the same position; a cut from the start on would need what comes later."""
    if node.attrs["as"].label != label:
        return None
    if Dim.of(node.attrs["start"]) != Dim.of(0):
        walker.refuse(node, "later")
    return walker.at(node.args[0], node.attrs["axis"])


def padded(walker: Walker, node: Node, label: Symbol) -> str | None:
    """Entries put in front move everything back by as many positions."""
    if node.attrs["as"].label != label:
        return None
    value = walker.at(node.args[0], node.attrs["axis"])
    before = Dim.of(node.attrs.get("before", 0))
    if before == Dim.of(0):
        return value
    held, axis = walker.builder.past(value, before + 1, float(node.attrs.get("value", 0)), node.origin)
    return walker.builder.prim(node.name, "pick", (held,), node.origin, axis=axis.label, at=Dim.of(0))


def windowed(walker: Walker, node: Node, label: Symbol) -> str | None:
    """`y[t, w] = x[t + d w]` of an axis that was padded in front by enough: the last values of what was padded."""
    new: Axis = node.attrs["as"]
    if new.label != label:
        return None
    size, stride, dilation = (Dim.of(node.attrs.get(name, 1)) for name in ("size", "stride", "dilation"))
    if stride != Dim.of(1):
        walker.refuse(node, "unsupported", "a window that moves by several positions")
    source, before, fill = node.args[0], Dim.of(0), 0.0
    inner = walker.nodes[source]
    if inner.kind == "prim" and inner.attrs["op"] == "pad" and inner.attrs["as"].label == node.attrs["axis"]:
        source, axis = inner.args[0], inner.attrs["axis"]
        before, fill = Dim.of(inner.attrs.get("before", 0)), float(inner.attrs.get("value", 0))
    else:
        axis = node.attrs["axis"]
    builder = walker.builder
    reach = dilation * (size - 1)
    if not in_order(builder.facts, reach, before):
        walker.refuse(node, "later")
    value = walker.at(source, axis)
    held, past = builder.past(value, before + 1, fill, node.origin)
    within: Axis = node.attrs["within"]
    if dilation == Dim.of(1) and before == reach:
        return builder.prim(node.name, "relabel", (held,), node.origin, labels=((past.label, within.label),))
    place = builder.prim(f"{node.name}.place", "iota", (), node.origin, axis=within)
    if dilation != Dim.of(1):
        step = builder.number(dilation, node.origin)
        place = builder.prim(f"{node.name}.place", "mul", (place, step), node.origin)
    return builder.prim(node.name, "gather", (held, place), node.origin, axes=(past.label,))
