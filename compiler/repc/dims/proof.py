"""Proofs of bounds and divisibility by short searches over what the facts say.

A bound `d >= 0` is proved by writing d as a sum of products that cannot be negative: constants, sizes less their lower
bounds, and the left sides of known inequalities times such products. The search cancels one doubtful term at a time
and gives up after a few steps: unknown is an answer.
"""

from __future__ import annotations

from repc.dims.division import is_whole
from repc.dims.facts import AtLeast, Divides, Facts, cleared
from repc.dims.faults import DimFault
from repc.dims.polynomial import Atom, Dim, FloorDiv, Inverse, Symbol, Term, inverted, times

__all__ = ["at_least", "divides", "simplified"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH = 5
BREADTH = 24
FINE = 1024


def at_least(facts: Facts, left: Dim, right: Dim, numbers: bool = True) -> bool | None:
    """See `Facts.at_least`; without `numbers` the answer holds whatever values the file gives."""
    difference = facts.written_out(left) - facts.written_out(right)
    constant = difference.constant
    if constant is not None:
        return constant >= 0
    bounds = _Bounds(facts)
    if bounds.nonnegative(difference):
        return True
    if bounds.nonnegative(-difference - 1):
        return False
    return by_numbers(facts, bounds, difference) if numbers else None


def by_numbers(facts: Facts, bounds: _Bounds, difference: Dim) -> bool | None:
    """The same question with the sizes that have a value written as numbers."""
    try:
        known = difference.subst(dict(facts.values))
    except DimFault:
        return None
    constant = known.constant
    if constant is not None:
        return constant >= 0
    if known == difference:
        return None
    return True if bounds.nonnegative(known) else False if bounds.nonnegative(-known - 1) else None


class _Bounds:
    """The search for one question: lower bounds of symbols and signs of opaque atoms, looked up once."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.lower: dict[Symbol, int] = {}

    def nonnegative(self, dim: Dim) -> bool:
        goal = self.numerator(dim)
        if goal is None:
            return False
        # A whole number above -1 is at least 0; the goal has no denominator left, so it is whole: d + 1 - 1/FINE
        # is looked at instead of d, times FINE.
        raised = self.raised(goal) * FINE + (FINE - 1)
        if not self.doubtful(raised):
            return True
        known = [self.raised(k) for k in (self.numerator(d) for d in self.inequalities(goal)) if k is not None]
        return self.search(raised, [k for k in known if k.terms], DEPTH, {})

    def positive(self, dim: Dim) -> bool:
        """At least zero, and so of known sign as a factor or, when it is no zero, as a denominator."""
        return not self.doubtful(self.raised(dim))

    def numerator(self, dim: Dim) -> Dim | None:
        """The dim times something positive that leaves no denominator; None where that sign is unknown."""
        for by, _ in dim.denominators():
            if not all(self.atom_positive(atom) for atom in by.atoms()):
                return None
        return self.facts.primitive(cleared(dim))

    def atom_positive(self, atom: Atom) -> bool:
        if isinstance(atom, Symbol):
            return True
        if isinstance(atom, Inverse):
            return self.positive(atom.of)
        if isinstance(atom, FloorDiv):
            return self.positive(atom.left) and self.positive(atom.right)
        return self.positive(atom.right)

    def bound(self, symbol: Symbol) -> int:
        if symbol not in self.lower:
            self.lower[symbol] = self.facts.lower_bound(symbol)
        return self.lower[symbol]

    def raised(self, dim: Dim) -> Dim:
        """The dim over `symbol - lower bound`; opaque atoms stay, they only have to be the same everywhere."""
        total = Dim.of(0)
        for monomial, coefficient in dim.terms:
            part = Dim.of(coefficient)
            for atom, exponent in monomial:
                base = Dim.atom(atom)
                if isinstance(atom, Symbol) and exponent > 0:
                    base = base + self.bound(atom)
                part = part * base**exponent
            total = total + part
        return total

    def doubtful(self, raised: Dim) -> list[Term]:
        """The terms that may be negative."""
        return [t for t in raised.terms if t[1] < 0 or not all(self.atom_positive(a) for a, _ in t[0])]

    def inequalities(self, about: Dim) -> Iterator[Dim]:
        """Dims that are at least zero: from facts, definitions (a size is at least 1) and the meaning of `//`."""
        facts = self.facts
        for fact in facts:
            if isinstance(fact, AtLeast):
                yield facts.written_out(fact.left) - facts.written_out(fact.right)
            elif isinstance(fact, Divides):
                # A positive multiple of a positive size is no smaller than it.
                of, by = facts.written_out(fact.of), facts.written_out(fact.by)
                if self.at_least_one(of) and self.at_least_one(by):
                    yield of - by
        for symbol, value in facts.definitions:
            yield value - self.bound(symbol)
        for atom in sorted({a for a in about.atoms() if isinstance(a, FloorDiv)}, key=lambda a: a.key):
            if self.at_least_one(atom.right):
                whole = Dim.atom(atom) * atom.right
                yield atom.left - whole
                yield whole - atom.left + atom.right - 1

    def at_least_one(self, dim: Dim) -> bool:
        return self.positive(dim - 1)

    def search(self, goal: Dim, known: list[Dim], depth: int, failed: dict[Dim, int]) -> bool:
        """Whether `goal` is a sum of nonnegative products, given dims known to be nonnegative.

        `failed` holds goals that were given up, with the depth that was left then.
        """
        doubtful = self.doubtful(goal)
        if not doubtful:
            return True
        if depth == 0 or failed.get(goal, -1) >= depth:
            return False
        failed[goal] = depth
        tries = 0
        for term in doubtful:
            for dim in known:
                factor = _factor(term, dim)
                if factor is None:
                    continue
                tries += 1
                if tries > BREADTH:
                    return False
                if self.search(goal - dim * factor, known, depth - 1, failed):
                    return True
        return False


def _factor(term: Term, dim: Dim) -> Dim | None:
    """The positive product of sizes by which `dim` has exactly `term`."""
    monomial, coefficient = term
    for found, size in dim.terms:
        if (size < 0) == (coefficient < 0):
            ratio = times(monomial, inverted(found))
            if all(e > 0 and isinstance(a, Symbol) for a, e in ratio):
                return Dim(((ratio, 1),)) * (Dim.of(coefficient) / size)
    return None


def divides(facts: Facts, by: Dim, of: Dim, numbers: bool = True) -> bool | None:
    """See `Facts.divides`; without `numbers` the answer holds whatever values the file gives."""
    by, of = facts.written_out(by), facts.written_out(of)
    if not by.terms:
        return False
    ratio = of / by
    if is_whole(ratio):
        return True
    if ratio.constant is not None:
        return False
    if _combines(ratio, list(_whole_dims(facts)), DEPTH):
        return True
    number = facts.number(ratio) if numbers else None
    return None if number is None else isinstance(number, int)


def _whole_dims(facts: Facts) -> Iterator[Dim]:
    """Dims that are whole although they hold a denominator: quotients that facts speak of, and defined sizes."""
    for fact in facts:
        if isinstance(fact, Divides):
            by = facts.written_out(fact.by)
            if by.terms:
                yield facts.written_out(fact.of) / by
    for _, value in facts.definitions:
        if not is_whole(value):
            yield value


def _combines(ratio: Dim, whole: list[Dim], depth: int) -> bool:
    """Whether `ratio` is a sum of products of whole dims."""
    rest = Dim(tuple(t for t in ratio.terms if not is_whole(Dim((t,)))))
    if not rest.terms:
        return True
    if depth == 0:
        return False
    for dim in whole:
        for term in dim.terms:
            if is_whole(Dim((term,))) or any(isinstance(a, Inverse) for a, _ in term[0]):
                continue
            factor = Dim(rest.terms[:1]) / Dim((term,))
            if _is_product(factor, whole, depth - 1) and _combines(rest - dim * factor, whole, depth - 1):
                return True
    return False


def _is_product(factor: Dim, whole: list[Dim], depth: int) -> bool:
    """Whether one term is whole, or a product of whole dims of one term each."""
    if is_whole(factor):
        return True
    return depth > 0 and any(
        _is_product(factor / dim, whole, depth - 1) for dim in whole if len(dim.terms) == 1 and dim.constant is None
    )


def simplified(facts: Facts, dim: Dim) -> Dim:
    """Floors and remainders that the facts decide, decided: `D // H` is `D/H` where H divides D."""
    for atom in sorted({a for a in dim.atoms() if not isinstance(a, Symbol | Inverse)}, key=lambda a: a.key):
        left, right = atom.left, atom.right
        if divides(facts, right, left, numbers=False):
            instead = left / right if isinstance(atom, FloorDiv) else Dim.of(0)
        elif at_least(facts, left, Dim.of(0), numbers=False) and at_least(facts, right, left + 1, numbers=False):
            instead = Dim.of(0) if isinstance(atom, FloorDiv) else left
        else:
            continue
        total = Dim.of(0)
        for monomial, coefficient in dim.terms:
            power = dict(monomial).get(atom, 0)
            rest = Dim(((tuple((a, e) for a, e in monomial if a != atom), coefficient),))
            total = total + rest * instead**power
        dim = total
    return dim
