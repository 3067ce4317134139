"""What keeps a memory stable, and whether its declaration guarantees it."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.record import Record
from repc.dims import Dim
from repc.memory.coefficients import Coefficient, Implicit, Number, Port, ports_in
from repc.memory.forms import Dense, Gram, LocalConstant, NormalForm, RankOne, ScalarAffine, Stream
from repc.types import Type

HOLDS, UNKNOWN, FAILS = "holds", "unknown", "fails"


class Condition(Record):
    """A condition, whether it holds, and why or what would make it hold."""

    text: str
    verdict: str
    why: str


def conditions(form: NormalForm, key: str = "k", inputs: Mapping[str, Type] | None = None) -> tuple[Condition, ...]:
    """The conditions of a memory. `key`: the port of its keys; `inputs`: types of its inputs, with what is known."""
    known = inputs or {}
    match form:
        case ScalarAffine() | LocalConstant():
            return _decay(form.decay, known)
        case RankOne():
            return (*_decay(form.decay, known), _step(form.rate, key, known))
        case Stream():
            return (*_decay(form.decay, known), _step(form.rate, key, known))
        case Gram():
            return (*_decay(form.decay, known), *_solvable(form.ridge, known))
        case Dense():
            fitted = _solvable(form.ridge, known) if form.method in ("exact", "local_linear") else ()
            return (*_decay(form.decay, known), *fitted)
        case _:
            return ()


def bounds(value: Coefficient, inputs: Mapping[str, Type]) -> tuple[float, float]:
    """The closed interval in which a coefficient is known to lie."""
    match value:
        case Number(number) if not isinstance(number, Dim):
            return (float(number), float(number))
        case Port(name) if name in inputs:
            refine = inputs[name].refine
            if refine is not None and refine.name == "interval":
                return (refine.low, refine.high)
            return (float("-inf"), float("inf"))
        case _ if ports_in(value) and not isinstance(value, Implicit):
            factor = value.factor if hasattr(value, "factor") else 1
            parts = [bounds(Port(name), inputs) for name in ports_in(value)]
            if all(low >= 0 for low, _ in parts) and factor >= 0:
                low, high = float(factor), float(factor)
                for below, above in parts:
                    low, high = low * below, high * above
                return (low, high)
            return (float("-inf"), float("inf"))
        case _:
            return (float("-inf"), float("inf"))


def _decay(value: Coefficient, inputs: Mapping[str, Type]) -> tuple[Condition, ...]:
    if value == Number(1):
        return ()
    low, high = bounds(value, inputs)
    text = f"0 <= {value} <= 1"
    if low >= 0 and high <= 1:
        return (Condition(text, HOLDS, "its declared interval lies inside"),)
    if low > 1 or high < 0:
        return (Condition(text, FAILS, "the state grows without bound, or changes its sign at every position"),)
    return (Condition(text, UNKNOWN, "declare it `in 0 .. 1`, or pass it through `sigmoid`"),)


def _unit_keys(key: str, inputs: Mapping[str, Type]) -> bool:
    """Whether the length of a key is at most 1."""
    given = inputs.get(key)
    return given is not None and given.refine is not None and given.refine.name in ("sphere", "ball")


def _step(rate: Coefficient, key: str, inputs: Mapping[str, Type]) -> Condition:
    if isinstance(rate, Implicit):
        return Condition(f"0 <= {rate.rate}", *_nonnegative(rate.rate, inputs))
    text = f"{rate} |{key}|^2 < 2"
    low, high = bounds(rate, inputs)
    if low >= 0 and high < 2 and _unit_keys(key, inputs):
        return Condition(text, HOLDS, "keys have at most unit length, and the rate is below 2")
    if high < 0:
        return Condition(text, FAILS, "a negative rate moves away from the pair")
    if not _unit_keys(key, inputs):
        return Condition(text, UNKNOWN, "keys may have any length: `keys: l2norm`, or pass them through `l2norm`")
    return Condition(text, UNKNOWN, "the rate may be any number: declare it `in (0, 1)`, or pass it through `sigmoid`")


def _nonnegative(rate: Coefficient, inputs: Mapping[str, Type]) -> tuple[str, str]:
    low, high = bounds(rate, inputs)
    if low >= 0:
        return HOLDS, "a proximal step is stable for every rate that is not negative"
    return (FAILS, "the rate is negative") if high < 0 else (UNKNOWN, "declare the rate `>= 0`")


def _solvable(ridge: Coefficient, inputs: Mapping[str, Type]) -> tuple[Condition, ...]:
    low, _ = bounds(ridge, inputs)
    if low > 0:
        return (Condition(f"{ridge} > 0", HOLDS, "the normal matrix is positive definite"),)
    return (
        Condition(
            f"{ridge} > 0",
            UNKNOWN,
            "keys that repeat leave the fit under-determined, and float32 loses it: add `regularizer: ridge(1e-3)`",
        ),
    )
