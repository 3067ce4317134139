"""The loop: phases in order, the clock, the log, checkpoints and what a person sees of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from rep_runtime.draws import Draws
from rep_runtime.faults import Interrupted, RuntimeFault
from rep_runtime.inits import initialise
from rep_runtime.keys import key_number
from rep_runtime.spans import LineMap, rep_spans
from rep_runtime.training import checkpoint as checkpoints
from rep_runtime.training.curves import draw_curves
from rep_runtime.training.evaluate import PIECE, evaluate_one, load
from rep_runtime.training.interrupt import StopRequest
from rep_runtime.training.legs import Course, Leg
from rep_runtime.training.log import Log
from rep_runtime.training.progress import Progress, progress
from rep_runtime.training.protocol import Batch, Now, TrainStep
from rep_runtime.training.run import RunSpec, open_folder
from rep_runtime.training.turns import play


@dataclass(frozen=True, slots=True)
class Options:
    """How to run, none of which changes what is learned.

    `log_every`, `checkpoint_every`: in steps (0: a log row per step, on a GPU one in ten; ten checkpoints a run).
    `keep`: how many checkpoints stay. `piece`: samples per piece of a measure's pass. `picture`: draw `curves.png`.
    `module`: the generated module (its path or its line map), to place faults in the `.rep` text.
    """

    device: str = "cpu"
    log_every: int = 0
    checkpoint_every: int = 0
    keep: int = checkpoints.KEPT
    piece: int = PIECE
    quiet: bool = False
    picture: bool = True
    module: str | Path | LineMap | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a run came to: finished `steps`, newest value of each log column, where it lies."""

    steps: int
    values: Mapping[str, float]
    folder: Path
    checkpoint: Path


