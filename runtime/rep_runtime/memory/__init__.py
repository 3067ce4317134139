"""Fast algorithms of memories, by lowering class: how the state moves from one pair to the next.

``ALGORITHMS`` maps a lowering class to the algorithms that compute it. All algorithms of a class take the same
arguments and compute the same numbers; the public function of the class checks its inputs and calls one by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rep_runtime.memory.affine import SCALAR_AFFINE, scalar_affine, scalar_affine_init, scalar_affine_step
from rep_runtime.memory.attention import (
    LOCAL_CONSTANT,
    PairCache,
    local_constant,
    local_constant_init,
    local_constant_step,
    slot_positions,
)
from rep_runtime.memory.rank_one import RANK_ONE, rank_one, rank_one_init, rank_one_step

ALGORITHMS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "local_constant": LOCAL_CONSTANT,
    "scalar_affine": SCALAR_AFFINE,
    "rank_one": RANK_ONE,
}

__all__ = [
    "ALGORITHMS",
    "PairCache",
    "local_constant",
    "local_constant_init",
    "local_constant_step",
    "rank_one",
    "rank_one_init",
    "rank_one_step",
    "scalar_affine",
    "scalar_affine_init",
    "scalar_affine_step",
    "slot_positions",
]
