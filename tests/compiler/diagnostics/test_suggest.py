"""Nearest names."""

from hypothesis import given
from hypothesis import strategies as st

from repc.diagnostics import nearest, suggest
from repc.diagnostics.suggest import distance

words = st.text("abcd", max_size=6)


def test_slips_of_the_hand_are_found() -> None:
    known = ["linear", "rmsnorm", "swiglu", "embed", "layernorm", "LM"]
    assert nearest("lineer", known) == "linear"
    assert nearest("lniear", known) == "linear"
    assert nearest("RMSNorm", known) == "rmsnorm"
    assert nearest("lm", known) == "LM"
    assert nearest("swi", known) == "swiglu"
    assert nearest("attention", known) is None
    assert nearest("x", ["y", "z"]) is None


def test_the_nearest_comes_first_and_few_come() -> None:
    assert suggest("norm1", ["norm", "norm2", "norm3", "norm4", "norm5", "form1"], limit=3) == (
        "norm",
        "norm2",
        "norm3",
    )
    assert suggest("a", []) == ()
    assert "same" not in suggest("same", ["same", "some"])


@given(words, words)
def test_distance_is_a_distance(a: str, b: str) -> None:
    d = distance(a, b, 99)
    assert d == distance(b, a, 99)
    assert (d == 0) == (a == b)
    assert abs(len(a) - len(b)) <= d <= max(len(a), len(b))
    assert distance(a, b, 1) == min(d, 2)


@given(words, st.integers(0, 4))
def test_a_swap_of_neighbours_is_one_edit(a: str, at: int) -> None:
    swapped = a[:at] + a[at : at + 2][::-1] + a[at + 2 :]
    assert distance(a, swapped, 9) == int(swapped != a)
