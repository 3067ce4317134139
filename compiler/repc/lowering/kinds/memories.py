"""Memories: one call of the runtime's function for the lowering class of their normal form."""

from __future__ import annotations

from collections.abc import Mapping

from repc.dims import Dim, Symbol
from repc.ir import MemoryRecord, Node
from repc.lowering.body import Body
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.faults import LoweringFault
from repc.lowering.layout import aligned, reordered
from repc.lowering.statements import Assign
from repc.lowering.values import FULL, NONE, Value, joined_lead
from repc.memory.algorithms import Algorithm, chosen
from repc.memory.coefficients import (
    Coefficient,
    Implicit,
    Number,
    Port,
    Product,
    Root,
    is_one,
    is_zero,
    ports_in,
)
from repc.memory.forms import Dense, General, Gram, LocalConstant, NormalForm, RankOne, Reading, ScalarAffine, Stream
from repc.memory.normal import normalize
from repc.types import Type

Labels = tuple[Symbol, ...]


def emit_memory(body: Body, node: Node) -> Value:
    """The answers of a memory."""
    record: MemoryRecord = node.attrs["record"]
    values = dict(zip(node.attrs["ports"], (body.value(arg) for arg in node.args), strict=True))
    form = normalize(
        record, {port: body.nodes[arg].type for port, arg in zip(node.attrs["ports"], node.args, strict=True)}
    )
    algorithm = chosen(form, body.owner.context.algorithm) or chosen(form)
    if isinstance(form, General) or algorithm is None:
        raise not_lowered(body.graph.declaration, node, form)
    return _Call(body, node, record, form, algorithm, values).emit()


def not_lowered(memory: str, node: Node, form: NormalForm) -> LoweringFault:
    """What to say of a memory that no algorithm runs."""
    reason, shown = "it keeps no state", type(form).__name__
    if isinstance(form, General):
        reason = form.reason
        shown = ", ".join(f"{name}: {word}" for name, word in form.fields if name == form.field)
    return LoweringFault("memory-not-lowered", node.origin, {"name": memory, "reason": reason, "form": shown})


