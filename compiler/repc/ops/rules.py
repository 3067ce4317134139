"""Type rules: how kinds and axes of a result follow from those of the operands (LANGUAGE.md 1.6, 1.9, 1.10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rep_grammar.record import Record
from repc.dims import Dim, Facts, Symbol
from repc.ops.declare import TypeCall
from repc.ops.faults import OpFault
from repc.types import BOOL, FLOAT, INT, NUMBER, Axis, Kind, Refinement, Type, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    KindRule = Callable[[TypeCall], Kind]


def union(types: Sequence[Type], facts: Facts) -> tuple[Axis, ...]:
    """The axes of all operands: the order of the one with most axes (the first such), then the others' as they come.

    Raises `OpFault("two-sizes")` where one label has two sizes that are not proved equal.
    """
    longest = max(types, key=lambda t: len(t.axes)).axes
    found = {axis.label: axis for axis in longest}
    for type in types:
        if type.axes is longest:
            continue
        for axis in type.axes:
            known = found.setdefault(axis.label, axis)
            if known is not axis and not facts.equal(known.size, axis.size):
                raise OpFault("two-sizes", {"axis": axis.label, "left": known.size, "right": axis.size})
    return tuple(found.values())


def shape(axes: Iterable[Axis]) -> str:
    """Axes as they are written: `[T, M: 2*B]`."""
    return f"[{', '.join(map(str, axes))}]"


def need_axis(call: TypeCall, axes: Iterable[Axis], label: Symbol) -> Axis:
    """The axis of that label. Raises `OpFault("wrong-axis")`."""
    axes = tuple(axes)
    for axis in axes:
        if axis.label == label:
            return axis
    raise call.fault("wrong-axis", axis=label, shape=shape(axes))


def need_unique(call: TypeCall, axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The axes, if their labels differ. Raises `OpFault("axis-twice")`."""
    seen: set[Symbol] = set()
    for axis in axes:
        if axis.label in seen:
            raise call.fault("axis-twice", axis=axis.label)
        seen.add(axis.label)
    return axes


def need_equal(call: TypeCall, label: Symbol, left: Dim, right: Dim) -> None:
    """Raises `OpFault("two-sizes")` unless the sizes are proved equal."""
    if not call.facts.equal(left, right):
        raise call.fault("two-sizes", axis=label, left=left, right=right)


def need_kind(call: TypeCall, at: int, *names: str) -> Kind:
    """The kind of operand `at`, if it is one of `names`. Raises `OpFault("kind-mismatch")`."""
    kind = call.operands[at].kind
    if kind.name not in names:
        raise call.kind_mismatch(kind, names)
    return kind


# --- kinds of results ---


def _joined(call: TypeCall, operands: Sequence[Type], allowed: tuple[str, ...]) -> Kind:
    """One kind for several operands: numbers take the kind of the others, an index counts as an int."""
    made: Kind | None = None
    for operand in operands:
        kind = operand.kind
        if kind.name == "number":
            continue
        if kind.name not in allowed:
            raise call.kind_mismatch(kind, allowed)
        plain = INT if kind.name in ("index", "code") else kind
        if made is not None and plain.name != made.name:
            raise call.kind_mismatch(kind, (made.name,))
        made = plain
    return NUMBER if made is None else made


ARITHMETIC = ("float", "int", "index", "code")


def arithmetic(call: TypeCall) -> Kind:
    """Float with float, int and index with int; numbers take the other's kind."""
    return _joined(call, call.values, ARITHMETIC)


def floating(call: TypeCall) -> Kind:
    """Floats only; a function of numbers is a number."""
    return _joined(call, call.values, ("float",))


def logical(call: TypeCall) -> Kind:
    """Bools only."""
    _joined(call, call.values, ("bool",))
    return BOOL


def compared(call: TypeCall) -> Kind:
    """A bool from two values of one kind."""
    _joined(call, call.values, ARITHMETIC)
    return BOOL


def equated(call: TypeCall) -> Kind:
    """As `compared`, bools too."""
    _joined(call, call.values, (*ARITHMETIC, "bool"))
    return BOOL


