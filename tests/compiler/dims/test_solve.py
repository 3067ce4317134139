"""Solving sizes: nothing depends on the order of equations, and every conflict comes back with its reasons."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from repc.dims import AtLeast, Dim, Divides, Equal, Equation, Facts, Observed, Symbol, solve, solve_sizes

NAMES = ("B", "D", "H", "K", "M", "N", "R", "T")
SYMBOLS = {name: Symbol(name) for name in NAMES}
B, D, H, K, M, N, R, T = (Dim.of(SYMBOLS[name]) for name in NAMES)
FORMALS = [Symbol(f"F{i}", "callee") for i in range(4)]
F, G, P, Q = (Dim.of(symbol) for symbol in FORMALS)


def test_equations_are_solved_whatever_their_order() -> None:
    equations = [Equation(F * G, D), Equation(F, H), Equation(P, F + G), Equation(2 * Q, P + P)]
    for order in itertools.permutations(equations):
        found = solve(order, FORMALS)
        assert not found.conflicts and not found.open and not found.undecided
        assert found.apply(G) == D / H
        assert found.apply(P) == H + D / H == found.apply(Q)


@given(st.permutations([Equation(F, B), Equation(F, G), Equation(G + P, T), Equation(Q, P)]))
def test_unknowns_may_be_expressed_by_each_other(order: list[Equation]) -> None:
    found = solve(order, FORMALS)
    assert found.apply(Q) == T - B
    assert found.apply(G) == B


def test_a_conflict_names_the_equations_behind_it() -> None:
    first, second, other = Equation(F, B, "first"), Equation(F, T, "second"), Equation(G, D, "other")
    found = solve([first, other, second], FORMALS)
    (conflict,) = found.conflicts
    assert (str(conflict.left), str(conflict.right)) == ("B", "T")
    assert conflict.equation is second
    assert conflict.because == (first,)


def test_all_conflicts_are_reported() -> None:
    found = solve([Equation(B, T), Equation(F, D), Equation(F, H), Equation(Dim.of(2), Dim.of(3))], FORMALS)
    assert [(str(c.left), str(c.right)) for c in found.conflicts] == [("B", "T"), ("D", "H"), ("2", "3")]


def test_facts_make_equations_hold() -> None:
    facts = Facts().with_(Equal(K, D / H))
    assert not solve([Equation(F, K), Equation(F * H, D)], FORMALS, facts).conflicts
    assert solve([Equation(F, K), Equation(F * H, D)], FORMALS).conflicts


def test_a_size_that_no_whole_number_fits_is_a_conflict() -> None:
    assert solve([Equation(2 * F, Dim.of(9))], FORMALS).conflicts
    assert solve([Equation(F + 4, Dim.of(4))], FORMALS).conflicts
    assert solve([Equation(2 * F, Dim.of(10))], FORMALS).apply(F).constant == 5


def test_what_nothing_determines_stays_open() -> None:
    found = solve([Equation(F * F, D), Equation(G, B)], FORMALS)
    assert found.open == {FORMALS[0], FORMALS[2], FORMALS[3]}
    assert len(found.undecided) == 1 and not found.conflicts


def sizes(*axes: tuple[Dim, int]) -> list[Observed]:
    return [Observed(dim, size, f"axis {i}") for i, (dim, size) in enumerate(axes)]


def test_free_dims_are_solved_from_actual_sizes() -> None:
    found = solve_sizes(sizes((2 * B, 10), (B * T + 1, 36), (N**2, 49), (60 / R, 12)), {SYMBOLS["D"]: 128})
    assert found.fit
    assert {s.name: v for s, v in found.values.items()} == {"B": 5, "T": 7, "N": 7, "R": 5, "D": 128}


@given(
    st.permutations([(B + T, 9), (B, 4), ((T + 1) // 2, 3), (T % 4, 1), (M, 20)]),
)
def test_sizes_are_solved_in_any_order(axes: list[tuple[Dim, int]]) -> None:
    found = solve_sizes(sizes(*axes), facts=Facts().with_(Equal(M, B * T)))
    assert found.fit
    assert found.values[SYMBOLS["T"]] == 5
    assert found.values[SYMBOLS["M"]] == 20


def test_every_mismatch_is_reported_with_the_axes_behind_it() -> None:
    found = solve_sizes(sizes((B, 4), (T, 3), (B, 5), (T + B, 8), (2 * N, 7)))
    told = {(str(m.observed.dim), m.observed.size, m.expected) for m in found.mismatches}
    assert told == {("B", 5, 4), ("B + T", 8, 7), ("2*N", 7, None)}
    by_text = {str(m.observed.dim): m for m in found.mismatches}
    assert [o.origin for o in by_text["B + T"].because] == ["axis 0", "axis 1"]


def test_facts_are_checked_with_the_sizes() -> None:
    facts = Facts().with_(AtLeast(T, N, "room"), Divides(H, D, "heads"))
    found = solve_sizes(sizes((T, 3), (N, 4)), {SYMBOLS["D"]: 8, SYMBOLS["H"]: 4}, facts)
    assert not found.fit
    assert [v.fact.origin for v in found.violations] == ["room"]


def test_an_empty_axis_fits_only_a_size_that_may_be_zero() -> None:
    assert not solve_sizes(sizes((N, 0))).fit
    assert solve_sizes(sizes((N, 0)), facts=Facts().with_(AtLeast(N, Dim.of(0)))).fit


def test_a_size_that_the_shapes_do_not_determine_is_named() -> None:
    found = solve_sizes(sizes((B * T, 12)))
    assert found.undetermined == {SYMBOLS["B"], SYMBOLS["T"]}
    assert not found.fit
