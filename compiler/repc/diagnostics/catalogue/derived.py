"""Derivatives, and declarations applied with other parameters or parts: REP037x."""

from repc.diagnostics.entry import Entry

_TRAIN = (
    "dim B: batch, P = 64\nuse std.nn (linear)\nuse std.data (digits)\nuse std.opt (sgd)\n"
    "train Fit { data d = digits()  model f = linear(P -> P)\n  minimize mean(f(d.x)^2)\n  optimizer: sgd(rate: 0.1)\n"
)

ENTRIES = (
    Entry(
        code="REP0370",
        name="scalar-needed",
        headline="a derivative is taken of a scalar, not of {found}",
        label="has axes",
        reason="`grad(e, x)` is the slope of one number",
        help="sum or average it first, `grad(sum(e), x)`",
        values={"found": "the type of the value"},
        story="The gradient of a value with axes would be a matrix. Say which number is meant: for independent samples "
        "the sum over them gives each its own gradient.",
        bad="dim D = 8\nencoder F(x: [D]) -> [D] { return grad(x^2, x) }",
        good="dim D = 8\nencoder F(x: [D]) -> [D] { return grad(sum(x^2), x) }",
    ),
    Entry(
        code="REP0371",
        name="derivative-of-other",
        headline="the value does not depend on {name}",
        label="does not depend on it",
        reason="its derivative would be zero everywhere",
        help="take the derivative by something that it is computed from",
        values={"name": "what the derivative is taken by"},
        story="`grad(e, x)` follows the lines that lead from `x` to `e` in this body. A value that was computed from "
        "another one, even an equal one, has none.",
        bad="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return grad(sum(x^2), y) }",
        good="dim D = 8\nencoder F(x: [D], y: [D]) -> [D] { return grad(sum(x * y), y) }",
    ),
    Entry(
        code="REP0372",
        name="extern-call",
        headline="`{name}` must say which function it is",
        label="not `module:function`",
        reason="an `extern` has one field, the Python function that it calls",
        help='write `call: "module:function"`',
        values={"name": "the extern"},
        story="The declaration gives the function a type; the body names it, and nothing else.",
        bad='dim D = 8\nextern f(x: [D]) -> [D] { call: "f" }',
        good='dim D = 8\nextern f(x: [D]) -> [D] { call: "mine:f" }',
    ),
    Entry(
        code="REP0373",
        name="extern-parameter",
        headline="`{name}` cannot cross into Python",
        label="neither a tensor nor a number",
        reason="a function of your own takes tensors by position and numbers by name, and returns one tensor",
        help="pass what it needs as data or numbers",
        values={"name": "the parameter or result"},
        story="What goes to an `extern` is what any Python function understands: tensors of the declared shapes, "
        "numbers and texts.",
        bad='dim D = 8\nextern f(x: [D], g: [D] -> [D]) -> [D] { call: "mine:f" }',
        good='dim D = 8\nextern f(x: [D], rate = 0.1) -> [D] { call: "mine:f" }',
    ),
    Entry(
        code="REP0374",
        name="push-rows",
        headline="rows of {new} cannot be pushed onto {bank}",
        label="not its rows",
        reason="a bank has one axis that counts rows; every other axis is one of each row",
        help="name the axes of the new value that count rows, `over: [B, T]`",
        values={"bank": "the type of the bank", "new": "the type of what is pushed"},
        story="`push` puts new rows in front of a bank of fixed length, and the oldest fall out.",
        bad="dim B: batch, D = 4, Q = 9\ntrain T { state bank: [Q, D] = zeros()  bank := push(bank, 3) }",
        good="dim B: batch, D = 4, Q = 9\nencoder F(x: [B, D]) -> [Q, D] {\n  state bank: [Q, D] = zeros()\n"
        "  bank := push(bank, x, over: B)\n  return bank\n}",
    ),
    Entry(
        code="REP0375",
        name="params-not-reached",
        headline="the parameters of `{name}` cannot all be given",
        label="its parameters are given here",
        reason="some of them stand in a branch, in a derivative, or are shared between its blocks",
        help="give the slots that differ by name",
        values={"name": "the declaration"},
        story="`F(x, params: w)` runs F with every slot taken from a record. A slot that F reads in two places at once "
        "has no place of its own in it.",
        bad="dim D = 4, V = 9\nencoder F(i: [] of V) -> [V] {\n  e = embed(V -> D)\n"
        "  return linear(e(i), D -> V, weight: e.weight, bias: none)\n}\n"
        "encoder G(i: [] of V, z: [D]) -> [V] { return F(i, params: linear(z, D -> F.params)) }",
        good="dim D = 4\nencoder F(x: [D]) -> [D] { return linear(x, D -> D) }\n"
        "encoder G(x: [D], z: [D]) -> [D] { return F(x, params: linear(z, D -> F.params)) }",
    ),
    Entry(
        code="REP0376",
        name="splits-mixed",
        headline="this is made of {split} and of {other}",
        label="of two kinds of samples",
        reason="a measure runs over one batch of the step, or once over one whole split",
        help="take everything of it `across` the same split",
        values={"split": "a split", "other": "what stands beside it"},
        story="`e across d.test` reads every field of d inside e from the test split. Beside it, fields of d are those "
        "of the step's batch: their samples are others.",
        bad=_TRAIN + "  z = f(d.x) across d.test\n  measure m = mean(z - f(d.x)) }",
        good=_TRAIN + "  z = f(d.x) across d.test\n  measure m = mean(z) }",
    ),
    Entry(
        code="REP0377",
        name="across-in-step",
        headline="a term or write cannot be made of a whole split",
        label="read across a split",
        reason="a step sees its batch; a pass over a split has no gradient",
        help="measure it, or drop `across`",
        story="`across` is for what is measured.",
        bad=_TRAIN + "  z = f(d.x) across d.test\n  minimize far = mean(z^2) }",
        good=_TRAIN + "  z = f(d.x) across d.test\n  measure far = mean(z^2) }",
    ),
)
