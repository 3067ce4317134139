"""Trees: frozen records with exact spans, and the generic ways through them."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path

import pytest

from rep_grammar import Source, Span, parse
from rep_grammar import tree as t

from . import samples

TEXT = """rep 1
## The doc.
## Two lines.
encoder A(x: [T, D]) -> [T] {   # open
  y = (x + 1) * f(x, over: T)
  return y
}
"""


def words(text: str, kind: type[t.Node]) -> list[str]:
    """The characters of every node of a kind, in the order of the text."""
    tree = parse(text)
    return [text[node.span.start : node.span.end] for node in t.walk(tree) if type(node) is kind]


def test_spans_hold_exactly_what_a_node_is_written_with() -> None:
    assert words(TEXT, t.Binary) == ["(x + 1) * f(x, over: T)", "x + 1"]
    assert words(TEXT, t.Call) == ["f(x, over: T)"]
    assert words(TEXT, t.Arg) == ["x", "over: T"]
    assert words(TEXT, t.Param) == ["x: [T, D]"]
    assert words(TEXT, t.ReturnStmt) == ["return y"]
    assert words(TEXT, t.Binding) == ["y = (x + 1) * f(x, over: T)"]
    assert words(TEXT, t.Declaration) == [TEXT[TEXT.index("encoder") : -1]]
    assert words(TEXT, t.Block) == [TEXT[TEXT.index("{") : -1]]


@pytest.mark.parametrize("path", samples.SAMPLES, ids=samples.label)
def test_children_lie_inside_their_parents_and_names_are_where_their_spans_say(path: Path) -> None:
    text = samples.read(path)
    for node in t.walk(parse(text, path.name)):
        assert node.span.file == path.name
        assert 0 <= node.span.start <= node.span.end <= len(text)
        for child in t.children(node):
            assert node.span.start <= child.span.start and child.span.end <= node.span.end
        if isinstance(node, t.Name):
            assert text[node.span.start : node.span.end] == node.text


def test_the_samples_hold_every_kind_of_node() -> None:
    seen = {type(node) for path in samples.SAMPLES for node in t.walk(parse(samples.read(path)))}
    kinds = {getattr(t, name) for name in t.__all__ if isinstance(getattr(t, name), type)}
    assert kinds - seen == {t.Node, t.Expr, t.Comment, t.Span}


def test_documentation_is_the_double_comment_directly_above() -> None:
    tree = parse(TEXT)
    declaration = tree.items[0]
    assert isinstance(declaration, t.Declaration)
    assert declaration.doc == "The doc.\nTwo lines."
    apart = parse(TEXT.replace("encoder", "\nencoder")).items[0]
    assert isinstance(apart, t.Declaration) and apart.doc == ""
    behind = parse("memory M = A  ## of M\nmemory N = B\n").items[1]
    assert isinstance(behind, t.Derived) and behind.doc == ""
    assert parse("rep 1 ## no\n## no\ndim D = 1\n").doc == ""
    assert parse("\n\n## About\ndim D = 1\n").doc == "About"
    assert parse("## About\n## all.\n\n## not this\ndim D = 1\n").doc == "About\nall."


def test_comments_are_kept_with_their_places() -> None:
    assert [(c.text, TEXT[c.span.start : c.span.end]) for c in parse(TEXT).comments] == [
        ("## The doc.", "## The doc."),
        ("## Two lines.", "## Two lines."),
        ("# open", "# open"),
    ]


def test_nodes_are_frozen_and_work_with_dataclasses_matching_and_pickle() -> None:
    name = t.Name(Span("f", 0, 1), "x")
    with pytest.raises(AttributeError, match="frozen"):
        name.text = "y"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del name.text
    assert not hasattr(name, "__dict__")
    assert dataclasses.replace(name, text="y") == t.Name(Span("f", 0, 1), "y")
    assert [field.name for field in dataclasses.fields(name)] == ["span", "text"]
    assert pickle.loads(pickle.dumps(name)) == name
    assert len({name, t.Name(Span("f", 0, 1), "x")}) == 1
    match name:
        case t.Name(_, text):
            assert text == "x"


def test_same_tree_ignores_places_comments_and_needless_brackets() -> None:
    a = parse("dim D = 2 * K\n")
    assert t.same_tree(a, parse("# c\ndim   D = ((2) * K)", "other"))
    assert not t.same_tree(a, parse("dim D = 2 * L\n"))
    assert not t.same_tree(a, parse("dim D = 2 + K\n"))
    assert not t.same_tree(a, parse("dim D = 2 * K, E = 1\n"))
    assert not t.same_tree(parse("## a\nmemory M = X\n"), parse("## b\nmemory M = X\n"))


def test_walk_goes_parents_first_in_the_order_of_the_text() -> None:
    tree = parse("dim D = a + b * c\n")
    assert [node.text for node in t.walk(tree) if isinstance(node, t.Name)] == ["D", "a", "b", "c"]


def test_numbers_have_values() -> None:
    literals = ["0", "12", "0.5", "1e-3", "2E4"]
    values = []
    for literal in literals:
        [value] = [node.value for node in t.walk(parse(f"dim D = {literal}")) if isinstance(node, t.Number)]
        values.append((type(value), value))
    assert values == [(int, 0), (int, 12), (float, 0.5), (float, 0.001), (float, 20000.0)]


def test_lines_and_columns_count_from_one() -> None:
    source = Source("f", "ab\ncd\n")
    assert [source.line_col(offset) for offset in (0, 1, 2, 3, 5, 6, 99)] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 1),
    ]  # fmt: skip
    assert (source.line(1), source.line(2), source.line(3), source.line(4)) == ("ab", "cd", "", "")
    assert source.slice(Span("f", 1, 4)) == "b\nc"
    assert Span("f", 1, 2).to(Span("f", 5, 9)) == Span("f", 1, 9)
