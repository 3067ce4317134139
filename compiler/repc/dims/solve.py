"""Solving sizes: a whole program's equations at compile time, and free dims from actual sizes at run time.

Both are order-free: an equation is used when it determines something, whenever that is, and every conflict is reported.
"""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims.facts import Facts, Values, Violation, check, cleared, solved_for
from repc.dims.faults import DimFault
from repc.dims.polynomial import Dim, Number, Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Conflict", "Equation", "Mismatch", "Observed", "Sizes", "Solution", "solve", "solve_sizes"]


class Equation(Record):
    """Two sizes that must be one; `origin` is whatever the caller wants back in a conflict."""

    left: Dim
    right: Dim
    origin: object = None


class Conflict(Record):
    """An equation that fails once the others have bound its unknowns.

    `left` and `right` are its sides as solved, `because` the equations that bound what stands in them.
    """

    equation: Equation
    left: Dim
    right: Dim
    because: tuple[Equation, ...]


class Solution(Record):
    """What the equations say of the unknowns: bindings free of bound symbols, conflicts, and what stayed open."""

    bindings: Mapping[Symbol, Dim]
    conflicts: tuple[Conflict, ...]
    undecided: tuple[Equation, ...]
    """Equations that hold an unknown which nothing determines (`A*C == 12`)."""
    open: frozenset[Symbol]
    """Unknowns that no equation determined."""

    def apply(self, dim: Dim) -> Dim:
        return dim.subst(self.bindings)


def solve(equations: Iterable[Equation], unknown: Iterable[Symbol], facts: Facts | None = None) -> Solution:
    """Binds unknowns so that every equation holds; known symbols are never bound.

    Equations that determine one unknown alone go first, then those that express one unknown by others.
    """
    known = facts if facts is not None else Facts()
    wanted = frozenset(unknown)
    pending = list(equations)
    bindings: dict[Symbol, Dim] = {}
    causes: dict[Symbol, tuple[Equation, ...]] = {}
    conflicts: list[Conflict] = []

    def used(equation: Equation) -> tuple[Equation, ...]:
        bound = (equation.left.symbols() | equation.right.symbols()) & causes.keys()
        return tuple(dict.fromkeys(cause for symbol in sorted(bound) for cause in causes[symbol]))

    def bind(symbol: Symbol, value: Dim, equation: Equation) -> None:
        reasons = (*used(equation), equation)
        for other, held in bindings.items():
            if symbol in held.symbols():
                bindings[other] = held.subst({symbol: value})
                causes[other] = tuple(dict.fromkeys((*causes[other], *reasons)))
        bindings[symbol] = value
        causes[symbol] = reasons

    for most in (1, 2, 1_000_000):
        progress = True
        while progress:
            progress = False
            waiting: list[Equation] = []
            for equation in pending:
                left, right = equation.left.subst(bindings), equation.right.subst(bindings)
                if known.equal(left, right):
                    continue
                difference = cleared(known.written_out(left) - known.written_out(right))
                inside = difference.symbols() & wanted
                if not inside:
                    conflicts.append(Conflict(equation, left, right, used(equation)))
                    continue
                found = _determined(difference, inside) if len(inside) <= most else None
                if found is None:
                    waiting.append(equation)
                    continue
                symbol, value = found
                size = value.constant
                if size is not None and (not isinstance(size, int) or size < known.lower_bound(symbol)):
                    # No whole size does it: `2*K` against 9, or a size below one.
                    conflicts.append(Conflict(equation, left, right, used(equation)))
                    continue
                bind(symbol, value, equation)
                progress = True
            pending = waiting
    return Solution(bindings, tuple(conflicts), tuple(pending), wanted - bindings.keys())


def _determined(difference: Dim, inside: frozenset[Symbol]) -> tuple[Symbol, Dim] | None:
    """An unknown that the equation expresses, one without other unknowns below the line first."""
    second: tuple[Symbol, Dim] | None = None
    for symbol in sorted(inside):
        value = solved_for(difference, symbol)
        if value is None:
            continue
        below = frozenset[Symbol]().union(*(by.symbols() for by, _ in value.denominators()))
        if not below & inside:
            return symbol, value
        second = second or (symbol, value)
    return second


