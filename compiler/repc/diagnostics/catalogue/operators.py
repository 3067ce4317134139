"""Built-in operations, laws, sites and slots: REP0270 to REP0289."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0270",
        name="matrix-expected",
        headline="{type} is no matrix: which two axes are its rows and columns?",
        reason="a function of matrices works on two axes of one space, or on the only two axes of a value",
        help="name them: `over: [i, j]`",
        values={"type": "the type of the value"},
        story="`logdet(g)` of `[i: D, j: D]` is clear. With more axes, or axes of different spaces, the two that "
        "make the matrix have to be named; the others are carried along.",
        bad="dim N: set, D = 4, E = 3\nencoder F(x: [N, D, E]) -> [] { return logdet(x) }",
        good="dim D = 4\nencoder F(x: [i: D, j: D]) -> [] { return logdet(x) }",
    ),
    Entry(
        code="REP0271",
        name="along-count",
        headline="`along` names {given} axes for {expected} values",
        reason="each joined value gives one axis",
        help="name one axis for all values, or one for each in order",
        values={"given": "how many axes are named", "expected": "how many values are joined"},
        story="`concat(u, v, along: [T, A], as: U)` joins T of u with A of v.",
        bad="dim T: seq, A: seq\n"
        "encoder F(x: [T], y: [A]) -> [U: 2*T + A] { return concat(x, y, x, along: [T, A], as: U) }",
        good="dim T: seq, A: seq\n"
        "encoder F(x: [T], y: [A]) -> [U: T + A] { return concat(x, y, along: [T, A], as: U) }",
    ),
    Entry(
        code="REP0272",
        name="reshape-sizes",
        headline="{before} values cannot be laid out as {after}",
        reason="a reshape or split keeps every entry: the sizes of both sides must make the same number",
        help="choose sizes that do, or state the fact with `require`",
        values={"before": "entries before", "after": "entries after"},
        story="`reshape(x, X -> [A, P])` needs X == A * P for all sizes that satisfy the facts.",
        bad="dim X = 8, A = 3, P = 2\nencoder F(x: [X]) -> [A, P] { return reshape(x, X -> [A, P]) }",
        good="dim A = 4, P = 2, X = A * P\nencoder F(x: [X]) -> [A, P] { return reshape(x, X -> [A, P]) }",
    ),
    Entry(
        code="REP0273",
        name="arrow-expected",
        headline="an axis change is written `old -> new`",
        reason="this argument says which axes become which",
        help="write for instance `rename(x, S -> T)`",
        story="`rename(x, S -> T)` and `reshape(x, X -> [A, P])` take arrows.",
        bad="dim S: seq, T: seq = S\nencoder F(x: [S]) -> [T] { return rename(x, T) }",
        good="dim S: seq, T: seq = S\nencoder F(x: [S]) -> [T] { return rename(x, S -> T) }",
    ),
    Entry(
        code="REP0274",
        name="arrow-lengths",
        headline="{left} axes on the left of the arrow, {right} on the right",
        reason="`rename` gives each axis one new name",
        help="name as many axes on both sides, or use `reshape`",
        values={"left": "axes on the left", "right": "axes on the right"},
        story="`rename` never merges or splits; `reshape` does.",
        bad="dim A = 2, P = 3, X = 6\nencoder F(x: [A, P]) -> [X] { return rename(x, [A, P] -> X) }",
        good="dim A = 2, P = 3, X = A * P\nencoder F(x: [A, P]) -> [X] { return reshape(x, [A, P] -> X) }",
    ),
    Entry(
        code="REP0275",
        name="law-expected",
        headline="a draw needs a law after `~`",
        reason="`name ~ law(..)` is a random value of that law",
        help="write a law, as in `e: [D] ~ normal(0, 1)`; a plain value is bound with `=`",
        story="Random values are named, so that using a name twice uses the same numbers.",
        bad="dim D = 4\nencoder F(x: [D]) -> [D] { e ~ x  return e }",
        good="dim D = 4\nencoder F(x: [D]) -> [D] { e: [D] ~ normal(0, 1)  return x + e }",
    ),
    Entry(
        code="REP0276",
        name="unknown-law",
        headline="there is no law `{name}`",
        reason="laws are {known}",
        help="choose one of them",
        suggest="did you mean `{suggestion}`?",
        values={"name": "the name after `~`", "known": "the laws there are"},
        story="Laws are built in; each says which gradient reaches its parameters.",
        bad="dim D = 4\nencoder F(x: [D]) -> [D] { e: [D] ~ nromal(0, 1)  return x + e }",
        good="dim D = 4\nencoder F(x: [D]) -> [D] { e: [D] ~ normal(0, 1)  return x + e }",
    ),
    Entry(
        code="REP0277",
        name="no-such-site",
        headline="`{callee}` has no value `{name}`",
        reason="every name that a body binds can be read from an application of it",
        help="its names are {sites}",
        suggest="did you mean `{suggestion}`?",
        values={"callee": "the declaration", "name": "the name read", "sites": "the names it binds"},
        story="`r = net(x)` and then `r.h` is the value of `h` in that application of `net`.",
        bad="dim D = 4\nencoder F(x: [D]) -> [D] { h = relu(x)  return h }\n"
        "encoder G(x: [D]) -> [D] { r = F(x)  return r.g }",
        good="dim D = 4\nencoder F(x: [D]) -> [D] { h = relu(x)  return h }\n"
        "encoder G(x: [D]) -> [D] { r = F(x)  return r.h }",
    ),
    Entry(
        code="REP0278",
        name="no-such-slot",
        headline="block `{block}` has no slot `{name}`",
        reason="a named block gives its parameters by name",
        help="its slots are {slots}",
        suggest="did you mean `{suggestion}`?",
        values={"block": "the block", "name": "the slot asked for", "slots": "the slots it has"},
        story="`e = embed(V -> D)` and then `e.weight` is the table of that block, shared wherever it is used.",
        bad="use std.nn (linear)\ndim D = 4\n"
        "encoder F(x: [D]) -> [D] { f = linear(D -> D)  return f(x) + sum(f.wieght, over: D) }",
        good="use std.nn (linear)\ndim D = 4\nencoder F(x: [D]) -> [D] { f = linear(D -> D)  return f(x) + f.bias }",
    ),
    Entry(
        code="REP0285",
        name="axes-to-search",
        headline="`in` searches one axis, and {given} axes of [{type}] are not on its left",
        reason="`v in u` asks whether a value is among those along the one axis that only `u` has",
        help="subscript the right side down to one axis more than the left",
        values={"type": "the type on the right", "given": "how many axes only the right side has"},
        story="`j in near[i]` is true where some entry of the row is `j`: each is compared.",
        bad="dim D = 4, C = 3\nencoder F(y: [] of D, u: [C, D] of D) -> [] { return float(y in u) }",
        good="dim D = 4, C = 3\nencoder F(y: [] of D, u: [C, D] of D) -> [C] { v[c] = float(y in u[C = c])  return v }",
    ),
    Entry(
        code="REP0279",
        name="not-a-family",
        headline="`{name}` is one block, not a family",
        reason="only a block that is made along an axis has members",
        help="make it a family, as in `model f[k in N] = F()`, or apply it without brackets",
        values={"name": "the block"},
        story="`model f[k in N] = F()` makes N instances of F; `f[k](x)` applies one.",
        bad="use std.nn (linear)\nuse std.opt (sgd)\nuse std.data (digits)\ndim B: batch, P = 64\n"
        "train Fit { data d = digits()  model f = linear(P -> P)  minimize mean(f[0](d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1) }",
        good="use std.nn (linear)\nuse std.opt (sgd)\nuse std.data (digits)\ndim B: batch, P = 64, N = 2\n"
        "train Fit { data d = digits()  model f[k in N] = linear(P -> P)  minimize mean(f[0](d.x)^2)\n"
        "  optimizer: sgd(rate: 0.1) }",
    ),
    Entry(
        code="REP0280",
        name="override-not-yet",
        headline="`{block} with ..` can replace slots of the block alone, for now",
        reason="inner blocks and named values of a block that is already made are not replaced yet",
        help="give the replacement where the block is declared: `F with ..`",
        values={"block": "the block"},
        story="`f with { weight: w }` works today; paths into inner blocks and named values come later.",
        bad="use std.nn (linear)\ndim D = 4\nencoder N(x: [D]) -> [D] { h = relu(x)  return linear(h, D -> D) }\n"
        "encoder F(x: [D]) -> [D] { f = N()  g = f with { h: h + 1 }  return g(x) }",
        good="use std.nn (linear)\ndim D = 4\n"
        "encoder F(x: [D], w: [D, e: D]) -> [D] { f = linear(D -> D, weight: w)  return f(x) }",
    ),
)
