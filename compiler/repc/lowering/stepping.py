"""Step graphs: which graph is one, of which graph, and what its states are."""

from __future__ import annotations

from collections.abc import Iterable

from repc.ir import Graph, Node, Program
from repc.lowering.lead import called
from repc.lowering.values import FULL, NONE

STATE = "state."
OUT = "out"


def is_step(graph: Graph) -> bool:
    """Whether a graph is the step graph of another."""
    return any(key == "step" for key, _ in graph.config)


def base_of(program: Program, graph: Graph) -> str:
    """The key of the graph whose step graph this is."""
    return graph.name.rpartition(".step")[0]


def step_of(program: Program, key: str) -> Graph | None:
    """The step graph of a graph, if the program has one."""
    found = program.graphs.get(f"{key}.step")
    return found if found is not None and is_step(found) else None


def state_ports(graph: Graph) -> tuple[Node, ...]:
    """The inputs that are states."""
    nodes = graph.by_name()
    return tuple(nodes[one] for one in graph.inputs if str(nodes[one].attrs["port"]).startswith(STATE))


def state_leads(graph: Graph) -> dict[str, str]:
    """Leading dims of states: all, but none for counters, which are the same at every carried position."""
    return {
        node.attrs["port"]: NONE if node.type.kind.name == "int" and not node.type.axes else FULL
        for node in state_ports(graph)
    }


def steppable(program: Program) -> set[str]:
    """Keys of the step graphs all of whose memories, their callees' included, have an algorithm for one position."""
    from repc.lowering.memory_start import start_slots
    from repc.memory.algorithms import chosen
    from repc.memory.forms import General
    from repc.memory.normal import normalize

    graphs = {key: graph for key, graph in program.graphs.items() if is_step(graph)}

    def able(graph: Graph, path: frozenset[str]) -> bool:
        nodes = graph.by_name()
        for node in graph.nodes:
            if node.kind == "memory" and node.attrs.get("mode") == "step":
                types = {port: nodes[arg].type for port, arg in zip(node.attrs["ports"], node.args, strict=True)}
                form = normalize(node.attrs["record"], types)
                algorithm = None if isinstance(form, General) else chosen(form)
                if algorithm is None or not algorithm.step or start_slots(graph, node) is None:
                    return False
            for key in called(node):
                if key not in path and not able(program.graphs[key], path | {key}):
                    return False
        return True

    return {key for key, graph in graphs.items() if able(graph, frozenset({key}))}


def without_steps(program: Program, kept: Iterable[str]) -> dict[str, Graph]:
    """The graphs of a program without those step graphs that are not kept."""
    keep = set(kept)
    return {key: graph for key, graph in program.graphs.items() if not is_step(graph) or key in keep}
