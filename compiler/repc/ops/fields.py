"""Values of the fields of an op: gradient, dependence, action, domain, cost, ragged axes, distribution, samples."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.types import Axis, Kind, Refinement, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from repc.ops.declare import TypeCall

# How the gradient of the lowering comes about.
AUTOGRAD = "autograd"
ZERO = "zero"
STRAIGHT_THROUGH = "straight through"

INF = float("inf")
ANY = Refinement("interval")
POSITIVE = Refinement("interval", 0.0, INF)
NONNEGATIVE = Refinement("interval", 0.0, INF, False)


class Reference(Record):
    """The meaning of an op, in float64: a function of named operands (`repc.ops.ref`) and of evaluated attributes.

    An attribute arrives by its name (with `_` appended where Python reserves it); sizes as ints, new axes as `Extent`;
    the condition of a masked op as `where` (None if there is none).
    """

    compute: Callable[..., Any]

    def __call__(self, *operands: Any, **attrs: Any) -> Any:
        return self.compute(*operands, **attrs)


class Entries(Reference):
    """A reference that is a formula of the entries at one place: a function of tensors of equal shape."""

    def __call__(self, *operands: Any, **attrs: Any) -> Any:
        from repc.ops.ref import entrywise

        return entrywise(self.compute, *operands)


class Reach(Record):
    """Which positions `s` of an operand's axis a result sees: `stride * t + low <= s <= stride * t + high`.

    `t` is the position along the axis `to` of the result; without `to` the result has no such axis and t is 0. A bound
    that is None is no bound. An entry is seen only if all reaches of all of its axes allow it.
    """

    to: Symbol | None
    stride: Dim = Dim.of(1)
    low: Dim | None = None
    high: Dim | None = None


class Depends(Record):
    """Which entries of operand `at` each entry of the result may depend on, axis by axis."""

    rule: Callable[[TypeCall, int, Axis], tuple[Reach, ...]]
    data: bool = False  # whether positions come from values (the reaches then hold for every value)

    def __call__(self, call: TypeCall, at: int, axis: Axis) -> tuple[Reach, ...]:
        return self.rule(call, at, axis)


class Action(Record):
    """How symmetries pass through. `along`, `shift`: a permutation, a cyclic shift of an axis that the op names.

    The words are `KEEPS` (acts on the result in the same way), `DROPS` (the result does not change), `BREAKS`. Other
    axes are always kept. `scalar` is the class of the function of the entries: `linear` (in the float operands
    together), `multilinear` (in each, the others fixed), `positive` (commutes with positive factors on the first
    operand), `invariant` (unchanged by them), `odd`, `even`, `generic`.
    """

    along: str
    shift: str
    scalar: str


KEEPS, DROPS, BREAKS = "keeps", "drops", "breaks"


class Domain(Record):
    """Where an operand must lie. `defined`: the value exists; `smooth`: the gradient is finite.

    `safe` is a value inside, which may be put where the result is not used (4.9). `but`: points that are left out.
    """

    operand: int
    defined: Refinement
    smooth: Refinement
    safe: float
    but: tuple[float, ...] = ()


class Cost(Record):
    """Floating point operations as `rate * size`, the size being that of the `result`, of the `operands` together,
    or what `formula` says; `saved`: what autograd keeps, in entries of `result`, `operands` or `nothing`."""

    rate: int = 1
    of: str = "result"
    saved: str = "operands"
    formula: Callable[[TypeCall, Type], Dim] | None = None

    def flops(self, call: TypeCall, result: Type) -> Dim:
        """Operations of one application, without lifted axes."""
        if self.formula is not None:
            return self.formula(call, result)
        return Dim.of(self.rate) * _entries(call, result, self.of)

    def kept(self, call: TypeCall, result: Type) -> Dim:
        """Entries kept for the backward pass of one application, without lifted axes."""
        return Dim.of(0) if self.saved == "nothing" else _entries(call, result, self.saved)


def size(axes: tuple[Axis, ...]) -> Dim:
    """The number of entries over these axes."""
    total = Dim.of(1)
    for axis in axes:
        total = total * axis.size
    return total


def _entries(call: TypeCall, result: Type, of: str) -> Dim:
    if of == "result":
        return size(result.axes)
    total = Dim.of(0)
    for operand in call.operands:
        total = total + size(operand.axes)
    return total


class Ragged(Record):
    """What happens past the end of a ragged axis that the op names: `own` (entries stay apart), `fill` (they are
    filled with a value that changes nothing), `refused`."""

    how: str
    fill: float = 0.0


class Split(Record):
    """The class of 6.9 for an axis that is spread over ranks: `separable | moments | pairs | other`."""

    how: str


class Given(Record):
    """An operand of a sample: its axes, its kind and how its entries are drawn.

    `values`: `normal | positive | unit | open | ties | whole | small | mask | spd | matrix | index:<label>`.
    """

    axes: tuple[Axis, ...]
    values: str
    kind: Kind
    refine: Refinement | None = None


class Sample(Record):
    """Operands and attributes with which an op is tested and shown."""

    operands: tuple[Given, ...]
    attrs: tuple[tuple[str, object], ...] = ()


class Samples(Record):
    """Samples of an op, and which of its tests they serve: `gradients`, `dense` (every allowed dependence occurs)."""

    cases: tuple[Sample, ...]
    gradients: bool = True
    dense: bool = True
