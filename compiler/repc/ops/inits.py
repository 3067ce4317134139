"""How slots and cells may start: laws by name, each with its parameters; the runtime makes the values (3.10)."""

from __future__ import annotations

from rep_grammar.record import Record


class InitLaw(Record):
    """An initial law. `parameters`: (name, default) in order; `doc`: what it makes."""

    name: str
    parameters: tuple[tuple[str, object], ...]
    doc: str


_LAWS = (
    InitLaw("zeros", (), "Zeros."),
    InitLaw("ones", (), "Ones."),
    InitLaw("constant", (("value", 0.0),), "One number everywhere."),
    InitLaw("normal", (("mean", 0.0), ("sd", 1.0)), "Independent normal numbers."),
    InitLaw("lognormal", (("mean", 0.0), ("sd", 1.0)), "Independent numbers whose logarithms are normal."),
    InitLaw("uniform", (("low", 0.0), ("high", 1.0)), "Independent uniform numbers."),
    InitLaw("bernoulli", (("p", 0.5),), "Independent truth values, true with probability p."),
    InitLaw(
        "fan_in", (("gain", 1.0),), "Uniform with variance gain^2 / fan-in: a contraction keeps the second moment."
    ),
    InitLaw("fan_in_normal", (("gain", 1.0),), "Normal with variance gain^2 / fan-in."),
    InitLaw("kaiming_uniform", (("gain", 2.0**0.5),), "Uniform with variance gain^2 / fan-in (He et al. 2015)."),
    InitLaw(
        "glorot", (("gain", 1.0),), "Uniform with variance 2 gain^2 / (fan-in + fan-out) (Glorot and Bengio 2010)."
    ),
    InitLaw("orthogonal", (("gain", 1.0),), "Orthonormal rows or columns, Haar distributed."),
    InitLaw("orthonormal_rows", (("gain", 1.0),), "Orthonormal rows, Haar distributed."),
    InitLaw("eye", (("scale", 1.0),), "The identity over the last two axes."),
    InitLaw("unit_normal", (), "Uniform on the unit sphere along the last axis."),
    InitLaw(
        "plane",
        (("rank", 2), ("noise", 0.0)),
        "Normal points of a random plane of that rank along the last axis, and noise.",
    ),
)

INITS = {law.name: law for law in _LAWS}
