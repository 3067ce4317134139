"""Which pairs a query sees and with what weight: `w[t, i]`, written out for every query and every pair."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.layout import Pairs
from repc.interpret.memory.words import field, is_one, only, port, whole
from repc.interpret.named import spread
from repc.ir import MemoryRecord, Word


@dataclass(frozen=True, slots=True)
class Weights:
    """`seen`: bool over `[batch.., T, S]`. `scalar`: `[batch.., T, S]`. `channel`: `[batch.., T, S, K]` or None.

    `start`: `[batch.., T, 1 or K]`, the weight of what was there before the first pair: the product of all decays.
    Entries where `seen` is false mean nothing.
    """

    seen: Tensor
    scalar: Tensor
    channel: Tensor | None
    start: Tensor


def weights_of(
    record: MemoryRecord,
    pairs: Pairs,
    retained: bool,
    similar: tuple[Tensor, Tensor] | None = None,
    kernel: Word | None = None,
) -> Weights:
    """The weights of the declaration; where `retained`, the retention is counted among the decays.

    `similar`: prepared queries and keys, for weights that select by similarity; `kernel`: what measures it.

    A retention multiplies what is left of earlier pairs, so for a memory that is solved anew at every query it is the
    same as a decay of their weights.
    """
    word = field(record, "weights", "uniform")
    seen, scalar = _shown(word, pairs)
    by = only(word, "by") if word.name == "selected" else None
    if isinstance(by, Word) and by.name == "top_k":
        seen = _most_similar(by, seen, similar, kernel)
    channel: Tensor | None = None
    start = pairs.q.new_ones(*pairs.q.shape[:-1], 1)
    decays = [only(word, "rate", "a")] if word.name == "decay" else []
    retain = field(record, "retain", "none")
    if retained and retain.name != "none" and not is_one(only(retain, "value", "a")):
        decays.append(only(retain, "value", "a"))
    for decay in decays:
        if not pairs.causal:
            raise MemoryFault("a decay needs queries and pairs along one axis")
        gates = pairs.coefficient(decay, axes="k", what="a decay")
        products, whole_product = decay_products(gates)
        start = start * whole_product
        if products.shape[-1] == 1:
            scalar = scalar * products[..., 0]
        else:
            channel = products if channel is None else channel * products
    return Weights(seen, scalar, channel, start)


def decay_products(gates: Tensor) -> tuple[Tensor, Tensor]:
    """Products of gates `[.., T, C]`: over s < r <= t, `[.., T, S, C]` (1 above the diagonal); and over all r <= t."""
    rows: list[Tensor] = []
    starts: list[Tensor] = []
    steps = gates.shape[-2]
    products = [torch.ones_like(gates[..., 0, :]) for _ in range(steps)]
    start = torch.ones_like(gates[..., 0, :])
    for t in range(steps):
        gate = gates[..., t, :]
        products = [product * gate if s < t else product for s, product in enumerate(products)]
        start = start * gate
        rows.append(torch.stack(products, -2))
        starts.append(start)
    return torch.stack(rows, -3), torch.stack(starts, -2)


def _shown(word: Word, pairs: Pairs) -> tuple[Tensor, Tensor]:
    """Which pairs are seen, and their weights before any decay."""
    shape = (*pairs.q.shape[:-1], pairs.pairs)
    t = torch.arange(pairs.queries)[:, None]
    s = torch.arange(pairs.pairs)[None, :]
    past = (s <= t) if pairs.causal else torch.ones(pairs.queries, pairs.pairs, dtype=torch.bool)
    ones = pairs.q.new_ones(shape)
    match word.name:
        case "uniform" | "decay":
            seen = past
        case "full":
            seen = torch.ones_like(past)
        case "window":
            length = whole(only(word, "size"), "the length of a window")
            seen = past & (t - s < length) if pairs.causal else past
        case "block":
            length = whole(only(word, "size"), "the length of a block")
            seen = past & (s // length == t // length)
        case "strided":
            stride = whole(only(word, "step"), "a stride")
            seen = past & ((t - s) % stride == 0)
        case "levels":
            return _levels(word, pairs, past)
        case "selected" if isinstance(only(word, "by"), Word):
            among = word.get("among", Word("uniform"))
            if not isinstance(among, Word):
                raise MemoryFault("the pairs to select from are weights")
            return _shown(among, pairs)
        case "matrix" | "selected":
            return _given(word, pairs)
        case _:
            raise MemoryFault(f"`{word.name}` is no weights of a memory")
    return seen.expand(shape), ones


def _levels(word: Word, pairs: Pairs, past: Tensor) -> tuple[Tensor, Tensor]:
    """A weight per level of the dyadic blocks that cover the past of a query, the newest pair being level 0."""
    name = port(word.get("weight"))
    if name is None or not pairs.causal:
        raise MemoryFault("levels need a weight per level, and queries and pairs along one axis")
    level = torch.tensor([[fenwick_level(t, s) for s in range(pairs.pairs)] for t in range(pairs.queries)])
    given = pairs.inputs[name]
    (axis,) = (label for label in given.labels if label not in pairs.batch and label != pairs.source_axis)
    per_level = spread(given, {**pairs.batch, pairs.source_axis: pairs.pairs, axis: given.size(axis)})
    shape = (*pairs.q.shape[:-1], pairs.pairs)
    chosen = per_level.gather(-1, level.clamp(min=0, max=given.size(axis) - 1).expand(shape))
    return past.expand(shape), chosen


def fenwick_level(t: int, s: int) -> int:
    """The level of the block of the past of `t` in which pair `s` lies; -1 for pairs after `t`.

    Pair t is level 0. The pairs before it fall into blocks of sizes that are the binary digits of t, smallest first:
    the block of size 2^l is level l + 1.
    """
    if s > t:
        return -1
    if s == t:
        return 0
    end = t
    while True:
        lowest = end & -end
        if s >= end - lowest:
            return lowest.bit_length()
        end -= lowest


def _most_similar(by: Word, seen: Tensor, similar: tuple[Tensor, Tensor] | None, kernel: Word | None) -> Tensor:
    """Of the pairs that a query sees, the n most similar ones, the earlier of two that are equally so."""
    from repc.interpret.memory.local import log_kernel

    if similar is None:
        raise MemoryFault("a memory that takes steps does not select by similarity")
    count = whole(only(by, "n"), "the number of pairs to select")
    scores = torch.where(seen, log_kernel(kernel or Word("exp"), *similar).detach(), -torch.inf)
    kept = torch.zeros_like(seen)
    for _ in range(min(count, seen.shape[-1])):
        best = torch.where(kept, -torch.inf, scores).argmax(-1, keepdim=True)
        kept = kept.scatter(-1, best, True)
    return kept & seen


def _given(word: Word, pairs: Pairs) -> tuple[Tensor, Tensor]:
    """Weights or a mask that the caller computed, over the axes of queries and pairs or of pairs alone."""
    name = port(only(word, "value", "by"))
    if name is None:
        raise MemoryFault(f"`{word.name}` needs an input")
    given = pairs.inputs[name]
    own = [label for label in given.labels if label not in pairs.batch]
    if not given.data.is_floating_point() and given.data.dtype != torch.bool:
        if not pairs.causal or set(own) - {pairs.source_axis}:
            raise MemoryFault("a label that must agree is one for each pair, along the axis of the queries")
        labels = spread(given, {**pairs.batch, pairs.source_axis: pairs.pairs})
        past = torch.ones(pairs.queries, pairs.pairs, dtype=torch.bool).tril()
        same = (labels.unsqueeze(-1) == labels.unsqueeze(-2)) & past
        return same, same.to(pairs.q.dtype)
    if not pairs.causal and set(own) <= {pairs.query_axis, pairs.source_axis}:
        query, pair = pairs.query_axis, pairs.source_axis
    elif len(own) == 2:
        query, pair = own
    else:
        raise MemoryFault("weights that are given have an axis of queries and one of pairs, or one of pairs alone")
    tensor = spread(given, {**pairs.batch, query: pairs.queries, pair: pairs.pairs})
    if tensor.dtype == torch.bool:
        return tensor, tensor.to(pairs.q.dtype)
    return tensor != 0, tensor.to(pairs.q.dtype)
