"""Lowering classes and the algorithms that compute them: the seam at which a new class is added."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.memory.forms import Dense, Descent, General, Gram, LocalConstant, NormalForm, RankOne, ScalarAffine, Stream


class Algorithm(Record):
    """One way to compute a lowering class.

    `runtime`: its function, in `module` of `rep_runtime`; `name`: what that calls the algorithm, "" where there is one.
    `step` and `init`: the functions for one position at a time, "" where the class has none.
    """

    lowering: str
    name: str
    module: str
    runtime: str
    step: str
    init: str


class LoweringClass(Record):
    """A class of normal forms: its name, how its state moves, and its algorithms, the usual choice first."""

    name: str
    doc: str
    algorithms: tuple[Algorithm, ...]


def _class(name: str, doc: str, function: str, *algorithms: str) -> LoweringClass:
    made = (Algorithm(name, one, "memory", function, f"{function}_step", f"{function}_init") for one in algorithms)
    return LoweringClass(name, doc, tuple(made))


def _looped(name: str, doc: str, module: str, function: str, steps: bool = True) -> LoweringClass:
    """A class whose only algorithm goes from pair to pair."""
    step, init = (f"{function}_step", f"{function}_init") if steps else ("", "")
    return LoweringClass(name, doc, (Algorithm(name, "", module, function, step, init),))


SCALAR_AFFINE = _class(
    "scalar-affine", "a fading sum of outer products", "scalar_affine", "chunked", "parallel", "recurrent"
)
RANK_ONE = _class("identity + rank 1", "one error written along one key", "rank_one", "chunked", "recurrent")
LOCAL_CONSTANT = _class("key-value cache", "all visible pairs, weighted by a kernel", "local_constant", "parallel")
SEQUENTIAL = _looped("sequential", "one pair after the other", "memory.sequential", "gradient_steps")
GRAM = _looped("Gram state", "two sums and a solve at every query", "memory.gram", "least_squares")
DESCENT = _looped(
    "general", "the declared steps, pair by pair, the gradient of the loss itself", "memory.descent", "descent"
)
DENSE = _looped("dense", "every query solves a weighted problem of its own", "memory.dense", "solved", steps=False)

CLASSES: tuple[tuple[type, LoweringClass], ...] = (
    (ScalarAffine, SCALAR_AFFINE),
    (RankOne, RANK_ONE),
    (LocalConstant, LOCAL_CONSTANT),
    (Stream, SEQUENTIAL),
    (Gram, GRAM),
    (Dense, DENSE),
    (Descent, DESCENT),
)


def class_of(form: NormalForm) -> LoweringClass | None:
    """The lowering class of a form; None for a general one."""
    if isinstance(form, General):
        return None
    return next(found for kind, found in CLASSES if isinstance(form, kind))


def algorithms_of(form: NormalForm) -> tuple[Algorithm, ...]:
    """All algorithms that compute a form."""
    found = class_of(form)
    return () if found is None else found.algorithms


def chosen(form: NormalForm, wanted: str = "") -> Algorithm | None:
    """The algorithm to use: the one that is asked for, else the class's usual one; None where there is none."""
    for one in algorithms_of(form):
        if not wanted or one.name == wanted:
            return one
    return None
