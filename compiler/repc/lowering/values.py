"""Values while a body is built: the code of a node, its axes, and what is known of its leading dims."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from rep_grammar.record import Record
from repc.dims import Symbol
from repc.lowering.expression import Code
from repc.types import Type

# Leading dims of a tensor: those of the axes that callers carry along, in front of the axes of its type.
NONE = "none"  # it has none: a parameter, a range
PARTIAL = "partial"  # it may have them, or size 1 in place of some, or fewer
FULL = "full"  # it has all of them

_ORDER = (NONE, PARTIAL, FULL)


def joined_lead(leads: Iterable[str]) -> str:
    """Leading dims of what is made by broadcasting values together."""
    return max(leads, key=_ORDER.index, default=NONE)


def weakest_lead(leads: Iterable[str]) -> str:
    """What holds of every one of several values."""
    return min(leads, key=_ORDER.index, default=FULL)


class Value(Record):
    """A node as code.

    `type`: its axes, in the order of the tensor's dims. `fields`: values of a record's fields, where they are known
    one by one. `plain`: a Python number rather than a tensor.
    """

    code: Code
    type: Type
    lead: str = NONE
    plain: bool = False
    fields: tuple[tuple[str, Value], ...] = ()

    @property
    def labels(self) -> tuple[Symbol, ...]:
        return self.type.labels

    @property
    def atomic(self) -> bool:
        """Whether the code may be written twice: a variable, an attribute of one, a literal."""
        return is_atomic(self.code)

    def field(self, name: str) -> Value | None:
        """The value of a field, where it is known by itself."""
        return dict(self.fields).get(name)


def is_atomic(code: ast.AST) -> bool:
    match code:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute():
            return is_atomic(code.value)
        case ast.UnaryOp():
            return isinstance(code.operand, ast.Constant)
        case ast.Subscript():
            return is_atomic(code.value) and is_atomic(code.slice)
        case _:
            return False
