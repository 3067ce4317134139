"""Measures: on the batch of a step, or in one gradient-free pass across a whole split."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch
from torch import Tensor

from rep_runtime.data.source import Rows, as_split
from rep_runtime.draws import Draws
from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import key_number
from rep_runtime.training.protocol import Across, Batch, Feed, Measure, Now, TrainStep, Weighted

# Samples per piece of a pass, where nothing else is said.
PIECE = 64


def move(rows: Mapping[str, Tensor], device: torch.device | str) -> Rows:
    """The same fields on a device."""
    return {name: tensor.to(device) for name, tensor in rows.items()}


def load(feeds: Mapping[str, Feed], batch: int, step: int, seed: int, device: torch.device | str) -> Batch:
    """Phase 1: the minibatch of every source at `step`."""
    loaded: dict[str, Rows] = {}
    for name, feed in feeds.items():
        wanted = batch if feed.batch is None else feed.batch
        loaded[name] = move(feed.source.batch(0 if feed.fixed else step, wanted, seed), device)
    return loaded


def columns(name: str, value: Tensor) -> dict[str, float]:
    """A measured tensor as log columns: `rank`, or `rank[0]`, `rank[1]` .. for one with axes."""
    if value.ndim == 0:
        return {name: float(value)}
    places = itertools.product(*(range(size) for size in value.shape))
    return {f"{name}[{','.join(map(str, place))}]": float(value[place]) for place in places}


def _rows_of(rows: Mapping[str, Tensor]) -> int:
    return next(iter(rows.values())).shape[0] if rows else 0


def _pieces(measure: Measure, across: Across, feeds: Mapping[str, Feed], seed: int, piece: int) -> Iterator[Rows]:
    if across.source not in feeds:
        listed = ", ".join(f"`{name}`" for name in feeds) or "none"
        raise RuntimeFault(
            "REP0707", f"`{measure.name}` runs across `{across.source}`, which is no source", f"sources: {listed}"
        )
    source, split = feeds[across.source].source, as_split(across.split)
    count = source.count(split)
    if count == 0:
        raise RuntimeFault("REP0707", f"`{measure.name}` runs across `{across.source}.{split}`, which has no samples")
    return source.all(split, count if measure.whole else piece, seed)


def _mean_across(measure: Measure, across: Across, feeds: Mapping[str, Feed], now: Now, piece: int) -> Tensor:
    """The exact mean over a split: each piece counts by its weight, its number of samples unless it says otherwise."""
    total: Tensor | float = 0.0
    weight = torch.zeros((), dtype=torch.float64)
    device = now.draws.device
    for number, rows in enumerate(_pieces(measure, across, feeds, now.draws.seed, piece)):
        seed = key_number(now.draws.seed, "measure", measure.name, number)
        draws = Draws(seed, now.step, training=False, device=device, dtype=now.draws.dtype)
        batch = {**now.batch, across.source: move(rows, device)}
        given = measure.compute(replace(now, batch=batch, draws=draws))
        if not isinstance(given, Weighted):
            given = Weighted(given, torch.tensor(_rows_of(rows)))
        share = given.weight.detach().to("cpu", torch.float64)
        value = given.value.detach().to("cpu", torch.float64)
        # A piece without items has no mean: whatever was computed for it must not count.
        part = torch.where(share > 0, value * share, torch.zeros_like(value))
        total = total + part
        weight = weight + share
    return total / weight


@torch.no_grad()
def evaluate_one(measure: Measure, feeds: Mapping[str, Feed], now: Now, piece: int = PIECE) -> dict[str, float]:
    """One measure as log columns. `now.draws` must be in eval (`training=False`)."""
    if measure.across is not None:
        return columns(measure.name, _mean_across(measure, measure.across, feeds, now, piece))
    value = measure.compute(now)
    return columns(measure.name, value.value if isinstance(value, Weighted) else value)


def evaluate(
    step: TrainStep,
    split: str | None = None,
    names: tuple[str, ...] = (),
    *,
    at: int = 0,
    device: torch.device | str = "cpu",
    piece: int = PIECE,
) -> dict[str, float]:
    """All measures of a train class (or those of `names`) with its parameters as they are, one pass each.

    `split`: use this one instead of the split a measure names; measures of a step's own batch get it too, across the
    class's only source. `at`: the number of steps trained. RuntimeFault REP0707 for an unknown measure or split.
    """
    feeds, settings = step.feeds(), step.settings
    known = {measure.name: measure for measure in step.measures()}
    for name in names:
        if name not in known:
            listed = ", ".join(f"`{have}`" for have in known) or "none"
            raise RuntimeFault("REP0707", f"there is no measure `{name}`", f"measures: {listed}")
    draws = Draws(settings.seed, at, training=False, device=device)
    now = Now(load(feeds, settings.batch, at, settings.seed, device), draws, at, settings.steps)
    found: dict[str, float] = {}
    for name, measure in known.items():
        if names and name not in names:
            continue
        if split is not None:
            source = measure.across.source if measure.across else next(iter(feeds), "") if len(feeds) == 1 else ""
            if source:
                measure = replace(measure, across=Across(source, as_split(split)))
        found.update(evaluate_one(measure, feeds, now, piece))
    return found
