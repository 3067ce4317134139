"""Step forms of primitives: the same op without the axis, or a state where it looks back along it."""

from __future__ import annotations

from collections.abc import Callable

from repc.dims import Dim, Symbol
from repc.ir import Attrs, Node
from repc.ops import REGISTRY
from repc.ops.declare import TypeCall
from repc.ops.fields import Reach
from repc.passes.affine import HERE, Affine, affine, in_order
from repc.passes.streaming.builder import constant
from repc.passes.streaming.walker import Walker, without
from repc.passes.streaming.windows import cut, padded, windowed
from repc.types import BOOL, Axis, scalar

# Running values: how the next value follows from the one before, and what there is before the first.
RUNNING = {"cumsum": ("add", 0), "cumprod": ("mul", 1), "cummax": ("maximum", float("-inf"))}


def prim_step(walker: Walker, node: Node, label: Symbol | None) -> str:
    """A primitive at this position of its axis `label`, or as a whole."""
    op = node.attrs["op"]
    if op == "gather":
        found = looked_up(walker, node, label)
        if found is not None:
            return found
    if op == "lt" and below_length(walker, node, label):
        return walker.builder.add(node.name, "const", (), Attrs(value=True), scalar(BOOL), node.origin)
    if label is None:
        return walker.copied(node, [walker.whole(arg) for arg in node.args])
    if op in _RULES:
        made = _RULES[op](walker, node, label)
        if made is not None:
            return made
    return same_place(walker, node, label)


def call_of(walker: Walker, node: Node) -> TypeCall:
    """The question that the node asked of its op's type rule."""
    types = tuple(walker.nodes[arg].type for arg in node.args)
    return TypeCall(REGISTRY[node.attrs["op"]], types, node.attrs, walker.builder.facts)


def same_place(walker: Walker, node: Node, label: Symbol) -> str:
    """An op whose value at a position needs its operands at that position alone: the op without the axis."""
    call = call_of(walker, node)
    args: list[str] = []
    gone = {label}
    for at, name in enumerate(node.args):
        found = source_axis(walker, node, call, at, label)
        if found is not None:
            gone.add(found)
        args.append(walker.whole(name) if found is None else walker.at(name, found))
    if node.attrs["op"] == "and":
        for one, other in ((0, 1), (1, 0)):
            held = walker.builder.nodes[args[one]]
            if held.kind == "const" and held.attrs["value"] is True:
                return args[other]
    attrs = {name: value for name, value in node.attrs.items() if name != "op"}
    if any(named_there(attrs.get(attribute.name), attribute.kind, gone) for attribute in call.op.attributes):
        walker.refuse(node, "unsupported")
    emptied = False
    for attribute in call.op.attributes:
        if attribute.name in attrs:
            kept = reduced(attrs[attribute.name], attribute.kind, gone)
            emptied |= kept == () and attrs[attribute.name] != ()
            attrs[attribute.name] = kept
    if emptied and len(args) == 1 and walker.builder.type(args[0]).kind == node.type.kind:
        return args[0]
    return walker.builder.prim(node.name, node.attrs["op"], args, node.origin, **attrs)


def source_axis(walker: Walker, node: Node, call: TypeCall, at: int, label: Symbol) -> Symbol | None:
    """The axis of an operand whose position is that of `label` in the result; refused where it looks elsewhere."""
    found: Symbol | None = None
    for axis in walker.nodes[node.args[at]].type.axes:
        reaches = call.op.depends(call, at, axis)
        if not any(reach.to == label for reach in reaches):
            continue
        if len(reaches) != 1 or not is_own(reaches[0]) or found is not None:
            later = any(reach.high is None for reach in reaches)
            walker.refuse(node, "all-positions" if later else "unsupported", walker.name_of(node))
        found = axis.label
    return found


def is_own(reach: Reach) -> bool:
    """Whether a position sees its own alone."""
    return reach.stride == Dim.of(1) and reach.low == Dim.of(0) and reach.high == Dim.of(0)


def named_there(value: object, kind: str, gone: set[Symbol]) -> bool:
    """Whether an attribute stands for one axis that is gone: then the op cannot do without it."""
    if kind == "axis":
        return value in gone
    return kind == "new axis" and isinstance(value, Axis) and value.label in gone


def reduced(value: object, kind: str, gone: set[Symbol]) -> object:
    """An attribute without the labels that are gone."""
    if kind == "axes" and isinstance(value, tuple):
        return tuple(label for label in value if label not in gone)
    if kind == "pairs" and isinstance(value, tuple):
        return tuple(pair for pair in value if pair[0] not in gone)
    if kind == "new axes" and isinstance(value, tuple):
        return tuple(axis for axis in value if axis.label not in gone)
    return value


# ---- ops that look back


def position(walker: Walker, node: Node, label: Symbol) -> str | None:
    """`iota` along the axis is the number of positions so far."""
    axis: Axis = node.attrs["axis"]
    return walker.builder.counter() if axis.label == label else None


