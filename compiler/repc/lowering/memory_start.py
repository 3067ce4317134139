"""What a fitted memory begins with: its parameters before the first pair, and the description of what is fitted."""

from __future__ import annotations

from collections.abc import Callable

from repc.dims import Dim, Symbol
from repc.ir import Graph, MemoryRecord, Node, Ref
from repc.lowering.expression import Code, call, expr, literal
from repc.lowering.owner import Imports
from repc.memory.fields import field
from repc.memory.forms import Descent

# Activations between the maps of a fitted network.
ACTIVATIONS = {
    "gelu": "torch.nn.functional.gelu",
    "silu": "torch.nn.functional.silu",
    "softplus": "torch.nn.functional.softplus",
    **{name: f"torch.{name}" for name in ("relu", "tanh", "sigmoid")},
}


def start_ports(record: MemoryRecord) -> tuple[str, ...]:
    """The inputs that hold parameters before the first pair."""
    return tuple(value.node for _, value in field(record, "init", "zeros").args if isinstance(value, Ref))


def start_slots(graph: Graph, node: Node) -> tuple[Node, ...] | None:
    """The slots that hold them; None where something else does."""
    nodes = graph.by_name()
    given = dict(zip(node.attrs["ports"], node.args, strict=True))
    found = tuple(nodes[given[port]] for port in start_ports(node.attrs["record"]))
    return found if all(one.kind == "slot" for one in found) else None


def own_axes(record: MemoryRecord, own: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """The axes of a parameter in order: those of a key first where they are told by name."""
    named = dict.fromkeys((*record.key, *record.value_axis))
    return tuple(named) if set(own) == set(named) else own


def flattened(code: Code, own: tuple[Symbol, ...], record: MemoryRecord) -> Code:
    """A parameter `[.., *own]` as a matrix, or as one axis for a diagonal state."""
    if field(record, "regressor", "linear").name == "diagonal":
        return code if len(own) == 1 else expr("{x}.flatten({at}, -1)", x=code, at=-len(own))
    keys = record.key
    first = len(keys) if own[: len(keys)] == keys and len(own) > len(keys) else 1
    last = len(own) - first
    if last > 1:
        code = expr("{x}.flatten({at}, -1)", x=code, at=-last)
    if first > 1:
        code = expr("{x}.flatten({at}, -2)", x=code, at=-first - 1)
    return code


def fit_code(form: Descent, imports: Imports, size: Callable[[Dim], Code]) -> Code | None:
    """What is fitted, unless it is a matrix."""
    if form.regressor == "linear":
        return None
    words: dict[str, Code | None] = {"regressor": literal(form.regressor)}
    if form.regressor == "mlp":
        words["hidden"] = expr("{x}", x=[size(width) for width in form.hidden])
        words["activation"] = None if form.activation == "gelu" else expr(ACTIVATIONS[form.activation])
        words["residual"] = literal(True) if form.residual else None
        words["norm"] = None if form.norm == "none" else literal(form.norm)
    return call(imports("memory.descent", "Fit"), **words)
