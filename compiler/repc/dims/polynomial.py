"""Sizes of axes: Laurent polynomials over named dims, canonical by construction.

Two `Dim`s that differ only in how they were written are the same object in value: equal, with one hash. So the common
question "are these two sizes the same?" costs a comparison of tuples. What no polynomial can say (`//`, `%`, division
by a sum) becomes an opaque atom over canonical arguments.
"""

from __future__ import annotations

from repc.dims.faults import DivisionByZero, NotWhole, TooLarge, Unbound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from fractions import Fraction
    from typing import NoReturn, TypeAlias

__all__ = ["Atom", "Coefficient", "Dim", "FloorDiv", "Inverse", "Mod", "Monomial", "Number", "Sized", "Symbol", "Term"]

MOST_TERMS = 20_000
HIGHEST_POWER = 64

if TYPE_CHECKING:
    Key: TypeAlias = tuple[int, str, str]
    Coefficient: TypeAlias = int | Fraction  # an int wherever it is whole
    Number: TypeAlias = int | Fraction
    Atom: TypeAlias = "Symbol" | "FloorDiv" | "Mod" | "Inverse"
    Monomial: TypeAlias = tuple[tuple[Atom, int], ...]  # sorted by key, no zero exponent, Inverse only positive
    Term: TypeAlias = tuple[Monomial, Coefficient]
    Sized: TypeAlias = "Dim" | "Symbol" | int | Fraction
else:
    # `fractions` and `typing` take longer to import than this package, and few specs need them.
    Atom = Coefficient = Monomial = Number = Sized = Term = object

put = object.__setattr__


def ratio(above: Coefficient, below: Coefficient) -> Coefficient:
    """The exact quotient of two numbers, an int where it is whole."""
    if type(above) is int and type(below) is int and above % below == 0:
        return above // below
    from fractions import Fraction

    return _whole(Fraction(above) / below)