def running(walker: Walker, node: Node, label: Symbol) -> str | None:
    """Cumulative ops carry their value."""
    if label not in node.attrs["over"]:
        return None
    if node.attrs["over"] != (label,):
        walker.refuse(node, "unsupported")
    combine, start = RUNNING[node.attrs["op"]]
    made = walker.at(node.args[0], label)
    builder = walker.builder
    if node.attrs.get("masked", False):
        keep = walker.argument(node.args[1], label)
        neutral = builder.number(start, node.origin)
        made = builder.prim(f"{node.name}.kept", "where", (keep, made, neutral), node.origin)
    type = without(node.type, label).plain()
    port, before = builder.state(node.name, type, constant(start), node.origin)
    after = builder.prim(node.name, combine, (before, made), node.origin)
    builder.carry(port, after)
    return after


def shifted(walker: Walker, node: Node, label: Symbol) -> str | None:
    """`y[t] = x[t - by]` reads what came `by` positions before."""
    if node.attrs["over"] != (label,):
        return None
    by = Dim.of(node.attrs.get("by", 1))
    made = walker.at(node.args[0], label)
    if by == Dim.of(0):
        return made
    if not in_order(walker.builder.facts, Dim.of(1), by):
        walker.refuse(node, "later")
    return back(walker, node, made, by, float(node.attrs.get("fill", 0)))


def back(walker: Walker, node: Node, value: str, by: Dim, fill: float) -> str:
    """The value `by` positions ago."""
    held, axis = walker.builder.past(value, by + 1, fill, node.origin)
    return walker.builder.prim(node.name, "pick", (held,), node.origin, axis=axis.label, at=Dim.of(0))


def looked_up(walker: Walker, node: Node, label: Symbol | None) -> str | None:
    """`x[t - j]` along the axis reads among the last values; None where no axis of time is looked up."""
    if len(node.attrs["axes"]) != 1:
        return None
    (axis,) = node.attrs["axes"]
    found = affine(walker.nodes, node.args[1], walker.here)
    here = HERE if label is None else label
    if found is None or found.factor(here) != 1:
        return None
    value = walker.at(node.args[0], axis)
    offset = found.without(here)
    low, high = offset.bounds()
    facts = walker.builder.facts
    if not in_order(facts, high, Dim.of(0)):
        walker.refuse(node, "later")
    if not offset.terms and low == Dim.of(0):
        return value
    if offset.clipped and not guarded(walker, node, offset.clipped):
        walker.refuse(node, "unsupported", f"a position brought into range, {walker.name_of(node)},")
    if not offset.terms:
        return back(walker, node, value, -low, 0.0)
    held, past = walker.builder.past(value, 1 - low, 0.0, node.origin)
    index = spelled(walker, node, offset, -low)
    return walker.builder.prim(node.name, "gather", (held, index), node.origin, axes=(past.label,))


def spelled(walker: Walker, node: Node, offset: Affine, more: Dim) -> str:
    """An offset plus a constant, as nodes."""
    builder = walker.builder
    made = builder.number(offset.constant + more, node.origin)
    for label, factor in offset.terms:
        place = builder.prim(f"{node.name}.place", "iota", (), node.origin, axis=offset.axis(label))
        if factor != 1:
            place = builder.prim(f"{node.name}.place", "mul", (place, builder.number(factor, node.origin)), node.origin)
        made = builder.prim(f"{node.name}.index", "add", (place, made), node.origin)
    return made


def guarded(walker: Walker, node: Node, clipped: str) -> bool:
    """Whether a looked up value is used only where its position, before it was brought into range, was in range."""
    place = walker.nodes[clipped].args[0]
    users = [other for other in walker.graph.nodes if node.name in other.args]
    return bool(users) and all(
        user.kind == "prim"
        and user.attrs["op"] == "where"
        and user.args[1] == node.name
        and node.name not in (user.args[0], user.args[2])
        and _in_range(walker, user.args[0], place)
        for user in users
    )


def _in_range(walker: Walker, condition: str, place: str) -> bool:
    """Whether a condition is, or begins with, `place >= 0`."""
    node = walker.nodes[condition]
    if node.kind != "prim":
        return False
    if node.attrs["op"] == "and":
        return any(_in_range(walker, arg, place) for arg in node.args)
    if node.attrs["op"] != "ge" or node.args[0] != place:
        return False
    bound = walker.nodes[node.args[1]]
    return bound.kind == "const" and bound.attrs["value"] in (0, Dim.of(0))


def below_length(walker: Walker, node: Node, label: Symbol | None) -> bool:
    """Whether it is `t - j < T`, which always holds: no position comes after this one."""
    here = HERE if label is None else label
    left, right = (affine(walker.nodes, arg, walker.here) for arg in node.args)
    if left is None or right is None or right.terms or left.factor(here) != 1 or right.constant != walker.extent:
        return False
    return in_order(walker.builder.facts, left.without(here).bounds()[1], Dim.of(0))


_RULES: dict[str, Callable[[Walker, Node, Symbol], str | None]] = {
    "iota": position,
    "cumsum": running,
    "cumprod": running,
    "cummax": running,
    "shift": shifted,
    "slice": cut,
    "split": cut,
    "pad": padded,
    "windows": windowed,
}
