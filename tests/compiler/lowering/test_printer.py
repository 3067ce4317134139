"""Expressions as text: the fewest parentheses that keep the meaning, and lines broken where formatters break them."""

import ast

import pytest

from repc.lowering import printer
from repc.lowering.expression import expr, literal, name


@pytest.mark.parametrize(
    "text",
    [
        "(a + b) * c",
        "a - (b - c)",
        "-(a**2)",
        "(-a) ** b.c()",
        "a[..., None, :]",
        "a[1:, n + 1 : m]",
        "x.shape[-2] // (2 * B)",
        "f(*x.shape[:-1], 3, dim=(-2, -1))",
        "not (a and b) or c",
        "a if b else c if d else e",
        "(a if b else c) + 1",
        "(a, b)[0]",
        "(a,)",
        "nn.ModuleList(Block(D=D) for _ in range(L))",
        "~(a & b) | c",
        "(a < b) & (c >= d)",
        'f("a\\"b")',
        "x[::-1]",
        "(2).bit_length()",
    ],
)
def test_text_is_python_with_the_same_meaning(text: str) -> None:
    tree = ast.parse(text, mode="eval").body
    assert ast.dump(ast.parse(printer.text(tree), mode="eval").body) == ast.dump(tree)


@pytest.mark.parametrize("text", ["a + b + c", "a * b / c", "a @ b @ c", "x.y(z)[0].w", "a and b or c"])
def test_no_needless_parentheses(text: str) -> None:
    assert printer.text(ast.parse(text, mode="eval").body) == text


def test_templates_never_need_parentheses_of_their_own() -> None:
    inner = expr("{a} + {b}", a="x", b="y")
    assert printer.text(expr("{a} * {b}", a=inner, b=inner)) == "(x + y) * (x + y)"
    assert printer.text(expr("{a}.exp()", a=inner)) == "(x + y).exp()"
    assert printer.text(expr("f(*{parts}, {last})", parts=[name("a"), name("b")], last=1)) == "f(a, b, 1)"


def test_long_expressions_break_and_stay_the_same() -> None:
    many = ", ".join(f"argument_{place}=value_{place} + 1" for place in range(8))
    tree = ast.parse(f"first.second(third, {many})[0]", mode="eval").body
    lines = printer.lines(tree, 8, "x = ")
    assert len(lines) > 2 and all(len(line) <= printer.WIDTH for line in lines)
    joined = ast.parse("\n".join(line[8:] for line in lines)).body[0]
    assert isinstance(joined, ast.Assign) and ast.dump(joined.value) == ast.dump(tree)


def test_long_sums_start_lines_with_their_operators() -> None:
    tree = ast.parse(" + ".join(f"some_long_value_{place} * other_{place}" for place in range(6)), mode="eval").body
    lines = printer.lines(tree, 0, "return ")
    assert lines[0] == "return (" and lines[-1] == ")"
    assert all(line.startswith("    + ") for line in lines[2:-1])


def test_long_comparisons_of_comparisons_break() -> None:
    left, right = (" + ".join(f"{side}_value_{place}" for place in range(6)) for side in ("left", "right"))
    tree = ast.parse(f"({left} > {right}) == some_other_value", mode="eval").body
    lines = printer.lines(tree, 0, "same = ")
    assert len(lines) > 2
    joined = ast.parse("\n".join(lines)).body[0]
    assert isinstance(joined, ast.Assign) and ast.dump(joined.value) == ast.dump(tree)


@pytest.mark.parametrize("value", ['"""', "a\\", "'\"", "\n", "\u2028", "é", "\x00", "{x}", "#"])
def test_texts_are_quoted(value: str) -> None:
    assert ast.literal_eval(printer.text(literal(value))) == value
