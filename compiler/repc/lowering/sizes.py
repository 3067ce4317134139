"""Sizes in generated code: constructor arguments of modules, and shapes of what arrives at run time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import lcm

from rep_grammar.record import Record
from repc.dims import Dim, FloorDiv, Inverse, Mod, Symbol
from repc.lowering.expression import Code, expr, literal, name
from repc.lowering.naming import Names, local
from repc.types import Axis


def symbols_in_order(sizes: Iterable[Dim]) -> tuple[Symbol, ...]:
    """Every symbol once, as they come (by name inside one size)."""
    found: dict[Symbol, None] = {}
    for size in sizes:
        for symbol in sorted(size.symbols(), key=lambda one: one.key):
            found.setdefault(symbol)
    return tuple(found)


def quotient(dim: Dim) -> tuple[Dim, Dim]:
    """A size as one fraction: numerator and denominator without negative powers or fractions."""
    below = Dim.of(lcm(*(Fraction(size).denominator for _, size in dim.terms)))
    worst: dict[Symbol | FloorDiv | Mod | Inverse, int] = {}
    for monomial, _ in dim.terms:
        for atom, exponent in monomial:
            power = exponent if isinstance(atom, Inverse) else -exponent
            worst[atom] = max(worst.get(atom, 0), power)
    for atom, power in worst.items():
        if power > 0:
            below = below * (atom.of**power if isinstance(atom, Inverse) else Dim.atom(atom, power))
    return dim * below, below


class SizeNames(Record):
    """Spelling of sizes: Python text of every symbol that may stand in one, and of formulas that have a name."""

    spelled: tuple[tuple[Symbol, str], ...]
    whole: tuple[tuple[Dim, str], ...] = ()

    def size(self, dim: Dim) -> Code:
        """A whole number; divisions are exact."""
        for size, text in self.whole:
            if size == dim:
                return name(text)
        if dim.constant is not None:
            return literal(int(dim.constant))
        return _parsed(dim.to_python(dict(self.spelled)))

    def number(self, dim: Dim) -> Code:
        """A number that need not be whole: `D / 3`."""
        if dim.constant is not None:
            value = dim.constant
            return literal(int(value)) if value == int(value) else literal(float(value))
        above, below = quotient(dim)
        if below.constant == 1:
            return self.size(above)
        return expr("{above} / {below}", above=self.size(above), below=self.size(below))


def _parsed(text: str) -> Code:
    return ast.parse(text, mode="eval").body


class RunTimeSizes:
    """Sizes inside one function: constructor sizes by `self`, others read off the shapes of its inputs when needed.

    `asked` makes a constructor size (or a parameter) of what neither tells. `statements` are the lines that read
    shapes, in order, to stand first in the body.
    """

    def __init__(
        self,
        built: Mapping[Symbol, str],
        inputs: Iterable[tuple[str, tuple[Axis, ...]]],
        names: Names,
        asked: Callable[[Symbol], str],
    ) -> None:
        self._built = dict(built)
        self._names = names
        self._asked = asked
        self._read: dict[Symbol, str] = {}
        self._sources = [
            (variable, place - len(axes), axis.size) for variable, axes in inputs for place, axis in enumerate(axes)
        ]
        self.statements: list[tuple[str, Code]] = []
        self.used: dict[Symbol, None] = {}

    def size(self, dim: Dim) -> Code:
        """A whole number as code."""
        return self._spelling(dim).size(dim)

    def number(self, dim: Dim) -> Code:
        """A number as code."""
        return self._spelling(dim).number(dim)

    def _spelling(self, dim: Dim) -> SizeNames:
        return SizeNames(tuple((symbol, self._spell(symbol)) for symbol in symbols_in_order([dim])))

    def _spell(self, symbol: Symbol) -> str:
        if symbol in self._built:
            self.used.setdefault(symbol)
            return self._built[symbol]
        if symbol not in self._read:
            found = self._source(symbol)
            if found is None:
                self._built[symbol] = self._asked(symbol)
                return self._spell(symbol)
            variable, place, size = found
            spelled = self._names.fresh(local(symbol.name))
            shape = expr("{x}.shape[{place}]", x=name(variable), place=place)
            code = shape if size.symbol == symbol else self._solved(size, symbol, shape)
            self._read[symbol] = spelled
            self.statements.append((spelled, code))
        return self._read[symbol]

    def _source(self, symbol: Symbol) -> tuple[str, int, Dim] | None:
        """The axis of an input that tells a symbol's size: bare if there is one, else affine in it alone."""
        affine: tuple[str, int, Dim] | None = None
        for source in self._sources:
            size = source[2]
            if size.symbol == symbol:
                return source
            others = size.symbols() - {symbol}
            if affine is None and symbol in size.symbols() and _slope(size, symbol) is not None:
                affine = source if all(other in self._built or other in self._read for other in others) else None
        return affine

    def _solved(self, size: Dim, symbol: Symbol, actual: Code) -> Code:
        slope = _slope(size, symbol)
        assert slope is not None
        rest = size - slope * Dim.of(symbol)
        made = actual if rest.constant == 0 else expr("{x} - {rest}", x=actual, rest=self.size(rest))
        return made if slope.constant == 1 else expr("{x} // {slope}", x=made, slope=self.size(slope))


def _slope(size: Dim, symbol: Symbol) -> Dim | None:
    """The factor of a symbol in a size that is affine in it; None where it is not."""
    zero, one, two = (size.subst({symbol: Dim.of(value)}) for value in (1, 2, 3))
    slope = one - zero
    hidden = FloorDiv | Mod | Inverse
    opaque = any(isinstance(atom, hidden) and symbol in Dim.atom(atom).symbols() for atom in size.atoms())
    if opaque or not slope.terms or two - one != slope:
        return None
    return slope
