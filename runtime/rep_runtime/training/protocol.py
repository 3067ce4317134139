"""What a generated train class offers, and what the loop does with it.

A `train` declaration becomes one subclass of `TrainStep`, with one method per phase. `Trainer` owns the loop, the
files and the clock; the class owns models, cells and formulas. Paths are state-dict paths (`lm.embed.weight`).

Shape of a generated class:

    class Bytes(TrainStep):
        name = "Bytes"

        def __init__(self) -> None:
            super().__init__(Settings(steps=2000, batch=16, seed=0))
            self.lm = LM(V=256, D=128)                                # lm.rep:31

        def feeds(self) -> dict[str, Feed]:                           # phase 1
            return {"text": Feed(bytes_stdlib(length=256))}

        def players(self) -> tuple[Player, ...]:                      # phase 5
            rule = adamw(Cosine(1e-3, warmup=100), decay=0.1)
            return (Player("main", self.main, (Optimize(rule),)),)

        def main(self, now: Now) -> Outcome:
            text = now.batch["text"]["x"]
            nll = cross_entropy(self.lm(text[:, :-1]), text[:, 1:])
            return Outcome(terms={"nll": nll})

        def measures(self) -> tuple[Measure, ...]:                    # phase 9
            return (Measure("bits", self.measure_bits, every=200, across=Across("text", "test")),)

        def measure_bits(self, now: Now) -> Tensor | Weighted: ...

Phases of one step (LANGUAGE.md 6.4) and who acts: 1 load (loop, from `feeds`), 2 draw (lazily, through `now.draws`;
one value per site, application and step), 3 `project_before`, 4 `target_before`, 5 for each player: its `turn`,
backward, clip, optimizer step, `project_after`; 6 `target_after`; 7 the loop writes every `Outcome.writes` at once;
8 the clock advances; 9 measures (with `now.draws` in eval and gradients off), log, checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from torch import Tensor, nn

from rep_runtime.data.source import Rows, Source
from rep_runtime.draws import Draws
from rep_runtime.optim import Rule

# source name -> field name -> tensor with the batch axis first. A source with one field calls it "x".
Batch = Mapping[str, Mapping[str, Tensor]]


@dataclass(frozen=True, slots=True)
class Settings:
    """Numbers of a `train` declaration.

    `steps`: optimizer steps. `batch`: samples per step (0: the whole training split). `accumulate`: equal
    micro-batches a step is cut into (separable terms only; the step's meaning stays that of the whole batch).
    """

    steps: int
    batch: int
    seed: int = 0
    accumulate: int = 1


@dataclass(frozen=True, slots=True)
class Feed:
    """A data source of the step; `batch` overrides `Settings.batch` (None: the settings' own; 0: whole split).

    `fixed`: every step gets the samples of the first one.
    """

    source: Source
    batch: int | None = None
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Now:
    """What a phase sees: this step's samples, its draws and the clock (`step` counts finished optimizer steps)."""

    batch: Batch
    draws: Draws
    step: int
    steps: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a player's turn computed.

    `terms`: scalars as the user wrote them, *unsigned* (a player's `maximize` names those to negate); a term that
    kept axes is averaged over them by generated code. `writes`: new values of cells by path, written in phase 7.
    """

    terms: Mapping[str, Tensor]
    writes: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Optimize:
    """One optimizer of a player: its rule and the path prefixes it owns (`""`: everything not frozen)."""

    rule: Rule
    over: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class Player:
    """One player: `turn` computes its terms, `optimizers` own its parameters, all others are held.

    `maximize`: names of the terms that are maximized. `every`: the turn happens on steps divisible by it.
    """

    name: str
    turn: Callable[[Now], Outcome]
    optimizers: tuple[Optimize, ...]
    maximize: frozenset[str] = frozenset()
    every: int = 1


@dataclass(frozen=True, slots=True)
class Weighted:
    """A mean over `weight` items of one batch (for instance over the positions asked): exact under `across`."""

    value: Tensor
    weight: Tensor


@dataclass(frozen=True, slots=True)
class Across:
    """`E across SOURCE.SPLIT`: one gradient-free pass over a whole split (`valid`, `test` or `train`)."""

    source: str
    split: str = "test"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measured quantity: a scalar or a tensor (one log column per entry), from `compute`.

    `every`: after every so many steps and at the end (0: at the end only). `across`: over a split instead of the
    step's batch. `whole`: the quantity is no mean over samples, so the split is given as one batch.
    """

    name: str
    compute: Callable[[Now], Tensor | Weighted]
    every: int = 0
    across: Across | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a run: a step, whether its turns are played, and whether what it measures is measured at its end.

    Stages run in order; each has a clock, an order of samples and optimizers of its own (LANGUAGE.md 6.8).
    """

    step: TrainStep
    turns: bool = True
    measures: bool = True

    @property
    def steps(self) -> int:
        """How many steps it takes; none where it measures alone."""
        return self.step.settings.steps if self.turns else 0


class TrainStep(nn.Module):
    """Base of every generated train class: models as submodules, cells as persistent buffers.

    Override `feeds` and `players`; `measures`, `frozen` and the phases where the spec has something to say.
    """

    name: str = "train"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings

    def feeds(self) -> dict[str, Feed]:
        """Phase 1: the sources by name; called once."""
        return {}

    def players(self) -> tuple[Player, ...]:
        """Phase 5: the players in turn order; called once."""
        return ()

    def measures(self) -> tuple[Measure, ...]:
        """Phase 9: what is measured; called once."""
        return ()

    def frozen(self, step: int) -> tuple[str, ...]:
        """Path prefixes that no optimizer moves at this step (`freeze f`, `freeze f until 1000`)."""
        return ()

    def stages(self) -> tuple[Stage, ...]:
        """The stages of a run in order; called once, where models and cells are in place."""
        return (Stage(self),)

    def share(self, whole: TrainStep) -> None:
        """Make this a stage of `whole`: models, parameters and cells are the same ones, under the same paths."""
        self._modules.update(whole._modules)
        self._parameters.update(whole._parameters)
        self._buffers.update(whole._buffers)

    def look(self, compute: Callable[[Now], Tensor], source: str, now: Now) -> Callable[[Rows], Tensor]:
        """`compute` as a function of the samples of one source."""

        def of(rows: Rows) -> Tensor:
            moved = {name: value.to(now.draws.device) for name, value in rows.items()}
            return compute(replace(now, batch={**now.batch, source: moved}))

        return of

    def fill(self, now: Now) -> None:
        """Stores take the samples chosen for them, after the last step of a stage."""

    def project_before(self, now: Now) -> None:
        """Phase 3: projections `keep: before`, in place, without gradient."""

    def target_before(self, now: Now) -> None:
        """Phase 4: targets updated `at: before_forward`."""

    def project_after(self, now: Now, player: str) -> None:
        """End of a player's turn: projections `keep: after` of that player's slots."""

    def target_after(self, now: Now) -> None:
        """Phase 6: targets updated `at: after_step` (after the turns of all players)."""
