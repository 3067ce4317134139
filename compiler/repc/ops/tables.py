"""Numbers that are written down: tables of groups, matrices of representations."""

from __future__ import annotations

from repc.dims import Dim
from repc.ops import ref
from repc.ops.classes import Source
from repc.ops.declare import Attr, TypeCall, op
from repc.ops.fields import BREAKS, ZERO, Action, Reference, Samples
from repc.ops.lazy import torch
from repc.ops.lowering import LowerCall, Written
from repc.ops.rules import need_unique
from repc.ops.samples import A, B, case
from repc.types import FLOAT, INT, Axis, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor


def tabled(call: TypeCall) -> Type:
    """The new axes; whole numbers make an int."""
    whole = all(isinstance(value, int) for value in call.attr("values"))
    return Type(need_unique(call, call.attr("axes")), INT if whole else FLOAT)


def listed(values: tuple[float, ...], axes: tuple[ref.Extent, ...]) -> ref.Named:
    """The numbers, the last axis fastest."""
    kind = torch.int64 if all(isinstance(value, int) for value in values) else torch.float64
    data: Tensor = torch.tensor(values, dtype=kind).reshape([axis.size for axis in axes])
    return ref.Named(data, tuple(axis.label for axis in axes))


def nested(values: tuple[float, ...], sizes: list[int]) -> str:
    """A literal of nested lists."""
    if not sizes:
        return repr(values[0])
    step = len(values) // sizes[0]
    return f"[{', '.join(nested(values[at : at + step], sizes[1:]) for at in range(0, len(values), step))}]"


def table_text(call: LowerCall) -> str:
    """`torch.tensor`."""
    values, sizes = call.attr("values"), []
    left = len(values)
    for axis in call.attr("axes"):
        # The size may be a name by now; the literal has its own.
        number = axis.size.constant
        sizes.append(number if isinstance(number, int) else 0)
    unknown = [at for at, size in enumerate(sizes) if not size]
    if len(unknown) == 1:
        for size in sizes:
            left //= size or 1
        sizes[unknown[0]] = left
    if len(unknown) > 1:
        shape = ", ".join(call.size(axis.size) for axis in call.attr("axes"))
        flat = nested(values, [len(values)])
        kind = "" if call.result.kind.name == "int" else f", dtype={call.dtype}"
        return f"torch.tensor({flat}{kind}, device={call.device}).reshape({shape})"
    kind = "" if call.result.kind.name == "int" else f", dtype={call.dtype}"
    return f"torch.tensor({nested(values, sizes)}{kind}, device={call.device})"


@op
class Table(Source):
    doc = "Numbers written down, the last axis fastest."
    example = "t = cayley(C(3))"
    attributes = (Attr("values", "numbers", "The numbers."), Attr("axes", "new axes", "The axes."))
    result = staticmethod(tabled)
    reference = Reference(lambda values, axes: listed(values, axes))
    lower = Written(table_text)
    grad = ZERO
    action = Action(BREAKS, BREAKS, "generic")
    samples = Samples(
        (
            case(values=(0, 1, 2, 3, 4, 5), axes=(Axis(A, Dim.of(2), "plain", A), Axis(B, Dim.of(3), "plain", B))),
            case(values=(0.5, -1.5), axes=(Axis(A, Dim.of(2), "plain", A),)),
        ),
        False,
    )
