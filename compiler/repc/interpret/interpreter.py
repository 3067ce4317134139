"""Evaluates checked graphs directly, in float64, node by node (LANGUAGE.md 9).

Lifted axes are further named axes of the arguments: every reference carries them through, so one evaluation of a graph
is that graph at every lifted position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import torch
from torch import Tensor

from repc.dims import Symbol, solve_sizes
from repc.dims.solve import Observed
from repc.interpret.draws import Draws
from repc.interpret.faults import InterpretFault
from repc.interpret.frame import Frame, Owner, Place
from repc.interpret.memory import History
from repc.interpret.named import Named, extents, relabelled
from repc.interpret.nodes import Evaluator
from repc.interpret.states import first_state, is_state, keeps_labels
from repc.interpret.values import Value, renamed
from repc.ir import Graph, Node, Program

Given: TypeAlias = Tensor | Named | History | dict[str, Value] | float | int | bool


@dataclass(frozen=True, slots=True)
class Run:
    """What one run made. `lifted`: labels of the lifted axes.

    `results`: by name, "" for a single result without one. `sites`: values of the names bound in the body. `commits`:
    new values of cells by path. `effects`: (action, target) -> value of the others. `draws`: what was drawn.
    """

    graph: Graph
    lifted: tuple[Symbol, ...]
    results: Mapping[str, Value]
    sites: Mapping[str, Value]
    commits: Mapping[str, Named]
    effects: Mapping[tuple[str, str], Value]
    draws: Mapping[tuple[str, int], Tensor]
    sizes: Mapping[Symbol, int]

    def tensor(self, name: str = "") -> Tensor:
        """A result as a tensor over [lifted, written]."""
        value = self.results[name]
        if not isinstance(value, Named):
            raise InterpretFault(name or self.graph.name, "this result is no tensor")
        node = self.graph.node(dict(self.graph.results)[name])
        written = node.type.labels
        return value.ordered((*(label for label in self.lifted if label in value.labels), *written))


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Runs graphs of one program. `values`: sizes beside those that the program knows."""

    program: Program
    values: Mapping[Symbol, int] = field(default_factory=dict)

    def run(
        self,
        graph: str | Graph,
        inputs: Mapping[str, Given],
        slots: Mapping[str, Tensor] | None = None,
        draws: Draws | None = None,
        cells: Mapping[str, Tensor] | None = None,
        lifted: Sequence[str | Symbol] = (),
        path: str = "",
    ) -> Run:
        """Evaluates a graph.

        `inputs`: by port; a tensor has the axes [lifted, written] or [written], a `Named` any. `slots`, `cells`: by
        full path. A state of a step graph that is not given is what it is before the first position.
        `lifted`: labels of the lifted axes. `path`: what stands before the paths of the graph's own slots.
        Gradients flow to inputs and slots. Raises `InterpretFault`, `MemoryFault`.
        """
        made = self.program.graphs[graph] if isinstance(graph, str) else graph
        labels = tuple(Symbol(label, "lifted") if isinstance(label, str) else label for label in lifted)
        named = {
            node.attrs["port"]: self._named(node, inputs, labels)
            for node in self._inputs(made)
            if not is_state(node.attrs["port"]) or node.attrs["port"] in inputs
        }
        sizes = self._sizes(made, named)
        lifts: dict[Symbol, int] = {}
        for node in self._inputs(made):
            value = named.get(node.attrs["port"])
            if isinstance(value, Named) and not is_state(node.attrs["port"]):
                lifts.update((label, size) for label, size in extents(value).items() if label not in node.type.labels)
        ordered = {label: lifts[label] for label in (*labels, *lifts) if label in lifts}
        hidden = {label: Symbol(label.name, f"lifted 0 {label.scope}") for label in ordered}
        shown = {inner: label for label, inner in hidden.items()}
        drawn = draws or Draws()
        evaluator = Evaluator(self.program, dict(slots or {}), dict(cells or {}), drawn)
        place = Place(Owner(path), sizes, {hidden[label]: size for label, size in ordered.items()})
        frame = Frame(self.program, made, place)
        for node in self._inputs(made):
            if node.attrs["port"] not in named:
                named[node.attrs["port"]] = first_state(node, frame.size)
        given = {port: value if keeps_labels(port, value) else renamed(value, hidden) for port, value in named.items()}
        found = evaluator.graph(frame, given)
        results = {name: value if keeps_labels(name, value) else renamed(value, shown) for name, value in found.items()}
        sites = {name: renamed(frame.values[node], shown) for name, node in made.sites if node in frame.values}
        commits = {cell: relabelled(value, shown) for cell, value in evaluator.commits.items()}
        effects = {target: renamed(value, shown) for target, value in evaluator.effects.items()}
        return Run(made, tuple(ordered), results, sites, commits, effects, drawn.made, dict(sizes))

    def _inputs(self, graph: Graph) -> list[Node]:
        return [graph.node(name) for name in graph.inputs]

    def _named(self, node: Node, inputs: Mapping[str, Given], lifted: tuple[Symbol, ...]) -> Value:
        port = node.attrs["port"]
        if port not in inputs:
            raise InterpretFault(port, "this input is missing")
        given = inputs[port]
        if isinstance(given, History | dict):
            return given
        if isinstance(given, Named):
            return Named(precise(given.data), given.labels)
        tensor = precise(given if isinstance(given, Tensor) else torch.tensor(given))
        extra = tensor.ndim - len(node.type.axes)
        if extra not in (0, len(lifted)):
            wanted = ", ".join(map(str, (*lifted, *node.type.labels)))
            raise InterpretFault(port, f"a tensor of shape {tuple(tensor.shape)} has not the axes [{wanted}]")
        return Named(tensor, (*(lifted if extra else ()), *node.type.labels))

    def _sizes(self, graph: Graph, named: Mapping[str, Value]) -> dict[Symbol, int]:
        """Every size that the program, the interpreter's values and the inputs determine."""
        observed: list[Observed] = []
        for node in self._inputs(graph):
            value = named.get(node.attrs["port"])
            if isinstance(value, Named):
                actual = extents(value)
                for axis in node.type.axes:
                    if axis.label not in actual:
                        raise InterpretFault(node.attrs["port"], f"the axis {axis.label} is missing")
                    size = self.program.facts.written_out(axis.size.subst(self.program.formulas))
                    observed.append(Observed(size, actual[axis.label], f"{node.attrs['port']}[{axis.label}]"))
        solved = solve_sizes(observed, {**self.program.values, **self.values}, graph.facts)
        for mismatch in solved.mismatches:
            found = f"{mismatch.observed.size} entries, expected {mismatch.expected}"
            raise InterpretFault(str(mismatch.observed.origin), f"the axis of size {mismatch.observed.dim} has {found}")
        for violation in solved.violations:
            raise InterpretFault(graph.name, f"the fact {violation.fact} does not hold")
        return dict(solved.values)


def precise(tensor: Tensor) -> Tensor:
    """Floats as float64, whole numbers as int64."""
    if tensor.is_floating_point():
        return tensor.to(torch.float64)
    return tensor if tensor.dtype == torch.bool else tensor.to(torch.int64)
