"""Samples a draw: the noise of its key, put into the formula of its law."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from repc.dims import Symbol
from repc.interpret.faults import InterpretFault
from repc.interpret.named import Named
from repc.ir import Node
from repc.ops.laws import LAWS

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
    shape = tuple(whole.values())
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
        case _:
            return noise


def orthonormal(noise: Tensor, along: int) -> Tensor:
    """Orthonormal vectors in the plane of an axis and the last other one: as many as the shorter of them counts."""
    last = noise.movedim(along, -1)
    tall = last if last.shape[-1] <= last.shape[-2] else last.transpose(-1, -2)
    q, r = torch.linalg.qr(tall)
    # The signs make the result uniform whatever the factorisation prefers.
    signed: Tensor = q * torch.sign(torch.diagonal(r, dim1=-2, dim2=-1)).unsqueeze(-2)
    return (signed if tall is last else signed.transpose(-1, -2)).movedim(-1, along)
