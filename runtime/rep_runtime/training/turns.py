"""Phase 5: a player's turn, from its terms to its new parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from rep_runtime.draws import Draws
from rep_runtime.faults import RuntimeFault
from rep_runtime.optim import Rule, build, clip_by_norm, set_clock
from rep_runtime.training.protocol import Batch, Now, Outcome, Player, TrainStep
from rep_runtime.training.tensors import Owned, paths_in_order


def under(path: str, prefix: str) -> bool:
    """Whether a state-dict path lies under a prefix of whole segments; `""` covers everything."""
    return not prefix or path == prefix or path.startswith(f"{prefix}.")


@dataclass(frozen=True, slots=True)
class Owner:
    """One optimizer of a player at work: its parameters by path and the torch optimizers that move them."""

    rule: Rule
    parameters: Mapping[str, nn.Parameter]
    optimizers: tuple[Optimizer, ...]

    def update(self, frozen: tuple[str, ...], step: int, steps: int) -> None:
        """Clip and apply the gradients at hand, leaving frozen parameters untouched, and clear them."""
        for path, parameter in self.parameters.items():
            if any(under(path, prefix) for prefix in frozen):
                # Without a gradient no rule moves, decays or averages a parameter.
                parameter.grad = None
        if self.rule.clip is not None:
            clip_by_norm(list(self.parameters.values()), self.rule.clip)
        set_clock(self.optimizers, self.rule, step, steps)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


@dataclass(frozen=True, slots=True)
class Seat:
    """A player with its owners."""

    player: Player
    owners: tuple[Owner, ...]

    @property
    def parameters(self) -> list[nn.Parameter]:
        return [parameter for owner in self.owners for parameter in owner.parameters.values()]


def seats(step: TrainStep) -> tuple[Seat, ...]:
    """The players of a step with their optimizers; RuntimeFault REP0711 where two optimizers move one parameter."""
    taken: dict[int, str] = {}
    made: list[Seat] = []
    trainable = {path: parameter for path, parameter in step.named_parameters() if parameter.requires_grad}
    aliases = list(step.named_parameters(remove_duplicate=False))
    first = {id(parameter): path for path, parameter in trainable.items()}
    for player in step.players():
        owners: list[Owner] = []
        for place, wanted in enumerate(player.optimizers):
            label = f"{player.name}.{place}"
            mine: dict[str, nn.Parameter] = {}
            for path, parameter in aliases:
                if id(parameter) in first and any(under(path, prefix) for prefix in wanted.over):
                    mine[first[id(parameter)]] = parameter
            for path, parameter in mine.items():
                if taken.setdefault(id(parameter), label) != label:
                    raise RuntimeFault(
                        "REP0711",
                        f"two optimizers move `{path}`: those of {taken[id(parameter)]} and {label}",
                        "name the blocks of each: `optimizer f: adamw(..)`",
                    )
            built = build(wanted.rule, list(mine.items()))
            owners.append(Owner(wanted.rule, mine, tuple(built)))
        made.append(Seat(player, tuple(owners)))
    return tuple(made)


def owned(step: TrainStep, at: tuple[Seat, ...]) -> Owned:
    """Every torch optimizer under a stable name, with the paths of its parameters: what checkpoints hold."""
    names = {id(parameter): path for path, parameter in step.named_parameters()}
    found: dict[str, tuple[Optimizer, list[str]]] = {}
    for seat in at:
        for place, owner in enumerate(seat.owners):
            for part, optimizer in enumerate(owner.optimizers):
                label = f"{seat.player.name}.{place}.{part}"
                found[label] = (optimizer, paths_in_order(optimizer, names))
    return found


def cut(batch: Batch, index: int, count: int) -> Batch:
    """Micro-batch `index` of `count` equal ones: every field of every source is cut along its batch axis 0."""
    parts: dict[str, dict[str, Tensor]] = {}
    for source, fields in batch.items():
        parts[source] = {}
        for name, tensor in fields.items():
            if tensor.shape[0] % count:
                raise RuntimeFault(
                    "REP0713",
                    f"a batch of {tensor.shape[0]} samples of `{source}` cannot be cut into {count} equal parts",
                    "let `accumulate:` divide `batch:`",
                )
            rows = tensor.shape[0] // count
            parts[source][name] = tensor[index * rows : (index + 1) * rows]
    return parts


def _total(outcome: Outcome, player: Player) -> Tensor:
    signed = [-term if name in player.maximize else term for name, term in outcome.terms.items()]
    if not signed:
        return torch.zeros(())
    return torch.stack([term.reshape(()) for term in signed]).sum()


def play(seat: Seat, now: Now, micro_draws: tuple[Draws, ...], frozen: tuple[str, ...], update: bool = True) -> Outcome:
    """One turn: forward, backward (micro-batch by micro-batch), clip, update. Returns unsigned, detached values.

    With several `micro_draws` the batch is cut into as many equal parts and the gradients are averaged: the same step
    for separable terms. A write needs the whole batch, so it is refused there (REP0713).
    """
    count = len(micro_draws)
    own = seat.parameters
    terms: dict[str, Tensor] = {}
    writes: Mapping[str, Tensor] = {}
    for index, draws in enumerate(micro_draws):
        part = now if count == 1 else replace(now, batch=cut(now.batch, index, count), draws=draws)
        outcome = seat.player.turn(part)
        total = _total(outcome, seat.player) / count
        update = update and bool(seat.owners)
        if update and not total.requires_grad:
            raise RuntimeFault(
                "REP0711", f"no parameter reaches the objective of `{seat.player.name}`", "drop it, or unfreeze a block"
            )
        if update:
            total.backward(inputs=own)  # type: ignore[no-untyped-call]
        for name, term in outcome.terms.items():
            share = term.detach() / count
            terms[name] = share if name not in terms else terms[name] + share
        writes = outcome.writes
        if writes and count > 1:
            listed = ", ".join(f"`{path}`" for path in writes)
            raise RuntimeFault(
                "REP0713", f"{listed} is written from a whole batch, which `accumulate: {count}` cuts", "drop it"
            )
    if update:
        for owner in seat.owners:
            owner.update(frozen, now.step, now.steps)
    return Outcome(terms, {path: value.detach() for path, value in writes.items()})
