"""Solvers: what stands behind `by`, and the optimizer of a memory over its weighted problem or its stream."""

from __future__ import annotations

from repc.words.declare import Parameter, Word

_STEPS = Parameter("steps", "int", doc="number of steps")
_THROUGH = Parameter("through", "choice", "none", "gradient through the solution", ("none", "unrolled", "implicit"))

SOLVERS = (
    Word(
        "bisection",
        "solver",
        "",
        (Parameter("steps", "int", 50, "halvings of the interval"), _THROUGH),
        "The place where a scalar condition changes sign.",
        "solve t: [] in 0 .. 1 where f(t) == y by bisection",
    ),
    Word(
        "descent",
        "solver",
        "",
        (
            Parameter("rate", "number", doc="step size"),
            _STEPS,
            Parameter("momentum", "number", 0.0, "share of the last update that is kept"),
            Parameter(
                "direction",
                "choice",
                "gradient",
                "the gradient, its signs, or it at unit norm",
                ("gradient", "sign", "unit"),
            ),
            _THROUGH,
        ),
        "Gradient descent on the variable of a `solve`; `by sgd(..)` says the same.",
        "solve d: [B, P] in ball(eps) maximize loss(x + d) by descent(rate: 0.1, steps: 7)",
    ),
    Word(
        "newton",
        "solver",
        "",
        (Parameter("steps", "int", 10, "number of steps"), _THROUGH),
        "Newton's method on the variable of a `solve`, each step by conjugate gradients.",
        "solve w: [D] minimize mean((y - x @ w)^2) by newton(steps: 1)",
    ),
)

EVOLUTION = Word(
    "evolution",
    "solver",
    "std.opt",
    (
        Parameter("population", "int", doc="candidates of a generation"),
        _STEPS,
        Parameter("keep", "number", 0.5, "share of a generation that survives"),
        Parameter("mutate", "number", 0.1, "probability that a choice changes"),
    ),
    "A search without gradients: the better candidates survive and change.",
    "solve best: Points maximize score(best) by evolution(population: 32, steps: 10)",
)

# Over the weighted problem of a memory, and over its stream of pairs (DESIGN 3).
MEMORY_OPTIMIZERS = (
    Word(
        "exact",
        "memory optimizer",
        "",
        (),
        "The minimum in closed form, of least norm where it is not unique.",
        "optimizer: exact",
    ),
    Word(
        "hebbian",
        "memory optimizer",
        "",
        (),
        "The closed form with the covariance of the keys taken as the identity: a sum of outer products.",
        "optimizer: hebbian",
    ),
    Word(
        "cg",
        "memory optimizer",
        "",
        (_STEPS,),
        "Conjugate gradients on the normal equations.",
        "optimizer: cg(steps: 4)",
    ),
    Word(
        "chebyshev",
        "memory optimizer",
        "",
        (_STEPS,),
        "Chebyshev iterations on the normal equations.",
        "optimizer: chebyshev(steps: 30)",
    ),
    Word(
        "newton_schulz",
        "memory optimizer",
        "",
        (_STEPS,),
        "Newton-Schulz iterations for the inverse of the normal matrix.",
        "optimizer: newton_schulz(steps: 5)",
    ),
    Word(
        "sgd",
        "memory optimizer",
        "",
        (
            Parameter("rate", "value", 1, "step size: a number, or an input of the memory"),
            Parameter("steps", "int", 1, "steps for each pair"),
            Parameter("momentum", "value", 0.0, "share of the last update that is kept"),
            Parameter("nesterov", "bool", False, "look ahead along the momentum"),
            Parameter("window", "int", 1, "newest pairs whose gradient a step takes"),
        ),
        "Steps down the gradient of the loss on the newest pairs, for each pair that arrives.",
        "optimizer: sgd(rate: b)",
    ),
    Word(
        "implicit",
        "memory optimizer",
        "",
        (Parameter("rate", "value", doc="step size: a number, or an input of the memory"),),
        "A proximal step on the newest pair: the gradient is taken where the step ends.",
        "optimizer: implicit(rate: b)",
        source="Longhorn, Liu et al. 2024",
    ),
    Word(
        "adam",
        "memory optimizer",
        "",
        (
            Parameter("rate", "value", doc="step size: a number, or an input of the memory"),
            Parameter("beta1", "number", 0.9, "decay of the first moment"),
            Parameter("beta2", "number", 0.999, "decay of the second moment"),
            Parameter("eps", "number", 1e-8, "added to the root of the second moment"),
        ),
        "A step of Adam on the newest pair.",
        "optimizer: adam(rate: 1e-2)",
    ),
    Word(
        "muon",
        "memory optimizer",
        "",
        (
            Parameter("rate", "value", doc="step size: a number, or an input of the memory"),
            Parameter("momentum", "value", 0.95, "share of the last update that is kept"),
            Parameter("newton_schulz", "int", 5, "iterations of the orthogonalisation"),
        ),
        "A step along the orthogonalised momentum.",
        "optimizer: muon(rate: 1e-2, newton_schulz: 5)",
    ),
    Word(
        "mirror",
        "memory optimizer",
        "",
        (
            Parameter("potential", "choice", doc="the mirror map", choices=("kl",), by_position=True),
            Parameter("rate", "value", 1, "step size: a number, or an input of the memory"),
        ),
        "Mirror descent: the state stays on the simplex.",
        "optimizer: mirror(kl)",
    ),
)
