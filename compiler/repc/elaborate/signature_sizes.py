"""Sizes that a signature gives to free dims of the file (LANGUAGE.md 1.11)."""

from __future__ import annotations

from rep_grammar import tree
from repc.elaborate.body import Body
from repc.names.entries import DimEntry


def named_sizes(body: Body, node: tree.Declaration) -> None:
    """`[T: 2 * N + pad]` in a signature says what a free dim T of the file is here, if T stands nowhere bare."""
    from repc.elaborate.shapes import one_axis

    written = [param.type for param in node.params or () if param.type is not None]
    types = [*written, *((node.result,) if node.result is not None else ())]
    items = [item for root in types for item in tree.walk(root) if isinstance(item, tree.AxisItem)]
    bare = {
        name.text
        for item in items
        for name in tree.walk(item)
        if isinstance(name, tree.Name) and name is not item.label
    }
    for item in items:
        if item.label is None or item.label.text in bare or isinstance(item.size, tree.Name | None):
            continue
        entry = body.context.find(body.module, item.label.text)
        if isinstance(entry, DimEntry) and entry.value is None and item.label.text not in body.scope.axes:
            body.scope.axes[item.label.text] = one_axis(body, item)
