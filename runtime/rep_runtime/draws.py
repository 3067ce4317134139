"""Draws of a step: named random values, one per (site, application), the same wherever they are asked for again.

Laws are reparameterised where they can be: gradients flow to `normal`'s and `uniform`'s parameters, not into the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from types import MappingProxyType
from typing import Final

import torch
from torch import Tensor

from rep_runtime.keys import generator

Shape = tuple[int, ...]
Number = float | Tensor
Law = Callable[..., Tensor]


def _f64(shape: Shape, rng: torch.Generator) -> Tensor:
    return torch.rand(shape, generator=rng, dtype=torch.float64)


def _uniform(shape: Shape, rng: torch.Generator) -> Tensor:
    # 24 bits: exact in float32 too, so rounding never makes the excluded end 1.
    return torch.floor(_f64(shape, rng) * 2.0**24) * 2.0**-24


def _bits(shape: Shape, rng: torch.Generator) -> Tensor:
    return torch.randint(0, 1 << 62, shape, generator=rng, dtype=torch.int64)


def _unit_open(shape: Shape, rng: torch.Generator) -> Tensor:
    # log of it must be finite.
    return _f64(shape, rng).clamp_min_(2.0**-53)


def _normal(shape: Shape, rng: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=rng, dtype=torch.float64)


def _gumbel(shape: Shape, rng: torch.Generator) -> Tensor:
    return -torch.log(-torch.log(_unit_open(shape, rng)))


def _exponential(shape: Shape, rng: torch.Generator) -> Tensor:
    return -torch.log(_unit_open(shape, rng))


def _rademacher(shape: Shape, rng: torch.Generator) -> Tensor:
    return torch.sign(_f64(shape, rng) - 0.5 + 2.0**-54)


def _sphere(shape: Shape, rng: torch.Generator) -> Tensor:
    x = _normal(shape, rng)
    length: Tensor = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / length


def _permutation(shape: Shape, rng: torch.Generator) -> Tensor:
    return torch.argsort(_f64(shape, rng), dim=-1)


# Noise without parameters, in float64; int64 for `bits` (62 of them) and `permutation` (an order along the last axis).
NOISE: Final[Mapping[str, Callable[[Shape, torch.Generator], Tensor]]] = MappingProxyType(
    {
        "normal": _normal,
        "uniform": _uniform,
        "bits": _bits,
        "gumbel": _gumbel,
        "exponential": _exponential,
        "rademacher": _rademacher,
        "sphere": _sphere,
        "permutation": _permutation,
    }
)


# Candidates of a gamma number; each takes two uniform numbers, then one raises small shapes and one gives a sign.
_ROUNDS: Final = 8
GAMMA_WIDTH: Final = 2 * _ROUNDS + 2


def log_gamma(noise: Tensor, shape: Number) -> Tensor:
    """Logarithms of gamma numbers of this `shape` (> 0), float64, from `GAMMA_WIDTH` uniform numbers in the last dim.

    Marsaglia and Tsang (2000): the first accepted of `_ROUNDS` candidates, each accepted with probability above 0.95;
    a shape below 1 is raised by one and the number multiplied by u^(1 / shape). Logarithms keep small ones apart.
    """
    noise = noise.to(torch.float64).clamp(2.0**-25, 1 - 2.0**-25)
    wanted = torch.as_tensor(shape, dtype=torch.float64, device=noise.device).detach()
    raised = torch.where(wanted < 1, wanted + 1, wanted)
    d = (raised - 1 / 3).expand(noise.shape[:-1]).unsqueeze(-1)
    normal = torch.special.ndtri(noise[..., :_ROUNDS])
    cube = (1 + normal / torch.sqrt(9 * d)) ** 3
    log_cube = torch.log(cube.clamp_min(1e-300))
    bar = 0.5 * normal**2 + d - d * cube + d * log_cube
    accepted = (cube > 0) & (torch.log(noise[..., _ROUNDS : 2 * _ROUNDS]) < bar)
    first = torch.argmax(accepted.to(torch.int64), dim=-1, keepdim=True)
    made = (torch.log(d) + log_cube).gather(-1, first).squeeze(-1)
    return torch.where(wanted < 1, made + torch.log(noise[..., -2]) / wanted, made)


def orthonormal(noise: Tensor, along: int) -> Tensor:
    """Normal noise as orthonormal vectors, Haar distributed.

    Of the dim `along` and the last other one, the longer holds a vector and the shorter counts them.
    """
    last = noise.movedim(along, -1)
    tall = last if last.shape[-1] <= last.shape[-2] else last.transpose(-1, -2)
    factors = torch.linalg.qr(tall)
    made: Tensor = factors.Q * torch.sign(torch.diagonal(factors.R, dim1=-2, dim2=-1)).unsqueeze(-2)
    return (made if tall is last else made.transpose(-1, -2)).movedim(-1, along)


class Draws:
    """The draws of one step: `draws.normal("lm.noise", (B, T, D), mu, sd)`.

    `training=False` makes a draw with an `eval` value give that value. `given` maps (site, application) to values
    that replace the law's (so that two implementations can be compared on the same numbers). `part=(i, n)` says that
    this is micro-batch `i` of `n` equal ones: the noise of the whole batch is drawn and cut, so the numbers do not
    depend on how a step is split. It applies to draws whose axis 0 is a batch (`lifted=True`). `shared`: the seed of
    draws that are the same for all items (`lifted=False`), whatever the step; None: they are keyed like the others.
    """

    def __init__(
        self,
        seed: int,
        step: int = 0,
        *,
        training: bool = True,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
        part: tuple[int, int] = (0, 1),
        given: Mapping[tuple[str, int], Tensor] | None = None,
        shared: int | None = None,
    ) -> None:
        self.seed = seed
        self.shared = shared
        self.step = step
        self.training = training
        self.device = torch.device(device)
        self.dtype = dtype
        self.part = part
        self._path = ""
        self._application = 0
        self._given = dict(given or {})
        self._noise: dict[tuple[str, int], Tensor] = {}

    def inside(self, path: str, application: int = 0, *, of: int = 1) -> Draws:
        """The draws of a block at `path`: sites are below it, and each application of its own is one of its owner's.

        `application`: which one of `of` applications of the block this is, for each application of its owner. With
        the path "" the same block goes on, for instance in the turns of a loop.
        """
        view = copy(self)
        view._path = f"{self._path}{path}." if path else self._path
        view._application = self._application * of + application
        return view

    def turn(self, label: str, index: int) -> Draws:
        """The draws of one turn of an unrolled loop, whose blocks lie at `label.index`."""
        return self.inside(f"{label}.{index}")

    def noise(self, site: str, law: str, shape: Shape, *, application: int = 0, lifted: bool = True) -> Tensor:
        """Parameter-free noise (a key of `NOISE`) of `shape`; the second time it is asked for, the same tensor."""
        site = f"{self._path}{site}"
        application += self._application
        key = (site, application)
        if key in self._given:
            return self._given[key]
        if key not in self._noise:
            common = not lifted and self.shared is not None
            seed, step = (self.shared, 0) if common else (self.seed, self.step)
            rng = generator(seed or 0, f"draw:{site}", application, step)
            index, count = self.part
            if lifted and count > 1 and shape:
                rows = shape[0]
                value = NOISE[law]((rows * count, *shape[1:]), rng)[index * rows : (index + 1) * rows]
            else:
                value = NOISE[law](shape, rng)
            kind = value.dtype if not value.is_floating_point() else self.dtype
            self._noise[key] = value.to(device=self.device, dtype=kind)
        return self._noise[key]

    def normal(
        self, site: str, shape: Shape, mu: Number = 0.0, sd: Number = 1.0, *, application: int = 0, lifted: bool = True
    ) -> Tensor:
        """`mu + sd * e`, e standard normal."""
        return mu + sd * self.noise(site, "normal", shape, application=application, lifted=lifted)

    def uniform(
        self,
        site: str,
        shape: Shape,
        low: Number = 0.0,
        high: Number = 1.0,
        *,
        application: int = 0,
        lifted: bool = True,
    ) -> Tensor:
        """Uniform in [low, high)."""
        return low + (high - low) * self.noise(site, "uniform", shape, application=application, lifted=lifted)

    def bernoulli(
        self,
        site: str,
        shape: Shape,
        keep: Number,
        *,
        eval: float | None = None,
        application: int = 0,
        lifted: bool = True,
    ) -> Tensor:
        """1 with probability `keep`, else 0, as floats; outside training the `eval` value, where one is declared."""
        if eval is not None and not self.training:
            return torch.full(shape, eval, dtype=self.dtype, device=self.device)
        return (self.noise(site, "uniform", shape, application=application, lifted=lifted) < keep).to(self.dtype)

    def integers(self, site: str, shape: Shape, below: int, *, application: int = 0, lifted: bool = True) -> Tensor:
        """Uniform over 0 .. below - 1, int64."""
        return self.noise(site, "bits", shape, application=application, lifted=lifted) % below

    def whole(
        self,
        site: str,
        shape: Shape,
        low: int | Tensor,
        high: int | Tensor,
        *,
        application: int = 0,
        lifted: bool = True,
    ) -> Tensor:
        """Whole numbers from `low` to `high`, both included: int64, uniform."""
        noise = self.noise(site, "uniform", shape, application=application, lifted=lifted)
        # In double precision, so that no number is rounded up to the one behind the last.
        return low + torch.floor(noise.to(torch.float64) * (high - low + 1)).to(torch.int64)

    def categorical(self, site: str, logits: Tensor, *, application: int = 0, lifted: bool = True) -> Tensor:
        """An index along the last axis with probability softmax(logits): `[.., C]` -> `[..]` int64."""
        shape = tuple(logits.shape)
        noise = self.noise(site, "gumbel", shape, application=application, lifted=lifted)
        return torch.argmax(logits.detach() + noise, dim=-1)

    def geometric(self, site: str, shape: Shape, p: Number, *, application: int = 0, lifted: bool = True) -> Tensor:
        """Trials up to the first success, which has probability `p` in (0, 1]: int64, from 1."""
        noise = self.noise(site, "exponential", shape, application=application, lifted=lifted).to(torch.float64)
        rate = -torch.log1p(-torch.as_tensor(p, dtype=torch.float64, device=noise.device))
        return 1 + torch.floor(noise / rate).to(torch.int64)

    def gamma(
        self,
        site: str,
        shape: Shape,
        concentration: Number,
        scale: Number = 1.0,
        *,
        application: int = 0,
        lifted: bool = True,
    ) -> Tensor:
        """Gamma numbers of the shape `concentration` times `scale`."""
        noise = self._wide(site, shape, application, lifted)
        return scale * torch.exp(log_gamma(noise, concentration)).to(noise.dtype)

    def dirichlet(
        self, site: str, shape: Shape, concentration: Number, *, application: int = 0, lifted: bool = True
    ) -> Tensor:
        """Shares along the last dim that sum to 1."""
        noise = self._wide(site, shape, application, lifted)
        return torch.softmax(log_gamma(noise, concentration), dim=-1).to(noise.dtype)

    def generalized_normal(
        self,
        site: str,
        shape: Shape,
        mean: Number = 0.0,
        scale: Number = 1.0,
        power: Number = 2.0,
        *,
        application: int = 0,
        lifted: bool = True,
    ) -> Tensor:
        """Density proportional to exp(-|(x - mean) / scale|^power)."""
        noise = self._wide(site, shape, application, lifted)
        exponent = torch.as_tensor(power, dtype=torch.float64, device=noise.device).detach()
        size = torch.exp(log_gamma(noise, 1 / exponent) / exponent)
        return mean + scale * torch.where(noise[..., -1] < 0.5, -size, size).to(noise.dtype)

    def _wide(self, site: str, shape: Shape, application: int, lifted: bool) -> Tensor:
        """The uniform numbers of laws that take several for each value."""
        return self.noise(site, "uniform", (*shape, GAMMA_WIDTH), application=application, lifted=lifted)