class _Frozen:
    """Base of the values here: slots that are set once, when the value is made."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name!r}")


class Symbol(_Frozen):
    """A named size. `scope` tells apart symbols of one spelling (a callee's formals, another file's dims)."""

    __slots__ = ("_hash", "key", "name", "scope")
    __match_args__ = ("name", "scope")
    name: str
    scope: str
    key: Key
    _hash: int

    def __init__(self, name: str, scope: str = "") -> None:
        put(self, "name", name)
        put(self, "scope", scope)
        put(self, "key", (0, name, scope))
        put(self, "_hash", hash((name, scope)))

    def __eq__(self, other: object) -> bool:
        return type(other) is Symbol and self.name == other.name and self.scope == other.scope

    def __hash__(self) -> int:
        return self._hash

    def __lt__(self, other: Symbol) -> bool:
        return self.key < other.key

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Symbol({self.name!r}, {self.scope!r})" if self.scope else f"Symbol({self.name!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Symbol, (self.name, self.scope)


class _Opaque(_Frozen):
    """An atom over dims, identified by the text of `key`."""

    __slots__ = ("key",)
    key: Key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opaque) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class _Pair(_Opaque):
    __slots__ = ("left", "right")
    __match_args__ = ("left", "right")
    left: Dim
    right: Dim

    def __init__(self, left: Dim, right: Dim) -> None:
        put(self, "left", left)
        put(self, "right", right)
        put(self, "key", (1, f"{type(self).__name__}({_spell(left)},{_spell(right)})", ""))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.left!r}, {self.right!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.left, self.right)


class FloorDiv(_Pair):
    """`left // right`, the floor of the quotient; `right` is never a factor of any term of `left`."""

    __slots__ = ()


class Mod(_Pair):
    """`left % right`, in `[0, right)` for a positive `right`."""

    __slots__ = ()


class Inverse(_Opaque):
    """`1 / of` for a sum `of` without a common factor; division by anything else stays a polynomial."""

    __slots__ = ("of",)
    __match_args__ = ("of",)
    of: Dim

    def __init__(self, of: Dim) -> None:
        put(self, "of", of)
        put(self, "key", (1, f"Inverse({_spell(of)})", ""))

    def __repr__(self) -> str:
        return f"Inverse({self.of!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return Inverse, (self.of,)


def _spell(dim: Dim) -> str:
    """A text that only this dim has, scopes included: the order and identity of opaque atoms rest on it."""
    terms = (f"{c}" + "".join(f"*{a.key[1]}@{a.key[2]}^{e}" for a, e in m) for m, c in dim.terms)
    return "+".join(terms)


def order(term: Term) -> tuple[int, tuple[tuple[Key, int], ...]]:
    """Sorts terms by falling degree, then by name. Graded lexicographic where no exponent is negative."""
    monomial = term[0]
    if len(monomial) == 1:
        atom, exponent = monomial[0]
        return (-exponent, ((atom.key, -exponent),))
    return (-sum([e for _, e in monomial]), tuple([(a.key, -e) for a, e in monomial]))


def _whole(value: Coefficient) -> Coefficient:
    return value if type(value) is int or value.denominator != 1 else value.numerator


def times(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    if not left:
        return right
    if not right:
        return left
    powers = dict(left)
    for atom, exponent in right:
        powers[atom] = powers.get(atom, 0) + exponent
    return tuple(sorted(((a, e) for a, e in powers.items() if e), key=lambda p: p[0].key))


def inverted(monomial: Monomial) -> Monomial:
    """One over a monomial without `Inverse` atoms."""
    return tuple((a, -e) for a, e in monomial)


class Dim(_Frozen):
    """A size in normal form: terms by falling degree, then by name, none of them zero.

    Build one with `Dim.of`, never from `terms` by hand. Arithmetic accepts dims, symbols, ints and fractions.
    """

    __slots__ = ("_hash", "terms")
    __match_args__ = ("terms",)
    terms: tuple[Term, ...]
    _hash: int

    def __init__(self, terms: tuple[Term, ...]) -> None:
        put(self, "terms", terms)
        put(self, "_hash", hash(terms))

    def __eq__(self, other: object) -> bool:
        return type(other) is Dim and self._hash == other._hash and self.terms == other.terms

    def __reduce__(self) -> tuple[object, ...]:
        return Dim, (self.terms,)

    def __hash__(self) -> int:
        return self._hash

    @staticmethod
    def of(value: Sized) -> Dim:
        if type(value) is Dim:
            return value
        if isinstance(value, Symbol):
            return Dim((((((value, 1),), 1)),))
        return Dim((((), _whole(value)),)) if value else ZERO  # type: ignore[arg-type]

    @staticmethod
    def atom(atom: Atom, exponent: int = 1) -> Dim:
        return Dim(((((atom, exponent),), 1),))

    @staticmethod
    def from_terms(terms: Iterable[Term]) -> Dim:
        """The sum of the terms, brought to normal form."""
        dim = collected(terms)
        for monomial, _ in dim.terms:
            for atom, _ in monomial:
                if type(atom) is Inverse:
                    from repc.dims.division import cancel

                    return cancel(dim)
        return dim

    @property
    def constant(self) -> Number | None:
        """The number this size is, if no symbol is left in it."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    @property
    def symbol(self) -> Symbol | None:
        """The symbol this size is, if it is nothing else."""
        if len(self.terms) == 1:
            monomial, coefficient = self.terms[0]
            if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
                atom = monomial[0][0]
                return atom if isinstance(atom, Symbol) else None
        return None

    def atoms(self) -> Iterator[Atom]:
        """The atoms of the terms themselves, without looking into opaque ones; an atom may come more than once."""
        return (atom for monomial, _ in self.terms for atom, _ in monomial)

    def symbols(self) -> frozenset[Symbol]:
        found: set[Symbol] = set()
        for atom in self.atoms():
            if isinstance(atom, Symbol):
                found.add(atom)
            elif isinstance(atom, Inverse):
                found |= atom.of.symbols()
            else:
                found |= atom.left.symbols() | atom.right.symbols()
        return frozenset(found)

    def __add__(self, other: Sized) -> Dim:
        right = Dim.of(other)
        if not right.terms:
            return self
        return Dim.from_terms((*self.terms, *right.terms)) if self.terms else right

    __radd__ = __add__

    def __neg__(self) -> Dim:
        return Dim(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Sized) -> Dim:
        return self + -Dim.of(other)

    def __rsub__(self, other: Sized) -> Dim:
        return Dim.of(other) - self

    def __mul__(self, other: Sized) -> Dim:
        if type(other) is int:
            if other == 1:
                return self
            return Dim(tuple([(m, _whole(c * other)) for m, c in self.terms])) if other else ZERO
        right = Dim.of(other)
        if len(self.terms) * len(right.terms) > MOST_TERMS:
            raise TooLarge(self, 2)
        return Dim.from_terms([(times(m, n), c * d) for m, c in self.terms for n, d in right.terms])

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Dim:
        """The power, negative ones included. Raises `DivisionByZero`, and `TooLarge` above a power of 64."""
        if abs(exponent) > HIGHEST_POWER:
            raise TooLarge(self, exponent)
        if exponent < 0:
            return ONE / self**-exponent
        result, base = ONE, self
        while exponent:
            if exponent & 1:
                result = result * base
            base, exponent = base * base if exponent > 1 else base, exponent >> 1
        return result

    def __truediv__(self, other: Sized) -> Dim:
        """The exact quotient. Raises `DivisionByZero`. That it is whole is an obligation: see `denominators`."""
        right = Dim.of(other)
        if len(right.terms) == 1 and not any(isinstance(a, Inverse) for a in right.atoms()):
            monomial, coefficient = right.terms[0]
            inverse = inverted(monomial)
            return Dim.from_terms((times(m, inverse), ratio(c, coefficient)) for m, c in self.terms)
        if not right.terms:
            raise DivisionByZero(right)
        from repc.dims.division import quotient

        return quotient(self, right)

    def __rtruediv__(self, other: Sized) -> Dim:
        return Dim.of(other) / self

    def __floordiv__(self, other: Sized) -> Dim:
        """The floor of the quotient of two whole sizes. Raises `DivisionByZero`."""
        from repc.dims.division import floor_div

        return floor_div(self, Dim.of(other))

    def __rfloordiv__(self, other: Sized) -> Dim:
        return Dim.of(other) // self

    def __mod__(self, other: Sized) -> Dim:
        """The remainder of two whole sizes, with the sign of the divisor. Raises `DivisionByZero`."""
        from repc.dims.division import modulo

        return modulo(self, Dim.of(other))

    def __rmod__(self, other: Sized) -> Dim:
        return Dim.of(other) % self

    def subst(self, values: Mapping[Symbol, Dim] | Mapping[Symbol, int]) -> Dim:
        """Every symbol of `values` replaced, all at once. Raises `DivisionByZero`."""
        if not values or values.keys().isdisjoint(self.symbols()):
            return self
        total = ZERO
        for monomial, coefficient in self.terms:
            part = Dim.of(coefficient)
            for atom, exponent in monomial:
                part = part * _replaced(atom, values) ** exponent
            total = total + part
        return total

    def evaluate(self, values: Mapping[Symbol, int]) -> int:
        """The size as a number. Raises `Unbound`, `NotWhole`, `DivisionByZero`."""
        total = self.value(values)
        if not isinstance(total, int):
            raise NotWhole(self, total)
        return total

    def value(self, values: Mapping[Symbol, int]) -> Number:
        """As `evaluate`, but a fraction is a result too (cost formulas have them)."""
        total: Number = 0
        for monomial, coefficient in self.terms:
            part: Number = coefficient
            for atom, exponent in monomial:
                base = _number(atom, values)
                if exponent < 0 and base == 0:
                    raise DivisionByZero(Dim.atom(atom))
                part = part * base**exponent if exponent > 0 else ratio(part, base**-exponent)
            total = total + part
        return _whole(total)

    def degree(self, symbol: Symbol) -> int:
        """The growth rate in `symbol`: its highest exponent (`(T + 7) // 8` grows like T, `a % b` at most like b)."""
        return max((sum(e * _degree(a, symbol) for a, e in m) for m, _ in self.terms), default=0)

    def denominators(self) -> tuple[tuple[Dim, Dim], ...]:
        """The divisions that must come out whole, as pairs (by, of): `D/H` gives ((H, D),)."""
        from repc.dims.division import obligations

        return obligations(self)

    def render(self, names: Mapping[Symbol, str] | None = None) -> str:
        """The size in the language's own spelling, symbols by `names` where given."""
        from repc.dims.text import render

        return render(self, names)

    def to_python(self, names: Mapping[Symbol, str]) -> str:
        """An exact Python int expression; divisions come last, over a common denominator. Raises `Unbound`."""
        from repc.dims.text import to_python

        return to_python(self, names)

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        return f"Dim({self.render()})"


