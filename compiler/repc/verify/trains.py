"""The step of a `train`: its terms, their gradients and the writes to cells, generated code against the interpreter."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from repc.interpret import Draws, Interpreter, Run
from repc.ir import Program, Step
from repc.lowering.legs import legs
from repc.verify.compare import Tally, gradients_of
from repc.verify.generated import by_spec, moved
from repc.verify.samples import Case, inputs_of, is_free

TERM = "term:"


class TrainSubject:
    """A train under test; `class_name`: its class in the module."""

    def __init__(self, program: Program, module: ModuleType, name: str, class_name: str) -> None:
        self.program = program
        self.module = module
        self.name = name
        self.class_name = class_name
        self.step: Step = program.steps[name]
        self.legs = [leg.step for leg in legs(self.step, class_name, str) if leg.turns] if self.step.stages else []

    @property
    def parts(self) -> tuple[Step, ...]:
        """The step, or what has turns among its stages."""
        return tuple(self.legs) or (self.step,)

    def compare(self, part: int, case: Case, terms: Tally, gradients: Tally, writes: Tally) -> None:
        """One batch of random samples for one of the parts."""
        from rep_runtime.draws import Draws as Runtime
        from rep_runtime.inits import initialise
        from rep_runtime.training import Now

        step = self.parts[part]
        graph = step.graph
        model = getattr(self.module, self.class_name)()
        model.double()
        initialise(model, case.seed)
        held = moved(model, lambda path: is_free(self.program, path), case.seed)
        inputs = inputs_of(self.program, graph, case, 0)
        owned = by_spec(self.program, held)
        run = Interpreter(self.program, case.sizes).run(graph, inputs, owned, Draws(case.seed), owned)
        draws = Runtime(case.seed, 0, dtype=torch.float64)
        now = Now(_batch(step, inputs), draws, 0, 1)
        turning = [stage.step for stage in model.stages() if stage.turns][part] if self.legs else model
        pairs: list[tuple[Tensor, Tensor]] = []
        for player in turning.players():
            outcome = player.turn(now)
            for name, found in outcome.terms.items():
                pairs.append((found, _averaged(run, name)))
            for path, found in outcome.writes.items():
                writes.see(found, run.commits[path].data)
        for found, wanted in pairs:
            terms.see(found, wanted)
        leaves = [tensor for tensor in held.values() if tensor.requires_grad]
        if pairs:
            gradients_of(pairs, leaves, case, gradients)


def _batch(step: Step, inputs: dict[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    """Samples by source and field; a field that all of them share comes with an axis of samples too."""
    made: dict[str, dict[str, Tensor]] = {}
    shared = set(step.shared)
    for port, value in inputs.items():
        source, _, field = port.partition(".")
        made.setdefault(source, {})[field or "x"] = value[None] if port in shared else value
    return made


def _averaged(run: Run, name: str) -> Tensor:
    """A term; one that keeps axes is averaged over them (6.6)."""
    value: Any = run.tensor(f"{TERM}{name}")
    mean: Tensor = value.mean()
    return mean
