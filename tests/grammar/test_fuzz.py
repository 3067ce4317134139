"""Damaged texts: whatever is deleted, doubled or moved, the answer is a tree or faults inside the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rep_grammar import SyntaxFaults, parse
from rep_grammar.formatter import format_text
from rep_grammar.scanner import TOKEN

from . import samples

TEXTS = [samples.read(path) for path in samples.SAMPLES]
PIECES = [
    "{", "}", "(", ")", "[", "]", ",", ":", "=", ":=", "~", "->", "..", ";", "-", "*", "in", "if", "then", "else", "of",
    "match", "data", "encoder A", "return", "sum[", "x", "3", '"s"', "#c\n", "\u00e9", "'", "\t", "\r", "\0", "@",
]  # fmt: skip


def pieces_of(text: str) -> list[str]:
    """The text cut at its tokens, each with the blanks before it."""
    return [found[0] for found in TOKEN.finditer(text) if found[0]]


def read(text: str) -> None:
    """Parses a text; the faults of one that cannot be read lie inside it."""
    try:
        parse(text)
    except SyntaxFaults as stopped:
        assert stopped.faults
        for fault in stopped.faults:
            assert 0 <= fault.span.start <= fault.span.end <= len(text)
            assert fault.message and fault.hint
            for span, sentence in fault.related:
                assert 0 <= span.start <= span.end <= len(text) and sentence


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=120)
def test_deleted_doubled_swapped_and_inserted_tokens(text: str, data: st.DataObject) -> None:
    pieces = pieces_of(text)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(pieces) - 2))
        match data.draw(st.sampled_from(["delete", "double", "swap", "insert"])):
            case "delete":
                del pieces[at]
            case "double":
                pieces.insert(at, pieces[at])
            case "swap":
                pieces[at], pieces[at + 1] = pieces[at + 1], pieces[at]
            case _:
                pieces.insert(at, " " + data.draw(st.sampled_from(PIECES)))
    read("".join(pieces))


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=60)
def test_cut_texts(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    read(text[start : data.draw(st.integers(start, len(text)))])


@given(st.lists(st.sampled_from([*PIECES, " ", "\n"]), max_size=40).map(" ".join) | st.text(max_size=60))
@settings(max_examples=150)
def test_texts_of_loose_tokens(text: str) -> None:
    read(text)


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=80)
def test_comments_and_line_ends_anywhere_survive_formatting(text: str, data: st.DataObject) -> None:
    pieces = pieces_of(text)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        noise = data.draw(st.sampled_from([" # c\n", "\n# own line\n", "\n\n## like a doc\n", "\n", "\n\n\n", "   "]))
        pieces.insert(at, noise)
    try:
        changed = "".join(pieces)
        parse(changed)
    except SyntaxFaults:
        return
    format_text(changed)
