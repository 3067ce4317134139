"""`log_prob(gaussian(mu, sd), x)`: logarithms of densities of laws, element by element (LANGUAGE.md 1.10)."""

from __future__ import annotations

import math

from rep_grammar import tree
from repc.elaborate.body import Body
from repc.elaborate.builtins.given import Given
from repc.elaborate.shapes import closest
from repc.elaborate.stop import stop
from repc.elaborate.values import Static, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rep_grammar.spans import Span
    from repc.elaborate.values import Value


class Formula:
    """Arithmetic on values of one call."""

    def __init__(self, body: Body, span: Span) -> None:
        self.body = body
        self.span = span

    def __call__(self, op: str, *operands: Value) -> Tensor:
        return self.body.prim(op, operands, self.span)


def normal(say: Formula, p: Sequence[Tensor], x: Tensor) -> Tensor:
    """-((x - mean) / sd)^2 / 2 - log(sd) - log(2 pi) / 2."""
    away = say("div", say("sub", x, p[0]), p[1])
    scaled = say("add", say("mul", Static(0.5), say("square", away)), say("log", p[1]))
    return say("neg", say("add", scaled, Static(0.5 * math.log(2 * math.pi))))


def exponential(say: Formula, p: Sequence[Tensor], x: Tensor) -> Tensor:
    """log(rate) - rate x, of x >= 0."""
    return say("sub", say("log", p[0]), say("mul", p[0], x))


def gumbel(say: Formula, p: Sequence[Tensor], x: Tensor) -> Tensor:
    """-z - exp(-z) - log(scale) of z = (x - location) / scale."""
    z = say("div", say("sub", x, p[0]), p[1])
    return say("neg", say("add", say("add", z, say("exp", say("neg", z))), say("log", p[1])))


def bernoulli(say: Formula, p: Sequence[Tensor], x: Tensor) -> Tensor:
    """log(p) where x is true, else log(1 - p)."""
    return say("where", x, say("log", p[0]), say("log1p", say("neg", p[0])))


DENSITIES: dict[str, Callable[[Formula, Sequence[Tensor], Tensor], Tensor]] = {
    "normal": normal,
    "gaussian": normal,
    "exponential": exponential,
    "gumbel": gumbel,
    "bernoulli": bernoulli,
}


def log_prob(body: Body, call: tree.Call) -> Value:
    """The logarithm of a law's density, or of its probability, at a value."""
    from repc.elaborate.draws import arguments
    from repc.ops.laws import LAWS

    given = Given(body, call, 2, ())
    law = given.values[0]
    if not isinstance(law, tree.Call) or not isinstance(law.func, tree.Name):
        raise stop("law-expected", law.span)
    name = law.func.text
    if name not in DENSITIES:
        known = sorted(DENSITIES)
        raise stop("unknown-law", law.func.span, suggestion=closest(name, known), name=name, known=known)
    parameters, _ = arguments(body, law, LAWS[name].parameters)
    return DENSITIES[name](Formula(body, call.span), parameters, given.tensor(1))
