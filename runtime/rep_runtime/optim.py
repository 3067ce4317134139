"""Optimizers by name: a `Rule` says which, with what numbers; `build` makes torch optimizers with explicit groups.

Weight decay moves, by default, exactly the parameters with two or more axes (`decay_on="matrices"`): scales, biases
and scalars are left alone. `decay_on="all"` decays everything. The rate is set anew before every update.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor
from torch.optim import Optimizer

from rep_runtime.faults import RuntimeFault
from rep_runtime.schedules import Schedule, schedule

DecayOn = Literal["matrices", "all"]
Option = float | bool | tuple[float, float]
Named = Sequence[tuple[str, Tensor]]


@dataclass(frozen=True, slots=True)
class Rule:
    """An optimizer as written in a spec.

    `law`: adamw, adam, sgd or muon. `rate`, `decay`: schedules. `clip`: largest norm of the whole gradient of this
    optimizer's parameters (None: no clipping). `options`: what the torch optimizer of that name takes besides.
    """

    law: str
    rate: Schedule
    decay: Schedule
    decay_on: DecayOn = "matrices"
    clip: float | None = None
    options: Mapping[str, Option] = field(default_factory=dict)


def adamw(
    rate: float | Schedule,
    decay: float | Schedule = 0.01,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    decay_on: DecayOn = "matrices",
    clip: float | None = None,
) -> Rule:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019)."""
    options: dict[str, Option] = {"betas": (beta1, beta2), "eps": eps}
    return Rule("adamw", schedule(rate), schedule(decay), decay_on, clip, options)


def adam(
    rate: float | Schedule,
    decay: float | Schedule = 0.0,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    decay_on: DecayOn = "matrices",
    clip: float | None = None,
) -> Rule:
    """Adam (Kingma and Ba 2015); `decay` adds to the gradient."""
    options: dict[str, Option] = {"betas": (beta1, beta2), "eps": eps}
    return Rule("adam", schedule(rate), schedule(decay), decay_on, clip, options)


def sgd(
    rate: float | Schedule,
    decay: float | Schedule = 0.0,
    momentum: float = 0.0,
    nesterov: bool = False,
    decay_on: DecayOn = "matrices",
    clip: float | None = None,
) -> Rule:
    """Gradient descent with momentum; `decay` adds to the gradient."""
    options: dict[str, Option] = {"momentum": momentum, "nesterov": nesterov}
    return Rule("sgd", schedule(rate), schedule(decay), decay_on, clip, options)


def muon(
    rate: float | Schedule,
    decay: float | Schedule = 0.1,
    momentum: float = 0.95,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    clip: float | None = None,
) -> Rule:
    """Orthogonalised momentum for parameters with exactly two axes (Jordan et al. 2024), AdamW for the others.

    The update of a matrix is scaled to the size of an AdamW update, so one `rate` serves both.
    """
    options: dict[str, Option] = {"momentum": momentum, "betas": (beta1, beta2), "eps": eps}
    return Rule("muon", schedule(rate), schedule(decay), "matrices", clip, options)


def _decays(rule: Rule, parameter: Tensor) -> bool:
    return rule.decay_on == "all" or parameter.ndim >= 2


def _groups(rule: Rule, named: Named) -> list[dict[str, object]]:
    """At most two groups: decayed and not. `decayed` marks them so that a scheduled decay finds its group."""
    groups: list[dict[str, object]] = []
    for decayed in (True, False):
        members = [parameter for _, parameter in named if _decays(rule, parameter) is decayed]
        if members:
            groups.append({"params": members, "decayed": decayed, "weight_decay": 0.0})
    return groups


def build(rule: Rule, named: Named) -> list[Optimizer]:
    """The torch optimizers of `rule` over `named` parameters (name, tensor); together they own each exactly once.

    Raises RuntimeFault REP0711 where the rule has no parameters or numbers that torch refuses.
    """
    if not named:
        raise RuntimeFault("REP0711", f"the optimizer `{rule.law}` has no parameters to move")
    options = dict(rule.options)
    rate = rule.rate(0, 1)
    try:
        if rule.law == "adamw":
            return [torch.optim.AdamW(_groups(rule, named), lr=rate, **options)]  # type: ignore[arg-type]
        if rule.law == "adam":
            return [torch.optim.Adam(_groups(rule, named), lr=rate, **options)]  # type: ignore[arg-type]
        if rule.law == "sgd":
            return [torch.optim.SGD(_groups(rule, named), lr=rate, **options)]  # type: ignore[arg-type]
        if rule.law == "muon":
            return _build_muon(rule, named, rate)
    except ValueError as error:
        raise RuntimeFault("REP0711", f"`{rule.law}` refuses its settings: {error}") from error
    known = "adamw, adam, sgd, muon"
    raise RuntimeFault("REP0711", f"there is no optimizer `{rule.law}`", f"choose one of {known}")


def _build_muon(rule: Rule, named: Named, rate: float) -> list[Optimizer]:
    options = dict(rule.options)
    momentum = options.pop("momentum")
    matrices = [(name, parameter) for name, parameter in named if parameter.ndim == 2]
    others = [(name, parameter) for name, parameter in named if parameter.ndim != 2]
    made: list[Optimizer] = []
    if matrices:
        groups = _groups(rule, matrices)
        made.append(
            torch.optim.Muon(groups, lr=rate, momentum=momentum, adjust_lr_fn="match_rms_adamw")  # type: ignore[arg-type]
        )
    if others:
        made.append(torch.optim.AdamW(_groups(rule, others), lr=rate, **options))  # type: ignore[arg-type]
    return made


def set_clock(optimizers: Sequence[Optimizer], rule: Rule, step: int, steps: int) -> float:
    """Set rate and decay for the update at `step`; returns the rate."""
    rate, decay = rule.rate(step, steps), rule.decay(step, steps)
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = rate
            group["weight_decay"] = decay if group["decayed"] else 0.0
    return rate


def clip_by_norm(parameters: Sequence[Tensor], largest: float) -> Tensor:
    """Scale all gradients so that their joint Euclidean norm is at most `largest`; returns the norm before."""
    return torch.nn.utils.clip_grad_norm_([p for p in parameters if p.grad is not None], largest)
