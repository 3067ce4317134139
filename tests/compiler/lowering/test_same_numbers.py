"""Generated code against the reference interpreter: values and gradients, lifted, as a whole and step by step."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from rep_runtime.draws import Draws
from repc.dims import Dim
from repc.interpret import Draws as ReferenceDraws
from repc.interpret import Interpreter, init_slots
from repc.ir import Graph, Node, Program
from repc.lowering import Options, plan, render
from repc.lowering.naming import local

T = 7
OTHER = 5
LIFTS = [(), (2,), (3, 2)]

DECLARATIONS = [
    ("objectives", "NTXent"),
    ("objectives", "VICReg"),
    ("cloud", "Cloud"),
    ("loops", "Rnn"),
    ("loops", "Shared"),
    ("loops", "Backwards"),
    ("slots", "Tied"),
    ("slots", "Hyper"),
    ("slots", "Experts"),
    ("slots", "Experts2"),
    ("slots", "Temperature"),
    ("blocks", "Twice"),
    ("blocks", "Outer"),
    ("blocks", "Uses"),
    *(("odd", name) for name in ("Alone", "Number", "Masked", "Many", "Pair", "TwoResults", "Uses2")),
    ("draws", "Noisy"),
    ("draws", "Stack"),
    ("draws", "Laws"),
    ("draws", "Basis"),
    *(("memories", name) for name in ("Softmax", "Window", "Full", "Linear", "Ret", "Mamba", "Dot", "Delta", "Gated")),
    *(("dense", name) for name in ("LocalLinear", "Strided", "Block", "Forgetting", "Gaussian", "WindowSum")),
    *(("dense", name) for name in ("WindowFit", "AllFit", "CrossFit", "Cross", "Earlier")),
    *(("memories", name) for name in ("Long", "Two", "Huber", "Mesa", "Before", "Heads", "OneKey")),
    *(
        ("streams", name)
        for name in ("Softmax", "Window", "Linear", "Ret", "Delta", "Net", "Rnn", "Sums", "SharedTurns")
    ),
]


class Sizes:
    """A size for every symbol: the file's own, 7 for a sequence, 5 for the rest."""

    def __init__(self, program: Program) -> None:
        self.values = dict(program.values)

    def __call__(self, dim: Dim) -> int:
        for symbol in dim.symbols():
            self.values.setdefault(symbol, T if symbol.name == "T" else OTHER)
        return dim.evaluate(self.values)


def sample(node: Node, lift: tuple[int, ...], size: Sizes, random: torch.Generator) -> Tensor:
    shape = [*lift, *(size(axis.size) for axis in node.type.axes)]
    kind = node.type.kind
    if kind.name == "index":
        assert kind.size is not None
        return torch.randint(0, size(kind.size), shape, generator=random)
    if node.type.refine is not None and node.type.refine.name == "interval":
        return torch.rand(shape, generator=random, dtype=torch.float64).requires_grad_()
    return torch.randn(shape, generator=random, dtype=torch.float64).requires_grad_()


def along(node: Node, label: str) -> int | None:
    names = [axis.label.name for axis in node.type.axes]
    return names.index(label) - len(names) if label in names else None


def words(function: Callable[..., Any]) -> dict[str, object]:
    return {"draws": Draws(3, dtype=torch.float64)} if "draws" in inspect.signature(function).parameters else {}


def close(name: str, mine: Tensor, reference: Tensor) -> None:
    assert mine.shape == reference.shape, name
    scale = max(1.0, float(reference.detach().abs().max()) if reference.numel() else 1.0)
    assert float((mine - reference).detach().abs().max()) <= 1e-9 * scale, name


def fields(graph: Graph, result: object) -> Mapping[str, Tensor]:
    if [field for field, _ in graph.results] == [""]:
        assert isinstance(result, Tensor)
        return {"": result}
    return {field: getattr(result, local(field)) for field, _ in graph.results}


@pytest.mark.parametrize(("name", "declaration"), DECLARATIONS)
def test_values_and_gradients(text: Callable[[str], Any], name: str, declaration: str) -> None:
    compiled = text(name)
    program, graph = compiled.program, compiled.program.graphs[compiled.program.entries[declaration]]
    random = torch.Generator().manual_seed(0)
    module: nn.Module = compiled.class_of(declaration)().double()
    started = init_slots(program, graph, 0)
    assert set(started) == set(module.state_dict())
    for path, value in module.state_dict().items():
        assert torch.allclose(value, started[path], atol=1e-7), path
    slots = {
        path: (0.5 * torch.randn(value.shape, generator=random, dtype=torch.float64)).requires_grad_()
        for path, value in started.items()
    }
    module.load_state_dict({path: value.detach() for path, value in slots.items()})
    for lift in LIFTS:
        inputs = {
            graph.node(node).attrs["port"]: sample(graph.node(node), lift, Sizes(program), random)
            for node in graph.inputs
        }
        labels = ("first", "second")[: len(lift)]
        run = Interpreter(program).run(graph, inputs, slots, ReferenceDraws(3), lifted=labels)
        mine = fields(graph, module(*inputs.values(), **words(module.forward)))
        weighted: list[tuple[Tensor, Tensor]] = []
        for field, result in mine.items():
            close(field, result, run.tensor(field))
            weight = torch.randn(result.shape, generator=random, dtype=torch.float64)
            weighted.append(((weight * result).sum(), (weight * run.tensor(field)).sum()))
        floats = [value for value in inputs.values() if value.is_floating_point()]
        parameters = dict(module.named_parameters())
        if floats or parameters:
            own = torch.autograd.grad(
                torch.stack([a for a, _ in weighted]).sum(), [*floats, *parameters.values()], allow_unused=True,
                materialize_grads=True,
            )  # fmt: skip
            reference = torch.autograd.grad(
                torch.stack([b for _, b in weighted]).sum(), [*floats, *(slots[path] for path in parameters)],
                allow_unused=True, materialize_grads=True,
            )  # fmt: skip
            for place, (a, b) in enumerate(zip(own, reference, strict=True)):
                close(f"gradient {place}", a, b)


