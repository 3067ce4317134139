"""The step form of memories: their state goes from position to position."""

from __future__ import annotations

from repc.dims import Symbol
from repc.ir import MemoryRecord, Node, Word
from repc.passes.streaming.walker import Walker, without
from repc.types import Kind, Type, record

MEMORY_STATE = Type((), Kind("state", of="memory"))
# Weights for which a query needs more than the pairs up to its own.
SEES_ALL = ("full", "selected", "matrix")


def memory_step(walker: Walker, node: Node, label: Symbol | None) -> str:
    """A memory along the axis carries its state; one along another axis is the same at every position."""
    declared: MemoryRecord = node.attrs["record"]
    types = {name: walker.nodes[name].type for name in node.args}
    along = label is not None and label == declared.sequence
    if not along or label not in (declared.source,):
        args = [walker.argument(arg, label) for arg in node.args]
        if label is None:
            return walker.copied(node, args)
        return walker.builder.add(node.name, "memory", args, node.attrs, without(node.type, label), node.origin)
    assert label is not None
    fields = dict(declared.fields)
    if "weights" in fields and fields["weights"].value.name in SEES_ALL:
        walker.refuse(node, "memory", f"its weights are `{fields['weights'].value.name}`")
    args = [walker.argument(arg, label) for arg in node.args]
    ports: tuple[str, ...] = node.attrs["ports"]
    timed = tuple(port for port, arg in zip(ports, node.args, strict=True) if label in types[arg].labels)
    builder = walker.builder
    port, before = builder.state("memory", MEMORY_STATE, Word("memory"), node.origin)
    whole_type = node.type.fields[0][1] if node.type.kind.name == "record" else node.type
    out = without(whole_type, label)
    attrs = node.attrs.with_(mode="step", timed=timed, ports=("state", *ports))
    made = builder.add(
        f"{node.name}.step",
        "memory",
        (before, *args),
        attrs,
        record((("out", out), ("state", MEMORY_STATE))),
        node.origin,
    )
    builder.carry(port, builder.prim(f"{node.name}.state", "field", (made,), node.origin, name="state"))
    return builder.prim(node.name, "field", (made,), node.origin, name="out")
