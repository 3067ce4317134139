"""Memories: one call of the runtime's function for the lowering class of their normal form."""

from __future__ import annotations

from repc.ir import MemoryRecord, Node
from repc.lowering.body import Body
from repc.lowering.expression import Code, call, expr, literal, name
from repc.lowering.faults import LoweringFault
from repc.lowering.kinds.memory_fitted import Fitted
from repc.lowering.layout import reordered
from repc.lowering.statements import Assign
from repc.lowering.values import FULL, NONE, Value
from repc.memory.algorithms import chosen
from repc.memory.coefficients import (
    Coefficient,
    Number,
    is_one,
    is_zero,
    ports_in,
)
from repc.memory.forms import (
    Dense,
    Descent,
    General,
    Gram,
    LocalConstant,
    NormalForm,
    RankOne,
    ScalarAffine,
    Stream,
)
from repc.memory.normal import normalize
from repc.types import Type


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


class _Call(Fitted):
    """One call while it is written. Inputs have the axes `[*lead, *extra, T, *channels]`, the channels as one."""

    def emit(self) -> Value:
        roles = {role: self.record.role(role) for role in ("q", "k", "v")}
        self.codes["q"] = self._channels(self.values[roles["q"]], () if self.alone else self.time, self.record.key)
        if self.alone:
            self.codes["q"] = expr("{x}.unsqueeze(-2)", x=self.codes["q"])
        self.codes["k"] = self._channels(self.values[roles["k"]], self.source, self.record.key)
        self.codes["v"] = self._channels(self.values[roles["v"]], self.source, self.record.value_axis)
        if isinstance(self.form, Dense) and self.form.given:
            self.codes[self.form.given] = self._pairwise(self.form, self.values[self.form.given])
        ports = dict.fromkeys(port for one in self._coefficients() for port in ports_in(one))
        for port in ports:
            self.codes[port] = self._gate(self.values[port])
        for coefficient, axes in self._channelled():
            for port in ports_in(coefficient):
                self.codes[port] = self._channelled_gate(self.values[port], axes)
        self._same_leading(list(ports))
        words = self._words()
        if self.stepping:
            return self._stepped(words)
        if self.algorithm != chosen(self.form):
            words["algorithm"] = literal(self.algorithm.name)
        function = self.owner.imports(self.algorithm.module, self.algorithm.runtime)
        made = call(function, self.codes["q"], self.codes["k"], self.codes["v"], **words)
        if not isinstance(self.form, Dense):
            made = expr("{x}[0]", x=made)
        return self._result(made, self.node.type)

    def _coefficients(self) -> list[Coefficient]:
        if isinstance(self.form, Descent):
            names: tuple[str, ...] = ("scale", "fading")
        else:
            names = ("decay", "write", "rate", "momentum", "ridge", "scale")
        found = [getattr(self.form, name) for name in names if hasattr(self.form, name)]
        floor = self.form.read.floor if not isinstance(self.form, General) else None
        return found if floor is None else [*found, floor]

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

    def _words(self) -> dict[str, Code | None]:
        match self.form:
            case ScalarAffine():
                words = {"decay": self._unless_one(self.form.decay), "write": self._unless_one(self.form.write)}
                return {
                    **words,
                    **self._before(),
                    **self._reading(self.form.read),
                    **self._common(self.form.scale),
                }
            case RankOne():
                order = None if self.form.order == "decay_first" else literal(self.form.order)
                words = {
                    "rate": self._tensor(self.form.rate),
                    "decay": self._unless_one(self.form.decay),
                    "order": order,
                }
                return {
                    **words,
                    **self._before(),
                    **self._reading(self.form.read),
                    **self._common(self.form.scale),
                }
            case LocalConstant():
                window = None if self.form.window is None else self.owner.sizes.size(self.form.window)
                kind = self.form.mask if window is None else "window"
                mask = None if kind == "causal" else literal(kind)
                return {"scale": self._scale(self.form.scale), "mask": mask, "window": window}
            case Stream():
                return self._steps(self.form)
            case Dense():
                return self._dense(self.form)
            case Descent():
                return self._descent(self.form)
            case Gram():
                ridge = None if is_zero(self.form.ridge) else self._either(self.form.ridge)
                decay = None if is_one(self.form.decay) else self._either(self.form.decay)
                fades = literal(True) if self.form.ridge_decays else None
                words = {"decay": decay, "ridge": ridge, "ridge_decays": fades}
                return {**words, **self._reading(self.form.read), **self._common(self.form.scale)}
            case _:
                return {}

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
            **self._before(),
            **self._reading(form.read),
            **self._common(form.scale),
        }

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
