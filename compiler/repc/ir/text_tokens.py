"""Tokens of the text form of graphs."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from rep_grammar.record import Record

_SPAN = r"""@\ ?(?:"(?:[^"\\\n]|\\.)*"|[A-Za-z0-9_./+-]+):\d+:\d+"""
TOKEN = re.compile(
    r"""
    (?P<skip>\s+|\#[^\n]*)
  | (?P<place>"""
    + _SPAN
    + r""")
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<quoted>`[^`\n]*`)
  | (?P<reference>%(?:[A-Za-z0-9_.'@]+|"(?:[^"\\\n]|\\.)*"))
  | (?P<scope>~(?:[A-Za-z0-9_.]+(?::[A-Za-z0-9_.]+)*|"(?:[^"\\\n]|\\.)*"))
  | (?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*'*(?:\.(?:[A-Za-z_][A-Za-z0-9_]*'*|[0-9]+))*)
  | (?P<mark>//|==|>=|[][(){}<>,:=+*/%^-])
    """,
    re.VERBOSE,
)
PLACE = re.compile(r'@ ?("(?:[^"\\]|\\.)*"|[^":]+):(\d+):(\d+)')


class TextFault(ValueError):
    """The text is no text form of a graph: what was wrong, and at which character."""

    def __init__(self, what: str, offset: int, line: int) -> None:
        super().__init__(f"line {line}: {what}")
        self.what = what
        self.offset = offset
        self.line = line


class Token(Record):
    """One token: its class, its text and where it starts and ends."""

    kind: str
    text: str
    start: int
    end: int


END = "end"


class Tokens:
    """The tokens of a text, read from the front."""

    __slots__ = ("_at", "_items", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._items: list[Token] = []
        self._at = 0
        position = 0
        while position < len(text):
            found = TOKEN.match(text, position)
            if found is None:
                self._stop(f"{text[position]!r} starts nothing", position)
            if found.lastgroup != "skip" and found.lastgroup is not None:
                self._items.append(Token(found.lastgroup, found.group(), position, found.end()))
            position = found.end()
        self._items.append(Token(END, "the end of the text", len(text), len(text)))

    def _stop(self, what: str, offset: int) -> NoReturn:
        raise TextFault(what, offset, self.text.count("\n", 0, offset) + 1)

    def fail(self, wanted: str) -> NoReturn:
        """Raise a `TextFault` at the next token."""
        token = self.next
        self._stop(f"expected {wanted}, found {token.text}", token.start)

    @property
    def next(self) -> Token:
        """The next token, left in place."""
        return self._items[self._at]

    def ahead(self, by: int = 1) -> Token:
        """A token further on."""
        return self._items[min(self._at + by, len(self._items) - 1)]

    @property
    def last_end(self) -> int:
        """Where the token before ended."""
        return self._items[self._at - 1].end if self._at else 0

    def take(self) -> Token:
        """The next token, removed."""
        token = self._items[self._at]
        if token.kind != END:
            self._at += 1
        return token

    def take_if(self, *texts: str) -> bool:
        """Remove the next token if it is a mark or word of one of these texts."""
        token = self.next
        if token.kind in ("mark", "word") and token.text in texts:
            self._at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        """Remove the next token, which must be this one."""
        if not self.take_if(text):
            self.fail(f"`{text}`")
        return self._items[self._at - 1]

    def is_mark(self, text: str) -> bool:
        """Whether the next token is this mark."""
        return self.next.kind == "mark" and self.next.text == text

    def is_word(self, text: str) -> bool:
        """Whether the next token is this word."""
        return self.next.kind == "word" and self.next.text == text

    def name(self, what: str = "a name") -> str:
        """A name or path, quoted or not."""
        token = self.next
        if token.kind == "string":
            self._at += 1
            return unquoted(token.text)
        if token.kind == "word":
            self._at += 1
            return token.text
        self.fail(what)


def unquoted(text: str) -> str:
    """The characters of a quoted text."""
    made: str = json.loads(text)
    return made
