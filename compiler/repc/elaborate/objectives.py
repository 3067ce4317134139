"""Terms of an objective, and what the objective is as a value (LANGUAGE.md 6.6, 13.0)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.elaborate.body import Body
from repc.elaborate.stop import stop
from repc.elaborate.values import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value


def add_term(body: Body, statement: tree.TermStmt, value: Value) -> None:
    """`minimize name = e`; a name used again adds up."""
    if body.keyword != "objective":
        raise stop("statement-not-here", statement.span, keyword=statement.sign)
    scalar = averaged(body, value, statement.value.span)
    name = statement.name.text if statement.name is not None else f"term{len(body.terms) + 1}"
    taken = {own for own, _, _ in body.terms}
    count, free = 1, name
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    body.terms.append((free, statement.sign, scalar.node))
    body.sites.setdefault(free, scalar.node)


def averaged(body: Body, value: Value, span: Span) -> Tensor:
    """A term that keeps axes is averaged over them."""
    tensor = body.tensor(value, span)
    if tensor.type.kind.name == "number":
        tensor = body.prim("float", [tensor], span)
    if tensor.type.kind.name != "float":
        raise stop("kind-mismatch", span, wanted="float", found=tensor.type.kind)
    over = tuple(axis.label for axis in tensor.type.axes if axis.label not in body.lifted)
    return body.prim("mean", [tensor], span, over=over) if over else tensor


def total(body: Body, node: tree.Declaration) -> Tensor:
    """sum(minimize) - sum(maximize)."""
    if not body.terms:
        raise stop("no-terms", node.name.span, name=node.name.text)
    made: Tensor | None = None
    for _, sign, name in body.terms:
        term = Tensor(name, body.nodes[name].type)
        if made is None:
            made = term if sign == "minimize" else body.prim("neg", [term], node.name.span)
        else:
            made = body.prim("add" if sign == "minimize" else "sub", [made, term], node.name.span)
    assert made is not None
    return made
