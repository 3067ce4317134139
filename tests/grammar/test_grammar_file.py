"""The grammar itself: no conflict, named terminals, and the same tokens as Lark's own parser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rep_grammar.actions import ACTIONS
from rep_grammar.driver import prepare
from rep_grammar.expected import advance, terminal_of, tokens
from rep_grammar.tables import Tables, build_tables, grammar_text, load_lark

from . import samples

AMBIGUOUS = """
start: sum
sum: NAME | sum "+" sum
NAME: /[a-z]+/
"""


def strict_tables(text: str) -> None:
    """Computes the tables of a grammar; shift/reduce conflicts are errors too."""
    from lark.parsers.lalr_analysis import LALR_Analyzer

    analyzer: Any = LALR_Analyzer(load_lark(text).parser.parser_conf, strict=True)
    analyzer.compute_lalr()


@pytest.fixture(scope="module")
def tables() -> Tables:
    return build_tables(grammar_text())


def test_the_grammar_has_no_conflict() -> None:
    strict_tables(grammar_text())


def test_a_conflict_would_be_found() -> None:
    from lark.exceptions import GrammarError

    with pytest.raises(GrammarError, match="conflict"):
        strict_tables(AMBIGUOUS)


def test_no_terminal_is_anonymous() -> None:
    assert not [terminal.name for terminal in load_lark(grammar_text()).terminals if "ANON" in terminal.name]


def test_rules_quote_single_characters_only() -> None:
    rules = grammar_text().split("// ---- terminals")[0]
    rules = re.sub(r"//[^\n]*", "", rules)
    assert not [literal for literal in re.findall(r'"([^"]*)"', rules) if len(literal) > 1]


def test_every_alternative_has_an_action_and_every_action_an_alternative(tables: Tables) -> None:
    automaton = prepare(tables)
    made = {rule[2] for rule in tables.rules if not rule[4]}
    assert len(automaton.rules) == len(tables.rules)
    assert set(ACTIONS) <= made
    assert made - set(ACTIONS) == {"none", "first", "more", "inner", "paren", "start"}


@pytest.fixture(scope="module")
def lark() -> Any:
    return load_lark(grammar_text())


@pytest.mark.parametrize("path", samples.SAMPLES, ids=samples.label)
def test_tokens_are_those_of_lark(path: Path, tables: Tables, lark: Any) -> None:
    text = samples.read(path)
    wanted = [(token.type, token.start_pos) for token in lark.parse_interactive(text).iter_parse()]
    automaton = prepare(tables)
    stack, made = [tables.start], []
    for token in tokens(text, 0, len(text)):
        terminal = terminal_of(automaton, text, token, stack[-1])
        made.append((terminal, token.start))
        assert advance(automaton, stack, terminal)
    assert made == wanted
