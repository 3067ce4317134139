"""Arguments of memories that are solved anew at every query, and of those that run as they are declared."""

from __future__ import annotations

from repc.lowering.expression import Code, call, expr, literal
from repc.lowering.kinds.memory_coefficients import Coefficients
from repc.lowering.layout import aligned
from repc.lowering.memory_start import fit_code
from repc.lowering.values import NONE, Value
from repc.memory.coefficients import (
    Coefficient,
    is_one,
    is_zero,
)
from repc.memory.forms import (
    Dense,
    Descent,
)


class Fitted(Coefficients):
    """Arguments of the general algorithms."""

    def _pairwise(self, form: Dense, value: Value) -> Code:
        """Weights over queries and pairs, from what is given: themselves, one for each level, labels."""
        record = self.record
        if form.giving == "label":
            code = aligned(value.code, value.labels, (*self.extra, record.source), value.lead != NONE)
            return call(self.owner.imports("memory.selection", "same_label"), code, literal(True))
        (*_, last) = (None, *self._own_axes())
        if form.giving == "levels":
            assert last is not None, "levels have an axis of their own"
            code = aligned(value.code, value.labels, (*self.extra, record.sequence, last), value.lead != NONE)
            return call(self.owner.imports("memory.selection", "level_weights"), code)
        pair = (record.sequence, record.source) if len(self._own_axes()) < 2 else self._own_axes()
        return aligned(value.code, value.labels, (*self.extra, *pair), value.lead != NONE)

    def _channelled(self) -> list[tuple[Coefficient, str]]:
        """Coefficients that have the axes of a state, or of a key, and how."""
        if isinstance(self.form, Dense):
            bonus = [] if is_zero(self.form.bonus) else [(self.form.bonus, self._bonus_axes())]
            return [(self.form.channels, "key"), *bonus]
        if not isinstance(self.form, Descent):
            return []
        found = [(getattr(self.form, name), f"state {axis}") for name, axis in self._shapes().items()]
        return [*found, *([] if is_zero(self.form.bonus) else [(self.form.bonus, "key or one")])]

    def _bonus_axes(self) -> str:
        assert isinstance(self.form, Dense)
        return "" if self.form.method.startswith("local_") else "key or one"

    def _shapes(self) -> dict[str, str]:
        """Which channels the coefficients of steps are for."""
        assert isinstance(self.form, Descent)
        axes = dict(self.form.axes)
        return {name: axes.get(name, "") for name in ("rate", "decay", "momentum")}

    def _channelled_gate(self, value: Value, axes: str) -> Code:
        """A coefficient `[.., T, K]`, or as many axes as a state has: `[.., T, K or 1, P or 1]`."""
        of = {"key": self.record.key, "value": self.record.value_axis}
        word = axes.rpartition(" ")[2]
        if axes == "key or one":
            word = "key" if set(self.record.key) & set(value.labels) else ""
        own = of.get(word, ())
        wanted = (*self.extra, *self.source, *own)
        code = aligned(value.code, value.labels, wanted, value.lead != NONE)
        if len(own) > 1:
            code = expr("{x}.flatten({at}, -1)", x=code, at=-len(own))
        if not axes.startswith("state"):
            return code if own or not axes else expr("{x}.unsqueeze(-1)", x=code)
        assert isinstance(self.form, Descent)
        if self.form.regressor == "diagonal":
            return code if own else expr("{x}.unsqueeze(-1)", x=code)
        if not own:
            return expr("{x}[..., None, None]", x=code)
        return expr("{x}.unsqueeze({at})", x=code, at=-1 if word == "key" else -2)

    def _dense(self, form: Dense) -> dict[str, Code | None]:
        """Arguments of a memory that solves a problem at every query."""
        usual = {"kind": "causal", "kernel": "exp"}
        length = None if form.length is None else self.owner.sizes.size(form.length)
        return {
            "method": literal(form.method),
            "kind": None if form.kind == usual["kind"] or form.given else literal(form.kind),
            "length": length,
            "given": self.codes[form.given] if form.given else None,
            "top": None if form.top is None else self.owner.sizes.size(form.top),
            "decay": self._unless_one(form.decay),
            "channels": None if is_one(form.channels) else self._tensor(form.channels),
            "diagonal": literal(True) if form.diagonal else None,
            "bonus": None if is_zero(form.bonus) else self._either(form.bonus),
            "steps": literal(form.steps) if form.steps else None,
            "kernel": None if form.kernel == usual["kernel"] else literal(form.kernel),
            "tau": None if form.tau == 1.0 else literal(form.tau),
            "ridge": None if is_zero(form.ridge) else self._either(form.ridge),
            "ridge_decays": literal(True) if form.ridge_decays else None,
            **self._reading(form.read),
            **self._common(form.scale),
        }

    def _descent(self, form: Descent) -> dict[str, Code | None]:
        """Arguments of a memory that runs as it is declared."""
        size = self.owner.sizes.size
        # Step by step the state is already there.
        start = [] if self.stepping else [self._start(port) for port in form.start]
        return {
            "loss": expr(f"lambda pred, target: {form.loss}"),
            "rate": self._either(form.rate),
            "fit": fit_code(form, self.owner.imports, size),
            "optimizer": None if form.optimizer == "sgd" else literal(form.optimizer),
            "dot": literal(True) if form.dot and form.optimizer == "implicit" else None,
            "steps": None if form.steps == 1 else literal(form.steps),
            "momentum": None if is_zero(form.momentum) else self._either(form.momentum),
            "nesterov": literal(True) if form.nesterov else None,
            "window": None if form.window == 1 else literal(form.window),
            "block": None if form.block == 1 else literal(form.block),
            "order": None if form.order == "decay_first" else literal(form.order),
            "kind": None if form.kind == "causal" else literal(form.kind),
            "length": None if form.length is None else size(form.length),
            "fading": self._unless_one(form.fading),
            "decay": None if is_one(form.decay) else self._either(form.decay),
            "ridge": literal(form.ridge) if form.ridge else None,
            "l1": literal(form.l1) if form.l1 else None,
            "bonus": None if is_zero(form.bonus) else self._either(form.bonus),
            "start": expr("{x}", x=start) if start else None,
            **self._reading(form.read),
            **self._common(form.scale),
        }
