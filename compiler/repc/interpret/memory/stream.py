"""Memories that take steps of an optimizer, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.layout import Pairs
from repc.interpret.memory.losses import LossGraph, pair_loss, penalty
from repc.interpret.memory.regressor import Regressor
from repc.interpret.memory.weights import Weights
from repc.interpret.memory.words import field, only, port, whole
from repc.ir import MemoryRecord, Word

Parameters = tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class Stream:
    """A memory as it moves: what is declared, and the pairs. `k`: features `[batch.., S, F]`, `v`: targets."""

    record: MemoryRecord
    pairs: Pairs
    regressor: Regressor
    weights: Weights
    k: Tensor
    v: Tensor
    apply_loss: LossGraph

    def run(self, start: Parameters) -> list[Parameters]:
        """Parameters before the first pair and after each one.

        `per: C` takes the gradients of C pairs at the parameters from which their block started. With `decay_first`
        the point at which a gradient is taken has been decayed by all retentions since; with `error_first` it has not.
        A velocity is what the rates times the gradients add up to: `V <- momentum V + rate g`, `M <- M - V`.
        """
        optimizer = field(self.record, "optimizer", "exact")
        block = _block(self.record)
        steps = whole(optimizer.get("steps", 1), "the number of steps")
        if block > 1 and steps > 1:
            raise MemoryFault("several steps a pair and one gradient point a block exclude each other")
        decay_first = field(self.record, "order", "decay_first").name == "decay_first"
        held = start
        anchor = start
        velocity = tuple(torch.zeros_like(p) for p in start)
        history = [held]
        for t in range(self.pairs.pairs):
            if t % block == 0:
                anchor = held
            decayed = self._retained(held, t)
            if decay_first:
                held, anchor = decayed, self._retained(anchor, t)
            for step in range(steps):
                point = anchor if block > 1 else held
                if optimizer.name == "implicit":
                    moved = self._proximal(decayed if not decay_first else held, t, optimizer)
                    held = moved
                    continue
                gradient = self._gradient(point, t, optimizer)
                if not decay_first and step == 0:
                    held = decayed
                held, velocity = self._moved(held, velocity, gradient, t, optimizer)
            history.append(held)
        return history

    def _coefficient(self, of: object, t: int, like: Tensor, what: str) -> Tensor:
        """A coefficient of pair t, shaped to multiply parameters `[batch.., F, P]` or `[batch.., P]`."""
        name = port(of)
        given = set() if name is None else set(self.pairs.inputs[name].labels)
        by_value = bool(self.pairs.value.keys() & given) and not self.pairs.key.keys() & given
        made = self.pairs.coefficient(of, axes="v" if by_value else "k", what=what)[..., t, :]
        if self.regressor.name == "diagonal":
            return made
        if made.shape[-1] not in (1, like.shape[-1] if by_value else like.shape[-2]):
            raise MemoryFault(f"{what} by channel needs one number per feature")
        return made.unsqueeze(-2) if by_value else made.unsqueeze(-1)

    def _retained(self, parameters: Parameters, t: int) -> Parameters:
        word = field(self.record, "retain", "none")
        if word.name == "none":
            return parameters
        return tuple(p * self._coefficient(only(word, "value", "a"), t, p, "a retention") for p in parameters)

    def _objective(self, parameters: Parameters, t: int, optimizer: Word) -> Tensor:
        """What the step at pair t goes down: the weighted losses of the last `window` pairs, and the regulariser."""
        window = whole(optimizer.get("window", 1), "the window of an optimizer")
        total = torch.zeros(())
        for i in range(max(0, t - window + 1), t + 1):
            pred = self.regressor(parameters, self.k[..., i, :])
            loss = pair_loss(field(self.record, "loss", "squared"), pred, self.v[..., i, :], self.apply_loss)
            weight = torch.where(self.weights.seen[..., t, i], self.weights.scalar[..., t, i], 0.0)
            total = total + (weight * loss).sum()
        held = penalty(field(self.record, "regularizer", "none"), parameters, self.k.ndim - 2)
        return total if held is None else total + held.sum()

    def _gradient(self, at: Parameters, t: int, optimizer: Word) -> Parameters:
        recording = torch.is_grad_enabled()
        with torch.enable_grad():
            point = tuple(p if p.requires_grad else p.detach().requires_grad_(True) for p in at)
            # Lifted positions do not meet, so the gradient of their sum is the gradient of each.
            value = self._objective(point, t, optimizer)
            found = torch.autograd.grad(value, point, create_graph=True)
        return found if recording else tuple(g.detach() for g in found)

    def _moved(
        self, held: Parameters, velocity: Parameters, gradient: Parameters, t: int, optimizer: Word
    ) -> tuple[Parameters, Parameters]:
        if optimizer.name != "sgd":
            raise MemoryFault(f"`{optimizer.name}` takes no steps in the reference")
        rate = optimizer.get("rate", 1.0)
        momentum = optimizer.get("momentum", 0.0)
        pushes = tuple(self._coefficient(rate, t, g, "a rate") * g for g in gradient)
        if momentum == 0.0:
            return tuple(m - push for m, push in zip(held, pushes, strict=True)), velocity
        kept = tuple(self._coefficient(momentum, t, m, "a momentum") for m in held)
        moved = tuple(mu * v + push for mu, v, push in zip(kept, velocity, pushes, strict=True))
        down = moved
        if optimizer.get("nesterov", False):
            down = tuple(mu * v + push for mu, v, push in zip(kept, moved, pushes, strict=True))
        return tuple(m - d for m, d in zip(held, down, strict=True)), moved

    def _proximal(self, held: Parameters, t: int, optimizer: Word) -> Parameters:
        """`argmin_M loss(M) + |M - held|^2 / (2 rate)` for a linear regressor: the normal equations, solved."""
        loss = field(self.record, "loss", "squared").name
        if self.regressor.name != "linear" or loss not in ("squared", "dot"):
            raise MemoryFault("an implicit step needs a linear regressor and a squared or dot loss")
        (matrix,) = held
        rate = self._coefficient(only(optimizer, "rate"), t, matrix, "a rate")
        key = self.k[..., t, :].unsqueeze(-1)
        wanted = matrix + rate * key * self.v[..., t, :].unsqueeze(-2)
        if loss == "dot":
            return (wanted,)
        identity = torch.eye(key.shape[-2], dtype=key.dtype)
        answer: Tensor = torch.linalg.solve(identity + rate * key * key.transpose(-1, -2), wanted)
        return (answer,)


def _block(record: MemoryRecord) -> int:
    word = field(record, "per", "none")
    return 1 if word.name == "none" else whole(only(word, "value", "length"), "the length of a block")
