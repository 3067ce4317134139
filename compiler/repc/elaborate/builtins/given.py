"""Arguments of a builtin, and the axes that its options name."""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.shapes import axes_of, closest, known, size_of
from repc.elaborate.stop import stop
from repc.elaborate.values import Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from repc.elaborate.values import Value

    Handler: TypeAlias = Callable[[Body, tree.Call], Value]


class Given:
    """Arguments of a builtin."""

    def __init__(self, body: Body, call: tree.Call, positional: int, names: tuple[str, ...]) -> None:
        self.body = body
        self.call = call
        self.name = call.func.text if isinstance(call.func, tree.Name) else "it"
        self.values = [arg.value for arg in call.args if arg.name is None]
        self.options = {arg.name.text: arg.value for arg in call.args if arg.name is not None}
        if positional >= 0 and len(self.values) != positional:
            raise stop(
                "wrong-arity",
                call.span,
                callee=self.name,
                wanted=positional,
                given=len(self.values),
                signature=self.name,
            )
        for arg in call.args:
            if arg.name is not None and arg.name.text not in names:
                raise stop(
                    "unknown-argument",
                    arg.name.span,
                    suggestion=closest(arg.name.text, list(names)),
                    name=arg.name.text,
                    callee=self.name,
                    names=list(names),
                    known=list(names),
                )

    def value(self, position: int) -> Value:
        """An argument, of which leading axes may be subscripted (4.10)."""
        from repc.elaborate.calls import data_value

        return data_value(self.body, self.values[position])

    def tensor(self, position: int) -> Tensor:
        return self.body.tensor(self.value(position), self.values[position].span)

    def axes(self, name: str) -> tuple[Axis, ...] | None:
        expr = self.options.get(name)
        return None if expr is None else axes_of(self.body, expr)

    def new_axis(self, name: str, size: Dim, like: Axis | None = None) -> Axis:
        """An axis that the call declares, or a dim declared with that size."""
        expr = self.options.get(name)
        if expr is None:
            label = self.body.fresh(name)
            return Axis(label, size, "plain", label)
        return self.declared(expr, size, like)

    def declared(self, expr: tree.Expr, size: Dim, like: Axis | None = None) -> Axis:
        if not isinstance(expr, tree.Name):
            raise stop("axis-expected", expr.span)
        found = known(self.body, expr)
        if found is None:
            label = self.body.own(expr.text)
            kind = like.kind if like is not None and like.kind != "set" else "plain"
            made = Axis(label, size, kind, label)
            self.body.scope.axes[expr.text] = (made,)
            return made
        if not self.body.facts.equal(found[0].size, size):
            raise stop("sizes-of-result", expr.span, axis=found[0].label, expected=found[0].size, found=size)
        return found[0]


def labels(axes: tuple[Axis, ...]) -> tuple[Symbol, ...]:
    return tuple(axis.label for axis in axes)


def present(given: Given, value: Tensor, axes: tuple[Axis, ...], option: str) -> tuple[Symbol, ...]:
    """The value must have the axes that an option names."""
    for axis in axes:
        if value.type.axis(axis.label) is None:
            span = given.options[option].span
            names = [str(label) for label in value.type.labels]
            raise stop(
                "no-such-axis", span, suggestion=closest(str(axis.label), names), axis=axis.label, type=value.type
            )
    return labels(axes)


def over_axes(given: Given, value: Tensor) -> tuple[Symbol, ...]:
    """`over:`, or all declared axes."""
    axes = given.axes("over")
    if axes is not None:
        return present(given, value, axes, "over")
    from repc.elaborate.subscripts import visible

    return labels(visible(given.body, value))


def given_name(call: tree.Call) -> str:
    return call.func.text if isinstance(call.func, tree.Name) else ""


def size_option(body: Body, given: Given, name: str, default: int) -> Dim:
    return size_of(body, given.options[name]) if name in given.options else Dim.of(default)