def collected(terms: Iterable[Term]) -> Dim:
    """The sum of the terms with equal monomials added; `Dim.from_terms` without the reduction over inverses."""
    total: dict[Monomial, Coefficient] = {}
    for monomial, coefficient in terms:
        total[monomial] = total.get(monomial, 0) + coefficient
    kept = [(m, _whole(c)) for m, c in total.items() if c]
    if len(kept) > 1:
        kept.sort(key=order)
    return Dim(tuple(kept))


ZERO = Dim(())
ONE = Dim((((), 1),))


def _replaced(atom: Atom, values: Mapping[Symbol, Dim] | Mapping[Symbol, int]) -> Dim:
    if isinstance(atom, Symbol):
        new = values.get(atom)
        return Dim.atom(atom) if new is None else Dim.of(new)
    if isinstance(atom, Inverse):
        return ONE / atom.of.subst(values)
    left, right = atom.left.subst(values), atom.right.subst(values)
    return left // right if isinstance(atom, FloorDiv) else left % right


def _number(atom: Atom, values: Mapping[Symbol, int]) -> Number:
    if isinstance(atom, Symbol):
        try:
            return values[atom]
        except KeyError:
            raise Unbound(atom) from None
    if isinstance(atom, Inverse):
        below = atom.of.value(values)
        if not below:
            raise DivisionByZero(atom.of)
        return ratio(1, below)
    left, right = atom.left.evaluate(values), atom.right.evaluate(values)
    if not right:
        raise DivisionByZero(atom.right)
    return left // right if isinstance(atom, FloorDiv) else left % right


def _degree(atom: Atom, symbol: Symbol) -> int:
    if isinstance(atom, Symbol):
        return int(atom == symbol)
    if isinstance(atom, Inverse):
        return -atom.of.degree(symbol)
    if isinstance(atom, FloorDiv):
        return max(atom.left.degree(symbol) - atom.right.degree(symbol), 0)
    return min(atom.left.degree(symbol), atom.right.degree(symbol))
