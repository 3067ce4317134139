"""Faults of texts: their codes, places and sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rep_grammar import SyntaxFault, SyntaxFaults, parse
from rep_grammar.cache import load_tables
from rep_grammar.driver import MAX_DEPTH, prepare
from rep_grammar.expected import AT_MOST, describe, expectations
from rep_grammar.explain import MISTAKES
from rep_grammar.mistakes import Mistake

from . import samples

BODY = "encoder A(x: [D]) -> [D] {{ return {} }}\n"


def faults(text: str) -> tuple[SyntaxFault, ...]:
    with pytest.raises(SyntaxFaults) as caught:
        parse(text, "f.rep")
    for fault in caught.value.faults:
        assert fault.span.file == "f.rep"
        assert 0 <= fault.span.start <= fault.span.end <= len(text)
        assert fault.message and fault.reason and fault.hint
        assert "\n" not in fault.message
    return caught.value.faults


EXAMPLES = [(mistake, example) for mistake in MISTAKES for example in mistake.examples]


@pytest.mark.parametrize(("mistake", "example"), EXAMPLES, ids=[f"{m.code}-{n}" for n, (m, _) in enumerate(EXAMPLES)])
def test_common_mistakes_are_recognised(mistake: Mistake, example: str) -> None:
    first = faults(example)[0]
    assert (first.code, first.name) == (mistake.code, mistake.name)
    assert "{" not in re.sub(r"`[^`]*`", "", first.message + first.hint)


def test_codes_and_names_are_given_once() -> None:
    pairs = {(mistake.code, mistake.name) for mistake in MISTAKES}
    assert len({code for code, _ in pairs}) == len({name for _, name in pairs}) == len(pairs)
    assert all(re.fullmatch(r"REP00\d\d", mistake.code) for mistake in MISTAKES)


@pytest.mark.parametrize(
    ("text", "name", "span"),
    [
        ("dim D = 3\0\n", "nul-byte", (9, 10)),
        ("dim D = 3\r\ndim K = 2\r\n", "carriage-return", (9, 11)),
        ("# c\r\ndim D = 3\n", "carriage-return", (3, 5)),
        ("\ufeffdim D = 3\n", "byte-order-mark", (0, 1)),
        ("dim\tD = 3\n", "tab", (3, 4)),
        ("", "empty-file", (0, 0)),
        ("# only words\n", "empty-file", (0, 13)),
        ("dim na\u00efve = 3\n", "non-ascii-name", (4, 9)),
        ("dim e\u0301a = 3\n", "non-ascii-name", (4, 7)),
        ("dim D\u00a0= 3\n", "odd-space", (5, 6)),
        ("dim D = 3 \u2264 4\n", "lookalike-character", (10, 11)),
        ("dim D = 3 $\n", "stray-character", (10, 11)),
        ("dim D = 3 \x01\n", "stray-character", (10, 11)),
        ("dim D = 3 \ud800\n", "stray-character", (10, 11)),
        ('experiment "abc\n{ }\n', "unclosed-string", (11, 15)),
        ("dim D = 2x\n", "bad-number", (8, 10)),
        ("dim D = 1e\n", "bad-number", (8, 10)),
        ("dim D = 1e999\n", "number-out-of-range", (8, 13)),
        (f"dim D = {'9' * 5000}\n", "number-out-of-range", (8, 5008)),
        ("dim class = in\n", "reserved-word", (12, 14)),
        ("dim D = (3\n", "unclosed-bracket", (8, 9)),
        ("probe p() {\n", "unclosed-bracket", (10, 11)),
        ("dim D = 3 4\n", "unexpected", (10, 11)),
        ("probe p()", "missing-block", (9, 9)),
    ],
)
def test_bad_texts(text: str, name: str, span: tuple[int, int]) -> None:
    [fault] = faults(text)
    assert (fault.name, (fault.span.start, fault.span.end)) == (name, span)


@pytest.mark.parametrize(
    "text",
    [
        "dim D = " + "(" * 500_000 + ")" * 500_000,
        "dim D = " + "[" * 1_000_000,
        BODY.format("[" * (MAX_DEPTH + 1) + "x" + "]" * (MAX_DEPTH + 1)),
        BODY.format("not " * 100_000 + "x"),
        BODY.format("+".join(["x"] * 50_000)),
        BODY.format("x" + ".a" * 50_000),
        BODY.format("f" + "(x)" * 50_000),
        BODY.format("if a then b else " * 20_000 + "x"),
        "train T { " + "repeat 3 { " * 50_000,
    ],
    ids=["round", "square", "axes", "not", "sum", "path", "calls", "conditions", "blocks"],
)
def test_deep_nesting_has_a_bound_of_its_own(text: str) -> None:
    [fault] = faults(text)
    assert fault.name == "nested-too-deep"


def test_brackets_alone_may_nest_and_lists_may_be_long() -> None:
    parse(BODY.format("(" * 200 + "x" + ")" * 200))
    parse(BODY.format("f(" + ", ".join(["x"] * 5000) + ")"))
    parse("".join(f"dim D{n} = {n}\n" for n in range(3000)))


def test_reading_goes_on_at_the_next_declaration() -> None:
    text = "encoder A(x: [D]) -> [D] { retrun x }\n\ndim D = \ndim E = 3\nencoder B(x: [D]) -> [D] { return x + }\n"
    assert [fault.name for fault in faults(text)] == ["misspelled-word", "missing-expression", "missing-expression"]


def test_an_unclosed_block_is_shown_where_it_opens_and_where_it_was_noticed() -> None:
    text = "encoder A(x: [D]) -> [D] {\n  return x\n\nencoder B(x: [D]) -> [D] {\n  return y y\n}\n"
    first, second = faults(text)
    assert first.name == "unclosed-bracket" and text[first.span.start] == "{" and first.span.start < 40
    [(place, sentence)] = first.related
    assert text[place.start : place.end] == "encoder" and sentence
    assert text[second.span.start] == "}"


def test_certain_fixes_make_the_text_right() -> None:
    for text in (
        BODY.format("x ** 2"),
        BODY.format("x && y"),
        BODY.format("l2norm(x, over = D)"),
        "dim D == 3\n",
        "encodr A(x: [D]) -> [D] { return x }\n",
        "encoder A(x: [D],) -> [D] { return x }\n",
        "encoder A(x: [D]) \u2192 [D] { return x }\n",
    ):
        [fault] = faults(text)
        assert fault.replacement is not None
        parse(text[: fault.span.start] + fault.replacement + text[fault.span.end :])


def test_at_most_twenty_faults_are_reported() -> None:
    assert len(faults("encoder A( { }\n" * 100)) == 20


def test_every_terminal_has_words_and_never_its_own_name() -> None:
    tables = load_tables()
    terminals = {terminal for row in tables.actions for terminal in row}
    for terminal in terminals:
        words = describe(terminal, tables.signs, tables.words)
        assert words.strip() and terminal.strip("_$") not in words


def test_every_state_expects_at_most_five_things_in_words() -> None:
    automaton = prepare(load_tables())
    for row in automaton.tables.actions:
        phrases = expectations(set(row), automaton)
        assert len(phrases) <= AT_MOST and len(phrases) == len(set(phrases))
        assert phrases or not row
        assert not any(re.search(r"[A-Z_]{2,}", phrase) for phrase in phrases)


@pytest.mark.parametrize("path", samples.PROJECT, ids=samples.label)
def test_the_texts_of_the_project_parse(path: Path) -> None:
    assert parse(samples.read(path), path.name).items
