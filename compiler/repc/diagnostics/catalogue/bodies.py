"""What may stand in a body, and how it is bound: of REP06xx."""

from repc.diagnostics.entry import Entry

TRAIN = (
    "use std.nn (linear)\nuse std.data (digits)\nuse std.loss (cross_entropy)\nuse std.opt (sgd)\n"
    "dim B: batch, P = 64, C = 10\n"
)

ENTRIES = (
    Entry(
        code="REP0601",
        name="not-a-cell",
        headline="`{name}` is no cell that may be written here",
        label="written here",
        reason="`:=` writes a `state` of the same declaration, or in a `train` any cell of its models",
        help="declare `state {name}: [..] = zeros()`, or bind a value with `=`",
        values={"name": "what is written"},
        story="`:=` writes a cell: a `state` of the same declaration, or in a `train` any cell of the models it owns. "
        "Everything else is a value, bound with `=`.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x)  y := x  return y }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { state y: [D] = zeros()  y := x  return x }",
    ),
    Entry(
        code="REP0602",
        name="two-writes",
        headline="`{name}` is written twice in one step",
        label="written again",
        reason="all writes of a step happen at once; of two to one cell neither comes first",
        help="combine them in one write, or with `fold(..)`",
        values={"name": "the cell"},
        story="Writes are deferred: every expression of a step sees the cells as they were at its start, and swapping "
        "two statements changes nothing.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D] = zeros()  m := x  m := 2 * x  return x }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D] = zeros()  m := 2 * x  return x }",
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
        name="statement-not-here",
        headline="this statement cannot stand in {keyword}",
        label="not here",
        reason="encoders own parameters and state, trains own data, terms and optimizers, defs own nothing",
        help="move it to a declaration that may hold it",
        values={"keyword": "the kind of body"},
        story="Bodies differ in what they may hold: encoders own parameters and state, trains own data, terms and "
        "optimizers, defs own nothing.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { minimize e = mean(x^2)  return x }",
        good="dim D = 8\nobjective F(x: [D]) { minimize e = mean(x^2) }",
    ),
    Entry(
        code="REP0613",
        name="value-needed",
        headline="`{name}` has no initial value",
        label="starts as what?",
        reason="what is stored between steps, or is constant, has its value in the spec",
        help="add `= zeros()`, `= normal()` or another",
        values={"name": "the cell or constant"},
        story="State that starts undefined makes runs differ.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D]  return x + m }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { state m: [D] = zeros()  return x + m }",
    ),
    Entry(
        code="REP0616",
        name="setting-not-here",
        headline="`{name}: ..` sets nothing here",
        label="not a setting of this body",
        reason="settings stand in memories, trains, stages, players and externs",
        help="bind a value with `=`: `{name} = ..`",
        values={"name": "the name before the colon"},
        story="`name: value` without `=` is a setting of the declaration it stands in. Encoders have none.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { steps: 10  return x }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { steps = 10  return steps * x }",
    ),
    Entry(
        code="REP0617",
        name="after-return",
        headline="nothing is done after `return`",
        label="after `return`",
        reason="bodies are read from top to bottom, and `return` ends them",
        help="move it before `return`, or remove it",
        story="A statement that can never run is a slip.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { return x  y = tanh(x) }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x)  return y }",
    ),
    Entry(
        code="REP0618",
        name="target-expected",
        headline="a plain name is expected left of this",
        label="not a plain name",
        reason="subscripts and dots on the left belong to definitions by indices and to writes",
        help="write a name",
        story="`name = e` binds, `name[i, j] = e` defines by indices, `name := e` writes a cell.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { param w.a: [D] = ones()  return x * w }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { param w: [D] = ones()  return x * w }",
    ),
    Entry(
        code="REP0619",
        name="return-in-loop",
        headline="`return` cannot stand in a loop",
        label="ends which turn?",
        reason="every turn of a loop runs; a result is returned once, after it",
        help="bind the value in the loop and return it behind it",
        story="`repeat`, `scan` and `for` run all their turns. What they carry is in sight behind them.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { repeat 3 { return tanh(x) } }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { repeat 3 { x = tanh(x) } return x }",
    ),
    Entry(
        code="REP0620",
        name="too-many-turns",
        headline="this loop is laid out turn by turn, and has too many turns",
        label="too many turns",
        reason="every turn of an unrolled loop has blocks and code of its own",
        help="write `repeat n shared`, or `scan` along an axis",
        story="`repeat n` makes fresh blocks per turn. A loop of thousands of turns is one body run many times.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { repeat 1000000 { x = tanh(x) } return x }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { repeat 1000000 shared { x = tanh(x) } return x }",
    ),
)
