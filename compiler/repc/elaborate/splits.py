"""`e across d.test`: one pass without gradient over a whole split (LANGUAGE.md 13.2).

The value is marked in the graph of the step. A measure that is made of such values runs across their split; nothing
else of a step may read them.
"""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.elaborate.body import Body
from repc.elaborate.expressions import evaluate
from repc.elaborate.portions import known_use
from repc.elaborate.stop import ABSORBED, stop
from repc.elaborate.values import Fields, Tensor
from repc.ir import Attrs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def named_split(body: Body, expr: tree.Expr) -> tuple[str, ...]:
    """`text.test`, `tasks[0].test`; a bare source is its training split."""
    root = expr.base if isinstance(expr, tree.Attr) and expr.name.text in {"train", "valid", "test"} else expr
    if isinstance(root, tree.Name) and root.text in body.broken:
        raise ABSORBED
    named = isinstance(root, tree.Name) and body.scope.find(root.text) is not None
    use = known_use(body, evaluate(body, root)) if named or isinstance(root, tree.Index) else None
    if use is None:
        raise stop("split-expected", expr.span, sources=sorted(use.name for use in body.opened))
    return use.name, expr.name.text if isinstance(expr, tree.Attr) and root is not expr else "train"


def across(body: Body, expr: tree.Binary) -> Value:
    """The value of the left side, marked."""
    if body.keyword != "train":
        raise stop("type-as-value", expr.span, op=expr.op)
    split = named_split(body, expr.right)
    return marked(body, evaluate(body, expr.left), split, expr.span)


def marked(body: Body, value: Value, split: tuple[str, ...], span: Span) -> Value:
    if isinstance(value, Fields):
        return Fields(tuple((name, marked(body, item, split, span)) for name, item in value.items))
    tensor = body.tensor(value, span)
    made: Tensor = body.add("prim", (tensor.node,), Attrs(op="relabel", labels=()), tensor.type, span, share=False)
    body.across[made.node] = split
    return made


def split_of(body: Body, node: str, span: Span) -> tuple[str, ...]:
    """The one split of the marked values that a node is made of, () where it is made of none.

    What is made of both a split and the step's own samples of the same source has no meaning, nor of two splits.
    """
    found: dict[tuple[str, ...], None] = {}
    plain: set[str] = set()
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in body.nodes:
            continue
        seen.add(name)
        if name in body.across:
            found[body.across[name]] = None
            continue
        own = body.nodes[name]
        if own.kind == "input":
            plain.add(str(own.attrs["port"]).partition(".")[0])
        waiting.extend(own.args)
    if not found:
        return ()
    (split, *others) = found
    if others or split[0] in plain:
        other = ".".join(others[0]) if others else f"the samples of the step of `{split[0]}`"
        raise stop("splits-mixed", span, split=".".join(split), other=other)
    return split


def of_the_step(body: Body, node: str, span: Span) -> None:
    """Terms and writes are made of the samples of the step."""
    if split_of(body, node, span):
        raise stop("across-in-step", span)
