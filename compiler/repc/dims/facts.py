"""What is known about sizes, and what follows from it.

Equality is decided symbolically and never by the numbers of a file: changing `dim D = 128` may break a fact, not a
type. Bounds and divisibility fall back to the known numbers when nothing symbolic decides them.
"""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims.division import content
from repc.dims.faults import DimFault
from repc.dims.polynomial import ZERO, Atom, Dim, FloorDiv, Inverse, Mod, Number, Sized, Symbol

__all__ = ["AtLeast", "Divides", "Equal", "Fact", "Facts", "Values", "Violation", "check", "solved_for"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    Values: TypeAlias = Mapping[Symbol, int]
    Fact: TypeAlias = "Equal" | "AtLeast" | "Divides"
else:
    Values = Fact = object


class _Said(Record):
    """A fact. Two that say the same are equal, wherever they come from."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.sides == other.sides

    def __hash__(self) -> int:
        return hash((type(self), self.sides))

    @property
    def sides(self) -> tuple[Dim, Dim]:
        """The two dims that the fact relates, as written."""
        first, second, *_ = (getattr(self, name) for name in type(self).__match_args__)
        return first, second


class Equal(_Said):
    """`left == right`."""

    left: Dim
    right: Dim
    origin: object = None

    def __str__(self) -> str:
        return f"{self.left} == {self.right}"


class AtLeast(_Said):
    """`left >= right`. `AtLeast(N, 0)` also says that N may be zero, which no size may otherwise be."""

    left: Dim
    right: Dim
    origin: object = None

    def __str__(self) -> str:
        return f"{self.left} >= {self.right}"


class Divides(_Said):
    """`of % by == 0`."""

    by: Dim
    of: Dim
    origin: object = None

    def __str__(self) -> str:
        by = str(self.by)
        return f"{self.of} % {by if by.isidentifier() or by.isdigit() else f'({by})'} == 0"


class Violation(Record):
    """A fact that the known numbers break; a side without a whole value is None."""

    fact: Fact
    left: Number | None
    right: Number | None


class Facts(Record):
    """An immutable set of facts and what they define. Start from `Facts()` and add with `with_`."""

    facts: tuple[Fact, ...] = ()
    values: tuple[tuple[Symbol, int], ...] = ()
    definitions: tuple[tuple[Symbol, Dim], ...] = ()
    """Symbols that an equality expresses by others, each right side free of all of them."""
    relations: tuple[Dim, ...] = ()
    """What is zero by an equality that defines no symbol."""
    contradictions: tuple[Fact, ...] = ()
    """Facts that cannot hold together with those added before them."""

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def with_(self, *facts: Fact) -> Facts:
        """These facts added, in order."""
        current = self
        for fact in facts:
            divisible = _as_divides(fact) if isinstance(fact, Equal) else None
            if divisible is not None:
                current = current._with_other(divisible)
            elif isinstance(fact, Equal):
                current = current._with_equal(fact)
            else:
                current = current._with_other(fact)
        return current

    def with_values(self, values: Values) -> Facts:
        """The numbers that the file gives, used by `at_least` and `divides` as a last resort and never by `equal`."""
        merged = dict(self.values) | dict(values)
        return self._changed(values=tuple(sorted(merged.items())))

    def written_out(self, dim: Sized) -> Dim:
        """The dim with every defined symbol replaced by its definition."""
        return Dim.of(dim).subst(dict(self.definitions)) if self.definitions else Dim.of(dim)

    def normal(self, dim: Sized) -> Dim:
        """The dim written out, floors and remainders decided where the facts decide them."""
        plain = self.written_out(dim)
        if not any(isinstance(atom, FloorDiv | Mod) for atom in plain.atoms()):
            return plain
        from repc.dims.proof import simplified

        return simplified(self, plain)

    def equal(self, left: Sized, right: Sized) -> bool:
        """Proved equal for every size that satisfies the facts."""
        left, right = Dim.of(left), Dim.of(right)
        if left == right:
            return True
        difference = self.normal(left) - self.normal(right)
        return self._vanishes(difference) or self._vanishes(cleared(difference))

    def at_least(self, left: Sized, right: Sized) -> bool | None:
        """Whether `left >= right`: proved, refuted (always smaller), or None where that is not known."""
        from repc.dims.proof import at_least

        return at_least(self, Dim.of(left), Dim.of(right))

    def divides(self, by: Sized, of: Sized) -> bool | None:
        """Whether `of % by == 0`: proved, refuted, or None where that is not known."""
        from repc.dims.proof import divides

        return divides(self, Dim.of(by), Dim.of(of))

    def number(self, dim: Sized) -> Number | None:
        """The value of a dim under the known numbers, if they determine it."""
        try:
            return self.written_out(dim).subst(dict(self.values)).constant
        except DimFault:
            return None

    def lower_bound(self, symbol: Symbol) -> int:
        """The largest proved constant that the symbol reaches: 1 unless it was declared `>= 0` or more."""
        bounds = [
            fact.right.constant
            for fact in self.facts
            if isinstance(fact, AtLeast) and fact.left.symbol == symbol and isinstance(fact.right.constant, int)
        ]
        known = [bound for bound in bounds if isinstance(bound, int)]
        return max(known) if any(bound > 0 for bound in known) else 0 if known else 1

    def primitive(self, dim: Dim) -> Dim:
        """The dim less the positive factor that all its terms share: of the same sign, zero at the same sizes."""
        if not dim.terms:
            return dim
        ((monomial, number),) = content([dim]).terms
        factors = [(a, e) for a, e in monomial if e < 0 or (isinstance(a, Symbol) and self.lower_bound(a) >= 1)]
        return dim / Dim(((tuple(factors), number),))

    def _nonzero(self, atom: Atom) -> bool:
        return isinstance(atom, Symbol) and self.lower_bound(atom) >= 1

    def _vanishes(self, difference: Dim) -> bool:
        if not difference.terms:
            return True
        primitive = self.primitive(difference)
        return any(primitive in (relation, -relation) for relation in self.relations)

    def _with_other(self, fact: Fact) -> Facts:
        return self if fact in self.facts else self._changed(facts=(*self.facts, fact))

    def _with_equal(self, fact: Equal) -> Facts:
        left, right = self.normal(fact.left), self.normal(fact.right)
        difference = self.primitive(cleared(left - right))
        if not difference.terms:
            return self._with_other(fact)
        if difference.constant is not None:
            return self._changed(facts=(*self.facts, fact), contradictions=(*self.contradictions, fact))
        for symbol in _candidates(fact, difference):
            # Division by what may be zero proves nothing.
            solution = solved_for(difference, symbol, self._nonzero)
            if solution is None:
                continue
            new = {symbol: solution}
            kept = tuple((known, value.subst(new)) for known, value in self.definitions)
            relations = tuple(r for r in (self.primitive(r.subst(new)) for r in self.relations) if r.terms)
            return self._changed(
                facts=(*self.facts, fact), definitions=(*kept, (symbol, solution)), relations=relations
            )
        return self._changed(facts=(*self.facts, fact), relations=(*self.relations, difference))

    def _changed(
        self,
        facts: tuple[Fact, ...] | None = None,
        values: tuple[tuple[Symbol, int], ...] | None = None,
        definitions: tuple[tuple[Symbol, Dim], ...] | None = None,
        relations: tuple[Dim, ...] | None = None,
        contradictions: tuple[Fact, ...] | None = None,
    ) -> Facts:
        return Facts(
            self.facts if facts is None else facts,
            self.values if values is None else values,
            self.definitions if definitions is None else definitions,
            self.relations if relations is None else relations,
            self.contradictions if contradictions is None else contradictions,
        )


def cleared(dim: Dim) -> Dim:
    """The numerator of a dim over a common denominator, floors for remainders: zero exactly where the dim is."""
    while True:
        remainder = next((a for a in dim.atoms() if isinstance(a, Mod)), None)
        if remainder is not None:
            # a % b = a - b * (a // b), so that both kinds of division meet in one atom.
            floor = Dim.atom(FloorDiv(remainder.left, remainder.right))
            dim = _without(dim, remainder, remainder.left - remainder.right * floor)
            continue
        inverse = next((a for a in dim.atoms() if isinstance(a, Inverse)), None)
        if inverse is not None:
            dim = dim * inverse.of ** max(e for m, _ in dim.terms for a, e in m if a == inverse)
            continue
        shared = content([dim])
        below = [(tuple((a, e) for a, e in m if e < 0), c) for m, c in shared.terms]
        return dim / Dim(tuple(below))


def _without(dim: Dim, atom: Mod, instead: Dim) -> Dim:
    total = ZERO
    for monomial, coefficient in dim.terms:
        power = next((e for a, e in monomial if a == atom), 0)
        rest = Dim((((tuple((a, e) for a, e in monomial if a != atom)), coefficient),))
        total = total + rest * instead**power
    return total


def _as_divides(fact: Equal) -> Divides | None:
    """`D % H == 0` is the fact that H divides D."""
    for side, other in ((fact.left, fact.right), (fact.right, fact.left)):
        if other.constant == 0 and len(side.terms) == 1:
            remainders = [a for a in side.atoms() if isinstance(a, Mod)]
            if len(remainders) == 1:
                # `(2*D) % (2*H)` is `2*(D % H)`, zero exactly where `D % H` is.
                return Divides(remainders[0].right, remainders[0].left, fact.origin)
    return None


def _candidates(fact: Equal, difference: Dim) -> list[Symbol]:
    """Which symbol an equality defines, best first: the one that stands alone, left before right."""
    inside = difference.symbols()
    alone = [s for s in (fact.left.symbol, fact.right.symbol) if s is not None and s in inside]
    return alone + sorted(inside - set(alone), reverse=True)


def solved_for(zero: Dim, symbol: Symbol, nonzero: Callable[[Atom], bool] | None = None) -> Dim | None:
    """`symbol` from `zero == 0`, where it stands in one term alone, to the first power and in no opaque atom.

    Where `nonzero` is given, nothing is divided by an atom that it refuses.
    """
    holding = [t for t in zero.terms if any(a == symbol or _inside(a, symbol) for a, _ in t[0])]
    if len(holding) != 1:
        return None
    monomial, coefficient = holding[0]
    factor = tuple((a, e) for a, e in monomial if a != symbol)
    if dict(monomial).get(symbol) != 1 or any(_inside(a, symbol) for a, _ in factor):
        return None
    if nonzero is not None and not all(nonzero(a) for a, _ in factor):
        return None
    return -Dim(tuple(t for t in zero.terms if t is not holding[0])) / Dim(((factor, coefficient),))


def _inside(atom: object, symbol: Symbol) -> bool:
    return isinstance(atom, FloorDiv | Mod | Inverse) and symbol in Dim.atom(atom).symbols()


def check(facts: Iterable[Fact], values: Values) -> tuple[Violation, ...]:
    """The facts that these numbers break. A fact with a symbol that has no number is left out."""
    broken: list[Violation] = []
    for fact in facts:
        left, right = (fact.of, fact.by) if isinstance(fact, Divides) else (fact.left, fact.right)
        if not (left.symbols() | right.symbols()) <= values.keys():
            continue
        try:
            above, below = left.value(values), right.value(values)
        except DimFault:
            broken.append(Violation(fact, None, None))
            continue
        if isinstance(fact, Equal):
            holds = above == below
        elif isinstance(fact, AtLeast):
            holds = above >= below
        else:
            holds = below != 0 and above % below == 0
        if not holds:
            broken.append(Violation(fact, above, below))
    return tuple(broken)
