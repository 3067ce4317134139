"""Sizes as text: the language's own spelling, and exact Python."""

from __future__ import annotations

from math import lcm

from repc.dims.faults import Unbound
from repc.dims.polynomial import Atom, Coefficient, Dim, FloorDiv, Inverse, Mod, Monomial, Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["render", "to_python"]

SUM, PRODUCT, ATOM = 0, 1, 2  # how tightly a text binds


def render(dim: Dim, names: Mapping[Symbol, str] | None = None) -> str:
    known = names or {}
    return _sum(dim, lambda symbol: known.get(symbol, symbol.name))[0]


def _sum(dim: Dim, name: Callable[[Symbol], str]) -> tuple[str, int]:
    """The text of a dim and how tightly it binds."""
    groups: dict[Monomial, list[tuple[Monomial, Coefficient]]] = {}
    for monomial, coefficient in dim.terms:
        below: Monomial = tuple((a, e) for a, e in monomial if isinstance(a, Inverse))
        above: Monomial = tuple((a, e) for a, e in monomial if not isinstance(a, Inverse))
        groups.setdefault(below, []).append((above, coefficient))
    parts: list[tuple[bool, str, int]] = []
    for below, terms in groups.items():
        if below and len(terms) > 1:
            inner = _sum(Dim(tuple(terms)), name)[0]
            parts.append((False, f"({inner}){_under(below, name)}", PRODUCT))
        else:
            for factors, size in terms:
                text, binds = _product(factors, -size if size < 0 else size, below, name)
                parts.append((size < 0, text, binds))
    if not parts:
        return "0", ATOM
    # A sum starts with what is added: 1 - C, not -C + 1.
    first = next((i for i, (negative, _, _) in enumerate(parts) if not negative), 0)
    parts.insert(0, parts.pop(first))
    negative, text, binds = parts[0]
    if len(parts) == 1:
        return (f"-{text}", SUM) if negative else (text, binds)
    head = f"-{text}" if negative else text
    return head + "".join(f" {'-' if minus else '+'} {more}" for minus, more, _ in parts[1:]), SUM


def _product(
    monomial: Monomial, coefficient: Coefficient, inverses: Monomial, name: Callable[[Symbol], str]
) -> tuple[str, int]:
    size = coefficient
    if size == 1 and not inverses and len(monomial) == 1 and monomial[0][1] == 1:
        atom = monomial[0][0]
        if isinstance(atom, FloorDiv | Mod):
            return _division(atom, name), PRODUCT
    above = [] if size.numerator == 1 else [str(size.numerator)]
    above += [_power(a, e, name) for a, e in monomial if e > 0]
    below = [] if size.denominator == 1 else [str(size.denominator)]
    below += [_power(a, -e, name) for a, e in monomial if e < 0]
    text = "*".join(above) or "1"
    if not below and not inverses:
        binds = ATOM if len(above) < 2 else PRODUCT
        return text, binds
    if below:
        text += "/" + (below[0] if len(below) == 1 else f"({'*'.join(below)})")
    return text + _under(inverses, name), PRODUCT


def _under(inverses: Monomial, name: Callable[[Symbol], str]) -> str:
    return "".join(f"/{_power(a, e, name)}" for a, e in inverses)


def _power(atom: Atom, exponent: int, name: Callable[[Symbol], str]) -> str:
    if isinstance(atom, Symbol):
        base = name(atom)
    elif isinstance(atom, Inverse):
        base = f"({_sum(atom.of, name)[0]})"
    else:
        base = f"({_division(atom, name)})"
    return base if exponent == 1 else f"{base}^{exponent}"


def _division(atom: FloorDiv | Mod, name: Callable[[Symbol], str]) -> str:
    sign = "//" if isinstance(atom, FloorDiv) else "%"
    return f"{_operand(atom.left, name)} {sign} {_operand(atom.right, name)}"


def _operand(dim: Dim, name: Callable[[Symbol], str]) -> str:
    text, binds = _sum(dim, name)
    return text if binds == ATOM else f"({text})"


def to_python(dim: Dim, names: Mapping[Symbol, str]) -> str:
    """One Python expression over ints: the sum over its common denominator, divided once at the end."""
    below = Dim.of(lcm(*(c.denominator for _, c in dim.terms)))
    worst: dict[Atom, int] = {}
    for monomial, _ in dim.terms:
        for atom, exponent in monomial:
            power = exponent if isinstance(atom, Inverse) else -exponent
            worst[atom] = max(worst.get(atom, 0), power)
    for atom, exponent in worst.items():
        if exponent:
            below = below * (atom.of**exponent if isinstance(atom, Inverse) else Dim.atom(atom, exponent))
    above = _python(dim * below, names)
    if below.constant == 1:
        return above[0]
    return f"{_wrapped(above)} // {_wrapped(_python(below, names))}"


def _wrapped(text: tuple[str, int]) -> str:
    return text[0] if text[1] == ATOM else f"({text[0]})"


def _python(dim: Dim, names: Mapping[Symbol, str]) -> tuple[str, int]:
    parts: list[str] = []
    single = ATOM
    for monomial, coefficient in dim.terms:
        factors = [_python_power(a, e, names) for a, e in monomial]
        size = abs(coefficient)
        if size != 1 or not factors:
            factors.insert(0, str(size))
        if len(factors) > 1:
            single = PRODUCT
        text = " * ".join(factors)
        if not parts:
            parts.append(f"-{text}" if coefficient < 0 else text)
            single = SUM if coefficient < 0 else single
        else:
            parts.append(f" - {text}" if coefficient < 0 else f" + {text}")
    if len(parts) > 1:
        single = SUM
    return ("".join(parts) or "0", single)


def _python_power(atom: Atom, exponent: int, names: Mapping[Symbol, str]) -> str:
    if isinstance(atom, Symbol):
        if atom not in names:
            raise Unbound(atom)
        base = names[atom]
    elif isinstance(atom, FloorDiv | Mod):
        sign = "//" if isinstance(atom, FloorDiv) else "%"
        left, right = to_python(atom.left, names), to_python(atom.right, names)
        base = f"(({left}) {sign} ({right}))" if not right.isidentifier() else f"(({left}) {sign} {right})"
        if left.isidentifier():
            base = base.replace(f"({left})", left, 1)
    else:
        raise AssertionError("an inverse was cleared by the common denominator")
    return base if exponent == 1 else f"{base} ** {exponent}"
