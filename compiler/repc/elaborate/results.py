"""What a body returns, held against its declared result (LANGUAGE.md 1.9, 3.11)."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body
from repc.elaborate.definitions import conform
from repc.elaborate.shapes import type_of
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Fields, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from repc.elaborate.values import Value


def declared(body: Body, node: tree.Declaration) -> tuple[tuple[str, str], ...]:
    """(name, node) of every result; one without a name is ("", node)."""
    value = body.result
    if node.keyword == "objective" and value is None:
        from repc.elaborate.objectives import total

        value = total(body, node)
    if value is None:
        if node.keyword == "probe" and node.result is None:
            return ()
        raise stop("no-return", node.name.span, name=node.name.text)
    span = body.returned or node.name.span
    if isinstance(value, BlockValue):
        raise stop("block-as-value", span, name=value.path or value.hint)
    if node.result is not None:
        type_ = type_of(body, node.result)
        if type_.kind.name == "record" and isinstance(value, Tensor) and len(type_.fields) == 1:
            value = Fields(((type_.fields[0][0], value),))
        body.strict = True
        value = conform(body, value, type_, span)
    items = value.items if isinstance(value, Fields) else (("", value),)
    if node.keyword == "data":
        items = tuple(flat("", items))
    made = tuple((name, body.tensor(inner, span).node) for name, inner in items)
    if any(node in body.present for _, node in made):
        raise stop("absent-in-places", span, what="a result")
    return made


def flat(prefix: str, items: tuple[tuple[str, Value], ...]) -> Iterator[tuple[str, Value]]:
    """The fields of a sample, those of records within it by their paths: `x.word`."""
    for name, value in items:
        if isinstance(value, Fields) and value.items:
            yield from flat(f"{prefix}{name}.", value.items)
        else:
            yield f"{prefix}{name}", value
