"""How an op becomes PyTorch: what a lowering is given, and templates (LANGUAGE.md 10.2).

A tensor of type `[A, B]` has the shape `[*lead, A, B]`: any number of axes that callers carry along stand in front. So
a lowering counts dims from the end and uses what broadcasts. The operands of element-wise ops, of reductions and of
maps along an axis arrive aligned to the union of their axes; those of every other op in their own written order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.ops.declare import Op
from repc.ops.rules import union
from repc.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from repc.dims import Facts


class LowerCall(Record):
    """One application to be written: `operands` are identifiers, or literals where an operand is a plain number."""

    op: Op
    operands: tuple[str, ...]
    types: tuple[Type, ...]
    result: Type
    attrs: Mapping[str, object]
    facts: Facts
    sizes: Callable[[Dim], str]
    imports: Callable[[str, str], str]
    device: str
    dtype: str

    def attr(self, name: str) -> Any:
        """An attribute, or its declared default."""
        return self.op.attr(self.attrs, name)

    def axes(self, at: int) -> tuple[Symbol, ...]:
        """Labels of the dims of operand `at` as it arrives."""
        if self.op.aligned:
            return tuple(axis.label for axis in union(self.types, self.facts))
        return self.types[at].labels

    def dim(self, label: Symbol, at: int = 0) -> int:
        """The dim of an axis of operand `at`, from the end."""
        labels = self.axes(at)
        return labels.index(label) - len(labels)

    def dims(self, labels: Iterable[Symbol], at: int = 0) -> str:
        """The dims of several axes as code: one number, or a tuple."""
        found = [self.dim(label, at) for label in labels]
        return str(found[0]) if len(found) == 1 else f"({', '.join(map(str, found))})"

    def result_dim(self, label: Symbol) -> int:
        """The dim of an axis of the result, from the end."""
        return self.result.labels.index(label) - len(self.result.axes)

    def size(self, dim: Dim | int) -> str:
        """A size as an int expression."""
        return str(dim) if isinstance(dim, int) else self.sizes(dim)

    def number(self, value: object) -> str:
        """A number or size as an expression."""
        if isinstance(value, Dim):
            return self.sizes(value)
        if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
            return {"inf": "math.inf", "-inf": "-math.inf"}.get(str(value), "math.nan")
        return repr(value)

    def runtime(self, module: str, function: str) -> str:
        """The name under which a function of `rep_runtime.<module>` is imported."""
        return self.imports(module, function)

    def is_number(self, at: int) -> bool:
        """Whether operand `at` is a Python number rather than a tensor."""
        return self.types[at].kind.name == "number"

    def tensor(self, at: int, dtype: str = "") -> str:
        """Operand `at` as a tensor, also where it is a plain number (of `dtype`, or of the run's precision)."""
        if not self.is_number(at):
            return self.operands[at]
        return f"torch.full((), {self.operands[at]}, dtype={dtype or self.dtype}, device={self.device})"

    @property
    def masked(self) -> bool:
        """Whether the last operand is the condition."""
        return bool(self.attrs.get("masked", False))


_HOLE = re.compile(r"\{(\w+)\}")


class Torch(Record):
    """A template. Holes: names of operands; `{over}`, `{dim}` for dims of axes; other attributes as numbers.

    `number`: the template where all operands are plain numbers, empty if `text` serves.
    """

    text: str
    number: str = ""

    def __call__(self, call: LowerCall) -> str:
        plain = bool(self.number) and all(call.is_number(at) for at in range(len(call.types)))
        return fill(call, self.number if plain else self.text)


def fill(call: LowerCall, text: str, **extra: str) -> str:
    """The template with its holes filled from the call; `extra` first."""

    def part(hole: re.Match[str]) -> str:
        name = hole[1]
        if name in extra:
            return extra[name]
        for at, operand in enumerate(call.op.operands):
            if operand.name == name:
                return call.operands[at]
        if name == "where":
            return call.operands[-1]
        if name == "dtype":
            return call.dtype
        for attribute in call.op.attributes:
            if attribute.name == name:
                value = call.attr(name)
                if attribute.kind == "axes":
                    return call.dims(value)
                if attribute.kind == "axis":
                    return str(call.dim(value))
                return call.number(value)
        raise KeyError(name)

    return _HOLE.sub(part, text)


def laid_out(call: LowerCall, at: int, labels: Sequence[Symbol], dtype: str = "") -> str:
    """Operand `at` with its axes in the order of `labels`, size 1 where it lacks one; a plain number as it is.

    Axes in front of the first that it has are made too, since others may be carried along there.
    """
    own = call.types[at].labels
    if call.is_number(at):
        return call.tensor(at, dtype)
    have = [label for label in labels if label in own]
    made = moved(call.operands[at], own, have)
    if len(have) == len(labels):
        return made
    marks = ", ".join(":" if label in own else "None" for label in labels)
    return f"{made}[..., {marks}]"


def moved(text: str, labels: Sequence[Symbol], order: Sequence[Symbol]) -> str:
    """A tensor with these axes in another order."""
    count = len(labels)
    apart = [at for at in range(count) if labels[at] != order[at]]
    if not apart:
        return text
    if len(apart) == 2:
        return f"{text}.transpose({apart[0] - count}, {apart[1] - count})"
    sources = tuple(labels.index(order[at]) - count for at in apart)
    return f"{text}.movedim({sources}, {tuple(at - count for at in apart)})"


class Written(Record):
    """A lowering by a function of the call."""

    write: Callable[[LowerCall], str]

    def __call__(self, call: LowerCall) -> str:
        return self.write(call)


class Masked(Record):
    """A template for the plain case and one with `{where}` for the masked case."""

    plain: str
    masked: str

    def __call__(self, call: LowerCall) -> str:
        return fill(call, self.masked if call.masked else self.plain)
