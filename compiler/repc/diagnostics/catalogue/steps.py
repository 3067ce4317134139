"""Memories' and trains' own statements: REP0530 on and REP0640 on."""

from repc.diagnostics.entry import Entry

_TRAIN = "use std.opt (sgd)\nuse std.data (digits)\nuse std.nn (linear)\ndim B: batch, P = 64\n"

_GENERATE = (
    "encoder F(x: [P], y: [I] of C) -> [I, C] { s[i in I, c] = linear(x, P -> C)[c]  return s }\n"
    "encoder G(x: [P], z: [P]) -> [C] { return linear(x + z, P -> C) }\n"
    "train Fit { data d = digits()  model f = F(), g = G()  minimize mean(f(d.x, y: generate(f, d.x)) + g(d.x, d.x))\n"
    "  optimizer: sgd(rate: 0.1) "
)
ENTRIES = (
    Entry(
        code="REP0530",
        name="feature-map-expected",
        headline="`features` of `{name}` is no feature map",
        reason="a feature map turns one key into its features",
        help="give a `def`, an encoder over the axes of a key, or one of `identity`, `relu`, `elu1`",
        values={"name": "the memory"},
        story="The map is applied to queries and keys alike before the memory sees them.",
        bad="dim T: seq, K = 4\nmemory M(q: [T, K], k: [T, K], v: [T, K]) -> [T, K] { features: v }",
        good="dim T: seq, K = 4\nmemory M(q: [T, K], k: [T, K], v: [T, K]) -> [T, K] { features: elu1 }",
    ),
    Entry(
        code="REP0531",
        name="memory-sequence",
        headline="along which axis do the pairs of `{name}` arrive?",
        reason="keys and values share the axis of the pairs; queries have it too, or one axis of their own",
        help="give q, k and v one axis in common",
        values={"name": "the memory"},
        story="A memory over `q: [T, K], k: [T, K], v: [T, P]` takes its pairs along T.",
        bad="dim T: seq, S: seq, K = 4\nmemory M(q: [T, K], k: [T, K], v: [S, K]) -> [T, K] { loss: dot }",
        good="dim T: seq, K = 4\nmemory M(q: [T, K], k: [T, K], v: [T, K]) -> [T, K] { loss: dot }",
    ),
    Entry(
        code="REP0532",
        name="duplicate-field",
        headline="field `{name}` is given twice",
        reason="each field of a memory has one value",
        help="keep one of the two",
        values={"name": "the field"},
        story="Every choice of a memory is one field, so that the resolved form is unambiguous.",
        bad="dim T: seq, K = 4\nmemory M(q: [T, K], k: [T, K], v: [T, K]) -> [T, K] { loss: dot  loss: squared }",
        good="dim T: seq, K = 4\nmemory M(q: [T, K], k: [T, K], v: [T, K]) -> [T, K] { loss: squared }",
    ),
    Entry(
        code="REP0640",
        name="no-terms",
        headline="objective `{name}` has no term",
        reason="an objective is the sum of what it minimises less what it maximises",
        help="write `minimize e` or `maximize e` in it",
        values={"name": "the objective"},
        story="Terms are logged one by one under their names.",
        bad="dim D = 4\nobjective L(x: [D]) { y = x * x }",
        good="dim D = 4\nobjective L(x: [D]) { minimize mean(x * x) }",
    ),
    Entry(
        code="REP0641",
        name="source-expected",
        headline="this is no source of data",
        reason="`data name = source(..)` takes a source of `std.data` or a `data` declaration",
        help="call a source, as in `data img = digits()`",
        story="Sources make samples; a `train` adds the batch axis to every field.",
        bad=_TRAIN + "train Fit { data d = 3  optimizer: sgd(rate: 0.1) }",
        good=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0642",
        name="source-not-here",
        headline="`{name}` is a source: it is opened by `data`",
        reason="samples belong to a step",
        help="write `data d = {name}(..)` in a `train` and use `d`",
        values={"name": "the source"},
        story="A source is not a value; its fields are, once `data` has opened it.",
        bad="dim B: batch, N: set\ndata Points() -> (x: [N]) { x: [N] ~ normal(0, 1)  return (x: x) }\n"
        "encoder F(y: [N]) -> [N] { return y + Points(N: 3) }",
        good="dim B: batch, N: set\ndata Points() -> (x: [N]) { x: [N] ~ normal(0, 1)  return (x: x) }\n"
        "encoder F(y: [N]) -> [N] { return y }",
    ),
    Entry(
        code="REP0643",
        name="split-expected",
        headline="`across` needs a split of a source",
        reason="the sources here are {sources}, each with `.train`, `.valid` and `.test`",
        help="write for instance `across d.test`",
        values={"sources": "the sources of the train"},
        story="`e across d.test` is one pass without gradient over the whole split.",
        bad=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1)  measure m = mean(f(d.x)) across test }",
        good=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1)  measure m = mean(f(d.x)) across d.test }",
    ),
    Entry(
        code="REP0644",
        name="train-expected",
        headline="`train {name}` is made of something that is no train",
        reason="behind `=` stands another train, with arguments or with `with`",
        help="name a train of this file, or write the train out in braces",
        values={"name": "the train"},
        story="`train Peer = Fit with { rate: 0.2 }` has the data, models and terms of Fit.",
        bad=_TRAIN + "train Peer() = linear(P -> P)",
        good=_TRAIN + "train Fit(rate = 0.1) { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: rate) }\ntrain Peer = Fit with { rate: 0.2 }",
    ),
    Entry(
        code="REP0645",
        name="optimizer-expected",
        headline="{found} is no optimizer",
        reason="`optimizer:` takes a word of `std.opt`",
        help="import one and call it: `use std.opt (adamw)`, then `optimizer: adamw(rate: 1e-3)`",
        values={"found": "what stands there"},
        story="An optimizer moves the parameters that it names, or all that are not frozen.",
        bad=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: 0.1 }",
        good=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0646",
        name="setting-out-of-range",
        headline="`{name}` cannot be {value}",
        reason="it counts something",
        help="give a whole number of at least 1",
        values={"name": "the setting", "value": "its value"},
        story="`steps`, `batch`, `accumulate` and `every` are whole and positive; `batch: 0` is the whole split.",
        bad=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1)  steps: 0 }",
        good=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1)  steps: 100 }",
    ),
    Entry(
        code="REP0647",
        name="statement-not-yet",
        headline="{statement} in a train is not supported yet",
        reason="its place in the step is defined, but it is not elaborated yet",
        help="leave it out for now",
        values={"statement": "the statement"},
        story="Projections, inner problems and masks of freezing come with the full training step.",
        bad=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)\n"
        "  freeze f where true  minimize mean(d.x)  optimizer: sgd(rate: 0.1) }",
        good=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0648",
        name="block-expected",
        headline="`{callee}` needs a block, and {found} is none",
        reason="it works on an instance of a declaration with its parameters",
        help="give a name bound by `model`, or a call without data such as `F()`",
        values={"callee": "what asks for it", "found": "what stands there"},
        story="A block is a declaration with its configuration and slots: `model f = Net()`.",
        bad=_TRAIN + "train Fit { data d = digits()  model f = 3  minimize mean(d.x)  optimizer: sgd(rate: 0.1) }",
        good=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0649",
        name="optimizer-missing",
        headline="`{player}` of train `{name}` has no optimizer",
        reason="its terms would be computed and nothing would move",
        help="add one, as in `optimizer: adamw(rate: 1e-3)`",
        values={"player": "the player", "name": "the train"},
        story="Every player with a term owns an optimizer.",
        bad=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2) }",
        good=_TRAIN + "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f(d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0655",
        name="nothing-to-generate",
        headline="`generate` cannot fill in `{name}` of `{callee}`: it is {type}",
        label="no sequence of choices",
        reason="what is generated has one axis of steps and counts an axis of the scores, `y: [I] of N`",
        help="leave out the argument that the model is to answer",
        values={"name": "the argument left out", "type": "its type", "callee": "the model"},
        story="`generate(f, x, pick: argmax)` settles one position after the other from the scores of the model.",
        bad=_TRAIN + "dim C = 10, I: seq = 4\n" + _GENERATE + " measure m = mean(generate(g, d.x)) }",
        good=_TRAIN + "dim C = 10, I: seq = 4\n" + _GENERATE + " }",
    ),
)
