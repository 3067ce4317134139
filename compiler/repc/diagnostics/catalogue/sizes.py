"""Sizes, divisibility and facts: of REP02xx."""

from repc.diagnostics.entry import Entry

ENTRIES = (
    Entry(
        code="REP0206",
        name="indivisible",
        headline="{of} is not divisible by {by}",
        label="must be whole",
        reason="{of} is {left} and {by} is {right}",
        help="choose {of} a multiple of {by}, or write `//` for the quotient rounded down",
        values={
            "of": "what is divided",
            "by": "the divisor",
            "left": "the value of what is divided",
            "right": "the value of the divisor",
        },
        story="`/` between sizes is exact: `K = D / H` also states that H divides D. The heads of an attention layer "
        "are the usual case.",
        bad="dim D = 10, H = 4\ndim K = D / H",
        good="dim D = 12, H = 4\ndim K = D / H",
    ),
    Entry(
        code="REP0213",
        name="axis-too-large",
        headline="{name} would have {size} entries",
        label="{size} entries",
        reason="no machine holds a value that long",
        help="choose a smaller size",
        values={"name": "the dim or axis", "size": "its size"},
        story="A size far beyond any memory is a slip: an extra digit, or a product where a sum was meant. It is "
        "refused before anything is allocated.",
        bad="dim D = 1000000000000\nencoder F(x: [D]) -> [D] { return x }",
        good="dim D = 1024\nencoder F(x: [D]) -> [D] { return x }",
    ),
    Entry(
        code="REP0214",
        name="size-below-one",
        headline="{name} would be {size}",
        label="{size}",
        reason="a size is at least 1 unless its dim is declared `dim N >= 0`",
        help="choose a larger size, or declare that it may be zero",
        values={"name": "the dim or axis", "size": "its value"},
        story="Every size is at least one: means, maxima and divisions by a size rely on it. A dim that may be empty "
        "says so, and then these need a fallback.",
        bad="dim D = 4\ndim E = D - 4",
        good="dim D = 4\ndim E = D - 3",
    ),
    Entry(
        code="REP0215",
        name="size-needed",
        headline="{name} needs a size",
        label="not a size",
        reason="a size is a whole number of at least 1, a dim, or a formula of them with + - * / // % ^",
        help="write such a formula",
        values={"name": "the dim or axis"},
        story="Sizes are whole numbers known from dims. Values that are computed when the model runs cannot be sizes; "
        "an operation whose result size depends on data makes a ragged axis.",
        bad="dim D = 2.5",
        good="dim D = 5",
    ),
    Entry(
        code="REP0222",
        name="cannot-split",
        headline="{axis} of size {size} cannot be split into {parts}",
        label="split here",
        reason="the parts have {total} entries together, the axis has {size}",
        help="choose parts whose sizes make {size}",
        values={
            "axis": "the axis",
            "size": "its size",
            "parts": "the parts asked for",
            "total": "what they make together",
        },
        story="Splitting, reshaping and joining keep every entry: sizes of a split add up, sizes of a reshape "
        "multiply to the same product.",
        bad="dim D = 8, H = 3, K = 4\nencoder F(x: [D]) -> [H, K] { return reshape(x, D -> [H, K]) }",
        good="dim D = 8, H = 2, K = 4\nencoder F(x: [D]) -> [H, K] { return reshape(x, D -> [H, K]) }",
    ),
    Entry(
        code="REP0223",
        name="slice-out-of-range",
        headline="the slice {start} : {stop} leaves axis `{axis}` of size {size}",
        label="outside",
        reason="nothing proves that both ends lie inside",
        help="keep it inside 0 .. {size}, or `pad` the axis first",
        values={
            "start": "where the slice starts",
            "stop": "where it stops",
            "axis": "the axis",
            "size": "its size",
        },
        story="Slices are half-open and must lie inside their axis; they are never cut short silently, since a "
        "result of another size than written is a fault that travels.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D: 4] { return x[D = 6:10] }",
        good="dim D = 8\nencoder F(x: [D]) -> [D: 4] { return x[D = 4:8] }",
    ),
    Entry(
        code="REP0226",
        name="size-unknown",
        headline="{what} needs a number, and {size} has none yet",
        label="no number yet",
        reason="a free dim gets its number when data arrives, and this is decided before",
        help="give the dim a value, `dim N = 8`, or pass a number",
        values={"what": "what needs it", "size": "the size"},
        story="How often an unrolled `repeat` runs, or which blocks exist, is part of the model and must be a number "
        "at compile time. A loop along a free axis is a `scan`.",
        bad="dim T: seq, D = 8\nencoder F(x: [D]) -> [D] { repeat T { x = tanh(x) } return x }",
        good="dim D = 8, L = 3\nencoder F(x: [D]) -> [D] { repeat L { x = tanh(x) } return x }",
    ),
    Entry(
        code="REP0238",
        name="sizes-of-result",
        headline="axis `{axis}` of the result has size {found}, but {expected} is promised",
        label="size {found}",
        reason="the sizes do not prove equal",
        help="change the body, or the size in the result type",
        values={"axis": "the axis", "expected": "the size promised", "found": "the size returned"},
        story="Slices, concatenations and pads change sizes. The result type says what a caller may rely on.",
        bad="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [T, D] { return x[T = 1:] }",
        good="dim T: seq, D = 8\nencoder F(x: [T, D]) -> [T: T - 1, D] { return x[T = 1:] }",
    ),
)
