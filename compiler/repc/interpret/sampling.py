"""Samples a draw by the reference of its law."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Symbol
from repc.interpret.faults import InterpretFault
from repc.interpret.named import Named
from repc.ir import Node


def sample(node: Node, parameters: list[Named], sizes: Mapping[Symbol, int], key: tuple[int, str, int, int]) -> Named:
    """The value of a draw over the axes `sizes`, from the generator of its key (seed, site, application, step)."""
    raise InterpretFault(key[1], f"no number is given for this draw of {node.attrs['law']}")
