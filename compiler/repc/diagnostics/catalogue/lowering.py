"""What has a meaning but no PyTorch yet: REP065x."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0650",
        name="law-without-lowering",
        headline="generated code cannot draw from `{law}`",
        label="no lowering",
        reason="the law has a reference, but no function of the runtime draws from it",
        help="draw from another law, and transform what it gives",
        values={"law": "the law as written"},
        story="A draw becomes a call of the runtime, which gives the same numbers wherever they are asked for again. "
        "Each law that it knows is one function.",
        bad="dim D = 4\nencoder E(x: [D]) -> [D] { e: [D] ~ choice()  return x + e }",
        good="dim D = 4\nencoder E(x: [D]) -> [D] { e: [D] ~ normal(0, 1)  return x + e }",
    ),
    Entry(
        code="REP0651",
        name="word-without-lowering",
        headline="the runtime has no {family} `{word}`",
        label="no lowering",
        reason="the word is known to the language, but nothing in the runtime does what it says",
        help="choose another {family}",
        values={"word": "the word as written", "family": "what it is: optimizer, schedule, source"},
        story="Words of a `train`, such as `adamw(..)`, become calls of the runtime. A word without such a function "
        "can be checked and explained, but not trained with.",
        bad="train T { model f = F()  minimize loss = f()  optimizer: rsgd(rate: 0.1) }",
        good="train T { model f = F()  minimize loss = f()  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0652",
        name="size-not-known",
        headline="the size `{size}` is not known where the step is written",
        label="needs a number",
        reason="no source of this `train` has an axis of that size, and the file gives it no value",
        help="give the dim a value, `dim N = 8`, or use it in a source",
        values={"size": "the size as a formula of dims"},
        story="A train class reads free sizes off its batches. A size that appears in none of them must be a number.",
        bad="dim N\ntrain T { data d = digits()  minimize loss = N * sum(d.x)  optimizer: sgd(rate: 0.1) }",
        good="dim N = 8\ntrain T { data d = digits()  minimize loss = N * sum(d.x)  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0653",
        name="slot-needs-input",
        headline="the parameter `{slot}` starts from a value that arrives only at run time",
        label="starts from an input",
        reason="parameters are made when the module is made, before it sees any input",
        help="start it from sizes and numbers alone",
        values={"slot": "the parameter's name"},
        story="The initial value of a `param` may be a formula of sizes, of numbers and of functions of those.",
        bad="dim D = 4\nencoder E(x: [D]) -> [D] { param w: [D] = 2 * x  return w * x }",
        good="dim D = 4\nencoder E(x: [D]) -> [D] { param w: [D] = normal(0, 1)  return w * x }",
    ),
    Entry(
        code="REP0654",
        name="slot-needs-run-time-size",
        headline="the parameter `{slot}` needs the size `{size}`, which is known only at run time",
        label="needs a size",
        reason="parameters are made when the module is made, before it sees any input",
        help="give `{size}` a value, or make the parameter over other axes",
        values={"slot": "the parameter's name", "size": "the dim"},
        story="A parameter cannot depend on how long a sequence or how large a batch is.",
        bad="dim T: seq\nencoder E(x: [T]) -> [T] { param s: [] = log(T)  return s * x }",
        good="dim T: seq, N = 8\nencoder E(x: [T]) -> [T] { param s: [] = log(N)  return s * x }",
    ),
)