STREAMED = [
    ("loops", "Rnn"),
    *(
        ("streams", name)
        for name in ("Softmax", "Window", "Linear", "Ret", "Delta", "Net", "Rnn", "Sums", "SharedTurns")
    ),
]


@pytest.mark.parametrize(("name", "declaration"), STREAMED)
@pytest.mark.parametrize("lift", [(), (3, 2)])
def test_forward_is_as_many_steps(
    text: Callable[[str], Any], name: str, declaration: str, lift: tuple[int, ...]
) -> None:
    compiled = text(name)
    program, graph = compiled.program, compiled.program.graphs[compiled.program.entries[declaration]]
    random = torch.Generator().manual_seed(1)
    module = compiled.class_of(declaration)().double()
    nodes = {graph.node(node).attrs["port"]: graph.node(node) for node in graph.inputs}
    inputs = {port: sample(node, lift, Sizes(program), random).detach() for port, node in nodes.items()}
    whole = module(*inputs.values())
    parameters = inspect.signature(module.init_state).parameters
    held = {"capacity": T} if "capacity" in parameters else {}
    state = module.init_state(*lift, dtype=torch.float64, **held)
    for t in range(T):
        places = {port: along(node, "T") for port, node in nodes.items()}
        row = [value if places[port] is None else value.select(places[port], t) for port, value in inputs.items()]
        out, state = module.step(*row, state)
        close(f"step {t}", out, whole.select(-2, t))


def test_a_memory_without_an_algorithm_for_one_position_has_no_step(text: Callable[[str], Any]) -> None:
    assert not hasattr(text("dense").class_of("LocalLinear"), "step")
    assert hasattr(text("streams").class_of("Delta"), "step")


@pytest.mark.parametrize(("name", "declaration"), [("memories", "Heads"), ("loops", "Rnn"), ("objectives", "NTXent")])
def test_compiles_as_one_graph(text: Callable[[str], Any], name: str, declaration: str) -> None:
    compiled = text(name)
    graph = compiled.program.graphs[compiled.program.entries[declaration]]
    random = torch.Generator().manual_seed(2)
    inputs = [sample(graph.node(node), (2,), Sizes(compiled.program), random).float() for node in graph.inputs]
    module = compiled.class_of(declaration)()
    whole = torch.compile(module, fullgraph=True, backend="eager")
    assert torch.equal(whole(*inputs), module(*inputs))


def test_a_step_compiles_as_one_graph(text: Callable[[str], Any]) -> None:
    module = text("streams").class_of("Net")()
    state = module.init_state(2, capacity=4)
    x = torch.randn(2, 8)
    step = torch.compile(module.step, fullgraph=True, backend="eager")
    assert torch.allclose(step(x, state)[0], module.step(x, state)[0])


def test_exports_with_any_batch(text: Callable[[str], Any]) -> None:
    module = text("memories").class_of("Heads")()
    x = torch.randn(4, 9, 12)
    exported = torch.export.export(module, (x,), dynamic_shapes=({0: torch.export.Dim("batch")},)).module()
    wider = torch.randn(6, 9, 12)
    assert torch.allclose(exported(wider), module(wider), atol=1e-6)


@pytest.mark.parametrize("algorithm", ["chunked", "parallel", "recurrent"])
@pytest.mark.parametrize("name", ["Linear", "Mamba", "Gated", "Softmax"])
def test_every_algorithm_computes_the_same(
    text: Callable[[str], Any], tmp_path: Path, name: str, algorithm: str
) -> None:
    usual = text("memories")
    made = render(plan(usual.program, None, Options(algorithm=algorithm)))
    module = import_module_from(made.text, tmp_path / "forced.py")
    graph = usual.program.graphs[usual.program.entries[name]]
    random = torch.Generator().manual_seed(4)
    inputs = [sample(graph.node(node), (2,), Sizes(usual.program), random).detach() for node in graph.inputs]
    close(name, getattr(module, dict(made.entries)[name])()(*inputs), usual.class_of(name)()(*inputs))


def import_module_from(source: str, path: Path) -> ModuleType:
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
