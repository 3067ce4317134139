"""Initial values of slots and cells: laws as pure functions of (shape, fans, generator).

Fan-in is the product of the contracted axes, fan-out that of the axes made; `per` axes are no fan (LANGUAGE.md 3.10).
Everything is drawn in float64 on the CPU and rounded once, so the same slot is equal in every dtype up to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import torch
from torch import Tensor, nn

from rep_runtime.keys import slot_generator

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Init:
    """How a slot starts: `law` (a key of `INITS`), its numbers, and the fans of the slot.

    `per`: how many leading axes are `per` axes; laws that look at a matrix are applied to each entry of them.
    """

    law: str
    numbers: tuple[float, ...] = ()
    fan_in: int = 1
    fan_out: int = 1
    per: int = 0


@dataclass(frozen=True, slots=True)
class _Slot:
    shape: Shape
    fan_in: int
    fan_out: int
    generator: torch.Generator

    def normal(self) -> Tensor:
        return torch.randn(self.shape, generator=self.generator, dtype=torch.float64)

    def uniform(self, bound: float) -> Tensor:
        unit: Tensor = torch.rand(self.shape, generator=self.generator, dtype=torch.float64)
        return (2 * unit - 1) * bound


def _orthogonal(slot: _Slot, gain: float = 1.0) -> Tensor:
    """Rows (or columns, if fewer) orthonormal, Haar distributed: QR of a normal matrix with the signs fixed."""
    if len(slot.shape) < 2:
        return _unit_rows(slot) * gain
    rows = slot.shape[0]
    flat = slot.normal().reshape(rows, -1)
    tall = flat if flat.shape[0] >= flat.shape[1] else flat.T
    factors = torch.linalg.qr(tall)
    q: Tensor = factors.Q * torch.sign(torch.diagonal(factors.R))
    return (q if tall is flat else q.T).reshape(slot.shape) * gain


def _unit_rows(slot: _Slot) -> Tensor:
    """Uniform on the unit sphere along the last axis."""
    x = slot.normal()
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length


def _eye(slot: _Slot, scale: float = 1.0) -> Tensor:
    if len(slot.shape) != 2:
        raise ValueError("`eye` needs two axes")
    return torch.eye(*slot.shape, dtype=torch.float64) * scale


def _constant(slot: _Slot, value: float) -> Tensor:
    return torch.full(slot.shape, value, dtype=torch.float64)


def _normal(slot: _Slot, mu: float = 0.0, sd: float = 1.0) -> Tensor:
    return mu + sd * slot.normal()


def _lognormal(slot: _Slot, mu: float = 0.0, sd: float = 1.0) -> Tensor:
    return torch.exp(mu + sd * slot.normal())


def _plane(slot: _Slot, rank: float = 2, noise: float = 0.0) -> Tensor:
    """Points `z a`, both normal, of unit variance, with normal noise around them."""
    count, wide = math.prod(slot.shape[:-1]), slot.shape[-1]
    made: Tensor = _normal_of(slot, count, int(rank)) @ _normal_of(slot, int(rank), wide)
    return (made / math.sqrt(rank)).reshape(slot.shape) + noise * slot.normal()


def _normal_of(slot: _Slot, *shape: int) -> Tensor:
    return torch.randn(shape, generator=slot.generator, dtype=torch.float64)


def _uniform(slot: _Slot, low: float = 0.0, high: float = 1.0) -> Tensor:
    return (low + high) / 2 + slot.uniform((high - low) / 2)


def _bernoulli(slot: _Slot, p: float = 0.5) -> Tensor:
    """1 with probability p, else 0."""
    return (slot.uniform(0.5) + 0.5 < p).double()


def _fan_in(slot: _Slot, gain: float = 1.0) -> Tensor:
    """Uniform with variance gain^2 / fan_in: keeps the second moment of a contraction at gain = 1."""
    return slot.uniform(gain * math.sqrt(3.0 / max(1, slot.fan_in)))


def _fan_in_normal(slot: _Slot, gain: float = 1.0) -> Tensor:
    return slot.normal() * (gain / math.sqrt(max(1, slot.fan_in)))


def _glorot(slot: _Slot, gain: float = 1.0) -> Tensor:
    """Uniform with variance 2 gain^2 / (fan_in + fan_out) (Glorot and Bengio 2010)."""
    return slot.uniform(gain * math.sqrt(6.0 / max(1, slot.fan_in + slot.fan_out)))


def _kaiming(slot: _Slot, gain: float = math.sqrt(2.0)) -> Tensor:
    """Uniform with variance gain^2 / fan_in, gain sqrt(2) for rectified units (He et al. 2015)."""
    return _fan_in(slot, gain)


INITS: Final[Mapping[str, Callable[..., Tensor]]] = MappingProxyType(
    {
        "normal": _normal,
        "lognormal": _lognormal,
        "plane": _plane,
        "uniform": _uniform,
        "bernoulli": _bernoulli,
        "zeros": lambda slot: _constant(slot, 0.0),
        "ones": lambda slot: _constant(slot, 1.0),
        "constant": _constant,
        "fan_in": _fan_in,
        "fan_in_normal": _fan_in_normal,
        "kaiming_uniform": _kaiming,
        "glorot": _glorot,
        "orthogonal": _orthogonal,
        "orthonormal_rows": _orthogonal,
        "eye": _eye,
        "unit_normal": _unit_rows,
    }
)


def init(
    law: str,
    shape: Shape,
    fan_in: int,
    fan_out: int,
    generator: torch.Generator,
    numbers: tuple[float, ...] = (),
    per: int = 0,
) -> Tensor:
    """A float64 CPU tensor of `shape` from `law`; `numbers` are the law's own (mean and deviation, gain, value).

    Laws: `normal(mu, sd)`, `lognormal(mu, sd)`, `uniform(low, high)`, `bernoulli(p)`,
    `plane(rank, noise)` (points of a random plane),
    `zeros`, `ones`, `constant(value)`, `fan_in(gain)`, `fan_in_normal(gain)`, `kaiming_uniform(gain)`, `glorot(gain)`,
    `orthogonal(gain)`, `orthonormal_rows`, `eye(scale)`, `unit_normal` (unit length along the last axis).
    Raises KeyError for another name.
    """
    rule = INITS[law]
    lead, rest = shape[:per], shape[per:]
    if not lead:
        return rule(_Slot(shape, fan_in, fan_out, generator), *numbers)
    count = math.prod(lead)
    if count == 0:
        return torch.empty(shape, dtype=torch.float64)
    parts = [rule(_Slot(rest, fan_in, fan_out, generator), *numbers) for _ in range(count)]
    return torch.stack(parts).reshape(shape)


def declared(module: nn.Module) -> Iterator[tuple[str, Tensor, Init]]:
    """Every slot and cell of `module` with its path and its rule, from the `inits` attribute of its submodules.

    A generated class that owns slots sets `self.inits: dict[str, Init]`, keyed by its own parameter and buffer names.
    A tensor that several paths share is visited once, under the first of them.
    """
    seen: set[int] = set()
    for prefix, part in module.named_modules():
        rules: Mapping[str, Init] = part.__dict__.get("inits", {})
        for name, rule in rules.items():
            tensor = part.get_parameter(name) if name in part._parameters else part.get_buffer(name)
            if id(tensor) not in seen:
                seen.add(id(tensor))
                yield (f"{prefix}.{name}" if prefix else name), tensor, rule


@torch.no_grad()
def initialise(module: nn.Module, seed: int, prefix: str = "") -> None:
    """Fill every declared slot and cell in place; the value is a pure function of (seed, path).

    What no `inits` names keeps the value that its constructor gave it.
    """
    for path, tensor, rule in declared(module):
        full = f"{prefix}.{path}" if prefix else path
        made = init(
            rule.law, tuple(tensor.shape), rule.fan_in, rule.fan_out, slot_generator(seed, full), rule.numbers, rule.per
        )
        tensor.copy_(made)
