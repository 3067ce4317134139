"""From the choices of a memory to its normal form. Names of declarations play no part in it."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim
from repc.ir import MemoryRecord, Word
from repc.memory.coefficients import (
    ONE,
    ZERO,
    Coefficient,
    Implicit,
    NoCoefficient,
    Number,
    Port,
    Root,
    coefficient,
    is_one,
    is_zero,
    ports_in,
    scaled,
    times,
)
from repc.memory.fields import argument, field, is_number, named, whole
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
from repc.memory.slopes import NoSlope, Slope, slope
from repc.types import Type

# Which pairs fused attention can see.
_FUSED = frozenset({"causal", "full", "window"})


class _Outside(Exception):
    """A choice that no class with an algorithm has."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        self.reason = reason


def normalize(record: MemoryRecord, inputs: Mapping[str, Type] | None = None) -> NormalForm:
    """The normal form of a memory.

    `inputs`: types of its inputs by port, where they are known: a decay for each channel is then told from one for
    each position.
    """
    try:
        return _Normalizer(record, inputs or {}).form()
    except _Outside as outside:
        return _general(record, outside.name, outside.reason)
    except NoCoefficient as found:
        return _general(record, "optimizer", f"the coefficient {found} is neither a number nor an input")


def _general(record: MemoryRecord, name: str, reason: str) -> General:
    return General(tuple((own, choice.value) for own, choice in record.fields), name, reason)


