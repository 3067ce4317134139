"""The formatter: one layout, the same tree, every comment, and no second opinion."""

from __future__ import annotations

from pathlib import Path

import pytest

from rep_grammar import FormatterFault, SyntaxFaults, formatter, parse
from rep_grammar.formatter import WIDTH, format_text
from rep_grammar.tree import same_tree

from . import samples

LAYOUTS = sorted((samples.HERE / "layouts").glob("*.in.rep"))


@pytest.mark.parametrize("path", samples.PROJECT, ids=samples.label)
def test_texts_of_the_project_keep_their_meaning_and_their_comments(path: Path) -> None:
    text = samples.read(path)
    made = format_text(text, path.name)
    before, after = parse(text), parse(made)
    assert same_tree(before, after)
    assert sorted(c.text for c in before.comments) == sorted(c.text for c in after.comments)
    assert format_text(made) == made
    assert made.endswith("\n") and not made.endswith("\n\n") and "\n\n\n" not in made
    assert all(line == line.rstrip() for line in made.splitlines())
    code = [line.split("#")[0] for line in made.splitlines()]
    assert max(map(len, code)) <= max(WIDTH, *(len(line.split("#")[0]) for line in text.splitlines()))


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.name)
def test_layouts(path: Path) -> None:
    wanted = path.with_name(path.name.replace(".in.", ".out."))
    assert format_text(samples.read(path)) == samples.read(wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("dim   D=3,K = 2", "dim D = 3, K = 2\n"),
        ("\n\ndim D = 3\n\n\n\ndim K = 2\n\n", "dim D = 3\n\ndim K = 2\n"),
        ("probe p() { }", "probe p() { }\n"),
        ("probe p() {\n}", "probe p() { }\n"),
        ("probe p() {return x}", "probe p() { return x }\n"),
        ("probe p() {\nreturn x}", "probe p() {\n  return x\n}\n"),
        ("train T { steps: 3     batch: 4 }", "train T { steps: 3  batch: 4 }\n"),
        ("train T {\n\n  steps: 3     batch: 4\n\n}", "train T {\n  steps: 3  batch: 4\n}\n"),
        ("probe p() { y = sum[ i ,j:i<j ;empty:0 ]x }", "probe p() { y = sum[i, j: i < j; empty: 0] x }\n"),
        ("probe p() { y = cov[b] (x,z) }", "probe p() { y = cov[b](x, z) }\n"),
        ("probe p() { y = mean [b] x }", "probe p() { y = mean[b] x }\n"),
        ("probe p() { y = x[ T=: -1, 1 : ] }", "probe p() { y = x[T = :-1, 1:] }\n"),
        ("probe p() { y = ((a+b))*c }", "probe p() { y = (a + b) * c }\n"),
        ("probe p() { y = (a*b)+c }", "probe p() { y = (a * b) + c }\n"),
        ("probe p() { y = a ^ 2  z = a ^ -b }", "probe p() { y = a^2  z = a^-b }\n"),
        ("probe p() { y = f( {a,b} ) }", "probe p() { y = f({ a, b }) }\n"),
        ("probe p() { y = not(a)  z = - b }", "probe p() { y = not (a)  z = -b }\n"),
        ("memory M=A with{a:b}", "memory M = A with { a: b }\n"),
        ("dim D = 3# c", "dim D = 3  # c\n"),
        ("dim D = # c\n3", "dim D = 3\n# c\n"),
        ("probe p() { # c\n}", "probe p() {  # c\n}\n"),
        ("use std.nn (\n  a, b,\n  c)", "use std.nn (\n  a, b,\n  c\n)\n"),
    ],
)
def test_small_layouts(text: str, wanted: str) -> None:
    assert format_text(text) == wanted


def test_long_lines_are_broken_and_short_ones_joined() -> None:
    names = ", ".join(f"argument_number_{n}: [T, D]" for n in range(8))
    made = format_text(f"encoder Long({names}) -> [T, D] causal(T) {{ return x }}")
    assert max(map(len, made.splitlines())) <= WIDTH
    assert made.startswith("encoder Long(\n  argument_number_0: [T, D], argument_number_1: [T, D],")
    assert same_tree(parse(made), parse(f"encoder Long({names}) -> [T, D] causal(T) {{ return x }}"))
    assert format_text("encoder Short(\n) ->\n [T]\n causal(T) { return x }") == (
        "encoder Short() -> [T] causal(T) { return x }\n"
    )


@pytest.mark.parametrize("path", samples.SAMPLES, ids=samples.label)
@pytest.mark.parametrize("width", [20, 50, 90])
def test_narrow_layouts_are_stable_and_mean_the_same(path: Path, width: int) -> None:
    text = samples.read(path)
    tree = parse(text)
    made = formatter.layout(tree, text, width)
    again = parse(made)
    assert same_tree(tree, again)
    assert formatter.layout(again, made, width) == made
    assert sorted(c.text for c in tree.comments) == sorted(c.text for c in again.comments)


def test_line_ends_tabs_and_marks_are_put_right() -> None:
    text = '\ufeffdim D = 3\t# a\tb\r\nexperiment "x\ty" {\r\n\t}\r\n'
    assert format_text(text) == 'dim D = 3  # a\tb\nexperiment "x\ty" { }\n'


def test_faults_have_the_places_of_the_text_as_it_is() -> None:
    text = "\ufeffdim D = 3\r\ndim K = \r\n"
    with pytest.raises(SyntaxFaults) as caught:
        format_text(text)
    names = {fault.name: fault.span for fault in caught.value.faults}
    assert {"byte-order-mark", "carriage-return", "missing-expression"} == set(names)
    assert names["missing-expression"].start == len(text)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("dim D = ", "cannot be read"),
        ("dim D = 4  # c\n", "means something else"),
        ("dim D = 3\n", "lost or gained a comment"),
        ("dim D = 3 # c\n", "changes it"),
    ],
)
def test_a_wrong_layout_is_never_returned(wrong: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = formatter.layout
    calls: list[str] = []

    def broken(tree: object, text: str) -> str:
        calls.append(text)
        return wrong if len(calls) == 1 else whole(tree, text)  # type: ignore[arg-type]

    monkeypatch.setattr(formatter, "layout", broken)
    with pytest.raises(FormatterFault, match=message):
        format_text("dim D = 3 # c\n")
