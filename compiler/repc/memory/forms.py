"""Normal forms: one record for each shape that a memory's recurrence can have.

Two memories with equal normal forms compute the same numbers from the same queries, keys, values and coefficients. What
is not in the form does not matter. Feature maps, normalisation of keys and targets are part of those inputs. `scale` is
the factor of the query.
"""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Dim
from repc.ir import Word
from repc.memory.coefficients import ONE, Coefficient, Number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias


class Reading(Record):
    """How the state answers: `before` or `after` the newest pair is written; `normalize`: none, total, absolute."""

    at: str
    normalize: str = "none"
    floor: Coefficient | None = None
    eps: float = 0.0


class ScalarAffine(Record):
    """`S_t = decay_t S_{t-1} + write_t k_t target_t^T`: a sum of outer products, each fading."""

    decay: Coefficient
    write: Coefficient
    scale: Coefficient
    read: Reading
    init: Word


class RankOne(Record):
    """The delta rule: an error is taken on the state (decayed before or after), and written along the key.

    decay first: `S' = decay S`, then `S = S' + rate k (target - S'^T k)^T`; error first: `S = decay S + rate k (target
    - S^T k)^T`. Where there is no decay the two are one, and `order` says decay_first.
    """

    order: str
    rate: Coefficient
    decay: Coefficient
    scale: Coefficient
    read: Reading
    init: Word


class LocalConstant(Record):
    """A mean of the visible values weighted by `exp(scale q . k)`, times their decay since then.

    `mask`: `causal` or `full`; `window`: how many of the newest pairs are visible, None for all.
    """

    mask: str
    window: Dim | None
    decay: Coefficient
    scale: Coefficient
    read: Reading


class Stream(Record):
    """Steps of gradient descent, pair by pair, on a loss that has no shorter form.

    `slope`: what the gradient of the loss by the answer is, as an expression of `pred` and `target` in Python.
    """

    loss: Word
    slope: str
    steps: int
    rate: Coefficient
    momentum: Coefficient
    nesterov: bool
    order: str
    decay: Coefficient
    ridge: Coefficient
    scale: Coefficient
    read: Reading
    init: Word


class Gram(Record):
    """The exact minimum of the weighted squared loss at every query, from its two sums.

    `decay`: of the weights. `ridge`: its strength, 0 where there is none (then the solution of least norm);
    `ridge_decays`: whether it stands in the prior and fades with the data.
    """

    decay: Coefficient
    ridge: Coefficient
    ridge_decays: bool
    scale: Coefficient
    read: Reading


class Dense(Record):
    """Every query solves a weighted problem of its own, from all pairs that it sees.

    `method`: hebbian, exact, cg, local_constant or local_linear; `kind`, `length`: which pairs are visible; `given`:
    the input that says so instead, `giving` what it holds (weights, levels or label); `top`: only so many of them, the
    most similar. `kernel`, `tau`: of a local fit. `channels`: a decay for each channel of a key. `diagonal`: one number
    for each channel is fitted. `bonus`: what the newest pair counts beside the rest. `steps`: of `cg`.
    """

    method: str
    kind: str
    length: Dim | None
    given: str
    decay: Coefficient
    kernel: str
    tau: float
    ridge: Coefficient
    ridge_decays: bool
    scale: Coefficient
    read: Reading
    giving: str = "weights"
    top: Dim | None = None
    channels: Coefficient = ONE
    diagonal: bool = False
    bonus: Coefficient = Number(0)
    steps: int = 0


class Descent(Record):
    """Steps of an optimizer, pair by pair, on what is declared: the gradient is taken of the loss itself.

    `regressor`: linear, diagonal or mlp; `hidden`: widths between its maps; `activation`, `residual`, `norm`: of an
    mlp. `loss`: as an expression of `pred` and `target` `[.., P]` in Python, summed over P; `dot`: it is the dot loss.
    `optimizer`: sgd or implicit. `window`: pairs whose losses a step takes; `block`: pairs whose gradients are taken
    where their block began. `kind`, `length`: which pairs are visible; `fading`: the decay of their weights. `axes`:
    for which channels a coefficient is, by its name. `start`: inputs that hold the parameters before the first pair.
    """

    regressor: str
    hidden: tuple[Dim, ...]
    activation: str
    residual: bool
    norm: str
    loss: str
    dot: bool
    optimizer: str
    steps: int
    rate: Coefficient
    momentum: Coefficient
    nesterov: bool
    window: int
    block: int
    order: str
    kind: str
    length: Dim | None
    fading: Coefficient
    decay: Coefficient
    ridge: float
    l1: float
    bonus: Coefficient
    axes: tuple[tuple[str, str], ...]
    start: tuple[str, ...]
    scale: Coefficient
    read: Reading


class General(Record):
    """A memory outside all classes with an algorithm; `reason` says what keeps it out, in the words of its fields."""

    fields: tuple[tuple[str, Word], ...]
    field: str
    reason: str


if TYPE_CHECKING:
    NormalForm: TypeAlias = ScalarAffine | RankOne | LocalConstant | Stream | Gram | Dense | Descent | General
else:
    NormalForm = ScalarAffine | RankOne | LocalConstant | Stream | Gram | Dense | Descent | General


def coefficients(form: NormalForm) -> dict[str, Coefficient]:
    """The coefficients of a form by what they are."""
    found = {
        name: getattr(form, name, None) for name in ("decay", "channels", "write", "rate", "momentum", "ridge", "bonus")
    }
    kept: dict[str, Coefficient] = {
        name: Number(value) if isinstance(value, float) else value for name, value in found.items() if value is not None
    }
    if kept.get("bonus") == Number(0):
        del kept["bonus"]
    return {name: value for name, value in kept.items() if value != ONE or name == "rate"}


__all__ = [
    "Dense",
    "Descent",
    "General",
    "Gram",
    "LocalConstant",
    "NormalForm",
    "Number",
    "RankOne",
    "Reading",
    "ScalarAffine",
    "Stream",
    "coefficients",
]
