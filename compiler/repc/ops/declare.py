"""How an op is declared: the fields of `Op`, operands, attributes, and the registry (LANGUAGE.md 10.2).

An op is one class body under `@op`. Its structural class (`repc.ops.classes`) gives most fields; the rest stand in the
body. The registry holds one instance of each class. Nothing here imports torch: references and lowerings are functions
that import it, or write it, when they are called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rep_grammar.record import Record
from repc.dims import Facts
from repc.ops.faults import OpFault
from repc.types import Kind, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias, TypeVar

    from repc.ops.fields import Action, Cost, Depends, Domain, Ragged, Reference, Samples, Split
    from repc.ops.lowering import LowerCall
    from repc.types import Refinement

    TypeRule: TypeAlias = Callable[["TypeCall"], Type]
    OpClass = TypeVar("OpClass", bound="type[Op]")


class Operand(Record):
    """An operand: its name, what it is, and whether it may be repeated (last one only) or left out."""

    name: str
    doc: str = ""
    variadic: bool = False
    optional: bool = False


class Attr(Record):
    """A static attribute.

    `kind`: `axes | axis | new axis | new axes | size | number | numbers | flag | word | pairs | names`.
    """

    name: str
    kind: str
    doc: str = ""
    required: bool = True
    default: object = None


class TypeCall(Record):
    """One question to a type rule: the op, the types of its operands, its attributes, what is known of sizes."""

    op: Op
    operands: tuple[Type, ...]
    attrs: Mapping[str, object]
    facts: Facts

    def attr(self, name: str) -> Any:
        """An attribute, or its declared default."""
        return self.op.attr(self.attrs, name)

    @property
    def masked(self) -> bool:
        """Whether the last operand is the condition."""
        return bool(self.attrs.get("masked", False))

    @property
    def values(self) -> tuple[Type, ...]:
        """The operands without the condition."""
        return self.operands[:-1] if self.masked else self.operands

    def fault(self, entry: str, /, **values: object) -> OpFault:
        """The fault `entry`, with the op's name among its values."""
        return OpFault(entry, {"op": self.op.name, "what": f"an operand of `{self.op.name}`", **values})

    def wrong_arity(self, wanted: int) -> OpFault:
        """The fault of too many or too few operands."""
        names = ", ".join(operand.name for operand in self.op.operands)
        signature = f"{self.op.name}({names})"
        return self.fault(
            "wrong-arity", callee=self.op.name, wanted=wanted, given=len(self.values), signature=signature
        )

    def kind_mismatch(self, found: Kind, wanted: tuple[str, ...]) -> OpFault:
        """The fault of an operand whose kind is none of `wanted`."""
        reason = f"`{self.op.name}` takes it"
        shown = " or ".join(wanted)
        return self.fault("kind-mismatch", found=found, wanted=shown, reason=reason, conversion=f"{wanted[0]}(..)")


class Op:
    """One primitive. Every field is declared; see LANGUAGE.md 10.2 for their meaning."""

    name: str
    family: str
    doc: str
    example: str
    operands: tuple[Operand, ...]
    attributes: tuple[Attr, ...] = ()
    result: TypeRule
    reference: Reference
    lower: Callable[[LowerCall], str]
    grad: str
    action: Action
    depends: Depends
    ranges: Refinement | None = None
    partial: tuple[Domain, ...] = ()
    cost: Cost
    ragged: Ragged
    split: Split
    laws: tuple[str, ...] = ()
    samples: Samples
    aligned: bool = False  # whether operands reach the lowering aligned to the union of their axes

    def attr(self, attrs: Mapping[str, object], name: str) -> Any:
        """The value of an attribute in `attrs`, or the default that this op declares for it."""
        if name in attrs:
            return attrs[name]
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute.default
        return None

    def infer(self, operands: Sequence[Type], attrs: Mapping[str, object], facts: Facts) -> Type:
        """The type of the result. Raises `OpFault`."""
        call = TypeCall(self, tuple(operands), attrs, facts)
        self._check_arity(call)
        return self.result(call)

    def _check_arity(self, call: TypeCall) -> None:
        found = len(call.values)
        least = sum(1 for operand in self.operands if not operand.optional and not operand.variadic)
        variadic = any(operand.variadic for operand in self.operands)
        if found < least or (not variadic and found > len(self.operands)):
            raise call.wrong_arity(least)
        known = [attribute.name for attribute in self.attributes]
        if call.masked and "masked" not in known:
            raise call.fault("option-not-known", operator=self.name, name="condition", known=known)
        for attribute in self.attributes:
            if attribute.required and attribute.name not in call.attrs:
                raise call.fault("static-needed", what=f"`{attribute.name}` of `{self.name}`", reason="it is not given")

    def __repr__(self) -> str:
        return f"<op {self.name}>"


_DECLARED: dict[str, Op] = {}

# Every op by name, in the order of declaration. Read it from `repc.ops`, which declares the families.
REGISTRY: Mapping[str, Op] = MappingProxyType(_DECLARED)


def op(declared: OpClass) -> OpClass:
    """Registers the op that a class body declares; its name is the class's in snake case unless the body says so."""
    if "name" not in declared.__dict__:
        declared.name = snake(declared.__name__)
    if declared.name in _DECLARED:
        raise ValueError(f"op {declared.name} is declared twice")
    declared.family = declared.__module__.rpartition(".")[2]
    _DECLARED[declared.name] = declared()
    return declared


def snake(name: str) -> str:
    """`LogSoftmax` -> `log_softmax`."""
    return "".join(f"_{c.lower()}" if c.isupper() and at else c.lower() for at, c in enumerate(name))


def infer(op: str, operands: Sequence[Type], attrs: Mapping[str, object], facts: Facts) -> Type:
    """The type that `op` makes of operands of these types.

    `attrs`: labels as `Symbol`, several as tuples of them, sizes as `Dim`, new axes as `Axis`, else numbers, flags and
    words. Raises `OpFault`; KeyError for an op that is not registered.
    """
    return REGISTRY[op].infer(operands, attrs, facts)