def same_kind(call: TypeCall) -> Kind:
    """The kind of the first operand, whatever it is."""
    return call.operands[0].kind


def settled(kind: Kind) -> Kind:
    """A number that has become an array is a float."""
    return FLOAT if kind.name == "number" else kind


class Made(Record):
    """Always this kind, from operands of the kinds named."""

    kind: Kind
    wanted: tuple[str, ...]

    def __call__(self, call: TypeCall) -> Kind:
        for at in range(len(call.values)):
            need_kind(call, at, *self.wanted)
        return NUMBER if self.kind.name != "bool" and call.operands[0].kind.name == "number" else self.kind


def position(call: TypeCall) -> Kind:
    """An index of the one axis in `over`."""
    _joined(call, call.values, (*ARITHMETIC, "bool"))
    axes = union(call.operands, call.facts)
    axis = need_axis(call, axes, _single(call))
    return index_of(axis.space, axis.size)


def _single(call: TypeCall) -> Symbol:
    over = call.attr("over")
    labels: tuple[Symbol, ...] = over if isinstance(over, tuple) else (over,)
    if len(labels) != 1:
        axes = tuple(axis for axis in union(call.operands, call.facts) if axis.label in labels)
        raise call.fault("axis-mismatch", found=shape(axes), wanted="one axis", difference="it works along one axis")
    return labels[0]


def alternatives(call: TypeCall) -> Kind:
    """The kind of the branches of a `where`: equal kinds stay, indices of two spaces become ints."""
    first, second = call.operands[1].kind, call.operands[2].kind
    if first == second:
        return settled(first)
    return settled(_joined(call, call.operands[1:], (*ARITHMETIC, "bool")))


# --- results ---


class Elementwise(Record):
    """The union of the operands' axes; the refinement is the op's declared range."""

    kind: KindRule
    keep: bool = False

    def __call__(self, call: TypeCall) -> Type:
        kind = self.kind(call)
        axes = union(call.operands, call.facts)
        if axes:
            kind = settled(kind)
        if self.keep:
            first = call.operands[0]
            return Type(axes, kind, first.refine, first.fields, first.action)
        return Type(axes, kind, None if kind.name == "number" else call.op.ranges)


class Reduced(Record):
    """The union of the operands' axes (condition included) without `over`."""

    kind: KindRule

    def __call__(self, call: TypeCall) -> Type:
        need_mask(call)
        kind = settled(self.kind(call))
        axes = union(call.operands, call.facts)
        over = call.attr("over")
        for label in need_distinct(call, over):
            need_axis(call, axes, label)
        return Type(tuple(axis for axis in axes if axis.label not in over), kind, call.op.ranges)


class Mixed(Record):
    """The union of the operands' axes, those in `over` among them. `manifold`: what the result lies on along `over`."""

    kind: KindRule
    manifold: str = ""

    def __call__(self, call: TypeCall) -> Type:
        need_mask(call)
        kind = settled(self.kind(call))
        axes = union(call.operands, call.facts)
        over = need_distinct(call, call.attr("over"))
        for label in over:
            need_axis(call, axes, label)
        refine = Refinement(self.manifold, axes=over) if self.manifold else call.op.ranges
        return Type(axes, kind, refine)


def need_mask(call: TypeCall) -> None:
    """Raises `OpFault("kind-mismatch")` unless the condition, where there is one, is a bool."""
    if call.masked:
        need_kind(call, len(call.operands) - 1, "bool")


def need_distinct(call: TypeCall, labels: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """The labels, if no two are equal. Raises `OpFault("axis-twice")`."""
    for at, label in enumerate(labels):
        if label in labels[:at]:
            raise call.fault("axis-twice", axis=label)
    return labels


def contracted(call: TypeCall) -> Type:
    """The axes named by `out`, in that order, each from the first operand that has it."""
    axes = {axis.label: axis for axis in union(call.operands, call.facts)}
    kind = settled(_joined(call, call.operands, ARITHMETIC))
    out = need_distinct(call, call.attr("out"))
    return Type(tuple(need_axis(call, axes.values(), label) for label in out), kind)
