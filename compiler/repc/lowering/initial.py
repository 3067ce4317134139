"""How slots and cells start: the rule of the spec as a call of the runtime's `Init`, with the fans of the slot."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from repc.dims import Dim, Symbol
from repc.ir import Graph, Node, Word
from repc.lowering.expression import Code, call, literal
from repc.ops.inits import INITS
from repc.types import Axis, Type

Sizes = Callable[[Dim], Code]


def init_rule(word: object, kind: Type, fans: tuple[Dim, Dim], per: int, sizes: Sizes, numbers: Sizes) -> Code:
    """`Init("fan_in", fan_in=D)`: the law, its numbers, and what of the fans it needs."""
    rule = word if isinstance(word, Word) else Word("constant", (("value", word),))
    rule = _shortest(rule)
    values = [_number(value, numbers) for name, value in rule.args if name not in ("fan_in", "fan_out")]
    given = {name: value for name, value in rule.args if name in ("fan_in", "fan_out")}
    fan_in, fan_out = (given.get(name, fan) for name, fan in zip(("fan_in", "fan_out"), fans, strict=True))
    law = rule.name
    needs_in = law in ("fan_in", "fan_in_normal", "kaiming_uniform", "glorot")
    return call(
        "Init",
        literal(law),
        *([literal_tuple(values)] if values else []),
        fan_in=_size(fan_in, sizes) if needs_in else None,
        fan_out=_size(fan_out, sizes) if law == "glorot" else None,
        per=literal(per) if per else None,
    )


def _shortest(rule: Word) -> Word:
    """A law without the arguments that it has anyway."""
    if rule.name == "constant" and rule.args and rule.args[0][1] in (0.0, 1.0):
        return Word("ones" if rule.args[0][1] else "zeros")
    law = INITS.get(rule.name)
    args = list(rule.args)
    while law is not None and args and args[-1] in law.parameters:
        args.pop()
    return Word(rule.name, tuple(args))


def literal_tuple(values: Iterable[Code]) -> Code:
    """A tuple of expressions."""
    from repc.lowering.expression import expr

    return expr("{x}", x=list(values))


def _number(value: object, numbers: Sizes) -> Code:
    return numbers(value) if isinstance(value, Dim) else literal(value)


def _size(value: object, sizes: Sizes) -> Code:
    return sizes(value) if isinstance(value, Dim) else literal(value)


def fans(graph: Graph, slot: Node) -> tuple[Dim, Dim]:
    """Products of a slot's contracted axes and of the others (3.10), found where the slot is first contracted.

    A slot that is looked up in has the looked-up axis as no fan; one that is neither has its last axis contracted.
    """
    axes = slot.type.axes
    for axis_sets in _contracted(graph, slot.name, {axis.label: axis for axis in axes}):
        return _product(axis_sets), _product(axis for axis in axes if axis not in axis_sets)
    return (_product(axes[-1:]), _product(axes[:-1])) if len(axes) > 1 else (Dim.of(1), _product(axes))


def _contracted(graph: Graph, name: str, known: dict[Symbol, Axis]) -> Iterable[tuple[Axis, ...]]:
    for node in graph.nodes:
        if node.kind != "prim" or name not in node.args:
            continue
        op = node.attrs["op"]
        if op == "contract":
            yield tuple(axis for label, axis in known.items() if label not in node.attrs["out"])
        elif op == "relabel":
            new = dict(node.attrs["labels"])
            yield from _contracted(graph, node.name, {new.get(label, label): axis for label, axis in known.items()})
        elif op == "transpose":
            yield from _contracted(graph, node.name, known)


def _product(axes: Iterable[Axis]) -> Dim:
    made = Dim.of(1)
    for axis in axes:
        made = made * axis.size
    return made
