"""Parse tables: what Lark computes from `rep.lark`, as plain data that a small driver runs without Lark."""

from __future__ import annotations

import os
import re

from rep_grammar.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Plan: TypeAlias = tuple[int, ...]
    Rule: TypeAlias = tuple[str, int, str, Plan, bool]
    Candidate: TypeAlias = tuple[str, int]

GRAMMAR_FILE = "rep.lark"
ABSENT = -1
"""In a plan: an optional part that is missing, given to the action as None."""

_WORDS = re.compile(r"(?:\(\?:)?([a-z0-9_]+(?:\|[a-z0-9_]+)*)\)?(\(\?[=!].*)?\Z", re.DOTALL)


class Tables(Record):
    """Tables of the LALR(1) automaton and of the words and signs of the language.

    `actions[state][terminal]` is a state to go to, or `-1 - rule` to reduce by a rule. `rules` holds for each rule:
    its symbol, its length, the name of its tree action, the places of the children that the action gets, and
    whether it only renames its single child. `words` holds the keyword terminals of a word with the number of the
    lookahead (into `lookaheads`) that must match behind it, -1 for none.
    """

    actions: list[dict[str, int]]
    gotos: list[dict[str, int]]
    rules: list[Rule]
    start: int
    end: int
    signs: dict[str, str]
    words: dict[str, list[Candidate]]
    reserved: list[str]
    lookaheads: list[str]


def grammar_text() -> str:
    """The text of `rep.lark`."""
    with open(os.path.join(os.path.dirname(__file__), GRAMMAR_FILE), encoding="utf-8") as grammar:
        return grammar.read()


def load_lark(text: str, **options: Any) -> Any:
    """The grammar as a `lark.Lark` with a contextual lexer; Lark itself can parse with it too."""
    from lark import Lark

    return Lark(text, parser="lalr", lexer="contextual", maybe_placeholders=True, **options)


def build_tables(text: str) -> Tables:
    """Tables of the grammar `text`. Raises Lark's `GrammarError` where the grammar is ambiguous."""
    lark = load_lark(text)
    table = lark.parser.parser._parse_table
    order = _numbered(table)
    reduced = {target for row in table.states.values() for action, target in row.values() if action.name == "Reduce"}
    rules = sorted({_rule(rule) for rule in reduced})
    numbers = {rule: number for number, rule in enumerate(rules)}
    actions: list[dict[str, int]] = [{} for _ in order]
    gotos: list[dict[str, int]] = [{} for _ in order]
    for state, number in order.items():
        for symbol, (action, target) in sorted(table.states[state].items()):
            if action.name == "Reduce":
                actions[number][symbol] = -1 - numbers[_rule(target)]
            else:
                place = actions if symbol.isupper() or symbol == "$END" else gotos
                place[number][symbol] = order[target]
    signs, words, reserved, lookaheads = _terminals(lark)
    start, end = order[table.start_states["start"]], order[table.end_states["start"]]
    return Tables(actions, gotos, rules, start, end, signs, words, reserved, lookaheads)


def _numbered(table: Any) -> dict[int, int]:
    """Numbers for the states in the order in which they are reached, so that one grammar has one set of tables."""
    order = {table.start_states["start"]: 0}
    for state in (waiting := [*order]):
        for _, (action, target) in sorted(table.states[state].items()):
            if action.name != "Reduce" and target not in order:
                order[target] = len(order)
                waiting.append(target)
    return order


def _rule(rule: Any) -> Rule:
    """Lark's rule as plain data; a plan lists the kept children, with ABSENT for optional parts that are missing."""
    options = rule.options
    empty = options.empty_indices or (False,) * len(rule.expansion)
    plan: list[int] = []
    at = 0
    for missing in empty:
        if missing:
            plan.append(ABSENT)
            continue
        symbol = rule.expansion[at]
        if options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            plan.append(at)
        at += 1
    name = str(rule.alias or rule.origin.name)
    unit = options.expand1 and not rule.alias and len(rule.expansion) == 1 and plan == [0]
    return str(rule.origin.name), len(rule.expansion), name, tuple(plan), bool(unit)


def _terminals(lark: Any) -> tuple[dict[str, str], dict[str, list[Candidate]], list[str], list[str]]:
    """Signs, words, reserved words and lookaheads, read from the patterns of the terminals."""
    signs: dict[str, str] = {}
    words: dict[str, list[Candidate]] = {}
    lookaheads: list[str] = []
    name_pattern = ""
    for terminal in sorted(lark.terminals, key=lambda terminal: str(terminal.name)):
        pattern = terminal.pattern
        if terminal.name == "NAME":
            name_pattern = pattern.value
        elif pattern.type == "str" and not pattern.value.isalpha():
            signs[pattern.value] = terminal.name
        elif found := _WORDS.match(pattern.value):
            look = ABSENT
            if found[2]:
                if found[2] not in lookaheads:
                    lookaheads.append(found[2])
                look = lookaheads.index(found[2])
            for word in found[1].split("|"):
                words.setdefault(word, []).append((terminal.name, look))
    reserved = sorted(word for word in words if re.fullmatch(name_pattern, word) is None)
    return signs, words, reserved, lookaheads
