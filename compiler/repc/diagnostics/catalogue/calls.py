"""Calls, parameters and blocks: REP04xx."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0401",
        name="wrong-arity",
        headline="`{callee}` takes {wanted}, but {given} given",
        label="{given} given",
        reason="its signature is {signature}",
        help="pass {wanted}",
        values={
            "callee": "the declaration or operation",
            "wanted": "what it takes (2 arguments)",
            "given": "what was passed (3 are)",
            "signature": "its signature",
        },
        story="Data goes by position or by name; config goes by name alone. Too many or too few data arguments are "
        "never padded or dropped.",
        bad="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x + y }\n"
        "encoder G(x: [D]) -> [D] { return F(x, x, x) }",
        good="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x + y }\n"
        "encoder G(x: [D]) -> [D] { return F(x, x) }",
    ),
    Entry(
        code="REP0402",
        name="missing-argument",
        headline="`{callee}` needs `{name}`",
        label="`{name}` is missing",
        reason="it has no default",
        help="pass it: `{name}: ..`",
        values={"callee": "the declaration", "name": "the parameter"},
        story="Parameters with a default may be left out. The data arguments of a call are all there (the block is "
        "applied) or all absent (the block is made).",
        bad="dim D = 8\nencoder F(x: [D], n: int) -> [D] { repeat n { x = tanh(x) } return x }\n"
        "encoder G(x: [D]) -> [D] { return F(x) }",
        good="dim D = 8\nencoder F(x: [D], n: int) -> [D] { repeat n { x = tanh(x) } return x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, n: 2) }",
    ),
    Entry(
        code="REP0403",
        name="unknown-argument",
        headline="`{callee}` has no parameter `{name}`",
        label="no such parameter",
        reason="its parameters are {names}",
        help="choose one of {names}",
        suggest="did you mean `{suggestion}`?",
        values={"callee": "the declaration", "name": "the name given", "names": "the parameters it has"},
        story="An option that does not exist is an error, never ignored.",
        bad="dim D = 8\nencoder F(x: [D], tau = 0.1) -> [D] { return tau * x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, tua: 1) }",
        good="dim D = 8\nencoder F(x: [D], tau = 0.1) -> [D] { return tau * x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, tau: 1) }",
    ),
    Entry(
        code="REP0404",
        name="argument-twice",
        headline="`{name}` is given twice",
        label="given again",
        reason="once by position or name, and here once more",
        help="remove one",
        values={"name": "the parameter"},
        story="An argument may be passed by position or by name, not both.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { return x }\nencoder G(x: [D]) -> [D] { return F(x, x: x) }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { return x }\nencoder G(x: [D]) -> [D] { return F(x) }",
    ),
    Entry(
        code="REP0405",
        name="config-by-position",
        headline="`{name}` of `{callee}` is passed by name",
        label="pass it as `{name}: ..`",
        reason="positions belong to data; a number in the middle of them would not say what it sets",
        help="write `{name}: {value}`",
        values={"callee": "the declaration", "name": "the parameter", "value": "the value given"},
        story="`F(x, tau: 0.2)` reads without looking up F.",
        bad="dim D = 8\nencoder F(x: [D], tau = 0.1) -> [D] { return tau * x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, 0.2) }",
        good="dim D = 8\nencoder F(x: [D], tau = 0.1) -> [D] { return tau * x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, tau: 0.2) }",
    ),
    Entry(
        code="REP0406",
        name="some-data-missing",
        headline="`{callee}` got {given} of its data, but not {missing}",
        label="{missing} is missing",
        reason="with all data a block is applied, with none it is made; in between is neither",
        help="pass {missing} as well, or no data at all",
        values={"callee": "the declaration", "given": "the data given", "missing": "the data not given"},
        story="`f = F(config)` makes a block, `f(x)` applies it, `F(x, config)` does both. Applying half of the data "
        "is none of these.",
        bad="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x + y }\nencoder G(x: [D]) -> [D] { return F(x) }",
        good="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x + y }\n"
        "encoder G(x: [D]) -> [D] { return F(x, x) }",
    ),
    Entry(
        code="REP0407",
        name="block-as-value",
        headline="the block `{name}` stands where a value is needed",
        label="a block, not yet applied",
        reason="a block without data stands only right of a binding, as a block argument or in a transformer",
        help="apply it: `{name}(..)`",
        values={"name": "the block"},
        story="`linear(D -> K)` is a layer with its parameters, `linear(x, D -> K)` its output.",
        bad="use std.nn (linear)\ndim D = 8\nencoder F(x: [D]) -> [D] { return x + linear(D -> D) }",
        good="use std.nn (linear)\ndim D = 8\nencoder F(x: [D]) -> [D] { return x + linear(x, D -> D) }",
    ),
    Entry(
        code="REP0408",
        name="block-does-not-fit",
        headline="`{given}` cannot be `{name}` of `{callee}`: {difference}",
        label="passed here",
        reason="`{name}` is declared {wanted}",
        help="pass a declaration with that signature",
        values={
            "given": "what was passed",
            "name": "the parameter",
            "callee": "the declaration",
            "difference": "the first difference",
            "wanted": "the signature needed",
        },
        story="A block argument is typed by an arrow, with the claims that its user relies on. What is passed must "
        "take these axes, give those, and prove the claims.",
        bad="dim T: seq, D = 8\nencoder Sum(x: [T, D]) -> [D] { return sum(x, over: T) }\n"
        "encoder F(x: [T, D], inner: [T, D] -> [T, D]) -> [T, D] { return inner(x) }\n"
        "encoder G(x: [T, D]) -> [T, D] { return F(x, inner: Sum) }",
        good="dim T: seq, D = 8\nencoder Same(x: [T, D]) -> [T, D] { return tanh(x) }\n"
        "encoder F(x: [T, D], inner: [T, D] -> [T, D]) -> [T, D] { return inner(x) }\n"
        "encoder G(x: [T, D]) -> [T, D] { return F(x, inner: Same) }",
    ),
    Entry(
        code="REP0409",
        name="slot-does-not-fit",
        headline="`{slot}` of `{callee}` has axes {wanted}, but {found} is given",
        label="has {found}",
        reason="a slot that is supplied instead of created has the axes that it would have had",
        help="give it {wanted}",
        values={
            "slot": "the slot",
            "callee": "the declaration",
            "wanted": "its axes",
            "found": "the axes given",
        },
        story="Tied weights and hypernetworks pass a value for a slot. Its axes are checked by name, so a transposed "
        "weight is no fault and a wrong one is found.",
        bad="use std.nn (linear)\ndim D = 8, K = 4\n"
        "encoder F(x: [D], w: [D]) -> [K] { return linear(x, D -> K, weight: w) }",
        good="use std.nn (linear)\ndim D = 8, K = 4\n"
        "encoder F(x: [D], w: [K, D]) -> [K] { return linear(x, D -> K, weight: w) }",
    ),
    Entry(
        code="REP0410",
        name="def-owns-something",
        headline="a `def` cannot own {what}",
        label="{what}",
        reason="a `def` is pure: it may be applied anywhere, any number of times",
        help="make it an `encoder`, or pass {what} in",
        values={"what": "what it would own: a parameter, a state, a draw, a block"},
        story="`def` names an expression. What has parameters, state or randomness is an encoder, a memory or an "
        "objective, whose instances have an identity.",
        bad="use std.nn (linear)\ndim D = 8\ndef f(x: [D]) = linear(x, D -> D)",
        good="use std.nn (linear)\ndim D = 8\nencoder F(x: [D]) -> [D] { return linear(x, D -> D) }",
    ),
    Entry(
        code="REP0411",
        name="inline-model-in-train",
        headline="`{callee}` owns parameters, so a `train` must name it",
        label="makes parameters here",
        reason="in a `train` every block that learns has a name, for its optimizer, its checkpoint and its reports",
        help="write `model f = {callee}(..)` and apply `f`",
        values={"callee": "the declaration"},
        story="`model f = F()` makes a block once; `f(x)` applies it. An inline call in a step would look as if it "
        "made new parameters at every step.",
        bad="use std.nn (linear)\nuse std.data (digits)\nuse std.opt (sgd)\ndim B: batch, P = 64, D = 8\n"
        "train X { data d = digits()  minimize e = mean(linear(d.x, P -> D)^2)  optimizer: sgd(rate: 0.1)  steps: 1 }",
        good="use std.nn (linear)\nuse std.data (digits)\nuse std.opt (sgd)\ndim B: batch, P = 64, D = 8\n"
        "train X { data d = digits()  model f = linear(P -> D)  minimize e = mean(f(d.x)^2)  "
        "optimizer: sgd(rate: 0.1)  steps: 1 }",
    ),
    Entry(
        code="REP0412",
        name="argument-order",
        headline="data argument after a named one",
        label="by position, too late",
        reason="arguments by position come first",
        help="move it before `{name}: ..`",
        values={"name": "the named argument before it"},
        story="Positions are counted from the left; after a named argument the count would be guesswork.",
        bad="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x - y }\n"
        "encoder G(x: [D]) -> [D] { return F(x: x, x) }",
        good="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x - y }\n"
        "encoder G(x: [D]) -> [D] { return F(x, y: x) }",
    ),
    Entry(
        code="REP0413",
        name="wrong-result-count",
        headline="{given} names for {expected} results",
        label="{given} names",
        reason="a record is taken apart completely",
        help="take {expected} names, or one name for the record",
        values={"given": "how many names stand left", "expected": "how many results there are"},
        story="`z, s = f(x)` takes a record apart, in written order and completely.",
        bad="dim D = 8\nencoder F(x: [D]) -> (z: [D], s: []) { return (z: x, s: sum(x)) }\n"
        "encoder G(x: [D]) -> [D] { a, b, c = F(x)  return a }",
        good="dim D = 8\nencoder F(x: [D]) -> (z: [D], s: []) { return (z: x, s: sum(x)) }\n"
        "encoder G(x: [D]) -> [D] { a, b = F(x)  return a }",
    ),
    Entry(
        code="REP0414",
        name="option-not-known",
        headline="`{operator}` has no option `{name}`",
        label="no such option",
        reason="its options are {known}",
        help="choose one of {known}",
        suggest="did you mean `{suggestion}`?",
        values={"operator": "the operator", "name": "the option", "known": "the options it has"},
        story="Options of axis operators follow a semicolon inside the bracket: `var[b; ddof: 1]`, "
        "`max[n: n != m; empty: 0]`.",
        bad="dim B: batch\nencoder F(x: [B]) -> [] { return var[b; dof: 1] x[b] }",
        good="dim B: batch\nrequire B >= 2\nencoder F(x: [B]) -> [] { return var[b; ddof: 1] x[b] }",
    ),
    Entry(
        code="REP0415",
        name="declaration-expected",
        headline="{name} names no declaration",
        label="not a declaration",
        reason="`with` changes a declaration or a block",
        help="name an encoder, a memory, an objective, a train, or a block",
        values={"name": "what was given, or its place"},
        story="`X with { path: value }` is a declaration: X with something changed.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { return (2 with { a: 1 })(x) }",
        good="dim D = 8\nencoder G(x: [D], a = 2) -> [D] { return a * x }\n"
        "encoder F(x: [D]) -> [D] { return (G with { a: 1 })(x) }",
    ),
    Entry(
        code="REP0416",
        name="path-expected",
        headline="a dotted name is expected here",
        label="not a path",
        reason="a path is made of names: a parameter, a field, a block or a value",
        help="write a path such as `Mixer.optimizer`",
        story="Paths lead from a declaration to what has a name inside it.",
        bad="dim D = 8\nencoder G(x: [D], a = 2) -> [D] { return a * x }\nencoder F = (1 + 2) with { a: 1 }",
        good="dim D = 8\nencoder G(x: [D], a = 2) -> [D] { return a * x }\nencoder F = G with { a: 1 }",
    ),
    Entry(
        code="REP0417",
        name="type-needed",
        headline="parameter `{name}` needs a type",
        label="data or config?",
        reason="data has axes, `x: [D]`; config has a default, `tau = 0.1`",
        help="write `{name}: [..]`, or give it a default",
        values={"name": "the parameter"},
        story="Parameters are told apart by their types: axes make data, a default makes config, an arrow a block.",
        bad="encoder F(x) -> [] { return x }",
        good="encoder F(x: []) -> [] { return x }",
    ),
    Entry(
        code="REP0418",
        name="wrong-argument-count",
        headline="`{name}` takes {expected} arguments, but {given} are given",
        label="{given} given",
        reason="each argument has its own role",
        help="pass {expected}",
        values={"name": "the operator", "expected": "how many it takes", "given": "how many were given"},
        story="Statistics of two arguments, `cov[b](x[b], y[b])`, take exactly two.",
        bad="dim B: batch\nencoder F(x: [B]) -> [] { return cov[b](x[b]) }",
        good="dim B: batch\nencoder F(x: [B], y: [B]) -> [] { return cov[b](x[b], y[b]) }",
    ),
    Entry(
        code="REP0419",
        name="too-many-arguments",
        headline="`{callee}` takes {expected} data arguments",
        label="one too many",
        reason="its data parameters are {parameters}; config is passed by name",
        help="remove it, or pass it by name",
        values={
            "callee": "the declaration",
            "expected": "how many it takes",
            "parameters": "its data parameters",
        },
        story="Data goes by position or by name; config goes by name alone.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { return x }\nencoder G(x: [D]) -> [D] { return F(x, x) }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { return x }\nencoder G(x: [D]) -> [D] { return F(x) }",
    ),
    Entry(
        code="REP0420",
        name="config-needs-static",
        headline="config `{name}` must be known at compile time",
        label="a value of the run",
        reason="config decides which blocks exist and what their sizes are",
        help="pass a number, a dim or config of the caller",
        values={"name": "the parameter"},
        story="A parameter with a default is config. What changes from sample to sample is data: `tau: []`.",
        bad="dim D = 8\nencoder F(x: [D], n: int = 2) -> [D] { repeat n { x = tanh(x) } return x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, n: sum(x)) }",
        good="dim D = 8\nencoder F(x: [D], n: int = 2) -> [D] { repeat n { x = tanh(x) } return x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, n: 3) }",
    ),
    Entry(
        code="REP0421",
        name="config-on-application",
        headline="the block `{block}` is made already: `{name}` cannot be set now",
        label="too late",
        reason="config belongs to the making of a block",
        help="set it where the block is made: `{block} = F({name}: ..)`",
        values={"block": "the block", "name": "the config"},
        story="`f = F(config)` makes a block; `f(x)` applies it as it is.",
        bad="dim D = 8\nencoder F(x: [D], tau = 1) -> [D] { return tau * x }\n"
        "encoder G(x: [D]) -> [D] { f = F()  return f(x, tau: 2) }",
        good="dim D = 8\nencoder F(x: [D], tau = 1) -> [D] { return tau * x }\n"
        "encoder G(x: [D]) -> [D] { f = F(tau: 2)  return f(x) }",
    ),
)
