"""Any memory that takes steps, as it is declared: pair after pair, the gradient by differentiating the loss itself.

The general algorithm, for what no faster class computes: any loss of answer and target, a linear, diagonal or
multi-layer state, losses of several pairs, one gradient point for a block, coefficients for each channel. Gradients
flow through every step. States and sums are kept in float32 or wider whatever the dtype of the inputs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from rep_runtime.memory.affine import Read
from rep_runtime.memory.geometry import accumulation_dtype, check_pairs
from rep_runtime.memory.normalize import Normalize, normalized
from rep_runtime.memory.rank_one import Order

Loss = Callable[[Tensor, Tensor], Tensor]
Coefficient: TypeAlias = "Tensor | float"
Parameters: TypeAlias = "tuple[Tensor, ...]"
Norm = Literal["none", "layernorm", "rmsnorm"]

NORM_EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Fit:
    """What is fitted: ``linear`` ``[K, P]``, ``diagonal`` ``[P]``, or ``mlp``, maps with an activation between them.

    ``hidden``: widths between the maps. ``residual`` adds the key, ``norm`` normalises the answer.
    """

    regressor: Literal["linear", "diagonal", "mlp"] = "linear"
    hidden: tuple[int, ...] = ()
    activation: Callable[[Tensor], Tensor] = functional.gelu
    residual: bool = False
    norm: Norm = "none"

    def shapes(self, keys: int, values: int) -> tuple[tuple[int, ...], ...]:
        """The shapes of the parameters, without leading axes."""
        if self.regressor == "diagonal":
            return ((values,),)
        widths = (keys, *self.hidden, values)
        return tuple(itertools.pairwise(widths))

    def __call__(self, parameters: Parameters, x: Tensor) -> Tensor:
        """Answers ``[..., P]`` to keys ``[..., K]``."""
        if self.regressor == "diagonal":
            return parameters[0] * x
        made = x
        for place, weight in enumerate(parameters):
            made = (made.unsqueeze(-1) * weight).sum(-2)
            if place < len(parameters) - 1:
                made = self.activation(made)
        if self.residual:
            made = made + x
        if self.norm == "none":
            return made
        if self.norm == "layernorm":
            made = made - made.mean(-1, keepdim=True)
        return made * torch.rsqrt(made.square().mean(-1, keepdim=True) + NORM_EPSILON)


class DescentState(NamedTuple):
    """What goes from pair to pair: parameters, velocities, the gradient point of a block, the newest pairs.

    ``recent``: keys, values and weights of the pairs before the next whose losses it takes. ``seen``: pairs so far.
    ``total``: the state that answers with the total weight, where answers are divided by it.
    """

    held: tuple[Tensor, ...]
    velocity: tuple[Tensor, ...]
    anchor: tuple[Tensor, ...]
    recent: tuple[tuple[Tensor, Tensor, Tensor], ...]
    seen: int
    total: tuple[Tensor, ...]
    total_velocity: tuple[Tensor, ...]
    total_anchor: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """The declared steps; coefficients are those of one pair, shaped to multiply the parameters."""

    fit: Fit
    loss: Loss
    optimizer: Literal["sgd", "implicit"]
    steps: int
    nesterov: bool
    block: int
    order: Order
    ridge: float
    l1: float
    dot: bool

    def objective(self, parameters: Parameters, pairs: Sequence[tuple[Tensor, Tensor, Tensor]]) -> Tensor:
        total = torch.zeros((), dtype=parameters[0].dtype, device=parameters[0].device)
        for key, value, weight in pairs:
            total = total + (weight * self.loss(self.fit(parameters, key), value)).sum()
        for parameter in parameters:
            if self.ridge:
                total = total + 0.5 * self.ridge * parameter.square().sum()
            if self.l1:
                total = total + self.l1 * parameter.abs().sum()
        return total

    def moved(
        self,
        held: Parameters,
        velocity: Parameters,
        anchor: Parameters,
        pairs: Sequence[tuple[Tensor, Tensor, Tensor]],
        rate: Coefficient,
        decay: Coefficient | None,
        momentum: Coefficient,
    ) -> tuple[Parameters, Parameters, Parameters]:
        """Parameters, velocities and the gradient point after the newest pair."""
        faded = held if decay is None else tuple(decay * one for one in held)
        if self.order == "decay_first":
            held = faded
            anchor = anchor if decay is None else tuple(decay * one for one in anchor)
        if self.optimizer == "implicit":
            return self._proximal(faded, pairs[-1], rate), velocity, anchor
        for step in range(self.steps):
            point = anchor if self.block > 1 else held
            # Leading positions do not meet in the sum, so its gradient is that of each of them.
            found = torch.func.grad(lambda at: self.objective(at, pairs))(point)
            if self.order == "error_first" and step == 0:
                held = faded
            push = tuple(rate * one for one in found)
            velocity = tuple(momentum * old + new for old, new in zip(velocity, push, strict=True))
            down = velocity
            if self.nesterov:
                down = tuple(momentum * old + new for old, new in zip(velocity, push, strict=True))
            held = tuple(one - way for one, way in zip(held, down, strict=True))
        return held, velocity, anchor

    def _proximal(self, held: Parameters, pair: tuple[Tensor, Tensor, Tensor], rate: Coefficient) -> Parameters:
        """The minimum of the loss plus ``|M - held|^2 / (2 rate)``, rank one by Sherman and Morrison."""
        key, value, _ = pair
        column = key.unsqueeze(-1)
        if self.dot:
            return (held[0] + rate * column * value.unsqueeze(-2),)
        moved = held[0] + rate * column * value.unsqueeze(-2)
        pushed = rate * column
        along = (column * moved).sum(-2, keepdim=True) / (1 + (column * pushed).sum(-2, keepdim=True))
        return (moved - pushed * along,)


def descent_init(
    lead: Sequence[int],
    keys: int,
    values: int,
    fit: Fit | None = None,
    start: Sequence[Tensor] = (),
    normalize: Normalize = "none",
    dtype: torch.dtype | None = None,
    device: torch.device | None = None,
) -> DescentState:
    """The state before the first pair: zeros, or ``start`` for every leading position."""
    made = tuple(
        torch.zeros(*lead, *shape, dtype=dtype, device=device) for shape in (fit or Fit()).shapes(keys, values)
    )
    if start:
        made = tuple(given.to(one.dtype).expand_as(one) for given, one in zip(start, made, strict=True))
    total: Parameters = ()
    if normalize != "none":
        total = (torch.zeros(*lead, keys, 1, dtype=dtype, device=device),)
    still = tuple(torch.zeros_like(one) for one in made)
    rest = tuple(torch.zeros_like(one) for one in total)
    return DescentState(made, still, made, (), 0, total, rest, total)


def _at(value: Coefficient | None, t: int, axes: int, dtype: torch.dtype) -> Coefficient:
    """A coefficient of pair t: without its axis of time, which stands before the ``axes`` of the parameters."""
    if isinstance(value, Tensor):
        place = value.ndim - axes - 1
        # One number for all pairs has one position.
        return value.select(place, min(t, value.shape[place] - 1)).to(dtype)
    return 1.0 if value is None else value


def descent(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    loss: Loss,
    rate: Coefficient,
    fit: Fit | None = None,
    optimizer: Literal["sgd", "implicit"] = "sgd",
    dot: bool = False,
    steps: int = 1,
    momentum: Coefficient = 0.0,
    nesterov: bool = False,
    window: int = 1,
    block: int = 1,
    order: Order = "decay_first",
    kind: Literal["causal", "full", "window", "block", "strided"] = "causal",
    length: int = 0,
    fading: Tensor | None = None,
    decay: Coefficient | None = None,
    ridge: float = 0.0,
    l1: float = 0.0,
    bonus: Coefficient | None = None,
    start: Sequence[Tensor] = (),
    scale: float = 1.0,
    read: Read = "after",
    normalize: Normalize = "none",
    floor: Tensor | float | None = None,
    eps: float = 0.0,
    state: DescentState | None = None,
) -> tuple[Tensor, DescentState]:
    """Answers ``[..., T, P]`` and the state after the last pair.

    q, k ``[..., T, K]``; v ``[..., T, P]``. ``loss(pred, target)`` takes ``[..., P]`` to ``[...]``. ``rate``,
    ``momentum`` and ``decay`` are numbers, or have the axis T before those of the parameters: ``[..., T, K or 1, P or
    1]``, for a diagonal state ``[..., T, P or 1]``. ``window``: newest pairs whose losses a step takes, of those that
    ``kind`` and ``length`` leave visible, weighted by the product of ``fading`` ``[..., T]`` since. ``block``: pairs
    whose gradients are taken where their block began. ``bonus`` ``[..., T, K or 1]``: what the newest pair counts at
    the read. ``start``: parameters before the first pair. ``dot``: an implicit step on the dot loss.
    Raises ``ValueError`` for shapes that disagree.
    """
    check_pairs(q, k, v, {}, None, v.shape[-1])
    made = fit or Fit()
    dtype = accumulation_dtype(q, k, v, *(x for x in (rate, decay, momentum, *start) if isinstance(x, Tensor)))
    rule = Rule(made, loss, optimizer, steps, nesterov, block, order, ridge, l1, dot)
    axes = 1 if made.regressor == "diagonal" else 2
    held, velocity, anchor, recent, count, total, rest, base = state or descent_init(
        q.shape[:-2], k.shape[-1], v.shape[-1], made, start, normalize, dtype, q.device
    )  # fmt: skip
    outs = []
    for t in range(q.shape[-2]):
        query, key, value = (x[..., t, :].to(dtype) for x in (q * scale, k, v))
        kept = None if decay is None else _at(decay, t, axes, dtype)
        pace, inertia = _at(rate, t, axes, dtype), _at(momentum, t, axes, dtype)
        before, before_total = held, total
        faded = _faded(recent, fading, t, dtype)
        newest = (key, value, torch.ones_like(key[..., 0]))
        pairs = [
            pair
            for age, pair in zip(range(len(faded), -1, -1), (*faded, newest), strict=True)
            if _is_seen(count, age, kind, length)
        ]
        if count % block == 0:
            anchor, base = held, total
        held, velocity, anchor = rule.moved(held, velocity, anchor, pairs, pace, kept, inertia)
        if normalize != "none":
            ones = [(one, torch.ones_like(one[..., :1]), weight) for one, _, weight in pairs]
            total, rest, base = rule.moved(total, rest, base, ones, pace, kept, inertia)
        recent = (*faded, newest)[1 - window :] if window > 1 else ()
        count += 1
        out = made(before if read == "before" else held, query)
        weight = made(before_total if read == "before" else total, query) if normalize != "none" else None
        if bonus is not None:
            share = query * key * _at(bonus, t, 1, dtype)
            share = share if axes == 1 else share.sum(-1, keepdim=True)
            out = out + share * value
            weight = None if weight is None else weight + share
        if weight is not None:
            least = floor[..., t] if isinstance(floor, Tensor) else floor
            out = normalized(torch.cat([out, weight], -1), normalize, least, eps)
        outs.append(out)
    return torch.stack(outs, -2).to(v.dtype), DescentState(held, velocity, anchor, recent, count, total, rest, base)


def _faded(
    recent: Sequence[tuple[Tensor, Tensor, Tensor]], fading: Tensor | None, t: int, dtype: torch.dtype
) -> tuple[tuple[Tensor, Tensor, Tensor], ...]:
    if fading is None:
        return tuple(recent)
    return tuple((key, value, weight * fading[..., t].to(dtype)) for key, value, weight in recent)


def _is_seen(count: int, age: int, kind: str, length: int) -> bool:
    """Whether the pair of this age is visible from position ``count``."""
    if kind == "window":
        return age < length
    if kind == "block":
        return (count - age) // length == count // length
    if kind == "strided":
        return age % length == 0
    return True


def descent_step(
    state: DescentState,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    loss: Loss,
    rate: Coefficient,
    fit: Fit | None = None,
    optimizer: Literal["sgd", "implicit"] = "sgd",
    dot: bool = False,
    steps: int = 1,
    momentum: Coefficient = 0.0,
    nesterov: bool = False,
    window: int = 1,
    block: int = 1,
    order: Order = "decay_first",
    kind: Literal["causal", "full", "window", "block", "strided"] = "causal",
    length: int = 0,
    fading: Tensor | None = None,
    decay: Coefficient | None = None,
    ridge: float = 0.0,
    l1: float = 0.0,
    bonus: Coefficient | None = None,
    scale: float = 1.0,
    read: Read = "after",
    normalize: Normalize = "none",
    floor: Tensor | float | None = None,
    eps: float = 0.0,
) -> tuple[Tensor, DescentState]:
    """One pair: q, k ``[..., K]``, v ``[..., P]``, coefficients as in ``descent`` without their axis of time."""
    axes = 1 if fit is not None and fit.regressor == "diagonal" else 2
    out, after = descent(
        q.unsqueeze(-2), k.unsqueeze(-2), v.unsqueeze(-2), loss=loss, rate=_timed(rate, axes), fit=fit,
        optimizer=optimizer, dot=dot, steps=steps, momentum=_timed(momentum, axes), nesterov=nesterov, window=window,
        block=block, order=order, kind=kind, length=length, fading=None if fading is None else fading.unsqueeze(-1),
        decay=None if decay is None else _timed(decay, axes), ridge=ridge, l1=l1,
        bonus=None if bonus is None else _timed(bonus, 1), scale=scale, read=read, normalize=normalize,
        floor=floor.unsqueeze(-1) if isinstance(floor, Tensor) else floor, eps=eps, state=state,
    )  # fmt: skip
    return out.squeeze(-2), after


def _timed(value: Coefficient, axes: int) -> Coefficient:
    """A coefficient of one pair with an axis of time before those of the parameters."""
    return value.unsqueeze(value.ndim - axes) if isinstance(value, Tensor) else value
