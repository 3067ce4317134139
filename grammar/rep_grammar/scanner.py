"""Characters to tokens: one regular expression, and the choice between a word as a keyword and as a name.

The same text of the grammar decides as in Lark's contextual lexer (a test compares the two token by token): a word is
a keyword where the state of the parser has a use for it and its lookahead matches, and a name everywhere else.
"""

from __future__ import annotations

import re

from rep_grammar.tables import Tables

TOKEN = re.compile(
    r"[ \t\r\n]*(?:"
    r"([A-Za-z_][A-Za-z0-9_]*'*)"
    r"|(:=|->|\.\.|==|!=|<=|>=|//|[-+*/%@^(){}\[\],:;=.<>~])"
    r"|(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![A-Za-z0-9_]))"
    r"|(#[^\n\r]*)"
    r'|("[^"\n\r]*")'
    r"|(.)"
    r"|\Z)",
    re.DOTALL,
)
"""Blanks, then one token; the number of the group is its class. At the end of the text no group matches."""

WORD, SIGN, NUMBER, COMMENT, STRING, STRAY = 1, 2, 3, 4, 5, 6

END = "$END"
OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = {")": "(", "]": "[", "}": "{"}


class Words:
    """The keywords of the tables with their lookaheads compiled."""

    __slots__ = ("candidates", "reserved")

    def __init__(self, tables: Tables) -> None:
        looks = [re.compile(pattern).match for pattern in tables.lookaheads]
        self.candidates = {
            word: [(terminal, None if look < 0 else looks[look]) for terminal, look in entries]
            for word, entries in tables.words.items()
        }
        self.reserved = frozenset(tables.reserved)

    def terminal(self, word: str, row: dict[str, int], text: str, end: int) -> str:
        """Terminal of a word that ends at `end`, in a state with the actions `row`."""
        for terminal, look in self.candidates[word]:
            if terminal in row and (look is None or look(text, end)):
                return terminal
        return self.candidates[word][0][0] if word in self.reserved else "NAME"


def find_outside(text: str, wanted: str) -> int:
    """First place of a character outside strings and comments, -1 where there is none."""
    for found in re.finditer(rf'"[^"\n]*"|#[^\n\r]*|({re.escape(wanted)})', text):
        if found[1]:
            return found.start()
    return -1
