"""What is done to keys and queries before the regressor sees them: features, normalisation, the query's scale."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.layout import Pairs
from repc.interpret.memory.words import field, number, only, port, whole
from repc.interpret.named import spread
from repc.ir import MemoryRecord, Word

# Adds nothing that shows, and keeps the gradient of a length at 0 finite.
EPSILON = 1e-6

FeatureGraph = Callable[[Word, Tensor], Tensor]


def prepared(record: MemoryRecord, x: Tensor, apply_graph: FeatureGraph) -> Tensor:
    """Features of keys or queries `[.., K]`, normalised: `[.., F]`."""
    return _normalised(field(record, "keys", "none"), _features(field(record, "features", "identity"), x, apply_graph))


def _features(word: Word, x: Tensor, apply_graph: FeatureGraph) -> Tensor:
    match word.name:
        case "identity" | "none" | "applied":
            return x
        case "elu1":
            return torch.nn.functional.elu(x) + 1
        case "relu":
            return torch.relu(x)
        case "softplus":
            return torch.nn.functional.softplus(x)
        case "square":
            return x * x
        case "exp":
            return torch.exp(x)
        case "softmax":
            return torch.softmax(x, -1)
        case "dpfp":
            return dpfp(x, whole(word.get("nu", 1), "the order of dpfp"))
        case "taylor":
            return taylor(x)
        case "graph":
            return apply_graph(word, x)
    raise MemoryFault(f"`{word.name}` is no feature map")


def dpfp(x: Tensor, order: int) -> Tensor:
    """`r[i] r[i - n - 1]` for n < order, r = relu of (x, -x): `[.., K]` to `[.., order * 2K]` (Schlag et al. 2021)."""
    r = torch.relu(torch.cat([x, -x], -1))
    return torch.cat([r * torch.roll(r, n, -1) for n in range(1, order + 1)], -1)


def taylor(x: Tensor) -> Tensor:
    """`(1, x, x x / sqrt 2)`: the product of two of them is `1 + s + s^2 / 2` for s = q.k: `[.., 1 + K + K^2]`."""
    pairs = (x.unsqueeze(-1) * x.unsqueeze(-2)).flatten(-2) / 2**0.5
    return torch.cat([torch.ones_like(x[..., :1]), x, pairs], -1)


def _normalised(word: Word, x: Tensor) -> Tensor:
    match word.name:
        case "none" | "applied":
            return x
        case "l2norm":
            epsilon = number(word.get("eps", EPSILON), "eps")
            return x / torch.sqrt((x * x).sum(-1, keepdim=True) + epsilon)
        case "l1norm":
            epsilon = number(word.get("eps", EPSILON), "eps")
            return x / (x.abs().sum(-1, keepdim=True) + epsilon)
    raise MemoryFault(f"`{word.name}` is no normalisation of keys")


def scale_of(record: MemoryRecord, pairs: Pairs, channels: int) -> Tensor:
    """The factor of a query, `[batch.., T, 1]`; by default 1, and `1 / sqrt(channels)` for the kernel `exp`."""
    kernel = field(record, "regressor", "linear").get("kernel")
    word = field(record, "scale", "rsqrt" if isinstance(kernel, Word) and kernel.name == "exp" else "none")
    if word.name == "rsqrt":
        return pairs.q.new_tensor(1.0 / math.sqrt(number(word.get("size", channels), "the size of a key")))
    if word.name == "none":
        return pairs.q.new_tensor(1.0)
    value = only(word, "value", "scale")
    name = port(value)
    if name is None:
        return pairs.q.new_tensor(number(value, "the scale of a query"))
    given = pairs.inputs[name]
    return spread(given, {**pairs.batch, pairs.query_axis: pairs.queries}).to(pairs.q.dtype).unsqueeze(-1)
