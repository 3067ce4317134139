"""Words of the fields of a memory (DESIGN 3), and the fields themselves with their defaults."""

from __future__ import annotations

from rep_grammar.record import Record
from repc.words.declare import Parameter, Word


def _word(name: str, family: str, doc: str, *parameters: Parameter, example: str = "", source: str = "") -> Word:
    shown = example or f"{_FIELD_OF.get(family, family)}: {name}"
    return Word(name, family, "", parameters, doc, shown, "", source)


_FIELD_OF = {"feature map": "features", "kernel": "regressor"}
_NET = "regressor: mlp(hidden: 2 * K, activation: {})"
_KERNEL = Parameter("kernel", "word", "exp", "similarity of a key and a query", family="kernel", by_position=True)

WEIGHTS = (
    _word("uniform", "weights", "Every visible pair counts the same."),
    _word(
        "decay",
        "weights",
        "Pair i counts the product of the rates after it, per head or channel.",
        Parameter("rate", "value", doc="a number, an input, a slot or a gate, in 0 .. 1", by_position=True),
        example="weights: decay(a)",
    ),
    _word(
        "window",
        "weights",
        "The newest pairs count, all others not.",
        Parameter("size", "int", doc="pairs in the window, the newest among them", by_position=True),
        example="weights: window(64)",
    ),
    _word(
        "block",
        "weights",
        "The pairs of the own block count, up to the newest.",
        Parameter("size", "int", doc="pairs of a block", by_position=True),
        example="weights: block(64)",
    ),
    _word(
        "strided",
        "weights",
        "Every `step`-th pair counts, counted back from the newest.",
        Parameter("step", "int", doc="distance of pairs that count", by_position=True),
        example="weights: strided(8)",
    ),
    _word(
        "levels",
        "weights",
        "The past in dyadic blocks, each block with a weight of its own.",
        Parameter("kind", "choice", doc="how the past is cut", choices=("fenwick",), by_position=True),
        Parameter("weight", "value", 1, "weight of each level", by_position=True),
        example="weights: levels(fenwick, lam)",
        source="Log-linear attention, Guo et al. 2025",
    ),
    _word("full", "weights", "Every pair counts, later ones too: the memory is not causal."),
    _word(
        "selected",
        "weights",
        "The pairs that a rule, a label or a mask selects count.",
        Parameter(
            "by", "value", doc="`top_k(n)`, a label that must agree, or a mask", by_position=True, family="selection"
        ),
        Parameter("among", "word", "uniform", "weights of the pairs to select from", family="weights"),
        example="weights: selected(top_k(4), among: window(64))",
    ),
    _word(
        "top_k",
        "selection",
        "The pairs with the largest similarity to the query.",
        Parameter("n", "int", doc="how many", by_position=True),
        example="weights: selected(top_k(4))",
    ),
)

REGRESSORS = (
    _word("linear", "regressor", "A matrix from (features of) keys to values."),
    _word(
        "diagonal",
        "regressor",
        "One number for each channel: the state of a state-space layer or a gated recurrence.",
        Parameter("numbers", "choice", "real", "real or complex numbers", ("real", "complex")),
    ),
    _word(
        "mlp",
        "regressor",
        "A feed-forward network whose weights are the state.",
        Parameter("hidden", "int", doc="width of the hidden layers"),
        Parameter("depth", "int", 2, "linear maps in a row"),
        Parameter("activation", "word", "gelu", "between the maps", family="activation"),
        Parameter("residual", "bool", False, "adds the key to the answer"),
        Parameter("norm", "choice", "none", "normalisation of the answer", ("none", "layernorm", "rmsnorm")),
        example="regressor: mlp(hidden: 2 * K)",
    ),
    _word(
        "local_constant",
        "regressor",
        "A mean of the values weighted by similarity (Nadaraya-Watson): softmax attention with `exp`.",
        _KERNEL,
        example="regressor: local_constant(exp)",
    ),
    _word(
        "local_linear",
        "regressor",
        "A linear fit around the query, weighted by similarity.",
        _KERNEL,
        example="regressor: local_linear(exp)",
    ),
    _word(
        "local_polynomial",
        "regressor",
        "A polynomial fit around the query, weighted by similarity.",
        Parameter("degree", "int", doc="degree of the polynomial", by_position=True),
        Parameter("kernel", "word", "exp", "similarity of a key and a query", family="kernel"),
        example="regressor: local_polynomial(2)",
    ),
    _word(
        "nearest",
        "regressor",
        "The mean value of the nearest keys.",
        Parameter("k", "int", 1, "how many", by_position=True),
        example="regressor: nearest(4)",
    ),
    _word(
        "slots",
        "regressor",
        "A fixed number of slots, written by similarity.",
        Parameter("n", "int", doc="how many", by_position=True),
        example="regressor: slots(16)",
    ),
)

