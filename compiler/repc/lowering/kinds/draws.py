"""Draws: named random values, asked of the step's `draws` by site, so that verification can give its own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from repc.ir import Node
from repc.lowering.body import Body
from repc.lowering.expression import Code, call, expr, literal
from repc.lowering.faults import LoweringFault
from repc.lowering.layout import aligned, dim_of
from repc.lowering.values import FULL, NONE, Value


class _Draw:
    """One draw while it is written."""

    def __init__(self, body: Body, node: Node) -> None:
        self.body = body
        self.owner = body.owner
        self.node = node
        args = [body.value(arg) for arg in node.args]
        self.instead = args.pop() if node.attrs["has_eval"] else None
        self.parameters: Sequence[Value] = args
        led = bool(self.owner.lead_of) or self.owner.lead_given is not None
        self.once = bool(node.attrs["once"]) or not led
        self.draws = body.draws

    def shape(self, *more: Code) -> Code:
        sizes = [self.owner.sizes.size(axis.size) for axis in self.node.type.axes]
        if self.once:
            return expr("{x}", x=[*sizes, *more])
        return expr("(*{lead}, *{sizes})", lead=self.owner.lead_shape(), sizes=[*sizes, *more])

    def number(self, place: int) -> Code:
        """A parameter of the law, ready to be broadcast over the draw's axes."""
        value = self.parameters[place]
        if value.plain:
            return value.code
        return aligned(value.code, value.labels, self.node.type.labels, value.lead != NONE)

    def whole(self, place: int) -> Code:
        """A parameter that is a whole number."""
        code = self.number(place)
        return literal(int(code.value)) if isinstance(code, ast.Constant) and isinstance(code.value, float) else code

    def words(self) -> dict[str, Code | None]:
        # The batch is cut into equal parts along the first axis, if that is the samples' or a carried one.
        batched = any(axis.kind == "batch" for axis in self.node.type.axes[:1])
        return {"lifted": literal(False) if self.once and not batched else None}

    def asked(self, method: str, *args: Code, **words: Code | None) -> Code:
        target = expr("{draws}." + method, draws=self.draws)
        return call(target, literal(self.node.attrs["site"].rpartition(".")[2]), *args, **words, **self.words())

    def noise(self, law: str) -> Code:
        return self.asked("noise", literal(law), self.shape())


def _usual(draw: _Draw, method: str, usual: tuple[float | None, ...]) -> Code:
    """A law with several parameters; the last ones are left out at their usual values."""
    numbers = [draw.number(place) for place in range(len(usual))]
    known = [one is not None and _is(value, one) for value, one in zip(draw.parameters, usual, strict=True)]
    while numbers and known[len(numbers) - 1]:
        numbers.pop()
    return draw.asked(method, draw.shape(), *numbers)


def _bernoulli(draw: _Draw) -> Code:
    eval_ = draw.instead.code if draw.instead is not None and draw.instead.plain else None
    made = draw.asked("bernoulli", draw.shape(), draw.number(0), eval=eval_)
    if eval_ is not None:
        draw.instead = None
    return made if draw.node.type.kind.name == "float" else expr("{x}.bool()", x=made)


def _categorical(draw: _Draw) -> Code:
    """An index along `over`, whose weights are moved to the end and repeated over all axes of the draw."""
    weights = draw.parameters[0]
    (over,) = draw.node.attrs["over"]
    axis = weights.type.axis(over)
    assert axis is not None
    wanted = (*draw.node.type.labels, over)
    code = aligned(weights.code, weights.labels, wanted, weights.lead != NONE)
    logits = expr("torch.log({x}).expand({shape})", x=code, shape=draw.shape(draw.owner.sizes.size(axis.size)))
    return draw.asked("categorical", logits)


def _orthonormal(draw: _Draw) -> Code:
    """Vectors of unit length along `over`, orthogonal to each other along the other written axis."""
    labels = draw.node.type.labels
    over = draw.node.attrs["over"] or labels[-1:]
    function = draw.owner.imports("draws", "orthonormal")
    return call(function, draw.noise("normal"), literal(dim_of(over[0], labels)))


def _is(value: Value, number: float) -> bool:
    """Whether a parameter is this number."""
    return isinstance(value.code, ast.Constant) and value.code.value == number


def _exponential(draw: _Draw) -> Code:
    noise = draw.noise("exponential")
    return noise if _is(draw.parameters[0], 1) else expr("{x} / {rate}", x=noise, rate=draw.number(0))


def _gumbel(draw: _Draw) -> Code:
    made = draw.noise("gumbel")
    if not _is(draw.parameters[1], 1):
        made = expr("{scale} * {x}", scale=draw.number(1), x=made)
    return made if _is(draw.parameters[0], 0) else expr("{at} + {x}", at=draw.number(0), x=made)


_LAWS: Mapping[str, Callable[[_Draw], Code]] = {
    "normal": lambda draw: _usual(draw, "normal", (0.0, 1.0)),
    "gaussian": lambda draw: _usual(draw, "normal", (0.0, 1.0)),
    "uniform": lambda draw: _usual(draw, "uniform", (0.0, 1.0)),
    "whole": lambda draw: draw.asked("whole", draw.shape(), draw.whole(0), draw.whole(1)),
    "bernoulli": _bernoulli,
    "categorical": _categorical,
    "permutation": lambda draw: draw.noise("permutation"),
    "orthonormal": _orthonormal,
    "exponential": _exponential,
    "gumbel": _gumbel,
    "rademacher": lambda draw: draw.noise("rademacher"),
    "geometric": lambda draw: draw.asked("geometric", draw.shape(), draw.number(0)),
    "gamma": lambda draw: _usual(draw, "gamma", (None, 1.0)),
    "dirichlet": lambda draw: draw.asked("dirichlet", draw.shape(), draw.number(0)),
    "generalized_normal": lambda draw: _usual(draw, "generalized_normal", (0.0, 1.0, 2.0)),
}


def emit_draw(body: Body, node: Node) -> Value:
    """The value of a draw; outside training its `eval` value, where it declares one."""
    law = node.attrs["law"]
    if law not in _LAWS:
        raise LoweringFault("law-without-lowering", node.origin, {"law": law})
    draw = _Draw(body, node)
    made = _LAWS[law](draw)
    lead = NONE if draw.once else FULL
    if draw.instead is not None:
        given = draw.instead
        other = (
            expr("torch.full({shape}, {x})", shape=draw.shape(), x=given.code)
            if given.plain
            else expr(
                "{x}.expand({shape})",
                x=aligned(given.code, given.labels, node.type.labels, given.lead != NONE),
                shape=draw.shape(),
            )
        )
        made = expr("{x} if {draws}.training else {other}", x=made, draws=draw.draws, other=other)
    return Value(made, node.type, lead)
