"""Samples of operands: axes of distinct prime sizes, that no two can be confused, and draws of entries."""

from __future__ import annotations

from repc.dims import Dim, Equal, Facts, Symbol
from repc.ops.fields import Given, Sample, Samples
from repc.ops.lazy import torch
from repc.ops.ref import Named
from repc.types import BOOL, FLOAT, INT, NUMBER, Axis, Type, axis_of, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Generator, Tensor

A, B, C, E = Symbol("A"), Symbol("B"), Symbol("C"), Symbol("E")
I, J = Symbol("I"), Symbol("J")
M = Symbol("M")
SIZES = {A: 3, B: 5, C: 2, E: 7, I: 4}

AB = (axis_of(A), axis_of(B))
SQUARE = (axis_of(I), Axis(J, Dim.of(I), "plain", I))


def axes(*labels: Symbol) -> tuple[Axis, ...]:
    """Bare axes of these labels."""
    return tuple(axis_of(label) for label in labels)


def floats(*labels: Symbol, values: str = "normal") -> Given:
    """A float operand."""
    return Given(axes(*labels), values, FLOAT)


def square(*labels: Symbol, values: str = "matrix") -> Given:
    """A square float matrix, with other axes in front."""
    return Given((*axes(*labels), *SQUARE), values, FLOAT)


def whole(*labels: Symbol, values: str = "whole") -> Given:
    """An int operand."""
    return Given(axes(*labels), values, INT)


def facts() -> Facts:
    """The sizes of the samples as facts."""
    return Facts().with_(*(Equal(Dim.of(label), Dim.of(size)) for label, size in SIZES.items()))


def bools(*labels: Symbol, values: str = "mask") -> Given:
    """A bool operand that holds about two times in three, and at the first position along the last axis.

    `gaps`: but nowhere at the first position along the first axis. `most`: two of any three neighbours.
    """
    return Given(axes(*labels), values, BOOL)


def indices(space: Symbol, *labels: Symbol, values: str = "index") -> Given:
    """An operand of positions of the axis `space`; `distinct`: no two are equal along the last axis."""
    return Given(axes(*labels), values, index_of(space, Dim.of(space)))


def number(value: float) -> Given:
    """A plain number."""
    return Given((), repr(value), NUMBER)


def case(*operands: Given, **attrs: object) -> Sample:
    """Operands and attributes; an attribute that Python reserves is written with `_` appended."""
    return Sample(operands, tuple((name.rstrip("_"), value) for name, value in attrs.items()))


def unary(values: str = "normal", gradients: bool = True, dense: bool = True) -> Samples:
    """One float operand over two axes."""
    return Samples((case(floats(A, B, values=values)),), gradients, dense)


def binary(first: str = "normal", second: str = "normal", gradients: bool = True, dense: bool = True) -> Samples:
    """Two float operands: over the same axes, over some of them, over others."""
    return Samples(
        (
            case(floats(A, B, values=first), floats(A, B, values=second)),
            case(floats(A, B, values=first), floats(B, values=second)),
            case(floats(A, values=first), floats(B, A, values=second)),
            case(floats(A, values=first), floats(C, values=second)),
        ),
        gradients,
        dense,
    )


def type_of(given: Given) -> Type:
    """The type of an operand."""
    return Type(given.axes, given.kind, given.refine)


def draw(given: Given, generator: Generator, lead: tuple[int, ...] = ()) -> Tensor:
    """Entries of an operand, with `lead` dims in front, as float64, int64 or bool."""
    shape = (*lead, *(axis.size.evaluate(SIZES) for axis in given.axes))
    if given.kind.name == "number":
        value = float(given.values)
        return torch.tensor(
            int(value) if value == int(value) else value, dtype=None if value == int(value) else torch.float64
        )
    if given.values == "most":
        places = torch.meshgrid(*(torch.arange(n) for n in shape), indexing="ij")
        return torch.stack(places).sum(0) % 3 != 0
    if given.kind.name == "bool":
        made = (torch.rand(shape, generator=generator) < 0.65).index_fill(-1, torch.tensor([0]), True)
        return made.index_fill(len(lead), torch.tensor([0]), False) if given.values == "gaps" else made
    if given.values == "index":
        assert given.kind.size is not None
        return torch.randint(0, given.kind.size.evaluate(SIZES), shape, generator=generator)
    if given.values == "distinct":
        assert given.kind.size is not None
        below = given.kind.size.evaluate(SIZES)
        order = torch.rand((*shape[:-1], below), generator=generator).argsort(-1)
        return order[..., : shape[-1]]
    if given.values == "whole":
        return torch.randint(-4, 5, shape, generator=generator)
    if given.values == "counts":
        return torch.randint(1, 5, shape, generator=generator)
    normal = torch.randn(shape, generator=generator, dtype=torch.float64)
    return _floats(given.values, normal)


def _floats(values: str, normal: Tensor) -> Tensor:
    if values == "positive":
        return normal.abs() + 0.2
    if values == "away":
        return normal + 0.3 * torch.sign(normal)
    if values in ("below", "above"):
        return normal.abs() + 0.1 if values == "above" else -normal.abs() - 0.1
    if values == "unit":
        return torch.sigmoid(normal)
    if values == "halves":
        return torch.floor(normal * 3) + 0.2 + 0.6 * torch.sigmoid(normal)
    if values == "spd":
        made: Tensor = normal @ normal.mT + 0.5 * torch.eye(normal.shape[-1], dtype=torch.float64)
        return made
    if values == "regular":
        return normal + 3 * torch.eye(normal.shape[-1], dtype=torch.float64)
    return normal


def named(given: Given, data: Tensor, lead: tuple[Symbol, ...] = ()) -> Named:
    """The entries with the labels of the operand."""
    return Named(data, (*lead, *(axis.label for axis in given.axes)))
