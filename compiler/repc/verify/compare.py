"""One declaration: interpreter against generated code, forward against step, lifted against one by one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from repc.dims import Symbol
from repc.interpret import Draws, Interpreter, Run
from repc.interpret.states import is_state
from repc.interpret.values import Value
from repc.ir import Graph, Program
from repc.verify.generated import by_spec, called, instance, moved, written
from repc.verify.laws import is_equation
from repc.verify.report import Row
from repc.verify.samples import Case, inputs_of, is_free

VALUES, GRADIENTS = 1e-10, 1e-8
LEAD = Symbol("B", "verify")


@dataclass
class Tally:
    """The largest error over all cases of one comparison."""

    subject: str
    what: str
    tolerance: float
    cases: int = 0
    error: float = 0.0
    note: str = ""

    def see(self, found: Tensor, wanted: Tensor) -> None:
        """Counts one pair of tensors."""
        self.cases += 1
        self.error = max(self.error, difference(found, wanted))

    def row(self) -> Row:
        """The row of the table; a comparison that was never made has failed."""
        passed = self.cases > 0 and self.error <= self.tolerance
        return Row(self.subject, self.what, self.cases, self.error, self.tolerance, passed, self.note)


def difference(found: Tensor, wanted: Tensor) -> float:
    """The largest difference, as a part of the largest number of `wanted` where that is above 1; infinite for NaN."""
    if found.shape != wanted.shape:
        return float("inf")
    if wanted.numel() == 0:
        return 0.0
    a, b = found.detach().to(torch.float64), wanted.detach().to(torch.float64)
    same_infinity = (a == b) & torch.isinf(a)
    gap = torch.where(same_infinity, 0.0, (a - b).abs())
    finite = b[torch.isfinite(b)].abs()
    scale = max(1.0, float(finite.max())) if finite.numel() else 1.0
    error = float(gap.max()) / scale
    return error if error == error else float("inf")


def gradients_of(pairs: list[tuple[Tensor, Tensor]], leaves: list[Tensor], case: Case, tally: Tally) -> None:
    """Gradients of a random weighting of all results by all leaves, found and wanted."""
    generator = torch.Generator().manual_seed(2000 + case.seed)
    used = [(a, b) for a, b in pairs if a.requires_grad and b.requires_grad]
    if not used or not leaves:
        return
    weights = [torch.randn(b.shape, generator=generator, dtype=torch.float64) for _, b in used]
    sums = [
        torch.stack([(pair[side] * w).sum() for pair, w in zip(used, weights, strict=True)]).sum() for side in (0, 1)
    ]
    found, wanted = (torch.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True) for total in sums)
    for a, b in zip(found, wanted, strict=True):
        tally.see(a, b)


class Subject:
    """A declaration under test. `name`: its class in the module, `key`: its graph."""

    def __init__(self, program: Program, module: ModuleType | None, name: str, class_name: str, key: str) -> None:
        self.program = program
        self.module = module
        self.name = name
        self.class_name = class_name
        self.key = key
        self.graph: Graph = program.graphs[key]

    def reference(
        self, key: str, inputs: Mapping[str, Any], case: Case, held: Mapping[str, Tensor], lifted: int = 1
    ) -> Run:
        """The interpreter's run; gradients flow to inputs and to what is held."""
        draws = Draws(case.seed)
        interpreter = Interpreter(self.program, case.sizes)
        owned = by_spec(self.program, held)
        return interpreter.run(key, inputs, owned, draws, owned, lifted=(LEAD,) * lifted)

    def against_generated(self, case: Case, values: Tally, gradients: Tally, lifted: int) -> None:
        """Values and gradients of one case."""
        assert self.module is not None, "there is a module to compare with"
        model = instance(self.module, self.class_name, case)
        held = moved(model, self._free, case.seed)
        inputs = inputs_of(self.program, self.graph, case, lifted)
        for tensor in inputs.values():
            if tensor.is_floating_point():
                tensor.requires_grad_(True)
        run = self.reference(self.key, inputs, case, held, lifted)
        made = called(model, inputs, Draws(case.seed))
        pairs = [
            (found, run.tensor(name))
            for (name, node), found in zip(self.graph.results, made.values(), strict=True)
            if isinstance(found, Tensor) and not is_equation(self.graph, node)
        ]
        values.cases += not pairs  # A law of equations gives nothing to compare, but it must run.
        for found, wanted in pairs:
            values.see(found, wanted)
        leaves = [tensor for tensor in (*inputs.values(), *held.values()) if tensor.requires_grad]
        gradients_of(pairs, leaves, case, gradients)

    def _free(self, path: str) -> bool:
        return is_free(self.program, path)

    # ---- steps

    def steps(self, case: Case, time: Symbol, tally: Tally, step: Callable[..., Any]) -> None:
        """One position after the other against all at once."""
        inputs = inputs_of(self.program, self.graph, case, 1)
        held, advance = step(case)
        whole = self.reference(self.key, inputs, case, held)
        length = next(
            tensor.shape[1 + node.type.labels.index(time)]
            for node, tensor in zip(written(self.graph), inputs.values(), strict=True)
            if time in node.type.labels
        )
        outs: list[list[Tensor]] = []
        for position in range(length):
            now = {
                port: tensor.select(1 + node.type.labels.index(time), position) if time in node.type.labels else tensor
                for node, (port, tensor) in zip(written(self.graph), inputs.items(), strict=True)
            }
            outs.append(advance(now))
        for place, (name, result) in enumerate(self.graph.results):
            labels = self.graph.node(result).type.labels
            if time in labels:
                stacked = torch.stack([out[place] for out in outs], 1 + labels.index(time))
                tally.see(stacked, whole.tensor(name))

    def reference_step(self, case: Case) -> tuple[dict[str, Tensor], Callable[[Mapping[str, Tensor]], list[Tensor]]]:
        """The step graph by the interpreter."""
        from repc.interpret import init_slots

        held = init_slots(self.program, self.key, case.seed, {**case.sizes})
        state: dict[str, Value] = {}

        def advance(now: Mapping[str, Tensor]) -> list[Tensor]:
            run = self.reference(f"{self.key}.step", {**now, **state}, case, held)
            state.update({name: value for name, value in run.results.items() if is_state(name)})
            return [run.tensor(name) for name in run.results if not is_state(name)]

        return held, advance

    def generated_step(self, case: Case) -> tuple[dict[str, Tensor], Callable[[Mapping[str, Tensor]], list[Tensor]]]:
        """`step` of the generated class, from its `init_state`."""
        assert self.module is not None, "there is a module to compare with"
        model = instance(self.module, self.class_name, case)
        held = moved(model, self._free, case.seed)
        states: list[Any] = []
        takes_state = "state" in inspect.signature(model.step).parameters

        def advance(now: Mapping[str, Tensor]) -> list[Tensor]:
            lifted = next(iter(now.values())).shape[0]
            if takes_state and not states:
                states.append(_first_state(model, lifted, case))
            if not takes_state:
                return _flat(model.step(*now.values()))
            out, states[0] = model.step(*now.values(), states[0])
            return _flat(out)

        return held, advance

    def streams(self) -> bool:
        """Whether the generated class has a step."""
        made = getattr(self.module, self.class_name, None)
        return inspect.isclass(made) and issubclass(made, nn.Module) and hasattr(made, "step")

    # ---- meaning

    def lifting(self, case: Case, tally: Tally) -> None:
        """All lifted positions at once against the first of them alone, by the interpreter."""
        from repc.interpret import init_slots

        held = init_slots(self.program, self.key, case.seed, {**case.sizes})
        inputs = inputs_of(self.program, self.graph, case, 1)
        whole = self.reference(self.key, inputs, case, held)
        alone = self.reference(self.key, {port: x[0] for port, x in inputs.items()}, case, held, 0)
        for name, _ in self.graph.results:
            found, wanted = whole.tensor(name), alone.tensor(name)
            tally.see(found[0] if found.ndim > wanted.ndim else found, wanted)

    def causality(self, case: Case, time: Symbol, tally: Tally) -> None:
        """The generated forward pass with other inputs in the second half: the first half stays."""
        assert self.module is not None, "there is a module to compare with"
        model = instance(self.module, self.class_name, case)
        moved(model, self._free, case.seed)
        inputs = inputs_of(self.program, self.graph, case, 1)
        other = inputs_of(self.program, self.graph, Case(case.sizes, case.seed + 77), 1)
        first = called(model, inputs, Draws(case.seed))
        mixed: dict[str, Tensor] = {}
        half = 0
        for node in written(self.graph):
            port = node.attrs["port"]
            mixed[port] = inputs[port]
            if time in node.type.labels:
                place = 1 + node.type.labels.index(time)
                half = (inputs[port].shape[place] + 1) // 2
                late = other[port].narrow(place, half, inputs[port].shape[place] - half)
                mixed[port] = torch.cat([inputs[port].narrow(place, 0, half), late], place)
        second = called(model, mixed, Draws(case.seed))
        for (_, result), a, b in zip(self.graph.results, first.values(), second.values(), strict=True):
            labels = self.graph.node(result).type.labels
            if time in labels and isinstance(a, Tensor):
                place = 1 + labels.index(time)
                tally.see(b.narrow(place, 0, half), a.narrow(place, 0, half))


def _flat(out: Any) -> list[Tensor]:
    return list(out) if isinstance(out, tuple) else [out]


def _first_state(model: Any, lifted: int, case: Case) -> Any:
    """`init_state` of a generated class; a cache gets room for the longest axis of the case."""
    more = {"capacity": max(case.sizes.values(), default=1)}
    known = inspect.signature(model.init_state).parameters
    return model.init_state(lifted, dtype=torch.float64, **{name: n for name, n in more.items() if name in known})
