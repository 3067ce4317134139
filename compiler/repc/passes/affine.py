"""Positions that are sums of indices: `t - j + 1`, read off the nodes that compute them."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.record import Record
from repc.dims import Dim, Facts, Symbol
from repc.ir import Node
from repc.types import Axis

# Stands for the position of the step itself, where a graph is run position by position.
HERE = Symbol("here", "step")


class Affine(Record):
    """`constant + sum of factor * position along axis`. `clipped`: the node by which it was brought into a range."""

    terms: tuple[tuple[Symbol, int], ...]
    constant: Dim
    axes: tuple[Axis, ...] = ()
    clipped: str = ""

    def factor(self, label: Symbol) -> int:
        """The factor of the position along an axis; 0 where it does not occur."""
        return dict(self.terms).get(label, 0)

    def axis(self, label: Symbol) -> Axis:
        """The axis of a term."""
        return next(axis for axis in self.axes if axis.label == label)

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """`self + factor * other`."""
        terms = dict(self.terms)
        for label, own in other.terms:
            terms[label] = terms.get(label, 0) + factor * own
        axes = {axis.label: axis for axis in (*self.axes, *other.axes)}
        kept = tuple((label, own) for label, own in terms.items() if own)
        return Affine(
            kept, self.constant + other.constant * factor, tuple(axes.values()), self.clipped or other.clipped
        )

    def times(self, factor: int) -> Affine:
        """`factor * self`."""
        return Affine((), Dim.of(0)).plus(self, factor)

    def relabelled(self, new: Mapping[Symbol, Symbol]) -> Affine:
        """The same sum with its axes under other labels."""
        terms = tuple((new.get(label, label), own) for label, own in self.terms)
        axes = tuple(axis.relabelled(new.get(axis.label, axis.label)) for axis in self.axes)
        return Affine(terms, self.constant, axes, self.clipped)

    def without(self, label: Symbol) -> Affine:
        """The sum without the term of an axis."""
        return Affine(
            tuple((own, factor) for own, factor in self.terms if own != label),
            self.constant,
            tuple(axis for axis in self.axes if axis.label != label),
            self.clipped,
        )

    def bounds(self) -> tuple[Dim, Dim]:
        """The least and the largest value."""
        low = high = self.constant
        for label, factor in self.terms:
            reach = (self.axis(label).size - 1) * factor
            low, high = (low + reach, high) if factor < 0 else (low, high + reach)
        return low, high


def affine(nodes: Mapping[str, Node], name: str, here: Mapping[str, Symbol] | None = None) -> Affine | None:
    """The value of an integer node as a sum of positions, if it is one. `here`: inputs that are the step's position."""
    node = nodes[name]
    if node.kind == "const":
        value = node.attrs["value"]
        whole = isinstance(value, int | Dim) and not isinstance(value, bool)
        return Affine((), Dim.of(value)) if whole else None
    if node.kind == "input" and here and node.attrs["port"] in here:
        return Affine(((HERE, 1),), Dim.of(0))
    if node.kind != "prim":
        return None
    parts = [affine(nodes, arg, here) for arg in node.args]
    match node.attrs["op"], parts:
        case "iota", []:
            axis: Axis = node.attrs["axis"]
            return Affine(((axis.label, 1),), Dim.of(0), (axis,))
        case "add", [Affine() as left, Affine() as right]:
            return left.plus(right)
        case "sub", [Affine() as left, Affine() as right]:
            return left.plus(right, -1)
        case "neg", [Affine() as only]:
            return only.times(-1)
        case "mul", [Affine() as left, Affine() as right]:
            for one, other in ((left, right), (right, left)):
                factor = one.constant.constant
                if not one.terms and isinstance(factor, int):
                    return other.times(factor)
            return None
        case "relabel", [Affine() as only]:
            return only.relabelled(dict(node.attrs["labels"]))
        case (("index" | "expand" | "transpose"), [Affine() as only]):
            return only
        case "clip", [Affine() as only, Affine(), Affine()]:
            return Affine(only.terms, only.constant, only.axes, node.name)
        case _:
            return None


def in_order(facts: Facts, low: Dim, high: Dim) -> bool:
    """Whether `low <= high` is proved."""
    return facts.at_least(high, low) is True
