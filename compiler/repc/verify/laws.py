"""What declarations require of values (8.1): tried on random inputs and draws, an equality of floats up to rounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from repc.interpret import Draws, Interpreter, init_slots
from repc.ir import Graph, Program
from repc.verify.samples import Case, inputs_of

REQUIRE = "require."
# Two sides of an equation are sums in different orders, and what is normalised has the epsilon of its norm in it.
LAWS = 1e-6


def with_laws(program: Program) -> Program:
    """The program in which a declaration that returns nothing gives what it requires, as generated code does."""
    graphs = {key: graph if graph.results else _giving(graph) for key, graph in program.graphs.items()}
    return replace(program, graphs=graphs)


def _giving(graph: Graph) -> Graph:
    return graph.with_(results=tuple(site for site in graph.sites if site[0].startswith(REQUIRE)))


def requirements(graph: Graph) -> tuple[tuple[str, str], ...]:
    """Names and nodes of what a declaration requires of values."""
    return tuple(site for site in graph.sites if site[0].startswith(REQUIRE))


def is_equation(graph: Graph, node: str) -> bool:
    """Whether a node compares floats for equality: there rounding alone may make it false."""
    made = graph.node(node)
    if made.kind != "prim" or made.attrs["op"] != "eq":
        return False
    return all(graph.node(arg).type.kind.name == "float" for arg in made.args)


def broken_by(
    program: Program, graph: Graph, node: str, case: Case, given: Mapping[str, Tensor] | None = None
) -> float:
    """How far a requirement is from true in one run of the reference: 0 where it holds, else how much it lacks.

    `given`: parameters and cells by path, else the parameters' initial values. For an equation of floats the largest
    difference of its sides, for any other requirement the part that is false.
    """
    made = graph.node(node)
    equation = is_equation(graph, node)
    wanted = tuple((str(place), arg) for place, arg in enumerate(made.args)) if equation else (("0", node),)
    asked = graph.with_(results=wanted)
    held = init_slots(program, graph, case.seed, {**case.sizes}) if given is None else dict(given)
    inputs = inputs_of(program, graph, case, 0)
    run = Interpreter(program, case.sizes).run(asked, inputs, held, Draws(case.seed), held)
    if not equation:
        value = run.tensor("0")
        return 1.0 - float(value.to(torch.float64).mean())
    left, right = (run.results[name] for name, _ in wanted)
    return _apart(left, right)


def _apart(left: object, right: object) -> float:
    """The largest difference of two sides, of which one may lack axes, as a part of the largest number above 1."""
    from repc.interpret.named import Named, spread, union

    assert isinstance(left, Named) and isinstance(right, Named), "an equation compares tensors"
    sizes = union([left, right])
    a, b = (spread(side, sizes) for side in (left, right))
    if a.numel() == 0:
        return 0.0
    gap: Tensor = torch.where(a == b, 0.0, (a - b).abs())
    error = float(gap.max()) / max(1.0, float(b.abs().max()))
    return error if error == error else float("inf")
