"""Kinds and values: REP03xx."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0301",
        name="kind-mismatch",
        headline="{found} stands where {wanted} is needed",
        label="{found}",
        reason="no kind of value is turned into another silently",
        help="convert it where that is meant, as in `float(x)`",
        values={
            "found": "its kind",
            "wanted": "the kind needed",
        },
        story="Kinds are float, int, bool, index(V), code(V, n), gaussian, elements of a group and records. None is "
        "turned into another silently: `float(mask)` is written.",
        bad="dim T: seq, V = 16\nencoder F(x: [T] of V) -> [T] { return 0.5 * x }",
        good="dim T: seq, V = 16\nencoder F(x: [T] of V) -> [T] { return 0.5 * float(x) }",
    ),
    Entry(
        code="REP0302",
        name="refinement-not-proved",
        headline="`{port}` must be {needed}, and that is not proved",
        label="known: {found}",
        reason="an operation keeps a refinement only where it is declared to",
        help="bring it there: `sigmoid(..)` for (0, 1), `softplus(..)` for positive, `l2norm(..)` for the sphere",
        values={"port": "the parameter", "needed": "the range or set needed", "found": "what is known of the value"},
        story="A gate in (0, 1) comes from a sigmoid, a direction on the sphere from `l2norm`. A value that merely "
        "happens to lie there during one run is not enough.",
        bad="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D], a: [T] in (0, 1)) -> [T, D] "
        "{ regressor: linear  retain: a }\n"
        "encoder F(x: [T, D], g: [T]) -> [T, D] { return M(x, x, x, g) }",
        good="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D], a: [T] in (0, 1)) -> [T, D] "
        "{ regressor: linear  retain: a }\n"
        "encoder F(x: [T, D], g: [T]) -> [T, D] { return M(x, x, x, sigmoid(g)) }",
    ),
    Entry(
        code="REP0303",
        name="int-division",
        headline="`/` between whole numbers `{left}` and `{right}`",
        label="whole numbers",
        reason="the quotient need not be whole, and no value becomes a float silently",
        help="write `{left} // {right}`, or `float({left}) / {right}`",
        values={"left": "left operand", "right": "right operand"},
        story="`/` is division of floats, and exact division of sizes. On int values `//` rounds down.",
        bad="dim T: seq\nencoder F(x: [T] of T) -> [T] { y[t] = float(x[t] / 2)  return y }",
        good="dim T: seq\nencoder F(x: [T] of T) -> [T] { y[t] = float(x[t] // 2)  return y }",
    ),
    Entry(
        code="REP0305",
        name="draw-by-equals",
        headline="`{law}` is a law: draw from it with `~`",
        label="use `~`",
        reason="`=` binds a value that is computed; a random value is drawn under a name",
        help="write `{name} ~ {law}`",
        suggest="write `{suggestion}`",
        values={"law": "the law with its arguments", "name": "the name"},
        story="`e ~ normal()` is a draw: one set of numbers under one name, kept for recomputation, resume and "
        "comparison. There are no anonymous draws.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { e: [D] = normal()  return x + e }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { e: [D] ~ normal()  return x + e }",
    ),
    Entry(
        code="REP0309",
        name="carried-type-changes",
        headline="`{name}` enters the loop as {before} and leaves it as {after}",
        label="{after} here",
        reason="the loop runs one body for all turns, so what it carries keeps its type",
        help="use an unrolled `repeat n`, or keep the type",
        values={
            "name": "the carried value",
            "before": "its type before",
            "after": "its type after",
        },
        story="An unrolled `repeat n` may halve an axis from turn to turn. `repeat n shared` and `scan` are one body "
        "run many times.",
        bad="dim D = 8\nencoder F(x: [D]) -> [] { repeat 3 { x = sum(x) } return x }",
        good="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [D] { return mean(x, over: T) }",
    ),
    Entry(
        code="REP0321",
        name="type-expected",
        headline="a type is expected here",
        label="not a type",
        reason="a type is a shape, `[T, D]`, with `of` a kind, `in` a range or `on` a manifold; or `float`, `int` or "
        "`bool`",
        help="write the axes in brackets; `[]` for a single number",
        story="Parameters and results are declared by their axes. A single number has none: `[]`.",
        bad="encoder F(x: 3) -> [] { return x }",
        good="encoder F(x: []) -> [] { return x }",
    ),
    Entry(
        code="REP0322",
        name="manifold-expected",
        headline="behind `on` stands a manifold",
        label="not a manifold",
        reason="manifolds are {known}",
        help="write one with its axes: `on sphere(D)`",
        values={"known": "the manifolds there are"},
        story="`on sphere(D)` says that a value lies on the unit sphere along D: proved for what is computed, kept by "
        "projection for parameters and cells.",
        bad="dim D = 8\nencoder F(x: [D] on D) -> [D] { return x }",
        good="dim D = 8\nencoder F(x: [D] on sphere(D)) -> [D] { return x }",
    ),
    Entry(
        code="REP0323",
        name="interval-expected",
        headline="behind `in` stands a range of numbers",
        label="not a range",
        reason="`(0, 1)` is the open interval, `0 .. 1` the closed one; `0 .. inf` means at least zero",
        help="write `in (0, 1)` or `in 0 .. 1`",
        story="A range is a promise about every entry of a value. It is proved where the value is made.",
        bad="dim D = 8\nencoder F(x: [D] in D) -> [D] { return x }",
        good="dim D = 8\nencoder F(x: [D] in 0 .. 1) -> [D] { return x }",
    ),
    Entry(
        code="REP0324",
        name="type-as-value",
        headline="a type stands where a value is needed",
        label="`{op}` makes a type",
        reason="`->`, `of`, `on` and `across` belong to types",
        help="use a value",
        values={"op": "the operator"},
        story="Types and values share the grammar of expressions. An arrow, or `[T] of V`, is a type: it declares, it "
        "computes nothing.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { return x of D }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { return x }",
    ),
    Entry(
        code="REP0325",
        name="declarations-compared",
        headline="declarations compare with declarations alone",
        label="not a declaration",
        reason="`mem == Mesa` asks which declaration a parameter is",
        help="name a declaration on both sides",
        story="A parameter that takes a declaration may be compared with one, as a static condition.",
        bad="dim D = 8\nencoder G(x: [D]) -> [D] { return x }\nencoder F(x: [D]) -> [D] { if G == 3 { x = 2 * x } "
        "return x }",
        good="dim D = 8\nencoder F(x: [D], twice = true) -> [D] { if twice { x = 2 * x } return x }",
    ),
    Entry(
        code="REP0333",
        name="no-such-word",
        headline="{name} is no word that can stand here",
        label="not one of them",
        reason="a word of a closed list is expected: {known}",
        help="choose one of {known}",
        suggest="did you mean `{suggestion}`?",
        values={"name": "what stands there", "known": "the words, or the families of words, that can"},
        story="Optimizers, solvers and the fields of a memory are words of closed lists; `repc explain std.opt` prints "
        "those that are imported.",
        bad="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] { optimizer: momentum(rate: 0.1) }",
        good="dim T: seq, D = 8\nmemory M(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] { optimizer: sgd(rate: 0.1) }",
    ),
)
