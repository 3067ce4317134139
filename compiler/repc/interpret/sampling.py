"""Samples a draw: the noise of its key, put into the formula of its law."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from repc.dims import Symbol
from repc.interpret.faults import InterpretFault
from repc.interpret.named import Named
from repc.ir import Node
from repc.ops.laws import LAWS, WIDTH

# The least number whose logarithm is taken.
TINY = 1e-300


def sample(node: Node, parameters: list[Named], sizes: Mapping[Symbol, int], key: tuple[int, str, int, int]) -> Named:
    """The value of a draw over the axes `sizes`, from the noise of its key (seed, site, application, step).

    Gradients reach the parameters of laws that are a formula of noise, and nothing else.
    """
    from rep_runtime.draws import NOISE
    from rep_runtime.keys import generator

    seed, site, application, step = key
    law = node.attrs["law"]
    if law not in LAWS:
        raise InterpretFault(site, f"there is no law {law}")
    over = tuple(node.attrs.get("over") or ())
    along = _along(law, node, parameters, sizes, over)
    whole = {**sizes, **along}
    shape = (*whole.values(), *((WIDTH[law],) if law in WIDTH else ()))
    noise = NOISE[LAWS[law].noise](shape, generator(seed, f"draw:{site}", application, step))
    if law == "orthonormal":
        place = tuple(whole).index(over[0]) if over else -1
        return Named(orthonormal(noise, place), tuple(sizes))
    values = [parameter.over(tuple(whole)) for parameter in parameters]
    return Named(_formula(law, noise, values), tuple(sizes))


def _along(
    law: str, node: Node, parameters: list[Named], sizes: Mapping[Symbol, int], over: tuple[Symbol, ...]
) -> dict[Symbol, int]:
    """The axes along which a law chooses, which its value has not."""
    if law != "categorical":
        return {}
    (weights,) = parameters
    chosen = over or tuple(label for label in weights.labels if label not in sizes)
    if len(chosen) != 1:
        raise InterpretFault(node.attrs["site"], "a position is drawn along one axis")
    return {chosen[0]: weights.size(chosen[0])}


def _formula(law: str, noise: Tensor, values: list[Tensor]) -> Tensor:
    match law:
        case "normal" | "gaussian":
            mean, deviation = values
            return mean + deviation * noise
        case "gumbel":
            location, scale = values
            return location + scale * noise
        case "uniform":
            low, high = values
            return low + (high - low) * noise
        case "whole":
            low, high = (value.to(torch.int64) for value in values)
            return low + torch.floor(noise * (high - low + 1).to(noise.dtype)).to(torch.int64)
        case "exponential":
            (rate,) = values
            return noise / rate
        case "bernoulli":
            (p,) = values
            return noise < p
        case "categorical":
            (weights,) = values
            return torch.argmax(torch.log(weights.detach().clamp(min=TINY)) + noise, -1)
        case "geometric":
            (p,) = values
            return 1 + torch.floor(noise / -torch.log1p(-p.to(noise.dtype))).to(torch.int64)
        case "gamma":
            count, scale = values
            return scale * torch.exp(_log_gamma(noise, count))
        case "dirichlet":
            (count,) = values
            shares = _log_gamma(noise, count)
            return torch.exp(shares - torch.logsumexp(shares, -1, keepdim=True))
        case "generalized_normal":
            mean, scale, power = values
            power = power.detach().to(noise.dtype)
            sign = torch.sign(noise[..., -1] - 0.5 + TINY)
            return mean + scale * sign * torch.exp(_log_gamma(noise, 1 / power) / power)
        case _:
            return noise


def _log_gamma(noise: Tensor, shape: Tensor) -> Tensor:
    """Logarithms of gamma numbers (Marsaglia and Tsang 2000), from the numbers of a law of `WIDTH`, one by one.

    The first half but two gives candidates, the second decides on them, the last but one serves shapes below 1.
    """
    rounds = noise.shape[-1] // 2 - 1
    uniform = noise.clamp(2.0**-25, 1 - 2.0**-25)
    shape = shape.detach().to(noise.dtype)
    small = shape < 1
    scale = shape + small.to(shape.dtype) - 1 / 3
    made = torch.zeros(noise.shape[:-1], dtype=noise.dtype)
    decided = torch.zeros(noise.shape[:-1], dtype=torch.bool)
    for turn in range(rounds):
        x = torch.special.ndtri(uniform[..., turn])
        v = (1 + x / torch.sqrt(9 * scale)) ** 3
        log_v = torch.log(v.clamp(min=TINY))
        bound = 0.5 * x**2 + scale * (1 - v + log_v)
        taken = (v > 0) & (torch.log(uniform[..., rounds + turn]) < bound)
        # Where none is taken the first stands.
        new = ~decided & (taken if turn else torch.ones_like(taken))
        made = torch.where(new, torch.log(scale) + log_v, made)
        decided = decided | taken
    return torch.where(small, made + torch.log(uniform[..., -2]) / shape, made)


def orthonormal(noise: Tensor, along: int) -> Tensor:
    """Orthonormal vectors in the plane of an axis and the last other one: as many as the shorter of them counts."""
    last = noise.movedim(along, -1)
    tall = last if last.shape[-1] <= last.shape[-2] else last.transpose(-1, -2)
    q, r = torch.linalg.qr(tall)
    # The signs make the result uniform whatever the factorisation prefers.
    signed: Tensor = q * torch.sign(torch.diagonal(r, dim1=-2, dim2=-1)).unsqueeze(-2)
    return (signed if tall is last else signed.transpose(-1, -2)).movedim(-1, along)
