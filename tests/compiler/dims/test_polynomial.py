"""Sizes: what they are as numbers, when two are the same, and how they read."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repc.dims import Dim, DivisionByZero, FloorDiv, NotWhole, Symbol, TooLarge, Unbound

NAMES = ("B", "D", "H", "T")
SYMBOLS = {name: Symbol(name) for name in NAMES}
B, D, H, T = (Dim.of(SYMBOLS[name]) for name in NAMES)

values = st.fixed_dictionaries({SYMBOLS[name]: st.integers(1, 30) for name in NAMES})
leaves = st.one_of(st.integers(-4, 6).map(Dim.of), st.sampled_from([B, D, H, T]))
sums = st.recursive(
    leaves,
    lambda inner: st.builds(
        lambda op, a, b: op(a, b), st.sampled_from([Dim.__add__, Dim.__sub__, Dim.__mul__]), inner, inner
    ),
    max_leaves=6,
)
positive = st.recursive(
    st.one_of(st.integers(1, 6).map(Dim.of), st.sampled_from([B, D, H, T])),
    lambda inner: st.builds(lambda op, a, b: op(a, b), st.sampled_from([Dim.__add__, Dim.__mul__]), inner, inner),
    max_leaves=4,
)
quotients = st.builds(lambda a, b: a / b, sums, positive)


@given(sums, sums, values)
def test_arithmetic_is_that_of_the_numbers(a: Dim, b: Dim, at: dict[Symbol, int]) -> None:
    x, y = a.evaluate(at), b.evaluate(at)
    assert (a + b).evaluate(at) == x + y
    assert (a - b).evaluate(at) == x - y
    assert (a * b).evaluate(at) == x * y
    assert (a**2).evaluate(at) == x**2


@given(sums, positive, values)
def test_divisions_are_those_of_the_numbers(a: Dim, b: Dim, at: dict[Symbol, int]) -> None:
    x, y = a.evaluate(at), b.evaluate(at)
    assert (a // b).evaluate(at) == x // y
    assert (a % b).evaluate(at) == x % y
    assert (a / b).value(at) == Fraction(x, y)


@given(sums, positive, positive, values)
def test_nested_divisions_are_those_of_the_numbers(a: Dim, b: Dim, c: Dim, at: dict[Symbol, int]) -> None:
    x, y, z = a.evaluate(at), b.evaluate(at), c.evaluate(at)
    assert ((a // b) // c).evaluate(at) == x // y // z
    assert ((a % b + c) % b).evaluate(at) == (x % y + z) % y
    assert ((a // b) % c + a // c).evaluate(at) == (x // y) % z + x // z


@given(quotients, quotients, quotients)
def test_ring_laws_hold_in_the_normal_form(a: Dim, b: Dim, c: Dim) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert a - a == Dim.of(0)
    assert a + 0 == a == a * 1


@given(sums, sums, sums)
def test_products_distribute_over_sums(a: Dim, b: Dim, c: Dim) -> None:
    assert a * (b + c) == a * b + a * c
    assert hash(a * (b + c)) == hash(a * b + a * c)


@given(sums, sums, st.lists(values, min_size=8, max_size=8))
def test_polynomials_are_equal_only_where_their_values_are(a: Dim, b: Dim, points: list[dict[Symbol, int]]) -> None:
    if a == b:
        assert all(a.evaluate(at) == b.evaluate(at) for at in points)
    else:
        # A nonzero polynomial of total degree d is nonzero somewhere on a grid of more than d values a side.
        side = range(1, max((sum(e for _, e in m) for m, _ in (a - b).terms), default=0) + 2)
        grid = (
            {SYMBOLS[name]: value for name, value in zip(NAMES, point, strict=True)}
            for point in itertools.product(side, repeat=len(NAMES))
        )
        assert any(a.evaluate(at) != b.evaluate(at) for at in grid)


@given(sums, positive)
def test_a_quotient_times_its_divisor_is_the_dividend(a: Dim, b: Dim) -> None:
    assert a / b * b == a


@given(sums, positive, positive, values)
def test_substitution_commutes_with_evaluation(a: Dim, b: Dim, new: Dim, at: dict[Symbol, int]) -> None:
    replaced = (a // b + a % b).subst({SYMBOLS["B"]: new})
    assert replaced.evaluate(at) == (a // b + a % b).evaluate({**at, SYMBOLS["B"]: new.evaluate(at)})


@given(st.one_of(sums, st.builds(lambda a, b, c: a // b + c % b, sums, positive, sums)), positive, values)
def test_python_source_computes_the_same_number(a: Dim, b: Dim, at: dict[Symbol, int]) -> None:
    for dim in (a, a * b / b, (a * b) / H * H):
        source = dim.to_python({s: s.name.lower() for s in at})
        assert eval(source, {}, {s.name.lower(): v for s, v in at.items()}) == dim.evaluate(at)


def test_python_source_divides_once_at_the_end() -> None:
    names = {s: s.name for s in SYMBOLS.values()}
    assert (D / H).to_python(names) == "D // H"
    # 3/2 + 1/2: each part alone would be rounded down.
    assert eval((D / H + B / H).to_python(names), {"D": 3, "H": 2, "B": 1}) == 2
    with pytest.raises(Unbound):
        D.to_python({})


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (2 * B - 1, "2*B - 1"),
        (D / H, "D/H"),
        (1 - B, "1 - B"),
        (-B, "-B"),
        (Dim.of(0), "0"),
        (D / (2 * H), "D/(2*H)"),
        (D / (B * H), "D/(B*H)"),
        (B * D**2, "B*D^2"),
        (T / 2, "T/2"),
        (3 * T / 2, "3*T/2"),
        ((B + T) % D, "(B + T) % D"),
        (2 * (T // D) + 1, "2*(T // D) + 1"),
        ((T // D) ** 2, "(T // D)^2"),
        (D / (B + T), "D/(B + T)"),
        ((D + 2 * H) / (B + T), "(D + 2*H)/(B + T)"),
    ],
)
def test_text_is_the_languages_own(dim: Dim, text: str) -> None:
    assert str(dim) == text


def test_names_can_be_replaced_in_the_text() -> None:
    assert (D / H).render({SYMBOLS["D"]: "Width"}) == "Width/H"


def test_constants_fold() -> None:
    assert Dim.of(7) // 2 == Dim.of(3)
    assert Dim.of(-7) % 3 == Dim.of(2)
    assert (2 * H * T) // 2 == H * T
    assert (D * H) // H == D
    assert T % 1 == Dim.of(0)
    assert T // 1 == T
    assert (2 * T + 5) % 2 == Dim.of(1)
    assert (T + D) // D == T // D + 1
    assert (T // 2) // 3 == T // 6
    assert (D / H).constant is None
    assert (D / D).constant == 1
    assert (D * H / H).symbol == SYMBOLS["D"]


def test_sums_below_the_line_cancel() -> None:
    assert (D + H) / (D + H) == Dim.of(1)
    assert D / (D + H) + H / (D + H) == Dim.of(1)
    assert (D * D - H * H) / (D + H) == D - H
    assert 1 / (1 / (D + H)) == D + H


def test_what_must_divide_is_listed() -> None:
    assert (D / H).denominators() == ((H, D),)
    assert (D / H + B / H).denominators() == ((H, B + D),)
    assert (T * 2).denominators() == ()
    assert set((D / H + T / 2).denominators()) == {(H, D), (Dim.of(2), T)}


def test_evaluation_says_what_is_wrong() -> None:
    with pytest.raises(NotWhole) as caught:
        (D / H).evaluate({SYMBOLS["D"]: 7, SYMBOLS["H"]: 2})
    assert caught.value.value == Fraction(7, 2)
    with pytest.raises(Unbound) as unbound:
        (D + H).evaluate({SYMBOLS["D"]: 7})
    assert unbound.value.symbol == SYMBOLS["H"]
    for broken in (lambda: D / 0, lambda: D // (H - H), lambda: D % 0, lambda: (D / (H - B)).subst({SYMBOLS["H"]: B})):
        with pytest.raises(DivisionByZero):
            broken()
    with pytest.raises(DivisionByZero):
        (D // (H - 1)).evaluate({SYMBOLS["D"]: 4, SYMBOLS["H"]: 1})


def test_degree_is_the_growth_in_one_size() -> None:
    t = SYMBOLS["T"]
    assert (T * T * D + T).degree(t) == 2
    assert (D * (T // 8)).degree(t) == 1
    assert (T % D).degree(t) == 0
    assert (T * T / (T + D)).degree(t) == 1


def test_symbols_of_one_spelling_and_two_scopes_differ() -> None:
    outer, inner = Symbol("D"), Symbol("D", "std.nn.linear")
    assert Dim.of(outer) != Dim.of(inner)
    assert Dim.of(outer) // H != Dim.of(inner) // H
    assert str(inner) == "D"
    assert (Dim.of(outer) + Dim.of(inner)).symbols() == {outer, inner}


def test_symbols_inside_opaque_parts_are_found() -> None:
    dim = (T + 1) // D + B / (D + H)
    assert dim.symbols() == frozenset(SYMBOLS.values())
    assert any(isinstance(atom, FloorDiv) for atom in dim.atoms())


def test_absurd_powers_are_refused_at_once() -> None:
    with pytest.raises(TooLarge):
        Dim.of(10) ** 10**9
    many = sum((Dim.of(Symbol(f"X{i}")) for i in range(200)), Dim.of(0))
    with pytest.raises(TooLarge):
        many**4
    assert (Dim.of(10) ** 12).constant == 10**12