class Trainer:
    """Trains one `TrainStep` in one run folder.

    Making it fills parameters and cells from (seed, path). `fit` runs the steps; with `resume` it goes on from the
    newest checkpoint, bit-equal to a run that never stopped.
    """

    def __init__(self, run: RunSpec, step: TrainStep, options: Options | None = None) -> None:
        self.run, self.step, self.options = run, step, options or Options()
        self.settings = step.settings
        initialise(step, self.settings.seed)
        step.to(self.options.device)
        self._course = Course(step)
        self._number = 0
        self._leg = self._course.leg(0)
        self._cells = dict(step.named_buffers(remove_duplicate=False))
        self._cells |= dict(step.named_parameters(remove_duplicate=False))
        self.steps = steps = self._course.steps
        self._log_every = self.options.log_every or (1 if torch.device(self.options.device).type == "cpu" else 10)
        self._save_every = self.options.checkpoint_every or max(1, math.ceil(steps / 10))

    def fit(self, *, resume: bool = False, until: int | None = None) -> Result:
        """Train up to `Settings.steps` (or stop after `until` steps, to be resumed later).

        Raises RuntimeFault (REP0701 folder in use, REP0702 checkpoint of another spec, REP0704 disk, REP0706 not a
        number, REP0710 generated code failed) and `Interrupted` on Ctrl-C; the last checkpoint is then whole.
        """
        start = self._restore(open_folder(self.run, self.settings, resume))
        last = min(self.steps, until if until is not None else self.steps)
        log = Log(self.run.log, start)
        shown = progress(self.run.name, start, self.steps, quiet=self.options.quiet)
        try:
            with torch.random.fork_rng(devices=[]), StopRequest(shown.note) as stop:
                saved = self._loop(start, last, log, shown, stop)
        except KeyboardInterrupt as error:
            raise Interrupted(f"training was stopped; {self._whole()}", self._how_to_go_on()) from error
        finally:
            shown.close()
        self._draw()
        return Result(last, log.last(), self.run.folder, saved)

    def _restore(self, latest: Path | None) -> int:
        if latest is None:
            return 0
        found = checkpoints.read(latest)
        self._enter(self._course.at(found.step))
        if found.step > self._leg.start:
            checkpoints.load_all(self.step, self._leg.owned, found, self.run.spec_hash)
        else:
            # Optimizers start anew where a stage begins.
            checkpoints.load_weights(self.step, found, self.run.spec_hash)
        if found.seed != self.settings.seed:
            raise RuntimeFault(
                "REP0701",
                f"the run in `{self.run.folder}` has seed {found.seed}, not {self.settings.seed}",
                f"resume it with seed {found.seed}, or name another folder",
            )
        return found.step

    def _enter(self, number: int) -> None:
        """Go on with another stage."""
        if number != self._number and number <= self._course.last:
            self._number, self._leg = number, self._course.leg(number)

    def _loop(self, start: int, last: int, log: Log, shown: Progress, stop: StopRequest) -> Path:
        saved = checkpoints.find_latest(self.run.checkpoints) if start else None
        for done in range(start, last):
            if done == self._leg.end:
                self._enter(self._course.at(done))
            row, loss = self._one_step(done)
            after = done + 1
            if row:
                log.add(after, row)
            shown.advance(after, loss)
            if after % self._save_every == 0 or after == last or stop.asked:
                saved = self._save(after)
            if stop.asked and after < last:
                self._draw()
                raise Interrupted(f"training was stopped at step {after}; {self._whole()}", self._how_to_go_on())
        return saved if saved is not None else self._save(start)

    def _save(self, step: int) -> Path:
        return checkpoints.save(
            self.run.checkpoints,
            self.step,
            self._leg.owned,
            step=step,
            seed=self.settings.seed,
            spec_hash=self.run.spec_hash,
            keep=self.options.keep,
        )

    def _draw(self) -> None:
        if self.options.picture:
            draw_curves(self.run.log, self.run.curves, self.run.name)

    def _whole(self) -> str:
        latest = checkpoints.find_latest(self.run.checkpoints)
        return f"the checkpoint `{latest}` is whole" if latest else "no checkpoint had been written yet"

    def _how_to_go_on(self) -> str:
        return f"go on with `--resume` on `{self.run.folder}`"

    def _draws(self, step: int, part: tuple[int, int] = (0, 1), training: bool = True) -> Draws:
        return Draws(self.settings.seed, step, training=training, device=self.options.device, part=part)

    def _one_step(self, done: int) -> tuple[dict[str, float], float | None]:
        """Phases 1 to 9 of step `done` of the run; the log row (empty on steps that are not logged) and the loss."""
        leg, count = self._leg, self._leg.step.settings.accumulate
        settings, local = leg.step.settings, done - leg.start
        # Generated code never draws from the global generator; an `extern` may, and must resume bit-equal too.
        torch.manual_seed(key_number(self.settings.seed, "extern", done))
        with rep_spans(self.options.module):
            batch = load(leg.feeds, settings.batch, local, self.settings.seed, self.options.device)
            now = Now(batch, self._draws(done), local, leg.steps)
            with torch.no_grad():
                leg.step.project_before(now)
                leg.step.target_before(now)
            terms, loss = self._players(now, done, count)
            with torch.no_grad():
                leg.step.target_after(now)
                if local + 1 == leg.steps:
                    leg.step.fill(now)
        after = done + 1
        row: dict[str, float] = {}
        told: float | None = None
        if after % self._log_every == 0 or after == leg.end or after % self._save_every == 0:
            row = {name: float(value) for name, value in terms.items()}
            self._require_finite(row, after)
            told = float(loss) if terms else None
        with rep_spans(self.options.module):
            row.update(self._measure(leg, batch, after))
            if after == leg.end:
                for number in self._course.closing(self._number):
                    row.update(self._measure(self._course.leg(number), {}, after))
        return row, told

    def _players(self, now: Now, done: int, count: int) -> tuple[dict[str, Tensor], Tensor]:
        terms: dict[str, Tensor] = {}
        writes: dict[str, Tensor] = {}
        loss = torch.zeros((), device=self.options.device)
        at = self._leg.seats
        frozen = self._leg.step.frozen(now.step)
        parts = tuple(self._draws(done, (index, count)) for index in range(count)) if count > 1 else (now.draws,)
        for seat in at:
            if now.step % seat.player.every:
                continue
            outcome = play(seat, now, parts, frozen)
            with torch.no_grad():
                self._leg.step.project_after(now, seat.player.name)
            prefix = f"{seat.player.name}." if len(at) > 1 else ""
            terms.update({f"{prefix}{name}": value for name, value in outcome.terms.items()})
            signs = [-v if name in seat.player.maximize else v for name, v in outcome.terms.items()]
            loss = loss + sum((value.reshape(()) for value in signs), torch.zeros_like(loss))
            writes.update(outcome.writes)
        with torch.no_grad():
            # Phase 7: all at once, after the last reader of this step's values.
            for path, value in writes.items():
                self._cells[path].copy_(value)
        return terms, loss

    def _require_finite(self, row: Mapping[str, float], step: int) -> None:
        for name, value in row.items():
            if not math.isfinite(value):
                raise RuntimeFault(
                    "REP0706",
                    f"the term `{name}` became {value} at step {step}; {self._whole()}",
                    "lower the rate, clip the gradient (`clip: 1.0`), or look for a log or a division that meets 0",
                )

    def _measure(self, leg: Leg, batch: Batch, after: int) -> dict[str, float]:
        """What is due after a step of the run; a stage without steps reads samples of its own."""
        due = leg.due(after - leg.start)
        if not due:
            return {}
        settings = leg.step.settings
        if not leg.steps:
            batch = load(leg.feeds, settings.batch, 0, self.settings.seed, self.options.device)
        values: dict[str, float] = {}
        for measure in due:
            now = Now(batch, self._draws(after - 1, training=False), after - leg.start, max(leg.steps, 1))
            values.update(evaluate_one(measure, leg.feeds, now, self.options.piece))
        return values
