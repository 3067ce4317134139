"""Where the state of a memory begins: slots of its own for `init: learned` (LANGUAGE.md 7.2)."""

from __future__ import annotations

import itertools

from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.values import Tensor
from repc.ir import Attrs, Ref, Word
from repc.types import FLOAT, Axis, Type

HIDDEN = "Hidden"


def learned(body: Body, regressor: Word, key: tuple[Axis, ...], values: tuple[Axis, ...], span: Span) -> Word:
    """The word of an init whose parameters are slots: zeros for what is linear, maps of a network at random."""
    values = tuple(_apart(axis, key) for axis in values)
    if regressor.name == "mlp":
        width, depth = regressor.get("hidden"), regressor.get("depth", 2)
        size = width if isinstance(width, Dim) else Dim.of(width if isinstance(width, int) else 1)
        count = depth if isinstance(depth, int) else 2
        walls = [(_hidden(size, at),) for at in range(count - 1)]
        layers = [key, *walls, values]
        start = Word("fan_in", (("gain", 1.0),))
        made = [
            _slot(body, f"start_{at + 1}", (*left, *right), start, span)
            for at, (left, right) in enumerate(itertools.pairwise(layers))
        ]
    else:
        axes = values if regressor.name == "diagonal" else (*key, *values)
        made = [_slot(body, "start", axes, Word("zeros"), span)]
    return Word("learned", tuple((f"w{at}", Ref(slot.node)) for at, slot in enumerate(made)))


def _slot(body: Body, name: str, axes: tuple[Axis, ...], init: Word, span: Span) -> Tensor:
    path = body.unique_path(name)
    made = body.add("slot", (), Attrs(path=path, init=init, trained=True), Type(axes, FLOAT), span, share=False)
    body.slots[name] = made
    body.sites[name] = made.node
    return made


def _apart(axis: Axis, key: tuple[Axis, ...]) -> Axis:
    """An axis of values under a label of its own where a key has that label."""
    if all(axis.label != own.label for own in key):
        return axis
    return Axis(Symbol(f"{axis.label.name}_out", axis.label.scope), axis.size, axis.kind, axis.space)


def _hidden(size: Dim, at: int) -> Axis:
    label = Symbol(f"{HIDDEN}{at + 1}", "memory")
    return Axis(label, size, "feature", label)
