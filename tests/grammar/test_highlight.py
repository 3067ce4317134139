"""The keyword table that other tools read."""

from __future__ import annotations

import re

from rep_grammar.cache import load_tables
from rep_grammar.highlight import PATTERNS, keyword_table
from rep_grammar.tables import grammar_text, load_lark


def test_every_word_of_the_grammar_is_in_the_table() -> None:
    table = keyword_table()
    classes = (table.reserved, table.declarations, table.statements, table.contextual, table.reducers, table.statistics)
    assert set().union(*classes) == set(load_tables().words)


def test_every_terminal_is_a_word_a_sign_or_a_class_of_its_own() -> None:
    tables = load_tables()
    known = {terminal for entries in tables.words.values() for terminal, _ in entries} | set(tables.signs.values())
    terminals = {terminal.name for terminal in load_lark(grammar_text()).terminals}
    ignored = set(load_lark(grammar_text()).ignore_tokens)
    assert terminals - known - ignored == {"NAME", "NUMBER", "STRING"}


def test_classes_overlap_only_between_items_and_statements() -> None:
    table = keyword_table()
    assert set(table.declarations) & set(table.statements) == {"const", "data", "def", "dim", "require"}
    rest = (table.reserved, table.contextual, table.reducers, table.statistics)
    words = [word for words in rest for word in words]
    assert len(words) == len(set(words))
    assert not set(words) & {*table.declarations, *table.statements}


def test_members_of_the_classes() -> None:
    table = keyword_table()
    assert table.reserved == ("and", "else", "if", "in", "match", "not", "or", "then")
    assert {"encoder", "train", "use"} <= set(table.declarations)
    assert {"minimize", "return", "repeat"} <= set(table.statements)
    assert {"of", "across", "shared"} <= set(table.contextual)
    assert {"sum", "softmax"} <= set(table.reducers) and table.statistics == ("corr", "cov")
    assert table.signs[0] == "!=" and "->" in table.signs


def test_patterns_match_what_they_name() -> None:
    shown = {"comment": "# x", "string": '"x"', "number": "1.5e-3", "name": "f''"}
    assert all(re.fullmatch(PATTERNS[kind], text) for kind, text in shown.items())