KERNELS = (
    _word("exp", "kernel", "exp of the scaled product of key and query.", example="regressor: local_constant(exp)"),
    _word(
        "rbf",
        "kernel",
        "exp of minus the squared distance over 2 tau^2.",
        Parameter("tau", "value", 1, "width"),
        example="regressor: local_constant(rbf(tau: 1))",
    ),
)

ACTIVATIONS = (
    _word("gelu", "activation", "x times the normal distribution function of x.", example=_NET.format("gelu")),
    _word("relu", "activation", "max(x, 0).", example=_NET.format("relu")),
    _word("silu", "activation", "x sigmoid(x).", example=_NET.format("silu")),
    _word("tanh", "activation", "The hyperbolic tangent.", example=_NET.format("tanh")),
    _word("sigmoid", "activation", "1 / (1 + exp(-x)).", example=_NET.format("sigmoid")),
    _word("softplus", "activation", "log(1 + exp(x)).", example=_NET.format("softplus")),
)

FEATURES = (
    _word("identity", "feature map", "The key and the query as they are."),
    _word("elu1", "feature map", "elu(x) + 1: positive features.", source="Katharopoulos et al. 2020"),
    _word("relu", "feature map", "max(x, 0)."),
    _word("softplus", "feature map", "log(1 + exp(x)): positive features."),
    _word(
        "random",
        "feature map",
        "Positive random features of the exponential kernel.",
        Parameter("n", "int", doc="number of features", by_position=True),
        example="features: random(64)",
        source="Choromanski et al. 2021",
    ),
    _word(
        "dpfp",
        "feature map",
        "Products of rectified entries and their shifts.",
        Parameter("nu", "int", 1, "number of shifts", by_position=True),
        example="features: dpfp(1)",
        source="Schlag et al. 2021",
    ),
    _word(
        "taylor",
        "feature map",
        "Products up to an order: the Taylor series of the exponential kernel.",
        Parameter("order", "int", 2, "highest order", by_position=True),
        example="features: taylor(2)",
        source="Arora et al. 2024",
    ),
)

LOSSES = (
    _word("squared", "loss", "1/2 |M(k) - v|^2; the half is part of it."),
    _word("dot", "loss", "-<M(k), v>."),
    _word(
        "huber",
        "loss",
        "Squared near zero, linear beyond `delta`.",
        Parameter("delta", "value", 1, "where it turns linear", by_position=True),
        example="loss: huber(1)",
    ),
    _word(
        "lp",
        "loss",
        "The sum of |M(k) - v|^p over p.",
        Parameter("p", "number", doc="the power, at least 1", by_position=True),
        example="loss: lp(3)",
    ),
)

_AT = Parameter(
    "at", "choice", "prior", "in the prior, where it decays with the data, or added at the read", ("prior", "read")
)
REGULARIZERS = (
    _word(
        "ridge",
        "regularizer",
        "l/2 |M|^2.",
        Parameter("l", "value", doc="strength: a number, an input or a slot, per head or channel", by_position=True),
        _AT,
        example="regularizer: ridge(1e-3)",
    ),
    _word(
        "l1",
        "regularizer",
        "l times the sum of |M|.",
        Parameter("l", "value", doc="strength", by_position=True),
        _AT,
        example="regularizer: l1(1e-3)",
    ),
)

