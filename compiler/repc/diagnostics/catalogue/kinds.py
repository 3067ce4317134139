"""Kinds and values: REP03xx."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0301",
        name="kind-mismatch",
        headline="{what} is {found}, but {wanted} is needed",
        label="{found}",
        reason="{reason}",
        help="convert it where that is meant: `{conversion}`",
        values={
            "what": "the value",
            "found": "its kind",
            "wanted": "the kind needed",
            "reason": "what needs it",
            "conversion": "an expression of the needed kind",
        },
        story="Kinds are float, int, bool, index(V), code(V, n), gaussian, elements of a group and records. None is "
        "turned into another silently: `float(mask)` is written.",
        bad="dim T: seq, V = 16\nencoder F(x: [T] of V) -> [T] { return 0.5 * x }",
        good="dim T: seq, V = 16\nencoder F(x: [T] of V) -> [T] { return 0.5 * float(x) }",
    ),
    Entry(
        code="REP0302",
        name="refinement-not-proved",
        headline="{what} must be {wanted}, and that is not proved",
        label="may be outside {wanted}",
        reason="it is known to be {found}: an operation keeps a refinement only where it is declared to",
        help="bring it there: `{conversion}`",
        values={
            "what": "the value",
            "wanted": "the range or set needed",
            "found": "what is known of it",
            "conversion": "an expression inside",
        },
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
        code="REP0304",
        name="distribution-as-value",
        headline="`{what}` is a distribution, not a value",
        label="a distribution",
        reason="only `mean`, `sample`, `log_prob` and `kl` take distributions",
        help="draw from it, `z ~ {what}`, or take `mean({what})`",
        values={"what": "the expression"},
        story="Arithmetic on a distribution would have to mean one of several things. A draw has a name, so that using "
        "it twice uses the same numbers.",
        bad="dim D = 8\nencoder F(m: [D], s: [D]) -> [D] { return 2 * gaussian(m, s) }",
        good="dim D = 8\nencoder F(m: [D], s: [D]) -> [D] { z ~ gaussian(m, s)  return 2 * z }",
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
        code="REP0306",
        name="not-a-law",
        headline="`{what}` is no law to draw from",
        label="not a law",
        reason="`~` draws from a distribution or an augmentation",
        help="bind it with `=`",
        values={"what": "the expression"},
        story="`z ~ normal(0, 1)` draws, `z = f(x)` computes. What stands right of `~` must be a law: a built-in or "
        "imported distribution, or a gaussian value.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { y ~ tanh(x)  return y }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x)  return y }",
    ),
    Entry(
        code="REP0307",
        name="gradient-through-draw",
        headline="a gradient is needed through the discrete draw `{name}`",
        label="no gradient passes",
        reason="a discrete draw has none",
        help="write `straight_through(..)` or a score-function term",
        values={"name": "the draw"},
        story="Parameters behind a discrete draw get no gradient by themselves; training them needs an estimator, and "
        "which one is part of the method.",
        bad="dim D = 8\nobjective L(p: [D] in (0, 1)) { z ~ bernoulli(p)  minimize mean[d] float(z[d]) }",
        good="dim D = 8\nobjective L(p: [D] in (0, 1)) { z ~ bernoulli(p)  "
        "minimize mean[d] straight_through(float(z[d]), p[d]) }",
    ),
    Entry(
        code="REP0308",
        name="static-needed",
        headline="`{what}` must be known at compile time",
        label="a value of the run",
        reason="{reason}",
        help="use a number, a dim or a config parameter",
        values={"what": "the expression", "reason": "what it decides"},
        story="Config decides which blocks exist and what their sizes are; data cannot. A choice between values is "
        "`if c then a else b`.",
        bad="dim D = 8\nencoder F(x: [D], n: [] ) -> [D] { repeat n { x = tanh(x) } return x }",
        good="dim D = 8\nencoder F(x: [D], n: int = 3) -> [D] { repeat n { x = tanh(x) } return x }",
    ),
    Entry(
        code="REP0309",
        name="carried-type-changes",
        headline="`{name}` enters the loop as {before} and leaves it as {after}",
        label="{after} here",
        reason="`{loop}` runs one body for all turns, so what it carries keeps its type",
        help="use an unrolled `repeat n`, or keep the type",
        values={
            "name": "the carried value",
            "before": "its type before",
            "after": "its type after",
            "loop": "the loop",
        },
        story="An unrolled `repeat n` may halve an axis from turn to turn. `repeat n shared` and `scan` are one body "
        "run many times.",
        bad="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [D] { scan t in T { x = mean(x, over: T) } return x }",
        good="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [D] { return mean(x, over: T) }",
    ),
    Entry(
        code="REP0310",
        name="branches-differ",
        headline="the branches give {left} and {right}",
        label="{right}",
        reason="an `if` over values has one type whichever branch is taken",
        help="make both the same kind and axes",
        values={"left": "type of one branch", "right": "type of the other"},
        story="`if c then a else b` chooses per element, so both sides exist and must agree. A static `if` takes one "
        "branch and forgets the other.",
        bad="dim D = 8, E = 4\nencoder F(x: [D], y: [E], c: [] of bool) -> [D] { return if c then x else y }",
        good="dim D = 8\nencoder F(x: [D], y: [D], c: [] of bool) -> [D] { return if c then x else y }",
    ),
    Entry(
        code="REP0311",
        name="unknown-field",
        headline="the record {what} has no field `{field}`",
        label="no such field",
        reason="its fields are {known}",
        help="choose one of {known}",
        suggest="did you mean `{suggestion}`?",
        values={"what": "the record", "field": "the field asked for", "known": "its fields"},
        story="Records have named fields, taken as `r.z` or all at once: `z, s = f(x)`.",
        bad="dim D = 8\nencoder F(x: [D]) -> (z: [D], s: []) { return (z: x, s: sum(x)) }\n"
        "encoder G(x: [D]) -> [D] { return F(x).y }",
        good="dim D = 8\nencoder F(x: [D]) -> (z: [D], s: []) { return (z: x, s: sum(x)) }\n"
        "encoder G(x: [D]) -> [D] { return F(x).z }",
    ),
    Entry(
        code="REP0312",
        name="not-a-choice",
        headline="`{value}` is not one of {choices}",
        label="not a choice",
        reason="`{name}` is declared with these choices",
        help="choose one of {choices}",
        suggest="did you mean `{suggestion}`?",
        values={"value": "the value given", "choices": "the choices", "name": "the parameter or option"},
        story="A parameter written `kind in { a, b } = a` takes one of its choices; a space ranges over them.",
        bad="dim D = 8\nencoder F(x: [D], kind in { plain, twice } = plain) -> [D] { return x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, kind: double) }",
        good="dim D = 8\nencoder F(x: [D], kind in { plain, twice } = plain) -> [D] { return x }\n"
        "encoder G(x: [D]) -> [D] { return F(x, kind: twice) }",
    ),
    Entry(
        code="REP0313",
        name="value-out-of-range",
        headline="{name} is {value}, outside {range}",
        label="{value}",
        reason="{reason}",
        help="choose a number in {range}",
        values={
            "name": "what the number is for",
            "value": "the number",
            "range": "the numbers accepted",
            "reason": "why",
        },
        story="Numbers that are certain to fail later (a negative number of steps, a probability above one) are "
        "refused where they are written.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { k: [D] ~ bernoulli(1.5)  return x * float(k) }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { k: [D] ~ bernoulli(0.5)  return x * float(k) }",
    ),
    Entry(
        code="REP0314",
        name="no-result",
        headline="`{name}` promises {wanted} and returns nothing",
        label="no `return`",
        reason="a declaration with a result type ends in `return`",
        help="add `return ..`",
        values={"name": "the declaration", "wanted": "its result type"},
        story="The result is what `return` gives; the last value of a body is not taken by itself.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x) }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { y = tanh(x)  return y }",
    ),
)
