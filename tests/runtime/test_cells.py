"""Writes of cells: gathered under full paths, whoever gathers them."""

import torch

from rep_runtime.cells import Writes


def test_views_gather_into_one_place_under_their_paths() -> None:
    writes = Writes()
    writes.put("count", torch.ones(()))
    writes.inside("net").turn("layers", 1).inside("norm").put("mean", torch.zeros(3))
    assert set(writes.values) == {"count", "net.layers.1.norm.mean"}


def test_a_second_value_replaces_the_first() -> None:
    writes = Writes()
    writes.inside("a").put("c", torch.zeros(()))
    writes.inside("a").put("c", torch.ones(()))
    assert writes.values["a.c"].item() == 1.0
