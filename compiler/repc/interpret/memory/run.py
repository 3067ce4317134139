"""Runs a memory from its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from repc.dims import Symbol
from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.features import prepared, scale_of
from repc.interpret.memory.layout import Pairs, lay_out
from repc.interpret.memory.local import answered
from repc.interpret.memory.regressor import Regressor, regressor_of
from repc.interpret.memory.solve import conjugate, solved
from repc.interpret.memory.stream import Stream
from repc.interpret.memory.weights import Weights, weights_of
from repc.interpret.memory.words import field, number, only, port
from repc.interpret.named import Named, narrowed, picked, spread, union
from repc.ir import MemoryRecord, Word

SOLVERS = ("exact", "hebbian")

ApplyGraph = Callable[[Word, Mapping[str, Named]], Named]


@dataclass(frozen=True, slots=True)
class History:
    """The state of a memory in the reference: every pair and coefficient so far. It is run again from the start."""

    inputs: Mapping[str, Named]


def run_memory(
    record: MemoryRecord,
    inputs: Mapping[str, Named],
    apply_graph: ApplyGraph,
    before: History | None = None,
) -> tuple[Named, History]:
    """The answers to all queries, and the state after the last pair.

    inputs: q `[T, K]`, k `[S, K]`, v `[S, P]` and coefficients by port, with any other axes lifted. `before`: the state
    that earlier pairs left. `apply_graph` applies a graph that a field names. Raises `MemoryFault`.
    """
    held = inputs if before is None or not before.inputs else _joined(record, before.inputs, inputs)
    # Inner gradients build graphs of their own; none is kept where nothing outside asks for one.
    wanted = torch.is_grad_enabled() and any(value.data.requires_grad for value in held.values())
    with torch.set_grad_enabled(wanted):
        out = _answers(record, held, apply_graph)
    if held is not inputs:
        steps = inputs[record.role("q")].size(record.sequence)
        out = narrowed(out, record.sequence, out.size(record.sequence) - steps, steps)
    return out, History(dict(held))


def _joined(record: MemoryRecord, earlier: Mapping[str, Named], later: Mapping[str, Named]) -> dict[str, Named]:
    """Inputs along the sequence put behind those of the state; an input without it is the later one."""
    made: dict[str, Named] = {}
    for name, new in later.items():
        old = earlier[name]
        if record.sequence not in new.labels:
            made[name] = new
            continue
        sizes = union([picked(old, record.sequence, 0), picked(new, record.sequence, 0)])
        parts = [spread(x, {**sizes, record.sequence: x.size(record.sequence)}) for x in (old, new)]
        made[name] = Named(torch.cat(parts, -1), (*sizes, record.sequence))
    return made


def _answers(record: MemoryRecord, inputs: Mapping[str, Named], apply_graph: ApplyGraph) -> Named:
    pairs = lay_out(record, inputs)

    def features(word: Word, x: Tensor) -> Tensor:
        lifted = _stand_ins(x.ndim - 1)
        (axis,) = record.key
        made = apply_graph(word, {"x": Named(x, (*lifted, axis))})
        (new,) = (label for label in made.labels if label not in lifted)
        return made.ordered((*lifted, new))

    def loss(word: Word, pred: Tensor, target: Tensor) -> Tensor:
        lifted = _stand_ins(pred.ndim - 1)
        (axis,) = record.value_axis
        made = apply_graph(word, {"pred": Named(pred, (*lifted, axis)), "target": Named(target, (*lifted, axis))})
        return made.over(lifted).expand(pred.shape[:-1])

    k = prepared(record, pairs.k, features)
    q = prepared(record, pairs.q, features)
    scale = scale_of(record, pairs, k.shape[-1])
    v = _target(record, pairs)
    regressor = field(record, "regressor", "linear")
    if regressor.name.startswith("local_"):
        kernel = only(regressor, "kernel")
        similar = (q * scale, k)
        seen = weights_of(record, pairs, True, similar, kernel if isinstance(kernel, Word) else None)
        weights = _bonus_weight(record, pairs, _read_rows(record, seen))
        return pairs.named(answered(record, weights, q, k, v, scale))
    shape = regressor_of(regressor, k.shape[-1], v.shape[-1])
    init = _init(record, pairs, shape)
    q = q * scale
    out = _fitted(record, pairs, shape, q, k, v, init, loss)
    if field(record, "normalize", "none").name != "none":
        ones = torch.ones_like(v[..., :1])
        total = _fitted(record, pairs, replace(shape, values=1), q, k, ones, None, loss)
        out = _divided(field(record, "normalize", "none"), out, total, pairs)
    return pairs.named(out)


def _stand_ins(count: int) -> tuple[Symbol, ...]:
    """Labels for the lifted axes and the time axis of a laid out tensor, while a graph is applied to it."""
    return tuple(Symbol(str(at), "memory") for at in range(count))


def _fitted(
    record: MemoryRecord,
    pairs: Pairs,
    regressor: Regressor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    init: tuple[Tensor, ...] | None,
    loss: Callable[[Word, Tensor, Tensor], Tensor],
) -> Tensor:
    """Answers of a parametric regressor, `[batch.., T, P]`."""
    start = regressor.zeros(k) if init is None else init
    states: list[tuple[Tensor, ...]]
    if field(record, "optimizer", "exact").name == "cg":
        read = _read_rows(record, weights_of(record, pairs, True, (q, k)))
        return conjugate(record, read, q, k, v) + _bonus(record, pairs, regressor, q, k, v)
    if field(record, "optimizer", "exact").name in SOLVERS:
        weights = weights_of(record, pairs, True, (q, k))
        after = solved(record, regressor, weights, k, v, None if init is None else init[0])
        (first,) = start
        held = torch.cat([first.unsqueeze(len(pairs.batch)), after], len(pairs.batch))
        states = [(held.select(len(pairs.batch), t),) for t in range(held.shape[len(pairs.batch)])]
    else:
        stream = Stream(record, pairs, regressor, weights_of(record, pairs, False), k, v, loss)
        states = stream.run(start)
        if not pairs.causal:
            states = [states[-1]] * (pairs.queries + 1)
    late = 0 if _reads_before(record) else 1
    rows = [regressor(states[t + late], q[..., t, :]) for t in range(pairs.queries)]
    return torch.stack(rows, -2) + _bonus(record, pairs, regressor, q, k, v)


def _reads_before(record: MemoryRecord) -> bool:
    word = field(record, "read", "after").name
    if word not in ("before", "after"):
        raise MemoryFault(f"a memory is read before or after its newest pair, not `{word}`")
    return word == "before"


def _bonus(record: MemoryRecord, pairs: Pairs, regressor: Regressor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """What the newest pair adds to the answer: `(q . (u k)) v`."""
    word = field(record, "bonus", "none")
    if word.name == "none":
        return torch.zeros_like(q[..., :1])
    if not pairs.causal:
        raise MemoryFault("a bonus needs queries and pairs along one axis")
    extra = pairs.coefficient(only(word, "value", "u"), axes="k", what="a bonus") * k
    if regressor.name == "diagonal":
        return q * extra * v
    return (q * extra).sum(-1, keepdim=True) * v


def _bonus_weight(record: MemoryRecord, pairs: Pairs, weights: Weights) -> Weights:
    """A kernel memory that is read before its newest pair sees it with weight `exp(u)` where there is a bonus."""
    word = field(record, "bonus", "none")
    if word.name == "none":
        return weights
    if not _reads_before(record) or not pairs.causal:
        raise MemoryFault("the bonus of a kernel memory needs `read: before`")
    extra = torch.exp(pairs.coefficient(only(word, "value", "u"), axes="", what="a bonus"))
    newest = torch.eye(pairs.queries, dtype=torch.bool)
    return Weights(weights.seen | newest, torch.where(newest, extra, weights.scalar), weights.channel, weights.start)


def _read_rows(record: MemoryRecord, weights: Weights) -> Weights:
    """The weights that a query reads: those of the pair before it where the memory is read before."""
    if not _reads_before(record):
        return weights
    seen = torch.cat([torch.zeros_like(weights.seen[..., :1, :]), weights.seen[..., :-1, :]], -2)
    scalar = torch.cat([torch.ones_like(weights.scalar[..., :1, :]), weights.scalar[..., :-1, :]], -2)
    return Weights(seen, scalar, weights.channel, weights.start)


def _target(record: MemoryRecord, pairs: Pairs) -> Tensor:
    word = field(record, "target", "value")
    if word.name in ("value", "v", "applied"):
        return pairs.v
    if word.name == "difference":
        if pairs.v.shape != pairs.k.shape:
            raise MemoryFault("the target `v - k` needs keys and values of one size")
        return pairs.v - pairs.k
    raise MemoryFault(f"`{word.name}` is no target of the reference")


def _init(record: MemoryRecord, pairs: Pairs, regressor: Regressor) -> tuple[Tensor, ...] | None:
    word = field(record, "init", "zeros")
    if word.name == "zeros":
        if regressor.name == "mlp":
            raise MemoryFault("an mlp of zeros learns nothing: its init must be learned or given")
        return None
    names = [name for _, value in word.args if (name := port(value)) is not None]
    if not names and "init" in pairs.inputs:
        names = ["init"]
    zeros = regressor.zeros(pairs.k)
    if len(names) != len(zeros):
        raise MemoryFault("an init is zeros, or an input for each parameter")
    return tuple(_started(pairs, name, zero) for name, zero in zip(names, zeros, strict=True))


def _started(pairs: Pairs, name: str, zero: Tensor) -> Tensor:
    """A parameter before the first pair, for every lifted position; its own axes come last, in their order."""
    given = pairs.inputs[name]
    own = {label: given.size(label) for label in given.labels if label not in pairs.batch}
    if own.keys() == {**pairs.key, **pairs.value}.keys():
        own = {**pairs.key, **pairs.value}
    tensor = spread(given, {**pairs.batch, **own}).to(torch.float64)
    if tensor.numel() != zero.numel():
        raise MemoryFault("the init of a memory has one number per key and value entry")
    return tensor.reshape(zero.shape)


def _divided(word: Word, out: Tensor, total: Tensor, pairs: Pairs) -> Tensor:
    """The answers over the total weight; a position without any is answered by 0."""
    weight = total
    if word.name == "absolute":
        weight = weight.abs()
    elif word.name != "total":
        raise MemoryFault(f"`{word.name}` is no normalisation of answers")
    if word.get("floor") is not None:
        weight = torch.maximum(weight, pairs.coefficient(word.get("floor"), axes="", what="the floor of a weight"))
    weight = weight + number(word.get("eps", 0.0), "eps")
    some = weight != 0
    return torch.where(some, out / torch.where(some, weight, 1.0), 0.0)
