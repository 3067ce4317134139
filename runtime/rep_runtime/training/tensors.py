"""Optimizer moments as named tensors and plain numbers, so that a checkpoint needs no pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from torch import Tensor
from torch.optim import Optimizer

# optimizer name -> (its torch optimizer, the paths of its parameters in the order of its groups)
Owned: TypeAlias = "Mapping[str, tuple[Optimizer, Sequence[str]]]"
Scalars: TypeAlias = "dict[str, float | int | bool]"


def moments(owned: Owned) -> tuple[dict[str, Tensor], Scalars]:
    """All state of the optimizers: tensors and plain numbers, keyed by a JSON list [optimizer, path, name]."""
    tensors: dict[str, Tensor] = {}
    scalars: Scalars = {}
    for label, (optimizer, paths) in owned.items():
        state = optimizer.state_dict()["state"]
        for index, path in enumerate(paths):
            for name, value in state.get(index, {}).items():
                key = json.dumps([label, path, name])
                if isinstance(value, Tensor):
                    tensors[key] = value.detach().contiguous()
                elif value is not None:
                    scalars[key] = value
    return tensors, scalars


def restore_moments(owned: Owned, tensors: Mapping[str, Tensor], scalars: Scalars) -> None:
    """Put back what `moments` gave, into fresh optimizers over the same parameters."""
    stored: dict[tuple[str, str], dict[str, object]] = {}
    for key, value in (*tensors.items(), *scalars.items()):
        label, path, name = json.loads(key)
        stored.setdefault((label, path), {})[name] = value
    for label, (optimizer, paths) in owned.items():
        fresh = optimizer.state_dict()
        fresh["state"] = {index: stored[label, path] for index, path in enumerate(paths) if (label, path) in stored}
        optimizer.load_state_dict(fresh)


def paths_in_order(optimizer: Optimizer, names: Mapping[int, str]) -> list[str]:
    """The paths of an optimizer's parameters in the order in which its state counts them; `names` is by `id`."""
    return [names[id(parameter)] for group in optimizer.param_groups for parameter in group["params"]]