class _Normalizer:
    def __init__(self, record: MemoryRecord, inputs: Mapping[str, Type]) -> None:
        self.record = record
        self.inputs = inputs

    def _field(self, name: str, default: str = "none") -> Word:
        return field(self.record, name, default)

    def form(self) -> NormalForm:
        per = self._field("per")
        if per.name != "none" and not is_number(argument(per, "length", "per", "value", default=1), 1):
            raise _Outside("per", "gradients are taken at the start of a block")
        if self._field("bonus").name != "none":
            raise _Outside("bonus", "the newest pair has a weight of its own at the read")
        regressor = self._field("regressor", "linear")
        if regressor.name in ("local_constant", "local_linear"):
            return self._local(regressor)
        if regressor.name != "linear":
            raise _Outside("regressor", f"the state is `{regressor.name}`")
        optimizer = self._field("optimizer", "exact")
        match optimizer.name:
            case "hebbian":
                return self._hebbian()
            case "sgd" | "implicit":
                return self._stream(optimizer)
            case "exact":
                return self._exact()
            case _:
                raise _Outside("optimizer", f"the optimizer is `{optimizer.name}`")

    # ---- parts that all forms share

    def _scale_of(self, kernel: bool = False) -> Coefficient:
        # A field that elaboration has applied to the inputs already says so.
        features = self._field("features", "identity")
        if features.name not in ("identity", "none", "applied"):
            raise _Outside("features", f"the feature map `{features.name}` is not applied to the inputs")
        keys = self._field("keys")
        if keys.name not in ("none", "applied"):
            raise _Outside("keys", f"the normalisation `{keys.name}` is not applied to the inputs")
        target = self._field("target", "v")
        if target.name not in ("v", "value", "applied"):
            raise _Outside("target", f"the target `{target.name}` is not applied to the inputs")
        word = self._field("scale", "rsqrt" if kernel else "none")
        if word.name == "rsqrt":
            return Root(self._width(word))
        if word.name == "none":
            return ONE
        return self._known(argument(word, "value", "scale", default=1), "scale", "")

    def _width(self, word: Word) -> Dim:
        """Entries of a key, whose root divides the query."""
        size = word.get("size")
        if isinstance(size, Dim):
            return size
        width = Dim.of(1)
        key = self.inputs.get(self.record.role("k"))
        for label in self.record.key:
            axis = key.axis(label) if key is not None else None
            width = width * (axis.size if axis is not None else Dim.of(label))
        return width

    def _read(self) -> Reading:
        at = self._field("read", "after").name
        word = self._field("normalize")
        if word.name == "none":
            return Reading(at)
        eps = named(word, "eps", 0.0)
        if not isinstance(eps, int | float):
            raise _Outside("normalize", "eps is no number")
        floor = word.get("floor", 1 if word.name == "absolute" else None)
        least = None if floor is None else self._known(floor, "normalize", "")
        return Reading(at, word.name, least, float(eps))

    def _known(self, value: object, name: str, axes: str) -> Coefficient:
        """A coefficient for each position; one for each channel is outside unless `axes` says so."""
        made = coefficient(value)
        for port in ports_in(made):
            own = self.inputs.get(port)
            channels = {*self.record.key, *self.record.value_axis}
            if own is not None and axes != "channel" and any(label in channels for label in own.labels):
                raise _Outside(name, f"`{port}` is a number for each channel")
        return made

    def _retained(self) -> Coefficient:
        word = self._field("retain")
        if word.name == "none":
            return ONE
        return self._known(argument(word, "a", "value", default=1), "retain", "")

    def _ridge(self) -> tuple[Coefficient, bool]:
        word = self._field("regularizer")
        if word.name == "none":
            return ZERO, False
        if word.name != "ridge":
            raise _Outside("regularizer", f"the regularizer is `{word.name}`")
        size = self._known(argument(word, "l", "rate", "value", default=1), "regularizer", "")
        return size, named(word, "at", "prior") == "prior"

    # ---- the forms

    def _visible(self) -> tuple[str, Dim | None, str]:
        """Which pairs a query sees: how, over what length, or the input that says so."""
        weights = self._field("weights", "uniform")
        match weights.name:
            case "uniform" | "decay":
                return ("causal" if self._along_one() else "full"), None, ""
            case "full":
                return "full", None, ""
            case "window" | "block" | "strided":
                length = whole(argument(weights, "size", "step", "length", "value"))
                if length is None:
                    raise _Outside("weights", "the length is no whole number")
                return weights.name, length, ""
            case "matrix" | "given" | "selected":
                made = self._known(argument(weights, "value", "by", "mask", default=None), "weights", "channel")
                if not isinstance(made, Port) or self._along_one():
                    raise _Outside("weights", f"the weights are `{weights.name}`")
                return "full", None, made.name
            case _:
                raise _Outside("weights", f"the weights are `{weights.name}`")

    def _along_one(self) -> bool:
        return self.record.source == self.record.sequence

    def _decay(self) -> Coefficient:
        """The decay of the weights of a problem that is solved at every query, the retention among them."""
        weights = self._field("weights", "uniform")
        own: Coefficient = ONE
        if weights.name == "decay":
            own = self._known(argument(weights, "rate", "a", "value", default=1), "weights", "")
        made = times(own, self._retained())
        if not is_one(made) and not self._along_one():
            raise _Outside("weights", "the weights decay across two axes")
        return made

    def _dense(self, method: str, kernel: str = "exp", tau: float = 1.0) -> NormalForm:
        kind, length, given = self._visible()
        ridge, decays = self._ridge()
        if not isinstance(ridge, Number) or isinstance(ridge.value, Dim):
            raise _Outside("regularizer", "the ridge changes from query to query")
        decay, read = self._decay(), self._read()
        if method != "hebbian" and read.normalize != "none":
            raise _Outside("normalize", "the answers of a fit are divided by a total weight")
        if self._field("init", "zeros").name != "zeros":
            raise _Outside("init", "a memory that is solved anew at every query starts from nothing")
        decays = decays and method == "exact" and not is_one(decay)
        scale = self._scale_of(kernel=method.startswith("local_") and kernel == "exp")
        return Dense(method, kind, length, given, decay, kernel, tau, ridge, decays, scale, read)

    def _local(self, regressor: Word) -> NormalForm:
        word = argument(regressor, "kernel", default=Word("exp"))
        if not isinstance(word, Word) or word.name not in ("exp", "rbf"):
            raise _Outside("regressor", f"the kernel is `{word}`")
        tau = argument(word, "tau", default=1.0) if word.name == "rbf" else 1.0
        if isinstance(tau, bool) or not isinstance(tau, int | float):
            raise _Outside("regressor", "the width of the kernel is no number")
        kind, window, given = self._visible()
        plain = word.name == "exp" and regressor.name == "local_constant" and not given and kind in _FUSED
        if not plain or not is_one(self._decay()) or self._read().at == "before":
            return self._dense(regressor.name, word.name, float(tau))
        if self._field("regularizer").name != "none":
            raise _Outside("regularizer", "a local constant has no use for one")
        mask = "full" if kind == "full" else "causal"
        return LocalConstant(mask, window, ONE, self._scale_of(kernel=True), Reading("after"))

    def _hebbian(self) -> NormalForm:
        ridge, decays = self._ridge()
        if not is_zero(ridge) and (decays or not isinstance(ridge, Number) or isinstance(ridge.value, Dim)):
            raise _Outside("regularizer", "the ridge changes from query to query")
        if not self._summed():
            return self._dense("hebbian")
        write: Coefficient = ONE
        if isinstance(ridge, Number) and not isinstance(ridge.value, Dim) and ridge.value:
            write = Number(1 / (1 + ridge.value))
        return ScalarAffine(self._decay(), write, self._scale_of(), self._read(), self._field("init", "zeros"))

    def _summed(self) -> bool:
        """Whether the weights are such that a state can be carried: all pairs so far, with or without a decay."""
        return self._along_one() and self._field("weights", "uniform").name in ("uniform", "decay")

    def _exact(self) -> NormalForm:
        if self._field("loss", "squared").name != "squared":
            raise _Outside("loss", "the exact minimum is known for the squared loss alone")
        if not self._summed():
            return self._dense("exact")
        if self._field("init", "zeros").name != "zeros":
            raise _Outside("init", "an exact memory starts from nothing")
        self._plain_read()
        ridge, decays = self._ridge()
        decay = self._decay()
        return Gram(decay, ridge, decays and not is_one(decay), self._scale_of(), self._read())

    def _one_sequence(self) -> None:
        if self.record.source != self.record.sequence:
            raise _Outside("weights", "queries and pairs run along two axes")

    def _stream(self, optimizer: Word) -> NormalForm:
        self._one_sequence()
        if self._field("weights", "uniform").name not in ("uniform", "decay", "window", "block", "strided"):
            raise _Outside("weights", f"the weights are `{self._field('weights').name}`")
        if not is_number(named(optimizer, "window", 1), 1):
            raise _Outside("optimizer", "a step takes the gradient of several pairs")
        try:
            found = slope(self._field("loss", "squared"))
        except NoSlope as unknown:
            raise _Outside("loss", f"the gradient of the loss `{unknown}` is not known") from None
        if optimizer.name == "implicit":
            return self._implicit(optimizer, found)
        rate = self._known(named(optimizer, "rate", 1), "optimizer", "")
        steps = whole(named(optimizer, "steps", 1))
        momentum = self._known(named(optimizer, "momentum", 0), "optimizer", "")
        ridge, _ = self._ridge()
        if steps is None or steps.constant is None:
            raise _Outside("optimizer", "the number of steps is no number")
        if steps.constant == 1 and is_zero(momentum) and is_zero(ridge) and not found.text:
            return self._one_step(found, rate)
        nesterov = bool(named(optimizer, "nesterov", False)) and not is_zero(momentum)
        self._plain_read()
        text = found.text or _affine_text(found)
        return Stream(
            self._field("loss", "squared"),
            text,
            int(steps.constant),
            rate,
            momentum,
            nesterov,
            self._order(self._retained()),
            self._retained(),
            ridge,
            self._scale_of(),
            self._read(),
            self._field("init", "zeros"),
        )

    def _order(self, decay: Coefficient) -> str:
        return "decay_first" if is_one(decay) else self._field("order", "decay_first").name

    def _one_step(self, found: Slope, rate: Coefficient) -> NormalForm:
        """One step along a gradient that is affine in the answer: an outer product, or the delta rule."""
        decay, init = self._retained(), self._field("init", "zeros")
        if found.pred_factor == 0 or is_zero(rate):
            write = scaled(rate, -found.target_factor)
            return ScalarAffine(decay, write, self._scale_of(), self._read(), init)
        if -found.target_factor != found.pred_factor:
            raise _Outside("loss", "the gradient of the loss is not a multiple of the error")
        rate = scaled(rate, found.pred_factor)
        self._plain_read()
        return RankOne(self._order(decay), rate, decay, self._scale_of(), self._read(), init)

    def _implicit(self, optimizer: Word, found: Slope) -> NormalForm:
        rate = coefficient(argument(optimizer, "rate", default=1))
        self._known(argument(optimizer, "rate", default=1), "optimizer", "")
        if found.text or self._field("regularizer").name != "none":
            raise _Outside("loss", "a proximal step is known for the squared and the dot loss alone")
        decay, init = self._retained(), self._field("init", "zeros")
        if found.pred_factor == 0 or is_zero(rate):
            write = scaled(rate, -found.target_factor)
            return ScalarAffine(decay, write, self._scale_of(), self._read(), init)
        if (found.pred_factor, found.target_factor) != (1.0, -1.0):
            raise _Outside("loss", "a proximal step is known for the squared and the dot loss alone")
        self._plain_read()
        # The proximal step starts where the state is after its decay, whichever order is asked for.
        return RankOne("decay_first", Implicit(rate), decay, self._scale_of(), self._read(), init)

    def _plain_read(self) -> None:
        if self._field("normalize").name != "none":
            raise _Outside("normalize", "the answers of a memory that corrects errors are divided by a total weight")


def _affine_text(found: Slope) -> str:
    if (found.pred_factor, found.target_factor) == (1.0, -1.0):
        return "pred - target"
    if found.pred_factor == 0:
        return f"{found.target_factor!r} * target"
    return f"{found.pred_factor!r} * pred + {found.target_factor!r} * target"


__all__ = ["Port", "normalize"]
