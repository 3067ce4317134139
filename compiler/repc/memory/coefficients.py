"""Coefficients of a memory: numbers, inputs, and what is made of them."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Dim
from repc.ir import Ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias


class Number(Record):
    """The same number at every position: a Python number or a size."""

    value: int | float | Dim

    def __str__(self) -> str:
        return f"{self.value:g}" if isinstance(self.value, float) else str(self.value)


class Port(Record):
    """An input of the memory."""

    name: str

    def __str__(self) -> str:
        return self.name


class Product(Record):
    """A number times inputs, the inputs in the order of their names."""

    factor: int | float
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return " * ".join(([] if self.factor == 1 else [f"{self.factor:g}"]) + list(self.parts))


class Implicit(Record):
    """`b / (1 + b |k|^2)`: the step that a proximal step of rate b amounts to under the squared loss."""

    rate: Number | Port | Product

    def __str__(self) -> str:
        return f"{self.rate} / (1 + {self.rate} |k|^2)"


class Root(Record):
    """One over the root of a size."""

    size: Dim

    def __str__(self) -> str:
        return f"1 / sqrt({self.size})"


if TYPE_CHECKING:
    Coefficient: TypeAlias = Number | Port | Product | Implicit | Root
else:
    Coefficient = Number | Port | Product | Implicit | Root

ONE = Number(1)
ZERO = Number(0)


class NoCoefficient(ValueError):
    """A value that is neither a number nor an input."""


def coefficient(value: object) -> Number | Port:
    """A resolved argument as a coefficient. Raises `NoCoefficient`."""
    if isinstance(value, Ref):
        return Port(value.node)
    if isinstance(value, bool) or not isinstance(value, int | float | Dim):
        raise NoCoefficient(str(value))
    if isinstance(value, Dim) and value.constant is not None:
        value = float(value.constant)
    return Number(int(value)) if isinstance(value, float) and value == int(value) else Number(value)


def is_one(value: Coefficient) -> bool:
    return value == ONE


def is_zero(value: Coefficient) -> bool:
    return value == ZERO


def times(left: Coefficient, right: Coefficient) -> Coefficient:
    """The product of two coefficients; 1 and 0 vanish. Raises `NoCoefficient` for what has no short form."""
    if is_one(left) or is_zero(right):
        return right
    if is_one(right) or is_zero(left):
        return left
    factor: int | float = 1
    parts: list[str] = []
    for one in (left, right):
        match one:
            case Number(value) if not isinstance(value, Dim):
                factor = factor * value
            case Port(name):
                parts.append(name)
            case Product(inner, names):
                factor = factor * inner
                parts += names
            case _:
                raise NoCoefficient(str(one))
    if not parts:
        return Number(factor)
    if factor == 1 and len(parts) == 1:
        return Port(parts[0])
    return Product(factor, tuple(sorted(parts)))


def scaled(value: Coefficient, by: float) -> Coefficient:
    """A number times a coefficient."""
    return times(coefficient(by), value)


def ports_in(value: Coefficient) -> tuple[str, ...]:
    """The inputs that a coefficient reads."""
    match value:
        case Port(name):
            return (name,)
        case Product(_, names):
            return names
        case Implicit(rate):
            return ports_in(rate)
        case _:
            return ()
