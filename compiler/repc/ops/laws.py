"""Laws of draws: one declaration each (LANGUAGE.md 5)."""

from __future__ import annotations

from rep_grammar.record import Record


class Law(Record):
    """A law. `parameters`: (name, default) in order, None where it must be given. `kind`: float, bool or index.

    `noise`: the parameter-free noise that it is made from; `gradient`: whether it reaches the parameters.
    """

    name: str
    parameters: tuple[tuple[str, object], ...]
    kind: str
    noise: str
    gradient: bool
    doc: str


_LAWS = (
    Law("normal", (("mean", 0.0), ("sd", 1.0)), "float", "normal", True, "Normal numbers: mean + sd noise."),
    Law("gaussian", (("mean", 0.0), ("sd", 1.0)), "float", "normal", True, "Normal numbers: mean + sd noise."),
    Law("uniform", (("low", 0.0), ("high", 1.0)), "float", "uniform", True, "Uniform in [low, high)."),
    Law("whole", (("low", 0), ("high", None)), "int", "uniform", False, "Whole numbers from low to high."),
    Law("bernoulli", (("p", None),), "bool", "uniform", False, "True with probability p."),
    Law("categorical", (("p", None),), "index", "gumbel", False, "A position along `over` with these weights."),
    Law("permutation", (), "index", "permutation", False, "Every position once."),
    Law("orthonormal", (), "float", "normal", False, "Vectors that are orthonormal along `over`."),
    Law("exponential", (("rate", 1.0),), "float", "exponential", True, "Waiting times of this rate."),
    Law("gumbel", (("location", 0.0), ("scale", 1.0)), "float", "gumbel", True, "Gumbel numbers."),
    Law("rademacher", (), "float", "rademacher", False, "-1 or 1."),
    Law("geometric", (("p", None),), "int", "exponential", False, "Trials up to the first success: 1, 2, 3 and so on."),
    Law(
        "gamma", (("shape", None), ("scale", 1.0)), "float", "uniform", False, "Gamma numbers of this shape and scale."
    ),
    Law("dirichlet", (("concentration", 1.0),), "float", "uniform", False, "Shares along `over` that sum to 1."),
    Law(
        "generalized_normal",
        (("mean", 0.0), ("scale", 1.0), ("shape", 2.0)),
        "float",
        "uniform",
        True,
        "Density exp(-|(x - mean) / scale|^shape): 1 is Laplace's law, 2 a normal one; no gradient reaches the shape.",
    ),
)

LAWS = {law.name: law for law in _LAWS}

# How many uniform numbers each value of a law takes, where that is not one.
WIDTH = {"gamma": 18, "dirichlet": 18, "generalized_normal": 18}

# Laws that work along one axis of the value: `over`, the axis that its type speaks of, or the last.
ALONG = ("permutation", "dirichlet")
