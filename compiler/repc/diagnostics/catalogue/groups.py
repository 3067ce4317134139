"""Groups, their elements and their actions: REP038x."""

from repc.diagnostics.entry import Entry

_TURNED = (
    "use std.group (act)\ndim X: grid = 4, Y: grid = 4\ngroup R = C(4) on [X, Y]\n"
    "encoder F(x: [X, Y], g: [] of R) -> [X, Y] { return act(g, x) }"
)

ENTRIES = (
    Entry(
        code="REP0381",
        name="group-expected",
        headline="a group is needed, not {found}",
        label="{found}",
        reason="`group G = ..` names one; C, D, S, GL, O, SO, E and translations make one",
        help="write a group, such as `C(4)`, or an element of one",
        values={"found": "what stands there"},
        story="A group is a name or a constructor with its size. An element of a finite group is a value "
        "`g: [] of G`, a permutation is a value `p: [N] of N`.",
        bad="dim D = 8\ngroup G = 3\nencoder F(x: [D], g: [] of G) -> [D] { return x }",
        good="dim D = 8\ngroup G = C(3)\nencoder F(x: [D], g: [] of G) -> [D] { return x }",
    ),
    Entry(
        code="REP0382",
        name="group-too-large",
        headline="`{name}` has {size} elements",
        label="at most {largest} are listed",
        reason="a group that is an axis has its elements listed, and its products in a table",
        help="take a smaller group; of `S(N)` over an axis N no elements are listed",
        values={"name": "the group", "size": "its order", "largest": "the limit"},
        story="`S(8)` has 40320 elements and 1.6 billion products. `group G = S(N)` over an axis acts without a list.",
        bad="dim D = 8\ngroup G = S(9)\nencoder F(x: [D], g: [] of G) -> [D] { return x }",
        good="dim D = 8\ngroup G = S(4)\nencoder F(x: [D], g: [] of G) -> [D] { return x }",
    ),
    Entry(
        code="REP0383",
        name="no-such-representation",
        headline="{group} has no representation `{name}`",
        label="not one of {group}",
        reason="finite groups have `regular` and `trivial`, cyclic ones `irrep(k)` up to half of n, matrices `vector`",
        help="name one of those",
        values={"group": "the group", "name": "the representation asked for"},
        story="An axis that carries a representation has its size: the order of the group for the regular one, 2 for a "
        "turn of the plane.",
        bad="dim D = 8\ngroup G = C(4)\nencoder F(x: [D, W: G.irrep(3)]) -> [D] { return sum(x, over: W) }",
        good="dim D = 8\ngroup G = C(4)\nencoder F(x: [D, W: G.irrep(1)]) -> [D] { return sum(x, over: W) }",
    ),
    Entry(
        code="REP0384",
        name="group-not-finite",
        headline="the elements of {group} are not listed",
        label="no list of elements",
        reason="tables, counts and inverses by table need a finite group",
        help="take a finite group: `C(n)`, `D(n)`, `S(n)` with a number",
        values={"group": "the group"},
        story="Matrices are no finite set, words have no inverses, and `S(N)` over an axis acts by permutations.",
        bad="use std.group (order)\ndim D = 8\ngroup G = GL(D)\nencoder F(x: [D]) -> [D] { return x / order(G) }",
        good="use std.group (order)\ndim D = 8\ngroup G = C(3)\nencoder F(x: [D]) -> [D] { return x / order(G) }",
    ),
    Entry(
        code="REP0385",
        name="groups-differ",
        headline="an element of {left} is multiplied by one of {right}",
        label="{left} and {right}",
        reason="a product is within one group",
        help="multiply elements of one group",
        values={"left": "the group on the left", "right": "the group on the right"},
        story="Two groups with the same table are two groups as long as they have two names.",
        bad="group G = C(3), H = C(3)\nencoder F(g: [] of G, h: [] of H) -> [] of G { return g * h }",
        good="group G = C(3)\nencoder F(g: [] of G, h: [] of G) -> [] of G { return g * h }",
    ),
    Entry(
        code="REP0386",
        name="no-group-action",
        headline="{group} does not act on {type}",
        label="{type}",
        reason="it acts on the axes written after `on`: a cycle on one, quarter turns on a square grid of two",
        help="write `group R = C(4) on [X, Y]`, and pass a value that has these axes",
        values={"group": "the group", "type": "the type of the value"},
        story="What an element does to a value follows from the axes on which its group acts; "
        "the value must have them.",
        bad=_TURNED.replace(" on [X, Y]", ""),
        good=_TURNED,
    ),
)
