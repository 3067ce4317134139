"""From the choices of a memory to its normal form. Names of declarations play no part in it."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim
from repc.ir import MemoryRecord, Word
from repc.memory.coefficients import (
    ONE,
    Coefficient,
    Implicit,
    NoCoefficient,
    Number,
    Port,
    coefficient,
    is_one,
    is_zero,
    scaled,
)
from repc.memory.descents import affine_text, descent
from repc.memory.fields import argument, is_number, named, whole
from repc.memory.forms import (
    Dense,
    General,
    Gram,
    LocalConstant,
    NormalForm,
    RankOne,
    Reading,
    ScalarAffine,
    Stream,
)
from repc.memory.reader import Outside, Reader
from repc.memory.slopes import NoSlope, Slope, slope
from repc.types import Type

# Which pairs fused attention can see.
_FUSED = frozenset({"causal", "full", "window"})


def normalize(record: MemoryRecord, inputs: Mapping[str, Type] | None = None) -> NormalForm:
    """The normal form of a memory.

    `inputs`: types of its inputs by port, where they are known: a decay for each channel is then told from one for
    each position.
    """
    reading = _Normalizer(record, inputs or {})
    try:
        return reading.form()
    except (Outside, NoCoefficient):
        # No class with a short form has all of these choices: what remains is to run the memory as it is declared.
        try:
            return reading.slow()
        except Outside as outside:
            return _general(record, outside.name, outside.reason)
        except NoCoefficient as found:
            return _general(record, "optimizer", f"the coefficient {found} is neither a number nor an input")


def _general(record: MemoryRecord, name: str, reason: str) -> General:
    return General(tuple((own, choice.value) for own, choice in record.fields), name, reason)


class _Normalizer(Reader):
    def form(self) -> NormalForm:
        """A class with a fast algorithm. Raises `Outside`."""
        per = self.field("per")
        if per.name != "none" and not is_number(argument(per, "length", "per", "value", default=1), 1):
            raise Outside("per", "gradients are taken at the start of a block")
        if self.field("bonus").name != "none":
            raise Outside("bonus", "the newest pair has a weight of its own at the read")
        regressor = self.field("regressor", "linear")
        if regressor.name in ("local_constant", "local_linear"):
            return self._local(regressor)
        if regressor.name != "linear":
            raise Outside("regressor", f"the state is `{regressor.name}`")
        optimizer = self.field("optimizer", "exact")
        match optimizer.name:
            case "hebbian":
                return self._hebbian()
            case "sgd" | "implicit":
                return self._stream(optimizer)
            case "exact":
                return self._exact()
            case _:
                raise Outside("optimizer", f"the optimizer is `{optimizer.name}`")

    def slow(self) -> NormalForm:
        """Every query's problem from all of its pairs, or the declared steps pair by pair. Raises `Outside`."""
        regressor, optimizer = self.field("regressor", "linear"), self.field("optimizer", "exact")
        if regressor.name in ("local_constant", "local_linear"):
            return self._local(regressor, plainly=False)
        if optimizer.name in ("sgd", "implicit"):
            return descent(self, optimizer)
        if regressor.name not in ("linear", "diagonal"):
            raise Outside("regressor", f"`{regressor.name}` is not fitted by `{optimizer.name}`")
        if optimizer.name != "hebbian" and self.field("loss", "squared").name != "squared":
            raise Outside("loss", "the minimum at every query is known for the squared loss alone")
        match optimizer.name:
            case "hebbian" | "exact":
                return self._dense(optimizer.name)
            case "cg":
                steps = whole(argument(optimizer, "steps"))
                if steps is None or steps.constant is None:
                    raise Outside("optimizer", "the number of steps is no number")
                if regressor.name == "diagonal":
                    raise Outside("optimizer", "a diagonal memory is solved exactly")
                return self._dense("cg", steps=int(steps.constant))
            case _:
                raise Outside("optimizer", f"the optimizer is `{optimizer.name}`")

    # ---- the forms

    def _dense(self, method: str, kernel: str = "exp", tau: float = 1.0, steps: int = 0) -> NormalForm:
        sight = self.visible()
        ridge, decays = self._ridge()
        if not isinstance(ridge, Number) or isinstance(ridge.value, Dim):
            raise Outside("regularizer", "the ridge changes from query to query")
        decay, channels = self._decays()
        read = self.reading()
        if not is_one(channels) and method != "hebbian":
            raise Outside("weights", "a fit has one weight for each pair, not one for each channel")
        diagonal = self.field("regressor", "linear").name == "diagonal"
        if (method != "hebbian" or diagonal) and read.normalize != "none":
            raise Outside("normalize", "the answers of a fit are divided by a total weight")
        if self.field("init", "zeros").name != "zeros":
            raise Outside("init", "a memory that is solved anew at every query starts from nothing")
        fades = decays and not is_one(decay)
        if method == "hebbian" and fades and not is_zero(ridge):
            raise Outside("regularizer", "the ridge changes from query to query")
        scale = self.scale_of(kernel=method.startswith("local_") and kernel == "exp")
        bonus = self._bonus(method)
        return Dense(
            method, sight.kind, sight.length, sight.given, decay, kernel, tau, ridge,
            fades and method in ("exact", "cg"), scale, read, sight.giving, sight.top, channels, diagonal, bonus, steps,
        )  # fmt: skip

    def _local(self, regressor: Word, plainly: bool = True) -> NormalForm:
        word = argument(regressor, "kernel", default=Word("exp"))
        if not isinstance(word, Word) or word.name not in ("exp", "rbf"):
            raise Outside("regressor", f"the kernel is `{word}`")
        tau = argument(word, "tau", default=1.0) if word.name == "rbf" else 1.0
        if isinstance(tau, bool) or not isinstance(tau, int | float):
            raise Outside("regressor", "the width of the kernel is no number")
        sight = self.visible()
        kind, window = sight.kind, sight.length
        plain = word.name == "exp" and regressor.name == "local_constant" and not sight.given and kind in _FUSED
        if (
            not plain
            or not plainly
            or sight.top is not None
            or not is_one(self._decay())
            or self.reading().at == "before"
        ):
            return self._dense(regressor.name, word.name, float(tau))
        if self.field("regularizer").name != "none":
            raise Outside("regularizer", "a local constant has no use for one")
        mask = "full" if kind == "full" else "causal"
        return LocalConstant(mask, window, ONE, self.scale_of(kernel=True), Reading("after"))

    def _hebbian(self) -> NormalForm:
        ridge, decays = self._ridge()
        if not is_zero(ridge) and (decays or not isinstance(ridge, Number) or isinstance(ridge.value, Dim)):
            raise Outside("regularizer", "the ridge changes from query to query")
        if not self._summed():
            return self._dense("hebbian")
        write: Coefficient = ONE
        if isinstance(ridge, Number) and not isinstance(ridge.value, Dim) and ridge.value:
            write = Number(1 / (1 + ridge.value))
        return ScalarAffine(self._decay(), write, self.scale_of(), self.reading(), self._start())

    def _summed(self) -> bool:
        """Whether the weights are such that a state can be carried: all pairs so far, with or without a decay."""
        return self.along_one() and self.field("weights", "uniform").name in ("uniform", "decay")

    def _exact(self) -> NormalForm:
        if self.field("loss", "squared").name != "squared":
            raise Outside("loss", "the exact minimum is known for the squared loss alone")
        if not self._summed():
            return self._dense("exact")
        if self.field("init", "zeros").name != "zeros":
            raise Outside("init", "an exact memory starts from nothing")
        self._plain_read()
        ridge, decays = self._ridge()
        decay = self._decay()
        return Gram(decay, ridge, decays and not is_one(decay), self.scale_of(), self.reading())

    def _one_sequence(self) -> None:
        if self.record.source != self.record.sequence:
            raise Outside("weights", "queries and pairs run along two axes")

    def _stream(self, optimizer: Word) -> NormalForm:
        self._one_sequence()
        if self.field("weights", "uniform").name not in ("uniform", "decay", "window", "block", "strided"):
            raise Outside("weights", f"the weights are `{self.field('weights').name}`")
        if not is_number(named(optimizer, "window", 1), 1):
            raise Outside("optimizer", "a step takes the gradient of several pairs")
        try:
            found = slope(self.field("loss", "squared"))
        except NoSlope as unknown:
            raise Outside("loss", f"the gradient of the loss `{unknown}` is not known") from None
        if optimizer.name == "implicit":
            return self._implicit(optimizer, found)
        rate = self.known(named(optimizer, "rate", 1), "optimizer", "")
        steps = whole(named(optimizer, "steps", 1))
        momentum = self.known(named(optimizer, "momentum", 0), "optimizer", "")
        ridge, _ = self._ridge()
        if steps is None or steps.constant is None:
            raise Outside("optimizer", "the number of steps is no number")
        if steps.constant == 1 and is_zero(momentum) and is_zero(ridge) and not found.text:
            return self._one_step(found, rate)
        nesterov = bool(named(optimizer, "nesterov", False)) and not is_zero(momentum)
        self._plain_read()
        text = found.text or affine_text(found)
        return Stream(
            self.field("loss", "squared"),
            text,
            int(steps.constant),
            rate,
            momentum,
            nesterov,
            self._order(self._retained()),
            self._retained(),
            ridge,
            self.scale_of(),
            self.reading(),
            self._start(),
        )

    def _order(self, decay: Coefficient) -> str:
        return "decay_first" if is_one(decay) else self.field("order", "decay_first").name

    def _one_step(self, found: Slope, rate: Coefficient) -> NormalForm:
        """One step along a gradient that is affine in the answer: an outer product, or the delta rule."""
        decay, init = self._retained(), self._start()
        if found.pred_factor == 0 or is_zero(rate):
            write = scaled(rate, -found.target_factor)
            return ScalarAffine(decay, write, self.scale_of(), self.reading(), init)
        if -found.target_factor != found.pred_factor:
            raise Outside("loss", "the gradient of the loss is not a multiple of the error")
        rate = scaled(rate, found.pred_factor)
        self._plain_read()
        return RankOne(self._order(decay), rate, decay, self.scale_of(), self.reading(), init)

    def _implicit(self, optimizer: Word, found: Slope) -> NormalForm:
        rate = coefficient(argument(optimizer, "rate", default=1))
        self.known(argument(optimizer, "rate", default=1), "optimizer", "")
        if found.text or self.field("regularizer").name != "none":
            raise Outside("loss", "a proximal step is known for the squared and the dot loss alone")
        decay, init = self._retained(), self._start()
        if found.pred_factor == 0 or is_zero(rate):
            write = scaled(rate, -found.target_factor)
            return ScalarAffine(decay, write, self.scale_of(), self.reading(), init)
        if (found.pred_factor, found.target_factor) != (1.0, -1.0):
            raise Outside("loss", "a proximal step is known for the squared and the dot loss alone")
        self._plain_read()
        # The proximal step starts where the state is after its decay, whichever order is asked for.
        return RankOne("decay_first", Implicit(rate), decay, self.scale_of(), self.reading(), init)

    def _start(self) -> Word:
        """Where the state begins."""
        if self.started() and self.field("normalize").name != "none":
            raise Outside("init", "the total weight of what a state begins with is not known")
        return self.field("init", "zeros")

    def _plain_read(self) -> None:
        if self.field("normalize").name != "none":
            raise Outside("normalize", "the answers of a memory that corrects errors are divided by a total weight")


__all__ = ["Port", "normalize"]
