"""What memories are and cost, told from their normal forms."""

from __future__ import annotations

from repc.dims import Dim
from repc.explanation.names import word_text
from repc.explanation.records import MemoryNote
from repc.explanation.work import lifted
from repc.ir import Choice, MemoryRecord, Node, Program
from repc.memory import chosen, normalize
from repc.memory.algorithms import class_of
from repc.memory.conditions import conditions
from repc.memory.costs import BYTES, Cost, Shapes, cost
from repc.memory.forms import General
from repc.memory.names import equivalences, recognized
from repc.ops.fields import size
from repc.types import Axis, Type
from repc.words.memories import MEMORY_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def memory_cost(node: Node, types: dict[str, Type]) -> tuple[Cost | None, Dim, Dim]:
    """The cost of one memory, how many positions it answers, and how many such memories run beside each other."""
    record: MemoryRecord = node.attrs["record"]
    inputs = _inputs(node, types)
    q, k, v = (inputs[record.role(role)] for role in ("q", "k", "v"))
    own = {record.sequence, record.source, *record.key, *record.value_axis}
    beside: dict[object, Axis] = {axis.label: axis for kind in (q, k, v) for axis in kind.axes}
    shapes = Shapes(_size(k, record.key), _size(v, record.value_axis), _size(k, (record.source,)))
    copies = size(tuple(axis for label, axis in beside.items() if label not in own))
    return cost(normalize(record, inputs), shapes), _size(q, (record.sequence,)), copies


def memory_note(node: Node, types: dict[str, Type]) -> MemoryNote:
    """What a memory is, whatever it is called."""
    record: MemoryRecord = node.attrs["record"]
    inputs = _inputs(node, types)
    form = normalize(record, inputs)
    known, lowering, algorithm = recognized(form), class_of(form), chosen(form)
    if isinstance(form, General):
        why = f"`{form.field}`: {form.reason}"
    elif known is None:
        why = ""
    else:
        why = known.why + (f" ({known.source})" if known.source else "")
    return MemoryNote(
        name="" if known is None else known.name,
        why=why,
        lowering="" if lowering is None else f"{lowering.name}: {lowering.doc}",
        algorithm="" if algorithm is None else algorithm.name or algorithm.runtime,
        fields=tuple((name, _field(name, choice), choice.origin) for name, choice in record.fields),
        same_as=equivalences(form),
        conditions=tuple((one.text, one.verdict, one.why) for one in conditions(form, record.role("k"), inputs)),
    )


def _field(name: str, choice: Choice) -> str:
    """A field's value; what is done to keys and values before the memory is told apart from doing nothing."""
    if choice.value.name == "applied" and choice.origin == "default":
        return next(field.default for field in MEMORY_FIELDS if field.name == name)
    return word_text(choice.value)


def _inputs(node: Node, types: dict[str, Type]) -> dict[str, Type]:
    return {port: types[arg] for port, arg in zip(node.attrs["ports"], node.args, strict=True)}


def _size(kind: Type, labels: Iterable[object]) -> Dim:
    wanted = set(labels)
    return size(tuple(axis for axis in kind.axes if axis.label in wanted))


def state_bytes(program: Program, key: str) -> Dim | None:
    """Bytes of state in float32 that a graph keeps between two steps of its sequence; None where it is not known.

    Counted are memories and what a `scan` carries.
    """
    numbers = _numbers(program, key)
    return None if numbers is None else numbers * BYTES


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
            found, _, copies = memory_cost(node, types)
            return None if found is None else found.state * copies
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
