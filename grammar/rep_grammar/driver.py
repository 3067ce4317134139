"""The LALR(1) automaton: tokens in, tree out, in one pass over the text.

Lark computes the tables and could run them; this loop runs them five times as fast, with positions, and without
importing Lark. Chains of rules that only rename (an atom that is a power that is a product ..) are taken in one jump.
"""

from __future__ import annotations

from math import inf
from operator import itemgetter

from rep_grammar import tree as t
from rep_grammar.actions import ACTIONS, DOCUMENTED
from rep_grammar.record import Record
from rep_grammar.scanner import COMMENT, END, SIGN, STRAY, STRING, TOKEN, WORD, Words
from rep_grammar.spans import Span
from rep_grammar.tables import Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_DEPTH = 128
"""Levels of the tree. Whatever walks the tree by recursion relies on this bound."""
MAX_STACK = 1000
"""Unfinished parts at one place of the text."""
MAX_DIGITS = 64
"""Characters of a number."""

NODE, NONE, FIRST, MORE, INNER, PAREN, START, DOC, UNIT = range(9)
_KINDS = {"none": NONE, "first": FIRST, "more": MORE, "inner": INNER, "paren": PAREN, "start": START}
_NAMED = frozenset({"NAME", "AXISOP", "STAT"})


class Stop(Exception):
    """The automaton cannot go on with the token at `start`."""

    def __init__(self, start: int, end: int, terminal: str) -> None:
        super().__init__(terminal)
        self.start = start
        self.end = end
        self.terminal = terminal


class TooDeep(Exception):
    """The tree is deeper than `MAX_DEPTH`; the span of the part that is."""

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start)
        self.start = start
        self.end = end


