"""What a memory costs, as formulas of its sizes: state, and arithmetic for each position."""

from __future__ import annotations

import itertools

from rep_grammar.record import Record
from repc.dims import Dim
from repc.memory.coefficients import ZERO
from repc.memory.forms import Dense, Descent, General, Gram, LocalConstant, NormalForm, RankOne, ScalarAffine, Stream

BYTES = 4
# Positions of a block of the chunked algorithms, by the runtime's function: its own defaults, which a test compares.
CHUNKS = {"scalar_affine": 64, "rank_one": 32}


class Shapes(Record):
    """Sizes that a memory's cost depends on: entries of a prepared key and of a value, and pairs of a sequence."""

    keys: Dim
    values: Dim
    length: Dim


class Cost(Record):
    """Numbers kept for each head, bytes of them, and floating point operations for each position.

    `training`: the fast algorithm over a whole sequence; `decoding`: one position after the other. `grows`: whether
    the state grows with the sequence.
    """

    state: Dim
    state_bytes: Dim
    training: Dim
    decoding: Dim
    grows: bool


def _cost(state: Dim, training: Dim, decoding: Dim, grows: bool = False) -> Cost:
    return Cost(state, state * BYTES, training, decoding, grows)


def cost(form: NormalForm, shapes: Shapes) -> Cost | None:
    """The cost of one head of a memory; None for one without an algorithm. A multiply-add counts as two."""
    k, p, t = shapes.keys, shapes.values, shapes.length
    match form:
        case ScalarAffine():
            wide = p + 1 if form.read.normalize != "none" else p
            return _cost(k * wide, 4 * k * wide + 2 * CHUNKS["scalar_affine"] * (k + wide), 5 * k * wide)
        case RankOne():
            block = CHUNKS["rank_one"]
            return _cost(k * p, 6 * k * p + 2 * block * (2 * k + 2 * p + block), 7 * k * p)
        case LocalConstant():
            seen = t if form.window is None else form.window
            grows = form.window is None
            return _cost(seen * (k + p), 2 * seen * (k + p) + 4 * seen, 2 * seen * (k + p) + 4 * seen, grows)
        case Stream():
            held = k * p if form.momentum == ZERO else 2 * k * p
            work = form.steps * 6 * k * p
            return _cost(held, work, work)
        case Gram():
            work = 2 * k * k + 4 * k * p + k * k * k
            return _cost(k * k + k * p, work, work)
        case Dense():
            solve = k * k * k if form.method in ("exact", "local_linear") else Dim.of(0)
            work = t * 2 * (k + p) + (t * 2 * k * k + solve if form.method in ("exact", "local_linear") else 0)
            return _cost(t * (k + p), work, work, True)
        case Descent():
            widths = (k, *form.hidden, p)
            held = sum((left * right for left, right in itertools.pairwise(widths)), Dim.of(0))
            held = p if form.regressor == "diagonal" else held
            work = form.steps * form.window * 6 * held
            return _cost(held * (1 if form.momentum == ZERO else 2), work, work)
        case General():
            return None
