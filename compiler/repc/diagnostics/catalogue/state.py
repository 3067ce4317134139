"""State, randomness and training: REP06xx."""

from repc.diagnostics.entry import Entry

TRAIN = (
    "use std.nn (linear)\nuse std.data (digits)\nuse std.loss (cross_entropy)\nuse std.opt (sgd)\n"
    "dim B: batch, P = 64, C = 10\n"
)

ENTRIES = (
    Entry(
        code="REP0601",
        name="write-outside",
        headline="`{cell}` is no cell that `{owner}` may write",
        label="written here",
        reason="{reason}",
        help="declare it here with `state`, or write it in the `train` that owns it",
        values={"cell": "what is written", "owner": "where the write stands", "reason": "what it is instead"},
        story="`:=` writes a cell: a `state` of the same declaration, or in a `train` any cell of the models it owns. "
        "Everything else is a value, bound with `=`.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x)  y := x  return y }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { state y: [D] = zeros()  y := x  return x }",
    ),
    Entry(
        code="REP0602",
        name="two-commits",
        headline="`{cell}` is written twice in one step",
        label="written again",
        reason="all writes of a step happen at once; of two to one cell neither comes first",
        help="combine them in one write, or with `fold(..)`",
        values={"cell": "the cell"},
        story="Writes are deferred: every expression of a step sees the cells as they were at its start, and swapping "
        "two statements changes nothing.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D] = zeros()  m := x  m := 2 * x  return x }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D] = zeros()  m := 2 * x  return x }",
    ),
    Entry(
        code="REP0603",
        name="cell-applied-twice",
        headline="`{owner}` writes `{cell}` and is applied {times} times in one step",
        label="applied again",
        reason="each application would write the cell",
        help="write it with `fold(..)`, or hold the further applications: `held(f)`",
        values={"owner": "the block", "cell": "the cell", "times": "how often it is applied"},
        story="`m := fold(lerp(m, mean(x, over: B), 0.1))` folds the contributions in the order of the text.",
        bad=TRAIN + "encoder N(x: [B, P]) -> [B, P] { state m: [P] = zeros()  m := mean(x, over: B)  return x - m }\n"
        "objective L(x: [B, P]) { n = N()  minimize mean((n(x) - n(2 * x))^2) }",
        good=TRAIN + "encoder N(x: [B, P]) -> [B, P] { state m: [P] = zeros()  m := fold(mean(x, over: B))  "
        "return x - m }\nobjective L(x: [B, P]) { n = N()  minimize mean((n(x) - n(2 * x))^2) }",
    ),
    Entry(
        code="REP0604",
        name="no-optimizer",
        headline="nothing trains {parameters}",
        label="no optimizer",
        reason="every parameter of a `train` is in exactly one optimizer or frozen",
        help="add `optimizer: adamw(rate: 1e-3)`, or `freeze` them",
        values={"parameters": "the model or parameters"},
        story="A parameter that silently stays at its initial value is a fault that looks like a bad idea.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  steps: 10 }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  steps: 10 }",
    ),
    Entry(
        code="REP0605",
        name="two-optimizers",
        headline="{parameters} are in two optimizers",
        label="moved again",
        reason="every parameter is moved by exactly one",
        help="take them out of one of the two",
        values={"parameters": "the model or parameters"},
        story="Two optimizers on one parameter overwrite each other's steps. Players own disjoint models.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer f: sgd(rate: 0.1)  optimizer f: sgd(rate: 0.2)  "
        "steps: 10 }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer f: sgd(rate: 0.1)  steps: 10 }",
    ),
    Entry(
        code="REP0606",
        name="parameter-unreached",
        headline="no term of the objective reaches {parameters}",
        label="gets no gradient",
        reason="{reason}",
        help="use it in a term, `freeze` it, or remove it",
        values={"parameters": "the model or parameters", "reason": "what lies between: nothing, sg, a discrete step"},
        story="A model that no term depends on is not trained. Often a `sg` or a held copy stands in the way, or a "
        "result is not used.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C), g = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  steps: 10 }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  steps: 10 }",
    ),
    Entry(
        code="REP0607",
        name="term-without-gradient",
        headline="the term `{name}` has no gradient",
        label="constant for every parameter",
        reason="{reason}",
        help="remove the term, or measure it instead: `measure {name} = ..`",
        values={"name": "the term", "reason": "why it is constant"},
        story="A term that depends on no trained parameter changes the reported loss and nothing else.",
        bad=TRAIN
        + "train X { data d = digits()  model f = linear(P -> C)  minimize e = cross_entropy(f(d.x), d.label)  "
        "minimize n = mean(d.x^2)  optimizer: sgd(rate: 0.1)  steps: 10 }",
        good=TRAIN
        + "train X { data d = digits()  model f = linear(P -> C)  minimize e = cross_entropy(f(d.x), d.label)  "
        "measure n = mean(d.x^2)  optimizer: sgd(rate: 0.1)  steps: 10 }",
    ),
    Entry(
        code="REP0608",
        name="nothing-to-minimize",
        headline="`{name}` has neither `minimize` nor `maximize`",
        label="no term",
        reason="an optimizer needs something to improve",
        help="add `minimize loss = ..`",
        values={"name": "the train, player or objective"},
        story="An objective is the sum of its terms; without any there is nothing to train for.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  optimizer: sgd(rate: 0.1)  steps: 10 }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  steps: 10 }",
    ),
    Entry(
        code="REP0609",
        name="steps-missing",
        headline="`{name}` does not say how long it trains",
        label="no `steps`",
        reason="a train, or each of its stages, has a number of steps",
        help="add `steps: 1000`",
        values={"name": "the train or stage"},
        story="The number of steps belongs to the spec: schedules and stages are defined by it.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1) }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  steps: 10 }",
    ),
    Entry(
        code="REP0610",
        name="unknown-setting",
        headline="`{owner}` has no setting `{name}`",
        label="no such setting",
        reason="its settings are {known}",
        help="choose one of {known}",
        suggest="did you mean `{suggestion}`?",
        values={"owner": "the train, memory or statement", "name": "the setting", "known": "the settings there are"},
        story="A setting is written `name: value`. One that does not exist is an error, never ignored.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  step: 10 }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  steps: 10 }",
    ),
    Entry(
        code="REP0611",
        name="statement-not-allowed",
        headline="`{statement}` cannot stand in {where}",
        label="not here",
        reason="{reason}",
        help="{advice}",
        values={
            "statement": "the statement's word",
            "where": "the kind of body",
            "reason": "what such a body is for",
            "advice": "where it belongs",
        },
        story="Bodies differ in what they may hold: encoders own parameters and state, trains own data, terms and "
        "optimizers, defs own nothing.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { minimize e = mean(x^2)  return x }",
        good="dim D = 8\nobjective F(x: [D]) { minimize e = mean(x^2) }",
    ),
    Entry(
        code="REP0612",
        name="accumulation-changes-objective",
        headline="the term `{name}` cannot be split over micro-batches",
        label="couples the items of the batch",
        reason="it is of class {klass}: its value over parts of the batch is not its value over the whole",
        help="write a strategy, `accumulate: cached({count})`, or no accumulation",
        values={"name": "the term", "klass": "separable, moments, pairs or other", "count": "the number of parts"},
        story="A mean over samples may be computed in parts. A contrastive or a variance term may not: the batch is "
        "part of its meaning. The compiler never changes an objective silently.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize v = mean[c] var[b] f(d.x)[b, c]  optimizer: sgd(rate: 0.1)  steps: 10  accumulate: 4 }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize v = mean[c] var[b] f(d.x)[b, c]  optimizer: sgd(rate: 0.1)  steps: 10  accumulate: cached(4) }",
    ),
    Entry(
        code="REP0613",
        name="initial-value",
        headline="`{name}` has no initial value",
        label="starts as what?",
        reason="{kind} is stored between steps, so its first value is part of the spec",
        help="add `= zeros()`, `= normal()` or another",
        values={"name": "the cell or constant", "kind": "state, param or const"},
        story="State that starts undefined makes runs differ.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D]  return x + m }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D] = zeros()  return x + m }",
    ),
    Entry(
        code="REP0614",
        name="stage-is-empty",
        headline="stage `{name}` trains nothing",
        label="no optimizer and no write",
        reason="a stage with steps moves parameters or writes cells",
        help="give it an objective and an optimizer, or remove its `steps`",
        values={"name": "the stage"},
        story="Stages run in order, each with its own objective, optimizer and schedules.",
        bad="train X { stage warm { steps: 10 } }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  stage warm { "
        "minimize e = cross_entropy(f(d.x), d.label)  optimizer: sgd(rate: 0.1)  steps: 10 } }",
    ),
    Entry(
        code="REP0615",
        name="target-of-what",
        headline="`{name}` copies {what}, which is no block",
        label="not a block",
        reason="`ema`, `snapshot`, `held` and `fresh` take a model or a parameter",
        help="name the model: `target f' = ema(f, rate: 0.99)`",
        values={"name": "the target", "what": "what was given"},
        story="A target is a copy of a block whose parameters follow by rule instead of by gradient.",
        bad=TRAIN + "train X { data d = digits()  target t = ema(d.x, rate: 0.9) }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  target t = ema(f, rate: 0.9) }",
    ),
)