class _Call:
    """One call while it is written. Inputs have the axes `[*lead, *extra, T, *channels]`, the channels as one."""

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
        self.extra = tuple(label for label in self.sizes if label not in inner)
        self.lead = joined_lead(value.lead for port, value in values.items() if port != "state")
        self.codes: dict[str, Code] = {}

    def emit(self) -> Value:
        roles = {role: self.record.role(role) for role in ("q", "k", "v")}
        self.codes["q"] = self._channels(self.values[roles["q"]], () if self.alone else self.time, self.record.key)
        if self.alone:
            self.codes["q"] = expr("{x}.unsqueeze(-2)", x=self.codes["q"])
        self.codes["k"] = self._channels(self.values[roles["k"]], self.source, self.record.key)
        self.codes["v"] = self._channels(self.values[roles["v"]], self.source, self.record.value_axis)
        if isinstance(self.form, Dense) and self.form.given:
            self.codes[self.form.given] = self._pairwise(self.values[self.form.given])
        ports = dict.fromkeys(port for one in self._coefficients() for port in ports_in(one))
        for port in ports:
            self.codes[port] = self._gate(self.values[port])
        self._same_leading(list(ports))
        words = self._words()
        if self.stepping:
            return self._stepped(words)
        if self.algorithm != chosen(self.form):
            words["algorithm"] = literal(self.algorithm.name)
        function = self.owner.imports(self.algorithm.module, self.algorithm.runtime)
        made = call(function, self.codes["q"], self.codes["k"], self.codes["v"], **words)
        if not isinstance(self.form, Gram | Dense):
            made = expr("{x}[0]", x=made)
        return self._result(made, self.node.type)

    def _coefficients(self) -> list[Coefficient]:
        names = ("decay", "write", "rate", "momentum", "ridge", "scale")
        found = [getattr(self.form, name) for name in names if hasattr(self.form, name)]
        floor = self.form.read.floor if not isinstance(self.form, General) else None
        return found if floor is None else [*found, floor]

    # ---- inputs

    def _stepped(self, words: dict[str, Code | None]) -> Value:
        """One position: the answer, and the state after it."""
        function = self.owner.imports(self.algorithm.module, self.algorithm.step)
        before = self.values["state"]
        made = call(function, before.code, self.codes["q"], self.codes["k"], self.codes["v"], **words)
        out, state = (self.owner.variables.new(one) for one in ("out", "memory"))
        self.body.statements.append(Assign((out, state), made, (self.node.name,), self.node.origin))
        kinds = dict(self.node.type.fields)
        answer = self._result(name(out), kinds["out"])
        after = Value(name(state), kinds["state"], before.lead)
        return Value(name(out), self.node.type, self.lead, False, (("out", answer), ("state", after)))

    def _channels(self, value: Value, time: Labels, channels: Labels) -> Code:
        wanted = (*self.extra, *time, *channels)
        code = aligned(value.code, value.labels, wanted, value.lead != NONE)
        if not channels:
            return expr("{x}.unsqueeze(-1)", x=code)
        return code if len(channels) == 1 else expr("{x}.flatten({at}, -1)", x=code, at=-len(channels))

    def _pairwise(self, value: Value) -> Code:
        """Weights over queries and pairs."""
        wanted = (*self.extra, self.record.sequence, self.record.source)
        return aligned(value.code, value.labels, wanted, value.lead != NONE)

    def _gate(self, value: Value) -> Code:
        return aligned(value.code, value.labels, (*self.extra, *self.source), value.lead != NONE)

    def _same_leading(self, ports: list[str]) -> None:
        """Where the leading axes of the inputs may differ they are made equal first."""
        roles = {role: self.values[self.record.role(role)] for role in ("q", "k", "v")}
        used = {**roles, **{port: self.values[port] for port in ports}}
        whole = set(self.extra)
        same = all(
            value.lead == (FULL if self.lead != NONE else NONE) and whole <= set(value.labels)
            for value in used.values()
        )
        timed = all(set(self.source) <= set(self.values[port].labels) for port in ports)
        numbers = [one for one in self._coefficients() if isinstance(one, Number)]
        if same and timed:
            if any(not is_one(one) and not is_zero(one) for one in numbers):
                self._bind_query()
            return
        function = self.owner.imports("memory.leading", "with_leading")
        one_position = literal(False) if self.stepping else None
        made = call(function, *(self.codes[one] for one in used), along_time=one_position)
        targets = tuple(self.owner.variables.new(one) for one in used)
        self.body.statements.append(Assign(targets, made, (self.node.name,), self.node.origin))
        self.codes.update(zip(used, map(name, targets), strict=True))

    def _bind_query(self) -> None:
        """A number that must be a tensor takes its shape from the query, which is then written twice."""
        value = Value(self.codes["q"], self.node.type, self.lead)
        self.codes["q"] = self.body.atom(value, "q", self.node).code

    # ---- arguments

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

    def _words(self) -> dict[str, Code | None]:
        match self.form:
            case ScalarAffine():
                words = {"decay": self._unless_one(self.form.decay), "write": self._unless_one(self.form.write)}
                return {**words, **self._reading(self.form.read), **self._common(self.form.scale)}
            case RankOne():
                order = None if self.form.order == "decay_first" else literal(self.form.order)
                words = {
                    "rate": self._tensor(self.form.rate),
                    "decay": self._unless_one(self.form.decay),
                    "order": order,
                }
                return {**words, **self._reading(self.form.read), **self._common(self.form.scale)}
            case LocalConstant():
                window = None if self.form.window is None else self.owner.sizes.size(self.form.window)
                kind = self.form.mask if window is None else "window"
                mask = None if kind == "causal" else literal(kind)
                return {"scale": self._scale(self.form.scale), "mask": mask, "window": window}
            case Stream():
                return self._steps(self.form)
            case Dense():
                return self._dense(self.form)
            case Gram():
                ridge = None if is_zero(self.form.ridge) else self._either(self.form.ridge)
                decay = None if is_one(self.form.decay) else self._either(self.form.decay)
                fades = literal(True) if self.form.ridge_decays else None
                words = {"decay": decay, "ridge": ridge, "ridge_decays": fades}
                return {**words, **self._reading(self.form.read), **self._common(self.form.scale)}
            case _:
                return {}

    def _dense(self, form: Dense) -> dict[str, Code | None]:
        """Arguments of a memory that solves a problem at every query."""
        usual = {"kind": "causal", "kernel": "exp"}
        length = None if form.length is None else self.owner.sizes.size(form.length)
        return {
            "method": literal(form.method),
            "kind": None if form.kind == usual["kind"] or form.given else literal(form.kind),
            "length": length,
            "given": self.codes[form.given] if form.given else None,
            "decay": self._unless_one(form.decay),
            "kernel": None if form.kernel == usual["kernel"] else literal(form.kernel),
            "tau": None if form.tau == 1.0 else literal(form.tau),
            "ridge": None if is_zero(form.ridge) else self._either(form.ridge),
            "ridge_decays": literal(True) if form.ridge_decays else None,
            **self._reading(form.read),
            **self._common(form.scale),
        }

    def _steps(self, form: Stream) -> dict[str, Code | None]:
        """Arguments of a memory that takes gradient steps."""
        return {
            "slope": expr(f"lambda pred, target: {form.slope}"),
            "rate": self._either(form.rate),
            "decay": None if is_one(form.decay) else self._either(form.decay),
            "steps": None if form.steps == 1 else literal(form.steps),
            "momentum": None if is_zero(form.momentum) else self._either(form.momentum),
            "nesterov": literal(True) if form.nesterov else None,
            "ridge": None if is_zero(form.ridge) else self._either(form.ridge),
            "order": None if form.order == "decay_first" else literal(form.order),
            **self._reading(form.read),
            **self._common(form.scale),
        }

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

    # ---- the result

    def _result(self, made: Code, kind: Type) -> Value:
        values = self.record.value_axis
        written = (*self.extra, *self.time, *values)
        if self.alone:
            made, written = expr("{x}.squeeze(-2)", x=made), (*self.extra, *values)
        if not values:
            made = expr("{x}.squeeze(-1)", x=made)
        elif len(values) > 1:
            made = expr("{x}.unflatten(-1, {s})", x=made, s=[self.owner.sizes.size(self.sizes[one]) for one in values])
        return Value(reordered(made, written, kind.labels), kind, self.lead)
