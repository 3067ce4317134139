"""State, randomness and training: REP06xx."""

from repc.diagnostics.entry import Entry

TRAIN = (
    "use std.nn (linear)\nuse std.data (digits)\nuse std.loss (cross_entropy)\nuse std.opt (sgd)\n"
    "dim B: batch, P = 64, C = 10\n"
)

ENTRIES = (
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
