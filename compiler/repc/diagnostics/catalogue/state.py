"""State, randomness and training: REP06xx."""

from repc.diagnostics.entry import Entry

TRAIN = (
    "use std.nn (linear)\nuse std.data (digits)\nuse std.loss (cross_entropy)\nuse std.opt (sgd)\n"
    "dim B: batch, P = 64, C = 10\n"
)

ENTRIES = (
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
        code="REP0612",
        name="accumulation-changes-objective",
        headline="the term `{name}` cannot be split over micro-batches",
        label="couples the items of the batch",
        reason="it is no mean over samples: its mean over {count} parts of the batch is not its value over the whole",
        help="leave `accumulate` out, or write the term as a mean of what each sample gives alone",
        values={"name": "the term", "count": "the number of parts"},
        story="A mean over samples may be computed in parts. A contrastive or a variance term may not: the batch is "
        "part of its meaning. The compiler never changes an objective silently.",
        bad=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize v = mean[c] var[b] f(d.x)[b, c]  optimizer: sgd(rate: 0.1)  steps: 10  accumulate: 4 }",
        good=TRAIN + "train X { data d = digits()  model f = linear(P -> C)  "
        "minimize v = mean[c] var[b] f(d.x)[b, c]  optimizer: sgd(rate: 0.1)  steps: 10 }",
    ),
)
