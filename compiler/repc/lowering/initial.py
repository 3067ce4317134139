"""How slots and cells start: the rule of the spec as a call of the runtime's `Init`, with the fans of the slot."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from repc.dims import Dim, Symbol
from repc.ir import Graph, Node, Word
from repc.lowering.expression import Code, call, expr, literal
from repc.ops.inits import INITS
from repc.types import Axis

Sizes = Callable[[Dim], Code]
_FAN_IN = frozenset({"fan_in", "fan_in_normal", "kaiming_uniform", "glorot"})


def init_rule(word: object, fans: tuple[Dim, Dim], lifted: bool, sizes: Sizes, numbers: Sizes) -> Code:
    """`Init("fan_in", fan_in=D)`: the law, its numbers, and what of the fans it needs.

    `word`: the law, a number, or code that computes one. `lifted`: the slot has `per` axes in front.
    """
    per = expr("len(per)") if lifted else None
    if isinstance(word, ast.expr):
        return call("Init", literal("constant"), expr("{x}", x=[word]), per=per)
    rule = _shortest(word if isinstance(word, Word) else Word("constant", (("value", word),)))
    values = [_number(value, numbers) for _, value in rule.args]
    law = rule.name
    return call(
        "Init",
        literal(law),
        *([expr("{x}", x=values)] if values else []),
        fan_in=sizes(fans[0]) if law in _FAN_IN else None,
        fan_out=sizes(fans[1]) if law == "glorot" else None,
        per=per,
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


def _number(value: object, numbers: Sizes) -> Code:
    return numbers(value) if isinstance(value, Dim) else literal(value)


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
        if name in node.args and node.kind == "memory":
            # A map of a fitted network takes all but the last of its axes.
            yield tuple(known.values())[:-1]
        if node.kind != "prim" or name not in node.args:
            continue
        op = node.attrs["op"]
        if op in ("contract", "convolve"):
            yield tuple(axis for label, axis in known.items() if label not in node.attrs["out"])
        elif op == "relabel":
            new = dict(node.attrs["labels"])
            yield from _contracted(graph, node.name, {new.get(label, label): axis for label, axis in known.items()})
        elif op in ("sum", "mean"):
            yield tuple(axis for label, axis in known.items() if label in node.attrs["over"])
        elif op in ("transpose", "mul", "div", "neg"):
            yield from _contracted(graph, node.name, known)


def _product(axes: Iterable[Axis]) -> Dim:
    made = Dim.of(1)
    for axis in axes:
        made = made * axis.size
    return made
