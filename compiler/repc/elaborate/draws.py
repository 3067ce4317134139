"""Draws: named random values (LANGUAGE.md 5)."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.shapes import axes_of, type_of
from repc.elaborate.stop import ABSORBED, stop
from repc.elaborate.values import Series, Tensor
from repc.ir import Attrs
from repc.types import BOOL, FLOAT, Kind, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value
    from repc.ops.laws import Law


def drawn(body: Body, one: tree.OneDraw) -> None:
    """`e: [T, D] ~ normal(0, 1) once eval 0`."""
    from repc.elaborate.statements import bind_value

    if not isinstance(one.target, tree.Name):
        raise stop("target-expected", one.target.span)
    if not isinstance(one.law, tree.Call) or not isinstance(one.law.func, tree.Name):
        raise stop("law-expected", one.law.span)
    made = law(body, one, one.law)
    bind_value(body, one.target, made)
    body.scope.fixed.add(one.target.text)


def law(body: Body, one: tree.OneDraw, call: tree.Call) -> Tensor:
    """The draw's node."""
    from repc.ops.laws import LAWS

    assert isinstance(call.func, tree.Name)
    assert isinstance(one.target, tree.Name)
    name = call.func.text
    if name not in LAWS:
        if body.context.unresolved(body.module, name):
            raise ABSORBED
        from repc.elaborate.shapes import closest

        raise stop("unknown-law", call.func.span, suggestion=closest(name, list(LAWS)), name=name, known=sorted(LAWS))
    declared = type_of(body, one.type) if one.type is not None else None
    if name == "uniform" and declared is not None and declared.kind.name in {"index", "int"}:
        name = "whole"
    args, over = arguments(body, call, bounded(LAWS[name], declared))
    type_ = declared if declared is not None else inferred(args, LAWS[name].kind)
    attrs: dict[str, object] = {
        "site": body.prefix + one.target.text,
        "law": name,
        "once": one.once,
        "over": over,
        "has_eval": one.eval is not None,
    }
    nodes = [arg.node for arg in args]
    if one.eval is not None:
        nodes.append(body.tensor(evaluate(body, one.eval), one.eval.span).node)
    return body.add("draw", tuple(nodes), Attrs(**attrs), type_, one.span, share=False)


def bounded(law: Law, declared: Type | None) -> tuple[tuple[str, object], ...]:
    """Parameters with their defaults; the positions of an axis lie between its ends."""
    size = declared.kind.size if declared is not None and declared.kind.name == "index" else None
    if law.name != "whole" or size is None:
        return law.parameters
    return tuple((name, size - 1 if name == "high" else default) for name, default in law.parameters)


def arguments(
    body: Body, call: tree.Call, parameters: tuple[tuple[str, object], ...]
) -> tuple[list[Tensor], tuple[object, ...]]:
    """Parameters of the law as nodes, and the axes it works along."""
    given: dict[str, Value] = {}
    over: tuple[object, ...] = ()
    order = iter(name for name, _ in parameters)
    for arg in call.args:
        if arg.name is not None and arg.name.text == "over":
            over = tuple(axis.label for axis in axes_of(body, arg.value))
            continue
        name = arg.name.text if arg.name is not None else next(order, None)
        if name is None or name not in dict(parameters):
            raise stop(
                "unknown-argument", arg.span, name=name or "this", callee="the law", names=[n for n, _ in parameters]
            )
        value = evaluate(body, arg.value)
        if isinstance(value, Series) and len(value.items) == 2:
            given["low"], given["high"] = value.items
        else:
            given[name] = value
    made = []
    for name, default in parameters:
        if name in given:
            made.append(body.tensor(given[name], call.span))
        elif default is not None:
            made.append(body.const(default, call.span))
        else:
            raise stop("missing-argument", call.span, name=name, callee="the law")
    return made, over


def inferred(args: list[Tensor], kind: str) -> Type:
    """Without a written type a draw has the axes of its parameters."""
    largest = max(args, key=lambda arg: len(arg.type.axes), default=None)
    axes = largest.type.axes if largest is not None else ()
    return Type(axes, {"bool": BOOL, "float": FLOAT}.get(kind, Kind(kind)))
