"""Optimizers of `std.opt`."""

from __future__ import annotations

from repc.words.declare import Parameter, Word

_RATE = Parameter("rate", "schedule", doc="step size")
_CLIP = Parameter("clip", "number", None, "largest norm of the whole gradient; none: no clipping")
_ON = Parameter(
    "decay_on", "choice", "matrices", "which parameters decay: those with two axes or more, or all", ("matrices", "all")
)


def _decay(default: float) -> Parameter:
    return Parameter("decay", "schedule", default, "weight decay")


_ADAM = (
    Parameter("beta1", "number", 0.9, "decay of the first moment"),
    Parameter("beta2", "number", 0.999, "decay of the second moment"),
    Parameter("eps", "number", 1e-8, "added to the root of the second moment"),
)

OPTIMIZERS = (
    Word(
        "sgd",
        "optimizer",
        "std.opt",
        (
            _RATE,
            _decay(0.0),
            Parameter("momentum", "number", 0.0, "share of the last update that is kept"),
            Parameter("nesterov", "bool", False, "look ahead along the momentum"),
            _ON,
            _CLIP,
        ),
        "Gradient descent with momentum; `decay` adds to the gradient.",
        "optimizer: sgd(rate: 0.05, momentum: 0.9)",
        "rep_runtime.optim:sgd",
    ),
    Word(
        "adam",
        "optimizer",
        "std.opt",
        (_RATE, _decay(0.0), *_ADAM, _ON, _CLIP),
        "Gradient descent scaled by running moments of each entry; `decay` adds to the gradient.",
        "optimizer: adam(rate: 1e-3)",
        "rep_runtime.optim:adam",
        "Kingma and Ba 2015",
    ),
    Word(
        "adamw",
        "optimizer",
        "std.opt",
        (_RATE, _decay(0.01), *_ADAM, _ON, _CLIP),
        "Adam with weight decay that is not part of the gradient.",
        "optimizer: adamw(rate: cosine(1e-3, warmup: 100), decay: 0.1)",
        "rep_runtime.optim:adamw",
        "Loshchilov and Hutter 2019",
    ),
    Word(
        "muon",
        "optimizer",
        "std.opt",
        (
            _RATE,
            _decay(0.1),
            Parameter("momentum", "number", 0.95, "share of the last update that is kept"),
            *_ADAM,
            _CLIP,
        ),
        "Orthogonalised momentum for parameters with exactly two axes, AdamW for the others.",
        "optimizer: muon(rate: 1e-3)",
        "rep_runtime.optim:muon",
        "Jordan et al. 2024",
    ),
    Word(
        "rsgd",
        "optimizer",
        "std.opt",
        (_RATE, _CLIP),
        "Gradient descent on manifolds: the gradient made tangent, the step taken back to the constraint of each slot.",
        "optimizer: rsgd(rate: warmup(0.3, steps: 500))",
        source="Bonnabel 2013",
    ),
)
