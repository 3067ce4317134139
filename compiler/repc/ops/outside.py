"""Functions of the user's own: `extern` (LANGUAGE.md 12b c)."""

from __future__ import annotations

from importlib import import_module
from itertools import product

from repc.dims import Symbol
from repc.ops import ref
from repc.ops.classes import HERE, NOTHING, Opaque
from repc.ops.declare import Attr, Operand, TypeCall, op
from repc.ops.fields import Cost, Depends, Reach, Reference, Samples
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Written
from repc.ops.samples import SQUARE, I, J, case
from repc.ops.samples import square as square_sample
from repc.types import BOOL, FLOAT, INT, Axis, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor

KINDS = {"float": FLOAT, "bool": BOOL, "int": INT}


def declared(call: TypeCall) -> Type:
    """The type that the declaration says."""
    values: Axis | None = call.attr("values")
    kind = KINDS[call.attr("kind")] if values is None else index_of(values.space, values.size)
    return Type(call.attr("axes"), kind)


def anywhere(call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
    """Every entry of the result may depend on every entry of an operand."""
    axes = call.op.result(call).axes
    if not axes:
        return (Reach(None),)
    return tuple(Reach(own.label) for own in axes[:1]) or (Reach(axis.label, HERE, NOTHING, NOTHING),)


def function(target: str) -> Callable[..., Any]:
    """The function `module:name`."""
    module, _, name = target.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def compute(
    *operands: ref.Named,
    call: str,
    written: tuple[tuple[Symbol, ...], ...],
    axes: tuple[ref.Extent, ...],
    kind: str,
    values: object,
    options: tuple[tuple[str, object], ...],
) -> ref.Named:
    """The function at every place along the axes that the declaration does not name."""
    run, words = function(call), dict(options)
    named = {label for labels in written for label in labels}
    lifted: dict[Symbol, int] = {}
    for operand in operands:
        lifted.update({label: operand.size(label) for label in operand.labels if label not in named})
    made: list[Tensor] = []
    for place in product(*map(range, lifted.values())):
        at = dict(zip(lifted, place, strict=True))
        given = []
        for operand, labels in zip(operands, written, strict=True):
            front = [label for label in operand.labels if label in lifted]
            given.append(operand.ordered((*front, *labels))[tuple(at[label] for label in front)])
        made.append(torch.as_tensor(run(*given, **words)))
    shape = [*lifted.values(), *(axis.size for axis in axes)]
    return ref.Named(torch.stack(made).reshape(shape), (*lifted, *(axis.label for axis in axes)))


def extern_text(call: LowerCall) -> str:
    """`external("mine:f", (x, 2), shape=(n, n), dtype=torch.bool)`."""
    given = ", ".join(f"({call.tensor(at)}, {len(type_.axes)})" for at, type_ in enumerate(call.types))
    sizes = "".join(f"{call.size(axis.size)}, " for axis in call.attr("axes"))
    name = call.runtime("functional", "external")
    dtype = {"float": call.dtype, "bool": "torch.bool"}.get(call.attr("kind"), "torch.int64")
    words = "".join(f", {key}={option(call, value)}" for key, value in call.attr("options"))
    return f'{name}("{call.attr("call")}", {given}, shape=({sizes}), dtype={dtype}{words})'


def option(call: LowerCall, value: object) -> str:
    """A setting as an expression."""
    return repr(value) if isinstance(value, str) else call.number(value)


@op
class Extern(Opaque):
    doc = "What a Python function of the user makes of its operands."
    example = "y = f(x)"
    operands = (Operand("x", variadic=True),)
    attributes = (
        Attr("call", "word", "The function, `module:name`."),
        Attr("written", "pairs", "The axes of each operand that the function takes, in order."),
        Attr("axes", "new axes", "The axes of the result."),
        Attr("kind", "word", "`float`, `bool`, `int` or `index`."),
        Attr("values", "new axis", "The axis whose positions the values are.", False, None),
        Attr("options", "pairs", "What the function is given by name.", False, ()),
    )
    result = staticmethod(declared)
    reference = Reference(compute)
    lower = Written(extern_text)
    depends = Depends(anywhere)
    cost = Cost(1, "operands")
    samples = Samples(
        (case(square_sample(), call="torch:rot90", written=((I, J),), axes=SQUARE, kind="float"),), dense=False
    )