class Stray(Exception):
    """A character that begins no token, or a number past all bounds."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


class Automaton(Record):
    """Tables made ready to run: rules with their actions, words with their lookaheads."""

    tables: Tables
    words: Words
    rules: list[tuple[str, int, int, Any, Any]]
    units: list[str | None]
    jumps: dict[tuple[int, str, str], int]


def prepare(tables: Tables) -> Automaton:
    """An automaton over the tables; every alternative of the grammar must have an action."""
    rules: list[tuple[str, int, int, Any, Any]] = []
    units: list[str | None] = []
    for symbol, length, name, plan, unit in tables.rules:
        kind = UNIT if unit else _KINDS.get(name, DOC if name in DOCUMENTED else NODE)
        action = ACTIONS[name] if kind in (NODE, DOC) else None
        rules.append((symbol, length, kind, action, _getter(plan)))
        units.append(symbol if unit else None)
    return Automaton(tables, Words(tables), rules, units, {})


def _getter(plan: tuple[int, ...]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """Picks the children of a plan from a list of values that ends with None."""
    if len(plan) == 1:
        place = plan[0]
        return lambda values: (values[place],)
    return itemgetter(*plan) if plan else lambda values: ()


def run(automaton: Automaton, text: str, file: str, at: int = 0) -> t.File:
    """Reads `text` from `at` to its end. Raises Stop, Stray or TooDeep at the first thing that cannot be."""
    actions, gotos = automaton.tables.actions, automaton.tables.gotos
    rules, units, jumps = automaton.rules, automaton.units, automaton.jumps
    words, candidates, signs = automaton.words, automaton.words.candidates, automaton.tables.signs
    end_state = automaton.tables.end
    states = [automaton.tables.start]
    values: list[Any] = []
    starts: list[int] = []
    depths: list[int] = []
    comments: list[t.Comment] = []
    parens: set[tuple[int, int]] = set()
    last_end = at

    for found in TOKEN.finditer(text, at):
        group = found.lastindex
        value: Any
        if group == SIGN:
            start, end = found.span(SIGN)
            value = found[SIGN]
            terminal = signs[value]
        elif group == WORD:
            start, end = found.span(WORD)
            value = found[WORD]
            terminal = "NAME"
            if value in candidates:
                terminal = words.terminal(value, actions[states[-1]], text, end)
            if terminal in _NAMED:
                value = t.Name(Span(file, start, end), value)
        elif group == COMMENT:
            comments.append(t.Comment(Span(file, *found.span(COMMENT)), found[COMMENT].rstrip()))
            continue
        elif group == STRAY:
            raise Stray(found.start(STRAY))
        elif group is None:
            start = end = len(text)
            value, terminal = None, END
        else:
            start, end = found.span(group)
            if group == STRING:
                value, terminal = t.String(Span(file, start, end), text[start + 1 : end - 1]), "STRING"
            else:
                value, terminal = t.Number(Span(file, start, end), found[group]), "NUMBER"
                if end - start > MAX_DIGITS or value.value == inf:
                    raise Stray(start)

        while True:
            action = actions[states[-1]].get(terminal)
            if action is None:
                if terminal == END and states[-1] == end_state:
                    tree: t.File = values[-1]
                    return tree
                raise Stop(start, end, terminal)
            if action >= 0:
                states.append(action)
                values.append(value)
                starts.append(start)
                depths.append(0)
                last_end = end
                if len(states) > MAX_STACK:
                    raise TooDeep(start, end)
                break
            symbol, length, kind, make, pick = rules[-1 - action]
            if kind == UNIT:
                states.pop()
            elif length == 0:
                values.append([])
                starts.append(start)
                depths.append(0)
            elif kind == MORE:
                item = values[-1]
                depth = depths[-1]
                del values[1 - length :], starts[1 - length :], depths[1 - length :], states[-length:]
                values[-1].append(item)
                if depth > depths[-1]:
                    depths[-1] = depth
            elif kind == FIRST:
                values[-1] = [values[-1]]
                states.pop()
            else:
                parts = values[-length:]
                first = starts[-length]
                depth = max(depths[-length:])
                del values[-length:], starts[-length:], depths[-length:], states[-length:]
                if kind == NODE:
                    parts.append(None)
                    depth += 1
                    if depth > MAX_DEPTH:
                        raise TooDeep(first, last_end)
                    values.append(make(Span(file, first, last_end), *pick(parts)))
                elif kind == PAREN:
                    inner = parts[1]
                    parens.add((inner.span.start, inner.span.end))
                    values.append(inner)
                elif kind == INNER:
                    values.append(parts[1])
                elif kind == NONE:
                    values.append([])
                elif kind == DOC:
                    parts.append(None)
                    doc = documentation(text, comments, first)
                    values.append(make(Span(file, first, last_end), *pick(parts), doc))
                else:
                    parts.append(None)
                    header, items = pick(parts)
                    doc = documentation(text, comments, first, leading=True)
                    span = Span(file, 0, len(text))
                    values.append(t.File(span, header, tuple(items), doc, tuple(comments), frozenset(parens)))
                starts.append(first)
                depths.append(depth)
            state = states[-1]
            key = (state, symbol, terminal)
            target = jumps.get(key)
            if target is None:
                target = gotos[state][symbol]
                while (after := actions[target].get(terminal)) is not None and after < 0:
                    unit = units[-1 - after]
                    if unit is None:
                        break
                    target = gotos[state][unit]
                jumps[key] = target
            states.append(target)
    raise AssertionError("the end of the text is a token")


def documentation(text: str, comments: list[t.Comment], start: int, *, leading: bool = False) -> str:
    """The `##` comments directly above `start`, without their signs; with `leading` those that open the file."""
    lines: list[str] = []
    if leading:
        at = 0
        for comment in comments:
            before = text[at : comment.span.start]
            if not comment.text.startswith("##") or before.strip() or (lines and before.count("\n") > 1):
                break
            lines.append(comment.text[2:].strip())
            at = comment.span.end
        return "\n".join(lines)
    for comment in reversed(comments):
        if comment.span.end > start:
            continue
        between = text[comment.span.end : start]
        line = text[text.rfind("\n", 0, comment.span.start) + 1 : comment.span.start]
        if not comment.text.startswith("##") or line.strip() or between.strip() or between.count("\n") > 1:
            break
        lines.append(comment.text[2:].strip())
        start = comment.span.start
    return "\n".join(reversed(lines))
