"""Division of sizes: exact, floor and remainder, each in the one form that equal quotients share."""

from __future__ import annotations

from math import floor, gcd, lcm

from repc.dims.faults import DivisionByZero
from repc.dims.polynomial import (
    ONE,
    ZERO,
    Coefficient,
    Dim,
    FloorDiv,
    Inverse,
    Mod,
    Monomial,
    Term,
    collected,
    inverted,
    ratio,
    times,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["cancel", "content", "floor_div", "is_whole", "modulo", "obligations", "quotient"]


def is_whole(dim: Dim) -> bool:
    """Whole for every whole value of its symbols: no fraction, no symbol below the line."""
    return all(
        isinstance(coefficient, int) and all(e > 0 and not isinstance(a, Inverse) for a, e in monomial)
        for monomial, coefficient in dim.terms
    )


def content(dims: Iterable[Dim]) -> Dim:
    """The largest positive number times monomial that leaves every dim, divided by it, without a denominator.

    Inverses of sums are no part of it. The content of nothing, or of zeros, is 1.
    """
    terms = [term for dim in dims for term in dim.terms]
    if not terms:
        return ONE
    below = lcm(*(c.denominator for _, c in terms))
    above = gcd(*(int(c * below) for _, c in terms))
    shared = dict(terms[0][0])
    for monomial, _ in terms[1:]:
        powers = dict(monomial)
        for atom in shared.keys() | powers.keys():
            shared[atom] = min(shared.get(atom, 0), powers.get(atom, 0))
    kept = ((a, e) for a, e in shared.items() if e and not isinstance(a, Inverse))
    return Dim.from_terms([(tuple(sorted(kept, key=lambda p: p[0].key)), ratio(above, below))])


def quotient(left: Dim, right: Dim) -> Dim:
    """`left / right` where `right` is a sum, or holds the inverse of one."""
    for atom in right.atoms():
        if isinstance(atom, Inverse):
            # a / (b / s) = a * s / b: the inverse moves up before anything else is tried.
            power = max(e for m, _ in right.terms for a, e in m if a == atom)
            return (left * atom.of**power) / (right * atom.of**power)
    unit = content([right])
    if right.terms[0][1] < 0:
        unit = -unit
    return left / unit * Dim.atom(Inverse(right / unit))


def cancel(dim: Dim) -> Dim:
    """Numerators over the inverse of a sum reduced by that sum: `A/(A + B) + B/(A + B)` is 1.

    The terms over each power of one inverse are one numerator; its polynomial remainder is kept, its quotient moves to
    the next lower power. Several different inverses are reduced one after the other.
    """
    for inverse in sorted({a for a in dim.atoms() if isinstance(a, Inverse)}, key=lambda a: a.key):
        by_power: dict[int, list[Term]] = {}
        for monomial, coefficient in dim.terms:
            power = next((e for a, e in monomial if a == inverse), 0)
            rest = tuple((a, e) for a, e in monomial if a != inverse)
            by_power.setdefault(power, []).append((rest, coefficient))
        reduced: list[Term] = []
        for power in range(max(by_power), 0, -1):
            upper = collected(by_power.get(power, []))
            shift = _negative_powers(upper)
            whole, rest_of = _divide(_shifted(upper, shift), inverse.of, exact=True)
            reduced += [(times(times(m, inverted(shift)), ((inverse, power),)), c) for m, c in rest_of.terms]
            by_power.setdefault(power - 1, []).extend((times(m, inverted(shift)), c) for m, c in whole.terms)
        dim = collected([*reduced, *by_power.get(0, [])])
    return dim


def _negative_powers(dim: Dim) -> Monomial:
    """The monomial that clears what stands below the line in `dim`."""
    worst: dict[Monomial, int] = {}
    for monomial, _ in dim.terms:
        for atom, exponent in monomial:
            if exponent < 0:
                one: Monomial = ((atom, 1),)
                worst[one] = max(worst.get(one, 0), -exponent)
    clear: Monomial = ()
    for one, exponent in worst.items():
        clear = times(clear, ((one[0][0], exponent),))
    return clear


def _shifted(dim: Dim, by: Monomial) -> Dim:
    return collected((times(m, by), c) for m, c in dim.terms) if by else dim


def _floor(above: Coefficient, below: Coefficient) -> int:
    if type(above) is int and type(below) is int:
        return above // below
    return floor(ratio(above, below))


def _divide(left: Dim, right: Dim, exact: bool) -> tuple[Dim, Dim]:
    """Polynomial division with remainder: `left = q * right + r`, no term of `r` divisible by the head of `right`.

    Neither has a negative exponent. With `exact` the quotient may have fractions; else its coefficients are floors.
    """
    head, scale = right.terms[0]
    below = inverted(head)
    found: list[Term] = []
    kept: list[Term] = []
    while left.terms:
        monomial, coefficient = left.terms[0]
        step = times(monomial, below)
        share: Coefficient = 0
        if all(e > 0 for _, e in step):
            share = ratio(coefficient, scale) if exact else _floor(coefficient, scale)
        if share:
            found.append((step, share))
            left = collected([*left.terms, *((times(m, step), -c * share) for m, c in right.terms)])
            if left.terms and left.terms[0][0] == monomial:
                kept.append(left.terms[0])
                left = Dim(left.terms[1:])
        else:
            kept.append((monomial, coefficient))
            left = Dim(left.terms[1:])
    return collected(found), collected(kept)


def floor_div(left: Dim, right: Dim) -> Dim:
    """`left // right` for whole sizes."""
    if not right.terms:
        raise DivisionByZero(right)
    if right == ONE:
        return left
    whole, rest, by = _split(left, right)
    if not rest.terms:
        return whole
    atom = _single(rest)
    if isinstance(atom, Mod) and atom.right == by:
        return whole
    above, below = rest.constant, by.constant
    if above is not None and below is not None:
        return whole + floor(ratio(above, below))
    if isinstance(atom, FloorDiv) and below is not None and below > 0:
        return whole + floor_div(atom.left, atom.right * by)
    return whole + Dim.atom(FloorDiv(rest, by))


def modulo(left: Dim, right: Dim) -> Dim:
    """`left % right` for whole sizes."""
    if not right.terms:
        raise DivisionByZero(right)
    if right == ONE:
        return ZERO
    # (x + a % b) % b = (x + a) % b: a remainder by the same divisor is no more than its left side here.
    opened = ZERO
    for monomial, coefficient in left.terms:
        atom = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else None
        if isinstance(atom, Mod) and atom.right == right and isinstance(coefficient, int):
            opened = opened + atom.left * coefficient
        else:
            opened = opened + Dim(((monomial, coefficient),))
    _, rest, by = _split(opened, right)
    if not rest.terms:
        return ZERO
    scale = right / by  # the factor that `_split` took out of both sides comes back
    above, below = rest.constant, by.constant
    if above is not None and below is not None:
        return scale * (above - below * floor(ratio(above, below)))
    return scale * Dim.atom(Mod(rest, by))


def _single(dim: Dim) -> object:
    """The atom that a dim is, if it is one."""
    if len(dim.terms) == 1:
        monomial, coefficient = dim.terms[0]
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return monomial[0][0]
    return None


def _split(left: Dim, right: Dim) -> tuple[Dim, Dim, Dim]:
    """(q, r, b) with `left // right = q + r // b` and q whole; r and b have no common factor."""
    shared = content([left, right])
    left, right = left / shared, right / shared
    whole, rest = _divide(left, right, exact=False)
    shared = content([rest, right])
    return whole, rest / shared, right / shared


def obligations(dim: Dim) -> tuple[tuple[Dim, Dim], ...]:
    """See `Dim.denominators`: terms with one denominator are one obligation, for only their sum must divide."""
    groups: dict[Dim, list[Term]] = {}
    for monomial, coefficient in dim.terms:
        below = Dim.of(coefficient.denominator)
        for atom, exponent in monomial:
            if isinstance(atom, Inverse):
                below = below * atom.of**exponent
            elif exponent < 0:
                below = below * Dim.atom(atom, -exponent)
        if below != ONE:
            groups.setdefault(below, []).append((monomial, coefficient))
    return tuple((by, collected(terms) * by) for by, terms in groups.items())