SWITCHES = (
    _word("decay_first", "order", "The state decays, then the error is taken on it."),
    _word("error_first", "order", "The error is taken on the state before it decays."),
    _word("after", "read", "The read sees the newest pair."),
    _word("before", "read", "The read does not see the newest pair."),
    _word(
        "total",
        "normalize",
        "The read divided by the total weight of what answered.",
        Parameter("eps", "number", 0.0, "added to the total weight"),
    ),
    _word(
        "absolute",
        "normalize",
        "The read divided by the larger of |total weight| and a floor.",
        Parameter("floor", "value", 1, "least divisor: a number or an input", by_position=True),
        Parameter("eps", "number", 0.0, "added to the divisor"),
        example="normalize: absolute(1)",
    ),
    _word(
        "l2norm",
        "keys",
        "Keys at unit length.",
        Parameter("eps", "number", 1e-6, "least length"),
        example="keys: l2norm",
    ),
    _word("l1norm", "keys", "Keys whose entries have absolute sum 1.", Parameter("eps", "number", 1e-6, "least sum")),
    _word("zeros", "init", "The state begins at 0."),
    _word("learned", "init", "The state begins at a parameter of its own."),
    _word("given", "init", "The state must be passed in: `m(q, k, v, init: s)`."),
)

COEFFICIENTS = (
    _word(
        "gate",
        "coefficient",
        "A number for each position, computed from a declared input by a linear map and a squashing function.",
        Parameter("x", "value", doc="the input it is computed from", by_position=True),
        Parameter("per", "choice", "head", "one number, or one for each channel of a key", ("head", "channel")),
        Parameter("range", "pair", "(0, 1)", "open interval of its values"),
        example="weights: decay(gate(k, per: channel))",
    ),
)

MEMORY_WORDS = (
    *WEIGHTS,
    *REGRESSORS,
    *KERNELS,
    *ACTIVATIONS,
    *FEATURES,
    *LOSSES,
    *REGULARIZERS,
    *SWITCHES,
    *COEFFICIENTS,
)


class MemoryField(Record):
    """A field of a memory: the families whose words it takes, its default as text, and what it is.

    `free`: whether it may also be an expression of the memory's inputs.
    """

    name: str
    families: tuple[str, ...]
    default: str
    doc: str
    free: bool = False


MEMORY_FIELDS = (
    MemoryField("weights", ("weights",), "uniform", "how much each visible pair counts", True),
    MemoryField("regressor", ("regressor",), "linear", "what is fitted"),
    MemoryField("features", ("feature map",), "identity", "what keys and queries become first"),
    MemoryField("loss", ("loss",), "squared", "what is minimised on each pair", True),
    MemoryField("regularizer", ("regularizer",), "none", "what is added to the loss", True),
    MemoryField("optimizer", ("memory optimizer",), "exact", "how it is minimised"),
    MemoryField("per", (), "1", "pairs of a block whose gradient is taken at the block's start"),
    MemoryField("retain", ("coefficient",), "1", "factor on the state before each pair", True),
    MemoryField("order", ("order",), "decay_first", "whether the state decays before or after the error is taken"),
    MemoryField("read", ("read",), "after", "whether the read sees the newest pair"),
    MemoryField("bonus", ("coefficient",), "none", "weight of the newest pair at the read, beside the state", True),
    MemoryField("normalize", ("normalize",), "none", "what the read is divided by"),
    MemoryField("scale", (), "1", "factor on the query; for a kernel regressor the default is 1 / sqrt(K)", True),
    MemoryField("keys", ("keys",), "none", "normalisation of the keys"),
    MemoryField("target", (), "v", "what is fitted to: `v`, or an expression such as `v - k`", True),
    MemoryField("init", ("init",), "zeros", "where the state begins"),
)
