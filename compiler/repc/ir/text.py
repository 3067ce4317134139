"""The text form of the core calculus (LANGUAGE.md 9.2): golden format of passes, and what people read.

`read_graph(print_graph(g)) == g` for every graph, places included, and the same for programs and steps. Written by
hand, a place may be left out: a node then lies where it stands in the text.

    graph Mixer(%x) encoder Mixer {
      %x = input x() : [T seq, D] float
      %1 = prim l2norm(%x) {over: (D)} : [T seq, D] float on sphere(D)
      return %1
    }
"""

from __future__ import annotations

from repc.ir.graph import Graph, Node
from repc.ir.program import Program, Step
from repc.ir.text_write import Writer

TEXT = "<text>"


def print_node(node: Node, places: bool = True) -> str:
    """One node on one line."""
    return Writer(places).node(node)


def print_graph(graph: Graph, places: bool = True) -> str:
    """A graph; without `places` it is shorter and reads back equal up to places."""
    return "\n".join(Writer(places).graph(graph)) + "\n"


def print_step(step: Step, places: bool = True) -> str:
    """The step of a `train`."""
    return "\n".join(Writer(places).step(step)) + "\n"


def print_program(program: Program, places: bool = True) -> str:
    """A whole program."""
    return "\n".join(Writer(places).program(program)) + "\n"


def read_graph(text: str, file: str = TEXT) -> Graph:
    """The graph of a text. Raises `TextFault`."""
    from repc.ir.text_read import reader

    read = reader(text, file)
    return read.whole(read.graph)[1]


def read_step(text: str, file: str = TEXT) -> Step:
    """The step of a text. Raises `TextFault`."""
    from repc.ir.text_read import reader

    read = reader(text, file)
    return read.whole(read.step)


def read_program(text: str, file: str = TEXT) -> Program:
    """The program of a text. Raises `TextFault`."""
    from repc.ir.text_read import reader

    read = reader(text, file)
    return read.whole(read.program)
