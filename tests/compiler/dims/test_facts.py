"""What follows from facts about sizes: always true where it is said to be proved."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repc.dims import AtLeast, Dim, Divides, Equal, Fact, Facts, Symbol, check

NAMES = ("A", "B", "D", "H", "K", "N", "T", "W")
SYMBOLS = {name: Symbol(name) for name in NAMES}
A, B, D, H, K, N, T, W = (Dim.of(SYMBOLS[name]) for name in NAMES)
small = st.sampled_from([A, B, D, H, Dim.of(1), Dim.of(2), Dim.of(3)])
forms = st.one_of(
    small,
    st.builds(lambda x, y: x + y, small, small),
    st.builds(lambda x, y: x * y, small, small),
    st.builds(lambda x, y: x - y, small, small),
    st.builds(lambda x, y: x // y, small, small),
)
some_facts = st.lists(
    st.one_of(
        st.builds(Equal, st.sampled_from([A, B, D]), forms),
        st.builds(AtLeast, forms, forms),
        st.builds(Divides, small, forms),
    ),
    max_size=3,
)
POINTS = [
    {SYMBOLS[name]: value for name, value in zip("ABDH", point, strict=True)}
    for point in itertools.product((1, 2, 3, 4, 6), repeat=4)
]


def satisfying(facts: list[Fact]) -> list[dict[Symbol, int]]:
    return [at for at in POINTS if not check(facts, at)]


@given(some_facts, forms, forms)
def test_what_is_proved_holds_at_every_point_that_satisfies_the_facts(facts: list[Fact], a: Dim, b: Dim) -> None:
    known = Facts().with_(*facts)
    equal, least, divides = known.equal(a, b), known.at_least(a, b), known.divides(b, a)
    for at in satisfying(facts):
        x, y = a.value(at), b.value(at)
        assert not equal or x == y
        assert least is None or least == (x >= y)
        if y:
            assert not divides or x % y == 0


def test_a_definition_makes_sizes_equal() -> None:
    known = Facts().with_(Equal(K, D / H))
    assert known.equal(H * K, D)
    assert known.equal(2 * K * H - D, D)
    assert not known.equal(K, D)
    assert known.divides(H, D)
    assert known.at_least(D, H)


def test_definitions_are_followed_in_any_order() -> None:
    for facts in itertools.permutations([Equal(A, 2 * B), Equal(B, D + 1), Equal(N, A * T)]):
        known = Facts().with_(*facts)
        assert known.equal(N, 2 * D * T + 2 * T)
        assert known.normal(A) == known.normal(2 * D + 2)


def test_a_nonlinear_equality_is_kept_as_a_relation() -> None:
    known = Facts().with_(Equal(A * A, B * B + D * D))
    assert known.equal(A**2 - B**2, D**2)
    assert known.equal(2 * T * A**2, 2 * T * (B**2 + D**2))
    assert not known.equal(A, B + D)


def test_numbers_of_the_file_never_decide_equality() -> None:
    known = Facts().with_values({SYMBOLS["D"]: 128, SYMBOLS["W"]: 128})
    assert not known.equal(D, W)
    assert known.at_least(D, W) is True
    assert known.number(D + W) == 256


def test_contradictions_are_kept() -> None:
    wrong = Equal(A, Dim.of(5), origin="second")
    known = Facts().with_(Equal(A, Dim.of(4), origin="first"), wrong)
    assert known.contradictions == (wrong,)
    assert known.contradictions[0].origin == "second"


@pytest.mark.parametrize(
    ("facts", "left", "right"),
    [
        ((), T + 1, T),
        ((), 2 * B, Dim.of(2)),
        ((), A * B, A),
        ((AtLeast(A, Dim.of(2)),), A * B, 2 * B),
        ((AtLeast(D, H),), D * T, H * T),
        ((AtLeast(D, H), AtLeast(H, W)), D, W),
        ((AtLeast(D, 2 * H), AtLeast(H, W + 1)), D, 2 * W + 2),
        ((AtLeast(Dim.of(8), N),), Dim.of(16), 2 * N),
        ((), T, T // 2),
        ((), T // 2 + 1, Dim.of(1)),
        ((), W - 1, T % W),
        ((), T, T % W),
        ((), ((T + W - 1) // W) * W, T),
        ((Divides(H, D),), D, H),
        ((AtLeast(T, Dim.of(5)),), (T - 5) // 2, Dim.of(0)),
    ],
)
def test_bounds_that_follow(facts: tuple[Fact, ...], left: Dim, right: Dim) -> None:
    assert Facts().with_(*facts).at_least(left, right) is True


def test_bounds_that_do_not_follow_are_unknown_or_refuted() -> None:
    assert Facts().at_least(D, H) is None
    assert Facts().at_least(T, T + 1) is False
    assert Facts().at_least(Dim.of(0), B) is False
    assert Facts().at_least((T - 5) // 2, Dim.of(0)) is None
    assert Facts().with_values({SYMBOLS["D"]: 2, SYMBOLS["H"]: 4}).at_least(D, H) is False


def test_only_a_size_declared_so_may_be_zero() -> None:
    assert Facts().at_least(N, 1) is True
    declared = Facts().with_(AtLeast(N, Dim.of(0)))
    assert declared.at_least(N, 1) is None
    assert declared.at_least(N, 0) is True
    assert declared.at_least(A * (N + 1), A) is True
    # N == 0 satisfies A*N == B*N for any A and B.
    assert not declared.with_(Equal(A * N, B * N)).equal(A, B)


@pytest.mark.parametrize(
    ("facts", "by", "of"),
    [
        ((), Dim.of(2), 4 * T),
        ((), H, D * H),
        ((Divides(H, D),), H, 3 * D),
        ((Divides(H, D),), H, D + H * T),
        ((Divides(2 * H, D),), H, D),
        ((Divides(2 * H, D),), 2 * H, D * T),
        ((Divides(H, D), Divides(W, T)), H * W, D * T),
        ((Equal(K, D / H), Equal(N, K / W)), W * H, D),
        ((Equal(D % (2 * H), Dim.of(0)),), H, D),
        ((Divides(H, D + T),), H, 2 * D + 2 * T),
    ],
)
def test_divisibility_that_follows(facts: tuple[Fact, ...], by: Dim, of: Dim) -> None:
    assert Facts().with_(*facts).divides(by, of) is True


def test_divisibility_that_does_not_follow() -> None:
    assert Facts().divides(H, D) is None
    assert Facts().divides(Dim.of(3), Dim.of(7)) is False
    assert Facts().with_(Divides(H, D)).divides(2 * H, D) is None
    assert Facts().with_values({SYMBOLS["D"]: 7, SYMBOLS["H"]: 2}).divides(H, D) is False
    assert Facts().with_values({SYMBOLS["D"]: 8, SYMBOLS["H"]: 2}).divides(H, D) is True


def test_floors_are_decided_by_facts() -> None:
    known = Facts().with_(Divides(H, D), AtLeast(W, T + 1))
    assert known.equal(D // H * H, D)
    assert known.equal(D % H + T, T)
    assert known.equal(T % W, T)
    assert known.equal(T // W, 0)
    assert known.equal((T // A) * A + T % A, T)


def test_numbers_are_checked_against_the_facts() -> None:
    facts = (Divides(H, D, "heads"), AtLeast(T, W, "window"), Equal(K, D / H, "width"), AtLeast(A, B))
    broken = check(facts, {SYMBOLS[n]: v for n, v in {"D": 7, "H": 2, "T": 3, "W": 4, "K": 3}.items()})
    assert [v.fact.origin for v in broken] == ["heads", "window", "width"]
    assert (broken[1].left, broken[1].right) == (3, 4)
    assert check(facts, {SYMBOLS[n]: v for n, v in {"D": 8, "H": 2, "T": 4, "W": 4, "K": 4}.items()}) == ()
