"""A memory's inputs and coefficients in the form that the runtime takes."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim, Symbol
from repc.ir import MemoryRecord, Node
from repc.lowering.body import Body
from repc.lowering.expression import Code, expr, literal
from repc.lowering.layout import aligned
from repc.lowering.memory_start import flattened, own_axes, start_ports
from repc.lowering.values import NONE, Value, joined_lead
from repc.memory.algorithms import Algorithm
from repc.memory.coefficients import (
    Coefficient,
    Implicit,
    Number,
    Port,
    Product,
    Root,
    is_one,
)
from repc.memory.forms import (
    Dense,
    LocalConstant,
    NormalForm,
    Reading,
)

Labels = tuple[Symbol, ...]


class Coefficients:
    """What all memories share while a call is written. Inputs have the axes `[*lead, *extra, T, *channels]`."""

    def __init__(
        self,
        body: Body,
        node: Node,
        record: MemoryRecord,
        form: NormalForm,
        algorithm: Algorithm,
        values: Mapping[str, Value],
    ) -> None:
        self.body = body
        self.owner = body.owner
        self.node = node
        self.record = record
        self.form = form
        self.algorithm = algorithm
        self.values = dict(values)
        self.sizes: dict[Symbol, Dim] = {}
        for value in values.values():
            for axis in value.type.axes:
                self.sizes.setdefault(axis.label, axis.size)
        self.stepping = node.attrs.get("mode") == "step"
        # One position at a time there is no axis of time.
        self.time: Labels = () if self.stepping else (record.sequence,)
        self.source: Labels = () if self.stepping else (record.source,)
        # A query that comes alone, where the pairs lie along another axis, is a sequence of one.
        self.alone = not self.stepping and record.sequence not in values[record.role("q")].labels
        inner = {record.sequence, record.source, *record.key, *record.value_axis}
        inner |= {*self._own_axes(), *self._start_axes()}
        self.extra = tuple(label for label in self.sizes if label not in inner)
        self.lead = joined_lead(value.lead for port, value in values.items() if port != "state")
        self.codes: dict[str, Code] = {}

    def _channels(self, value: Value, time: Labels, channels: Labels) -> Code:
        wanted = (*self.extra, *time, *channels)
        code = aligned(value.code, value.labels, wanted, value.lead != NONE)
        if not channels:
            return expr("{x}.unsqueeze(-1)", x=code)
        return code if len(channels) == 1 else expr("{x}.flatten({at}, -1)", x=code, at=-len(channels))

    def _gate(self, value: Value) -> Code:
        return aligned(value.code, value.labels, (*self.extra, *self.source), value.lead != NONE)

    def _bind_query(self) -> None:
        """A number that must be a tensor takes its shape from the query, which is then written twice."""
        value = Value(self.codes["q"], self.node.type, self.lead)
        self.codes["q"] = self.body.atom(value, "q", self.node).code

    def _number(self, value: Number) -> Code:
        return self.owner.sizes.number(value.value) if isinstance(value.value, Dim) else literal(value.value)

    def _tensor(self, value: Coefficient) -> Code:
        """A coefficient for every position."""
        match value:
            case Number():
                return expr("{q}.new_full({q}.shape[:-1], {x})", q=self.codes["q"], x=self._number(value))
            case Port(port):
                return self.codes[port]
            case Product(factor, parts):
                made = self.codes[parts[0]]
                for part in parts[1:]:
                    made = expr("{x} * {y}", x=made, y=self.codes[part])
                return made if factor == 1 else expr("{f} * {x}", f=literal(factor), x=made)
            case Implicit(rate):
                key = self.body.atom(Value(self.codes["k"], self.node.type, self.lead), "k", self.node).code
                self.codes["k"] = key
                step = self._tensor(rate) if not isinstance(rate, Number) else self._number(rate)
                return expr("{b} / (1 + {b} * {k}.square().sum(-1))", b=step, k=key)
            case Root():
                self._bind_query()
                return expr("{q}.shape[-1] ** -0.5", q=self.codes["q"])

    def _either(self, value: Coefficient) -> Code:
        """A coefficient where a number will do."""
        return self._number(value) if isinstance(value, Number) else self._tensor(value)

    def _unless_one(self, value: Coefficient) -> Code | None:
        return None if is_one(value) else self._tensor(value)

    def _common(self, scale: Coefficient) -> dict[str, Code | None]:
        return {"scale": None if is_one(scale) else self._scale(scale)}

    def _scale(self, scale: Coefficient) -> Code | None:
        """The factor of the query; one that is a value multiplies the query itself."""
        if isinstance(scale, Number | Root):
            return self._number(scale) if isinstance(scale, Number) else self._tensor(scale)
        self.codes["q"] = expr("{q} * {s}.unsqueeze(-1)", q=self.codes["q"], s=self._tensor(scale))
        return literal(1.0) if isinstance(self.form, LocalConstant) else None

    def _reading(self, read: Reading) -> dict[str, Code | None]:
        kinds = {"none": None, "total": "weight", "absolute": "absolute"}
        kind = kinds[read.normalize]
        return {
            "read": literal("before") if read.at == "before" else None,
            "normalize": None if kind is None else literal(kind),
            "floor": None if read.floor is None else self._either(read.floor),
            "eps": literal(read.eps) if read.eps else None,
        }

    def _own_axes(self) -> Labels:
        """Axes that belong to given weights alone: levels, or queries and pairs under labels of their own."""
        if not isinstance(self.form, Dense) or not self.form.given:
            return ()
        others = {label for port, value in self.values.items() if port != self.form.given for label in value.labels}
        return tuple(label for label in self.values[self.form.given].labels if label not in others)

    def _start_axes(self) -> set[Symbol]:
        """Axes that belong to the parameters before the first pair alone."""
        own = start_ports(self.record)
        others = {label for port, value in self.values.items() if port not in own for label in value.labels}
        return {label for port in own for label in self.values[port].labels} - others

    def _start(self, port: str) -> Code:
        """A parameter before the first pair: its own axes last, those of keys and of values each as one."""
        value = self.values[port]
        own = tuple(label for label in value.labels if label not in self.extra)
        own = own_axes(self.record, own)
        code = aligned(value.code, value.labels, (*self.extra, *own), value.lead != NONE)
        return flattened(code, own, self.record)

    def _before(self) -> dict[str, Code | None]:
        """The state before the first pair, the same at all leading positions; step by step it is already there."""
        ports = start_ports(self.record)
        if self.stepping or not ports:
            return {}
        self._bind_query()
        start = expr("{s}.expand(*{q}.shape[:-2], -1, -1)", s=self._start(ports[0]), q=self.codes["q"])
        return {"state": start}
