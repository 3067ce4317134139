"""Reads the resolved fields of a memory: what all normal forms share."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.record import Record
from repc.dims import Dim
from repc.ir import MemoryRecord, Ref, Word
from repc.memory import fields
from repc.memory.coefficients import (
    ONE,
    ZERO,
    Coefficient,
    Port,
    Root,
    coefficient,
    is_one,
    ports_in,
    times,
)
from repc.memory.fields import argument, named, whole
from repc.memory.forms import Reading
from repc.types import Type


class Outside(Exception):
    """A choice that a class does not have. Attributes: `name` of the field, and the `reason`."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(reason)
        self.name = name
        self.reason = reason


class Sight(Record):
    """Which pairs a query sees: `kind` and `length`; `given`: the input that says so instead, and what it holds.

    `giving`: weights, levels or label. `top`: of the pairs that are seen only so many, the most similar.
    """

    kind: str
    length: Dim | None = None
    given: str = ""
    giving: str = "weights"
    top: Dim | None = None


class Reader:
    """The fields of one memory. `inputs`: types of its inputs by port."""

    def __init__(self, record: MemoryRecord, inputs: Mapping[str, Type]) -> None:
        self.record = record
        self.inputs = inputs

    def field(self, name: str, default: str = "none") -> Word:
        """The word of a field."""
        return fields.field(self.record, name, default)

    def scale_of(self, kernel: bool = False) -> Coefficient:
        # A field that elaboration has applied to the inputs already says so.
        features = self.field("features", "identity")
        if features.name not in ("identity", "none", "applied"):
            raise Outside("features", f"the feature map `{features.name}` is not applied to the inputs")
        keys = self.field("keys")
        if keys.name not in ("none", "applied"):
            raise Outside("keys", f"the normalisation `{keys.name}` is not applied to the inputs")
        target = self.field("target", "v")
        if target.name not in ("v", "value", "applied"):
            raise Outside("target", f"the target `{target.name}` is not applied to the inputs")
        word = self.field("scale", "rsqrt" if kernel else "none")
        if word.name == "rsqrt":
            return Root(self._width(word))
        if word.name == "none":
            return ONE
        return self.known(argument(word, "value", "scale", default=1), "scale", "")

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

    def reading(self) -> Reading:
        at = self.field("read", "after").name
        word = self.field("normalize")
        if word.name == "none":
            return Reading(at)
        eps = named(word, "eps", 0.0)
        if not isinstance(eps, int | float):
            raise Outside("normalize", "eps is no number")
        floor = word.get("floor", 1 if word.name == "absolute" else None)
        least = None if floor is None else self.known(floor, "normalize", "")
        return Reading(at, word.name, least, float(eps))

    def known(self, value: object, name: str, axes: str) -> Coefficient:
        """A coefficient for each position; one for each channel is outside unless `axes` says so."""
        made = coefficient(value)
        for port in ports_in(made):
            own = self.inputs.get(port)
            channels = {*self.record.key, *self.record.value_axis}
            if own is not None and axes != "channel" and any(label in channels for label in own.labels):
                raise Outside(name, f"`{port}` is a number for each channel")
        return made

    def _retained(self) -> Coefficient:
        word = self.field("retain")
        if word.name == "none":
            return ONE
        return self.known(argument(word, "a", "value", default=1), "retain", "")

    def _ridge(self) -> tuple[Coefficient, bool]:
        word = self.field("regularizer")
        if word.name == "none":
            return ZERO, False
        if word.name != "ridge":
            raise Outside("regularizer", f"the regularizer is `{word.name}`")
        size = self.known(argument(word, "l", "rate", "value", default=1), "regularizer", "")
        return size, named(word, "at", "prior") == "prior"

    def visible(self, word: Word | None = None) -> Sight:
        """Which pairs a query sees."""
        weights = word or self.field("weights", "uniform")
        match weights.name:
            case "uniform" | "decay":
                return Sight("causal" if self.along_one() else "full")
            case "full":
                return Sight("full")
            case "window" | "block" | "strided":
                length = whole(argument(weights, "size", "step", "length", "value"))
                if length is None:
                    raise Outside("weights", "the length is no whole number")
                return Sight(weights.name if self.along_one() else "full", length)
            case "levels":
                made = self.known(argument(weights, "weight", default=None), "weights", "channel")
                if not isinstance(made, Port) or not self.along_one():
                    raise Outside("weights", "levels need a weight for each level, and pairs along the queries' axis")
                return Sight("causal", given=made.name, giving="levels")
            case "selected":
                return self._selected(weights)
            case "matrix" | "given":
                return Sight("full", given=self._given(argument(weights, "value", default=None)))
            case _:
                raise Outside("weights", f"the weights are `{weights.name}`")

    def _selected(self, weights: Word) -> Sight:
        """A mask, a label, or the most similar of the pairs that are seen."""
        by, among = argument(weights, "by"), weights.get("among", Word("uniform"))
        if isinstance(by, Word) and by.name == "top_k" and isinstance(among, Word):
            count, seen = whole(argument(by, "n")), self.visible(among)
            if count is None or seen.given:
                raise Outside("weights", "the most similar pairs are a whole number among pairs by age")
            return Sight(seen.kind, seen.length, top=count)
        port = self._given(by)
        given = self.inputs.get(port)
        if given is not None and given.kind.name in ("index", "code", "int"):
            if not self.along_one():
                raise Outside("weights", "a label must agree with the query's own, along one axis")
            return Sight("causal", given=port, giving="label")
        return Sight("full", given=port)

    def _given(self, value: object) -> str:
        made = self.known(value, "weights", "channel")
        if not isinstance(made, Port):
            raise Outside("weights", "the weights are no input")
        return made.name

    def along_one(self) -> bool:
        return self.record.source == self.record.sequence

    def _decay(self) -> Coefficient:
        """The decay of the weights of a problem that is solved at every query, the retention among them."""
        weights = self.field("weights", "uniform")
        own: Coefficient = ONE
        if weights.name == "decay":
            own = self.known(argument(weights, "rate", "a", "value", default=1), "weights", "")
        made = times(own, self._retained())
        if not is_one(made) and not self.along_one():
            raise Outside("weights", "the weights decay across two axes")
        return made

    def started(self) -> tuple[str, ...]:
        """The inputs that hold the state before the first pair; none where it is zeros. Raises `Outside`."""
        word = self.field("init", "zeros")
        if word.name == "zeros":
            return ()
        found = tuple(value.node for _, value in word.args if isinstance(value, Ref))
        if not found:
            raise Outside("init", f"the init is `{word.name}`, and no input holds it")
        return found

    def per_channel(self, value: object) -> str:
        """`key` or `value` where a coefficient is a number for each channel of one, else ""."""
        for port in ports_in(coefficient(value)):
            labels = set(self.inputs[port].labels) if port in self.inputs else set()
            if labels & set(self.record.key):
                return "key"
            if labels & set(self.record.value_axis):
                return "value"
        return ""

    def _decays(self) -> tuple[Coefficient, Coefficient]:
        """The decay of the weights, retention among it: for each pair, and for each channel of a key."""
        found = []
        weights, retain = self.field("weights", "uniform"), self.field("retain")
        if weights.name == "decay":
            found.append(argument(weights, "rate", "a", "value", default=1))
        if retain.name != "none":
            found.append(argument(retain, "a", "value", default=1))
        whole: Coefficient = ONE
        channels: Coefficient = ONE
        for value in found:
            if self.per_channel(value) == "value":
                raise Outside("weights", "a decay is for each channel of a key, not of a value")
            if self.per_channel(value):
                channels = times(channels, self.known(value, "weights", "channel"))
            else:
                whole = times(whole, self.known(value, "weights", ""))
        if not (is_one(whole) and is_one(channels)) and not self.along_one():
            raise Outside("weights", "the weights decay across two axes")
        return whole, channels

    def _bonus(self, method: str) -> Coefficient:
        """What the newest pair counts beside the rest at the read."""
        word = self.field("bonus")
        if word.name == "none":
            return ZERO
        value = argument(word, "value", "u", default=0)
        if not self.along_one():
            raise Outside("bonus", "a bonus needs queries and pairs along one axis")
        if method.startswith("local_") and self.reading().at != "before":
            raise Outside("bonus", "the bonus of a local fit needs `read: before`")
        if self.per_channel(value) == "value" or (self.per_channel(value) and method.startswith("local_")):
            raise Outside("bonus", "a bonus is for each pair, or for each channel of its key")
        return self.known(value, "bonus", "channel")
