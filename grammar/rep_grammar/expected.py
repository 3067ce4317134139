"""What may stand at a place of a text: the parser's states there, and what they take, in the words of a reader."""

from __future__ import annotations

from rep_grammar.driver import Automaton
from rep_grammar.record import Record
from rep_grammar.scanner import COMMENT, END, NUMBER, SIGN, STRAY, STRING, TOKEN, WORD

AT_MOST = 5

_PLAIN = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text in double quotes",
    END: "the end of the file",
    "DECL": "a declaration",
    "DATA": "`data`",
    "ROLE": "a statement",
    "SIGN": "`minimize` or `maximize`",
    "AXISOP": "a reduction such as `sum[..]`",
    "STAT": "`cov[..]` or `corr[..]`",
}
_OPERATORS = ("PLUS", "MINUS", "STAR", "SLASH", "DOUBLE_SLASH", "PERCENT", "AT_SIGN", "HAT", "AND", "OR")
_COMPARISONS = ("EQ", "NE", "LE", "GE", "LT", "GT", "IN")
_KINDS = ("OF", "ON", "ARROW", "ACROSS", "RANGE")
_ITEMS = ("_USE", "_REPLACE", "_GROUP", "_OPTION", "_TRAIN", "_SPACE", "_EXPERIMENT", "_DIM", "_CONST", "_DEF")
_EXPRESSION = ("NAME", "NUMBER", "STRING", "LPAR", "LSQB", "LBRACE", "AXISOP", "STAT", "_MATCH", "_IF", "NOT", "MINUS")
_FIRST = ("RPAR", "RSQB", "RBRACE", "LBRACE", "COMMA", "EQUAL", "COLON")


def describe(terminal: str, signs: dict[str, str], words: dict[str, list[tuple[str, int]]]) -> str:
    """A terminal in the words of a reader: never its own name."""
    if terminal in _PLAIN:
        return _PLAIN[terminal]
    for table in (signs.items(), ((word, entries[0][0]) for word, entries in words.items())):
        for text, name in table:
            if name == terminal:
                return f"`{text}`"
    raise KeyError(terminal)


def expectations(accepted: set[str], automaton: Automaton) -> list[str]:
    """At most five things that may come next, the likeliest first."""
    left = set(accepted)
    phrases: list[str] = []

    def take(names: tuple[str, ...], phrase: str, least: int) -> None:
        if sum(name in left for name in names) >= least:
            left.difference_update(names)
            phrases.append(phrase)

    after_value = "HAT" in left or "PLUS" in left
    if after_value:
        left.difference_update(_KINDS)
        take(_OPERATORS, "an operator", 1)
        take(_COMPARISONS, "a comparison", 2)
    if {"NAME", "NUMBER", "AXISOP"} <= left:
        take(_EXPRESSION, "an expression", 1)
    take((*_ITEMS, "DECL", "DATA", "_REQUIRE"), "a declaration", 7)
    statement = tuple(
        terminal
        for terminal in sorted(left)
        if terminal.startswith("_") and terminal not in _ITEMS and terminal not in ("_BY", "_TO", "_WITH", "_ELSE")
    )
    take((*statement, "ROLE", "SIGN", "DATA", *_ITEMS), "a statement", 8)
    if "a statement" in phrases:
        left.discard("NAME")
    tables = automaton.tables
    first = [describe(name, tables.signs, tables.words) for name in _FIRST if name in left]
    rest = sorted(describe(name, tables.signs, tables.words) for name in left if name not in _FIRST)
    main = [phrase for phrase in phrases if phrase not in ("an operator", "a comparison")]
    tail = [phrase for phrase in phrases if phrase not in main]
    return list(dict.fromkeys([*first, *main, *rest, *tail]))[:AT_MOST]


class Token(Record):
    """A token as written; `group` is the class that the scanner gave it."""

    group: int
    text: str
    start: int
    end: int


def tokens(text: str, at: int, stop: int, more: int = 4) -> list[Token]:
    """Tokens from `at` up to `stop` and a few more behind it, without comments."""
    made: list[Token] = []
    for found in TOKEN.finditer(text, at):
        group = found.lastindex
        if group is None:
            break
        if group == COMMENT:
            continue
        start, end = found.span(group)
        made.append(Token(group, found[group], start, end))
        if start >= stop:
            more -= 1
            if more <= 0:
                break
    return made


def states_before(automaton: Automaton, text: str, read: list[Token]) -> tuple[list[int], list[bool]]:
    """The parser's states after the tokens `read`, which it can read, and which of them begin a statement or item."""
    stack = [automaton.tables.start]
    heads: list[bool] = []
    for token in read:
        row = automaton.tables.actions[stack[-1]]
        heads.append(token.group == WORD and ("_RETURN" in row or "_USE" in row))
        if not advance(automaton, stack, terminal_of(automaton, text, token, stack[-1])):
            break
    return stack, heads


def terminal_of(automaton: Automaton, text: str, token: Token, state: int) -> str:
    """Terminal of a token in a state."""
    if token.group == SIGN:
        return automaton.tables.signs[token.text]
    if token.group == WORD:
        if token.text in automaton.words.candidates:
            return automaton.words.terminal(token.text, automaton.tables.actions[state], text, token.end)
        return "NAME"
    return {NUMBER: "NUMBER", STRING: "STRING", STRAY: ""}[token.group]


def advance(automaton: Automaton, stack: list[int], terminal: str) -> bool:
    """Reads one terminal into a stack of states; False where it cannot stand there."""
    actions, gotos, rules = automaton.tables.actions, automaton.tables.gotos, automaton.tables.rules
    while True:
        action = actions[stack[-1]].get(terminal)
        if action is None:
            return terminal == END and stack[-1] == automaton.tables.end
        if action >= 0:
            stack.append(action)
            return True
        symbol, length = rules[-1 - action][:2]
        if length:
            del stack[-length:]
        stack.append(gotos[stack[-1]][symbol])


def accepted_after(automaton: Automaton, stack: list[int]) -> set[str]:
    """Every terminal that may come next."""
    terminals = {*automaton.tables.actions[stack[-1]], END}
    return {terminal for terminal in terminals if advance(automaton, stack.copy(), terminal)}
