"""A generated class under test: made with the sizes of a case, in float64, with parameters that are no fresh ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn

from repc.interpret.draws import Draws
from repc.ir import Graph, Node, Program
from repc.lowering.naming import attribute
from repc.verify.samples import Case

# How far parameters are moved from their initial values: what starts at 0 or 1 must matter too.
MOVED = 0.1


def instance(module: ModuleType, name: str, case: Case) -> Any:
    """An instance of a class of the module, or its function. Sizes that it needs are those of the case, by name."""
    made = getattr(module, name)
    if not inspect.isclass(made):
        return made
    sizes = {symbol.name: size for symbol, size in case.sizes.items()}
    wanted = inspect.signature(made).parameters
    given = {parameter: sizes[parameter] for parameter in wanted if parameter in sizes}
    if "seed" in wanted:
        given["seed"] = case.seed
    model = made(**given)
    return model.double() if isinstance(model, nn.Module) else model


def moved(model: object, free: Callable[[str], bool], seed: int) -> dict[str, Tensor]:
    """All parameters and buffers of a model by path, those that `free` allows moved at random, in place."""
    if not isinstance(model, nn.Module):
        return {}
    generator = torch.Generator().manual_seed(seed)
    held: dict[str, Tensor] = dict(model.named_parameters())
    held.update(model.named_buffers())
    with torch.no_grad():
        for path, tensor in held.items():
            if tensor.is_floating_point() and free(path):
                noise = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
                tensor.add_(MOVED * noise.to(tensor))
    return held


def by_spec(program: Program, held: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same tensors by their paths in the spec: a block `import` is the attribute `import_` of its class."""
    graphs = (*program.graphs.values(), *(step.graph for step in program.steps.values()))
    texts = {text for graph in graphs for node in graph.nodes for text in node.attrs.values() if isinstance(text, str)}
    parts = {part for text in texts for part in text.split(".") if part.isidentifier()}
    names = {attribute(part): part for part in parts if attribute(part) != part and attribute(part) not in parts}
    return {".".join(names.get(part, part) for part in path.split(".")): tensor for path, tensor in held.items()}


def called(target: Callable[..., Any], ports: Mapping[str, Tensor], draws: Draws) -> dict[str, Any]:
    """What a generated `forward` makes: results by their names there, "" for a single one."""
    from rep_runtime.draws import Draws as Runtime

    function = target.forward if isinstance(target, nn.Module) else target
    more: dict[str, Any] = {}
    if "draws" in inspect.signature(function).parameters:
        more["draws"] = Runtime(draws.seed, draws.step, training=draws.training, dtype=torch.float64)
    before = torch.get_default_dtype()
    # Without a float among its inputs a module computes in the default precision.
    torch.set_default_dtype(torch.float64)
    try:
        return named(target(*ports.values(), **more))
    finally:
        torch.set_default_dtype(before)


def named(made: Any) -> dict[str, Any]:
    """The fields of a named tuple, or one nameless result."""
    if isinstance(made, tuple) and hasattr(made, "_fields"):
        return dict(zip(made._fields, made, strict=True))
    return {"": made}


def written(graph: Graph) -> list[Node]:
    """The input nodes of a graph, in order."""
    return [graph.node(name) for name in graph.inputs]
