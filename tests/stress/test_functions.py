"""The Python functions that lie beside the stress texts."""

from __future__ import annotations

import runpy
from pathlib import Path

import torch

SPECS = Path(__file__).parents[2] / "specs" / "stress"


def test_a_spanning_tree_is_the_lightest() -> None:
    minimum_spanning_tree = runpy.run_path(str(SPECS / "graphs.py"))["minimum_spanning_tree"]
    gap = torch.tensor([[0.0, 1, 4, 3], [1, 0, 2, 5], [4, 2, 0, 6], [3, 5, 6, 0]])
    edges = minimum_spanning_tree(gap)
    assert torch.equal(edges, edges.T)
    assert edges.nonzero().tolist() == [[0, 1], [0, 3], [1, 0], [1, 2], [2, 1], [3, 0]]
    assert minimum_spanning_tree(torch.zeros(0, 0)).shape == (0, 0)
