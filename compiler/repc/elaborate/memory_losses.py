"""A memory's loss that is written out in `pred` and `target`: `loss: 0.5 * sum[j] (pred[j] - target[j])^2`."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body, describe
from repc.elaborate.shapes import closest
from repc.elaborate.stop import stop
from repc.elaborate.values import Static
from repc.ir import Word
from repc.memory.losses import FUNCTIONS

OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow"}
ROLES = ("pred", "target")


def written_loss(body: Body, expr: tree.Expr) -> Word | None:
    """The expression as words, channel by channel; None where it speaks of neither `pred` nor `target`."""
    if not mentions(expr):
        return None
    made = _word(body, expr)
    assert isinstance(made, Word), "an expression of pred is no number"
    return made


def mentions(node: object) -> bool:
    """Whether `pred` or `target` stands somewhere in an expression."""
    if isinstance(node, tree.Name):
        return node.text in ROLES
    if isinstance(node, tuple):
        return any(mentions(part) for part in node)
    if not isinstance(node, tree.Node):
        return False
    return any(mentions(getattr(node, field)) for field in node.__match_args__ if field != "span")


def _word(body: Body, expr: tree.Expr) -> Word | int | float:
    match expr:
        case tree.Number():
            return expr.value
        case tree.Name() if expr.text in ROLES:
            return Word(expr.text)
        case tree.Index() if isinstance(expr.base, tree.Name) and expr.base.text in ROLES:
            return Word(expr.base.text)
        case tree.Unary(op="-"):
            return Word("neg", (("x", _word(body, expr.operand)),))
        case tree.Binary() if expr.op in OPERATORS:
            return Word(OPERATORS[expr.op], (("a", _word(body, expr.left)), ("b", _word(body, expr.right))))
        case tree.Reduce() if expr.op.text == "sum" and mentions(expr.body):
            return Word("sum", (("x", _word(body, expr.body)),))
        case tree.Call() if isinstance(expr.func, tree.Name) and mentions(expr.args):
            return _called(body, expr, expr.func)
    return _constant(body, expr)


def _called(body: Body, expr: tree.Call, name: tree.Name) -> Word:
    known = sorted((*FUNCTIONS, "sum"))
    if name.text not in known or len(expr.args) != 1:
        raise stop("no-such-word", name.span, suggestion=closest(name.text, known), name=name.text, known=tuple(known))
    return Word(name.text, (("x", _word(body, expr.args[0].value)),))


def _constant(body: Body, expr: tree.Expr) -> int | float:
    """A number that is known when the text is read."""
    from repc.elaborate.expressions import evaluate

    value = evaluate(body, expr)
    if isinstance(value, Static) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
        return value.value
    raise stop("number-needed", expr.span, what="a part of a loss", found=describe(value))
