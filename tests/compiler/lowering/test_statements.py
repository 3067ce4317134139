"""Names of variables: a value is never overwritten while something still reads it."""

from repc.lowering.expression import expr
from repc.lowering.statements import Assign, For, Return, assign_names
from repc.lowering.texts import Texts
from repc.lowering.writing import Writer


def text(*statements: object, parameters: tuple[str, ...] = ("x",)) -> list[str]:
    named = assign_names(statements, parameters, ("reserved",))  # type: ignore[arg-type]
    return [line.text for line in Writer(Texts({}), 0).lines(named)]


def test_a_rebound_name_is_written_over() -> None:
    assert text(
        Assign(("x%1",), expr("{x} + 1", x="x")),
        Assign(("x%2",), expr("{x} * 2", x="x%1")),
        Return(expr("{x}", x="x%2")),
    ) == ["x = x + 1", "x = x * 2", "return x"]


def test_a_value_that_is_still_read_keeps_its_name() -> None:
    assert text(
        Assign(("x%1",), expr("{x} + 1", x="x")), Return(expr("{a} * {b}", a="x", b="x%1"))
    ) == ["x_2 = x + 1", "return x * x_2"]  # fmt: skip


def test_reserved_names_are_never_taken() -> None:
    assert text(Assign(("reserved%1",), expr("{x}", x="x")), Return(expr("{y}", y="reserved%1"))) == [
        "reserved_2 = x",
        "return reserved_2",
    ]


def test_what_a_loop_reads_lives_until_the_loop_ends() -> None:
    body = (Assign(("h%2",), expr("{h} + {x}", h="h%2", x="x")), Assign(("x%3",), expr("{h} * 2", h="h%2")))
    assert text(
        Assign(("h%2",), expr("{x} * 0", x="x")), For(("_",), expr("range(3)"), body), Return(expr("{h}", h="h%2"))
    ) == [
        "h = x * 0",
        "for _ in range(3):",
        "    h = h + x",
        "    x_2 = h * 2",
        "return h",
    ]
