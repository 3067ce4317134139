"""Axes at calls and results: of REP02xx."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0209",
        name="ambiguous-axis",
        headline="which axis is `{formal}` of `{callee}`? {candidates} fit equally",
        label="`{formal}` is open",
        reason="none of them has that name, and more than one axis is left",
        help="say it, `{callee}(.., over: K)` or `{formal}: K`, with the axis that is meant",
        values={"formal": "the axis of the callee", "callee": "the declaration called", "candidates": "axes that fit"},
        story="A formal axis is bound by what is written, else by its name, else by being the only axis left. "
        "`rmsnorm(x)` is clear on `[T, D]` and is not on `[T, H, K]`.",
        bad="use std.nn (rmsnorm)\ndim T: seq, H = 2, K = 4\n"
        "encoder F(x: [T, H, K]) -> [T, H, K] { return rmsnorm(x) }",
        good="use std.nn (rmsnorm)\ndim T: seq, H = 2, K = 4\n"
        "encoder F(x: [T, H, K]) -> [T, H, K] { return rmsnorm(x, over: K) }",
    ),
    Entry(
        code="REP0210",
        name="missing-axis",
        headline="no axis of {type} can be `{formal}` of `{callee}`",
        label="`{formal}` is not bound",
        reason="`{port}` of `{callee}` is declared with the axis `{formal}`",
        help="pass a value with such an axis, or name one: `{formal}: ..`",
        values={
            "formal": "the axis of the callee",
            "callee": "the declaration called",
            "port": "its parameter",
            "type": "the type of the argument",
        },
        story="Every axis that a declaration writes must be found in its arguments or given by name. It is never "
        "made up with size one.",
        bad="dim T: seq, D = 8\nencoder Pool(x: [T, D]) -> [D] { return mean(x, over: T) }\n"
        "encoder F(x: [D]) -> [D] { return Pool(x) }",
        good="dim T: seq, D = 8\nencoder Pool(x: [T, D]) -> [D] { return mean(x, over: T) }\n"
        "encoder F(x: [T, D]) -> [D] { return Pool(x) }",
    ),
    Entry(
        code="REP0232",
        name="sizes-differ",
        headline="axis `{axis}` of `{port}` has size {found}, but `{callee}` needs {expected}",
        label="size {found}",
        reason="with these axes: {bindings}",
        help="pass a value whose axis has size {expected}",
        values={
            "axis": "the axis",
            "port": "the parameter",
            "found": "the size passed",
            "callee": "the declaration",
            "expected": "the size it needs",
            "bindings": "how its axes are bound at this call",
        },
        story="At a call the axes of a declaration are bound jointly over all arguments. A size that follows from one "
        "argument must hold in the others.",
        bad="dim D = 8, E = 4\nencoder F[A: feature](x: [A], y: [M: 2 * A]) -> [A] { return x + mean(y, over: M) }\n"
        "encoder G(x: [D], y: [M: D]) -> [D] { return F(x, y, A: D) }",
        good="dim D = 8\nencoder F[A: feature](x: [A], y: [M: 2 * A]) -> [A] { return x + mean(y, over: M) }\n"
        "encoder G(x: [D], y: [M: 2 * D]) -> [D] { return F(x, y, A: D) }",
    ),
    Entry(
        code="REP0233",
        name="axis-bound-and-lifted",
        headline="axis `{axis}` is both an axis of `{callee}` and carried along",
        label="`{axis}` twice",
        reason="one argument gives `{axis}` to the declaration, another would be lifted over it",
        help="rename it in one of the arguments",
        values={"axis": "the axis", "callee": "the declaration"},
        story="What a declaration writes it sees; everything else is carried along outside. One axis cannot be both.",
        bad="dim D = 8, E = 4\nencoder F(x: [D], y: [E]) -> [D] { return x * mean(y) }\n"
        "encoder G(x: [D], y: [D, E]) -> [D] { return F(x, y) }",
        good="dim D = 8, E = 4, N: set\nencoder F(x: [D], y: [E]) -> [D] { return x * mean(y) }\n"
        "encoder G(x: [D], y: [N, E]) -> [N, D] { return F(x, y) }",
    ),
    Entry(
        code="REP0234",
        name="arguments-do-not-nest",
        headline="the arguments of `{callee}` carry along {left} and {right}: neither has all of the other",
        label="carries along {left}",
        reason="carried axes form a chain, as in element-wise operations; nobody asked for a table of all pairs",
        help="use indices for the table: `h[i, j] = {callee}(x[i], y[j])`",
        values={"callee": "the declaration", "left": "axes carried by one", "right": "those of the largest"},
        story="A call on values with more axes than the declaration writes is one call per position of these. Where "
        "two arguments bring different ones, indices say what is meant.",
        bad="dim N: set, M: set, D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x * y }\n"
        "encoder G(x: [N, D], y: [M, D]) -> [N, D] { return F(x, y) }",
        good="dim N: set, M: set, D = 8\nencoder F(x: [D], y: [D]) -> [D] { return x * y }\n"
        "encoder G(x: [N, D], y: [M, D]) -> [N, M, D] { h[n, m, d] = F(x[n], y[m])[d]  return h }",
    ),
    Entry(
        code="REP0235",
        name="requirement-broken",
        headline="`{callee}` requires {fact}, which does not hold here",
        label="called with these axes",
        reason="the requirement is part of its declaration",
        help="call it with axes that satisfy it",
        values={"callee": "the declaration", "fact": "the requirement"},
        story="A `require` of a declaration is an obligation of everyone who calls it.",
        bad="encoder F[A: feature](x: [A]) -> [A] { require A >= 4  return x }\ndim D = 2\n"
        "encoder G(x: [D]) -> [D] { return F(x, A: D) }",
        good="encoder F[A: feature](x: [A]) -> [A] { require A >= 4  return x }\ndim D = 8\n"
        "encoder G(x: [D]) -> [D] { return F(x, A: D) }",
    ),
    Entry(
        code="REP0236",
        name="result-misses-axis",
        headline="the result has no axis `{axis}`",
        label="is {found}",
        reason="{expected} is promised, and {found} is returned",
        help="keep the axis, or take it out of the result type",
        values={"axis": "the axis", "expected": "the type promised", "found": "the type returned"},
        story="A result has the axes that its declaration writes. A missing one was reduced too early.",
        bad="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [T, D] { return mean(x, over: T) }",
        good="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [D] { return mean(x, over: T) }",
    ),
    Entry(
        code="REP0237",
        name="result-has-axis",
        headline="the result has an axis `{axis}` more than promised",
        label="is {found}",
        reason="{expected} is promised, and {found} is returned",
        help="reduce the axis, or write it in the result type",
        values={"axis": "the axis", "expected": "the type promised", "found": "the type returned"},
        story="A result has the axes that its declaration writes, and those that its arguments carry along.",
        bad="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [D] { return tanh(x) }",
        good="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [T, D] { return tanh(x) }",
    ),
)
