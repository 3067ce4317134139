"""What memories cost: operations of a forward pass, and bytes of state between two steps.

Operations are those of the recurrence, one pair after the other; block algorithms do more of them in less time.
"""

from __future__ import annotations

from fractions import Fraction

from repc.dims import Dim
from repc.explanation.work import lifted
from repc.ir import Graph, MemoryRecord, Node, Program
from repc.memory import normalize
from repc.memory.coefficients import is_one, is_zero
from repc.memory.forms import Gram, LocalConstant, RankOne, ScalarAffine, Stream
from repc.ops.fields import size
from repc.types import Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FLOAT_BYTES = 4


class Shape:
    """Sizes of one memory: entries of a key (`features`), of a value, the lengths of both sequences, and how many
    independent memories run beside each other (`copies`)."""

    __slots__ = ("copies", "features", "pairs", "queries", "values")

    def __init__(self, node: Node, types: dict[str, Type]) -> None:
        record: MemoryRecord = node.attrs["record"]
        ports = dict(zip(node.attrs["ports"], node.args, strict=True))
        q, k, v = (types[ports[record.role(role)]] for role in ("q", "k", "v"))
        own = {record.sequence, record.source, *record.key, *record.value_axis}
        beside: dict[object, Axis] = {axis.label: axis for kind in (q, k, v) for axis in kind.axes}
        self.features = _size(k, record.key)
        self.values = _size(v, record.value_axis)
        self.queries = _size(q, (record.sequence,))
        self.pairs = _size(k, (record.source,))
        self.copies = size(tuple(axis for label, axis in beside.items() if label not in own))


def _size(kind: Type, labels: Iterable[object]) -> Dim:
    wanted = set(labels)
    return size(tuple(axis for axis in kind.axes if axis.label in wanted))


def memory_work(graph: Graph, node: Node, types: dict[str, Type]) -> Dim:
    """Operations of one application of a memory, over all positions; 0 for one outside all classes."""
    shape = Shape(node, types)
    f, p, t = shape.features, shape.values, shape.queries
    matrix = f * p
    form = normalize(node.attrs["record"])
    match form:
        case ScalarAffine():
            once = matrix * (4 if is_one(form.decay) else 5)
            total = once * t
        case RankOne():
            total = matrix * (6 if is_one(form.decay) else 7) * t
        case LocalConstant():
            seen = t * shape.pairs
            if form.window is not None:
                seen = t * form.window
            elif form.mask == "causal":
                seen = t * (t + 1) * Fraction(1, 2)
            total = seen * (2 * f + 2 * p + 4)
        case Stream():
            total = matrix * (4 * form.steps + 2 + (0 if is_zero(form.momentum) else 2)) * t
        case Gram():
            # Two sums, then an elimination and two substitutions for each query.
            total = (2 * f * f + 2 * matrix) * shape.pairs + (f * f * f * Fraction(2, 3) + 2 * f * f + 2 * matrix) * t
        case _:
            return Dim.of(0)
    return total * shape.copies


def _state(node: Node, types: dict[str, Type]) -> Dim | None:
    """Numbers that a memory keeps between two steps; a formula in the sequence's length where it grows."""
    shape = Shape(node, types)
    f, p = shape.features, shape.values
    form = normalize(node.attrs["record"])
    match form:
        case ScalarAffine():
            numbers = f * p if form.read.normalize == "none" else f * (p + 1)
        case RankOne():
            numbers = f * p
        case LocalConstant():
            numbers = (f + p) * (shape.pairs if form.window is None else form.window)
        case Stream():
            numbers = f * p * (1 if is_zero(form.momentum) else 2)
        case Gram():
            numbers = f * f + f * p
        case _:
            return None
    return numbers * shape.copies


def state_bytes(program: Program, key: str) -> Dim | None:
    """Bytes of state in float32 that a graph keeps between two steps of its sequence; None where it is not known.

    Counted are memories and what a `scan` carries.
    """
    numbers = _numbers(program, key)
    return None if numbers is None else numbers * FLOAT_BYTES


def _numbers(program: Program, key: str) -> Dim | None:
    graph = program.graphs[key]
    types = {node.name: node.type for node in graph.nodes}
    total = Dim.of(0)
    for node in graph.nodes:
        found = _node(program, node, types)
        if found is None:
            return None
        total = total + found
    return total


def _node(program: Program, node: Node, types: dict[str, Type]) -> Dim | None:
    match node.kind:
        case "memory":
            return _state(node, types)
        case "apply":
            inner = _numbers(program, node.attrs["graph"])
            sizes = {callee: Dim.of(caller) for callee, caller in node.attrs["labels"] if callee != caller}
            sizes.update(node.attrs["sizes"])
            return None if inner is None else inner.subst(sizes) * lifted(node, types)
        case "loop" if node.attrs["mode"] == "scan":
            carried = set(node.attrs["carried"])
            fields = [kind for name, kind in node.type.fields if name in carried]
            total = Dim.of(0)
            for kind in fields:
                total = total + size(kind.axes)
            return total
        case "loop":
            inner = _numbers(program, node.attrs["body"])
            return None if inner is None else inner * node.attrs["count"]
        case "branch":
            then, other = _numbers(program, node.attrs["then"]), _numbers(program, node.attrs["other"])
            return None if then is None or other is None else then + other
        case _:
            return Dim.of(0)