class Observed(Record):
    """An axis of size `dim` that arrived with `size` entries."""

    dim: Dim
    size: int
    origin: object = None


class Mismatch(Record):
    """An axis whose actual size is not what its formula gives; `expected` is None where nothing whole fits."""

    observed: Observed
    expected: Number | None
    because: tuple[Observed, ...]
    """The axes that bound the symbols of the formula."""


class Sizes(Record):
    """Free dims as solved from actual sizes, with everything that does not fit."""

    values: Mapping[Symbol, int]
    mismatches: tuple[Mismatch, ...]
    violations: tuple[Violation, ...]
    undetermined: frozenset[Symbol]

    @property
    def fit(self) -> bool:
        return not (self.mismatches or self.violations or self.undetermined)


def solve_sizes(observed: Iterable[Observed], given: Values | None = None, facts: Facts | None = None) -> Sizes:
    """Solves free dims from actual sizes: an axis `[M: 2*B]` with 10 entries makes B = 5.

    `given` are the dims with a value in the file. Facts are checked with the result.
    """
    known = facts if facts is not None else Facts()
    values: dict[Symbol, int] = dict(given or {})
    causes: dict[Symbol, tuple[Observed, ...]] = {}
    pending = list(observed)
    mismatches: list[Mismatch] = []
    progress = True
    while progress:
        progress = False
        waiting: list[Observed] = []
        for axis in pending:
            formula = known.written_out(axis.dim)
            free = formula.symbols() - values.keys()
            reasons = tuple(dict.fromkeys(c for s in sorted(formula.symbols()) for c in causes.get(s, ())))
            if not free:
                actual = _value(formula, values)
                if actual != axis.size:
                    mismatches.append(Mismatch(axis, actual, reasons))
                continue
            symbol = next(iter(free))
            root = _root(formula, symbol, values, axis.size) if len(free) == 1 else None
            if root is None:
                waiting.append(axis)
            elif root < known.lower_bound(symbol):
                mismatches.append(Mismatch(axis, None, reasons))
            else:
                values[symbol] = root
                causes[symbol] = (*reasons, axis)
                progress = True
        pending = waiting
    undetermined: set[Symbol] = set()
    for axis in pending:
        free = known.written_out(axis.dim).symbols() - values.keys()
        if len(free) == 1 and _linear(known.written_out(axis.dim), next(iter(free)), values) is not None:
            mismatches.append(Mismatch(axis, None, ()))
        undetermined |= free
    for symbol, definition in known.definitions:
        value = _value(definition, values)
        if isinstance(value, int):
            values.setdefault(symbol, value)
    return Sizes(values, tuple(mismatches), check(known, values), frozenset(undetermined))


def _value(formula: Dim, values: Values) -> Number | None:
    try:
        return formula.value(values)
    except DimFault:
        return None


def _linear(formula: Dim, symbol: Symbol, values: Values) -> Dim | None:
    """The formula with every other symbol put in, where `symbol` then stands in one term and no opaque atom."""
    try:
        rest = formula.subst({s: v for s, v in values.items() if s != symbol})
    except DimFault:
        return None
    holding = [m for m, _ in rest.terms if m]
    plain = len(holding) == 1 and len(holding[0]) == 1 and holding[0][0][0] == symbol
    return rest if plain else None


def _root(formula: Dim, symbol: Symbol, values: Values, size: int) -> int | None:
    """The whole value of `symbol` at which the formula is `size`."""
    rest = _linear(formula, symbol, values)
    if rest is None:
        return None
    ((exponent, coefficient),) = ((m[0][1], c) for m, c in rest.terms if m)
    constant = sum((c for m, c in rest.terms if not m), 0)
    if exponent < 0:
        # c / x^n == size: x^n is a divisor, found from the other side.
        target = coefficient / Dim.of(size - constant) if size != constant else None
    else:
        target = Dim.of(size - constant) / coefficient
    wanted = target.constant if target is not None else None
    if not isinstance(wanted, int) or wanted < 0:
        return None
    return _whole_root(wanted, abs(exponent))


def _whole_root(value: int, exponent: int) -> int | None:
    low, high = 0, 1 << (value.bit_length() // exponent + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**exponent < value:
            low = middle + 1
        else:
            high = middle
    return low if low**exponent == value else None
