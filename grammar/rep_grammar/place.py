"""The place where reading stopped: what was read, what was found, what is open, what could come next."""

from __future__ import annotations

from rep_grammar.driver import Automaton
from rep_grammar.expected import Token, accepted_after, states_before, terminal_of, tokens
from rep_grammar.scanner import CLOSERS, NUMBER, OPENERS, SIGN, STRING, WORD
from rep_grammar.spans import Span


class Place:
    """Everything that a message may look at. `found` is None at the end of the text."""

    __slots__ = ("accepted", "after", "automaton", "file", "found", "heads", "opened", "read", "terminal", "text")

    def __init__(self, automaton: Automaton, text: str, file: str, at: int, stop: int) -> None:
        every = tokens(text, at, stop)
        self.automaton = automaton
        self.text = text
        self.file = file
        self.read = [token for token in every if token.start < stop]
        later = [token for token in every if token.start >= stop]
        self.found: Token | None = later[0] if later else None
        self.after = later[1:]
        stack, self.heads = states_before(automaton, text, self.read)
        self.accepted = accepted_after(automaton, stack)
        self.terminal = "$END" if self.found is None else terminal_of(automaton, text, self.found, stack[-1])
        self.opened = open_brackets(self.read)

    @property
    def text_found(self) -> str:
        return "" if self.found is None else self.found.text

    def previous(self, back: int = 1) -> str:
        """Text of the token `back` places before the one found, empty where there is none."""
        return self.read[-back].text if back <= len(self.read) else ""

    def head(self, back: int = 1) -> bool:
        """Whether the token `back` places before begins a statement or an item."""
        return back <= len(self.read) and self.heads[len(self.read) - back]

    def next(self) -> str:
        """Text of the token behind the one found."""
        return self.after[0].text if self.after else ""

    def inside(self) -> str:
        """The innermost open bracket, empty at the level of the file."""
        return self.opened[-1].text if self.opened else ""

    def adjacent(self) -> bool:
        """Whether the token found touches the one before."""
        return bool(self.read) and self.found is not None and self.read[-1].end == self.found.start

    def begins_expression(self) -> bool:
        """Whether the token found may begin an expression."""
        token = self.found
        return token is not None and (token.group in (WORD, NUMBER, STRING) or token.text in ("(", "[", "{"))

    def wants_expression(self) -> bool:
        """Whether an expression must come next."""
        return {"NAME", "NUMBER", "LPAR"} <= self.accepted and "HAT" not in self.accepted

    def statement(self) -> list[str]:
        """Texts of the tokens of the unfinished statement, from its first word."""
        first = max((number for number, head in enumerate(self.heads) if head), default=0)
        return [token.text for token in self.read[first:]]

    def span(self, back: int = 0) -> Span:
        """Span from the token `back` places before through the one found; an empty one at the end of the text."""
        if self.found is None:
            end = len(self.text)
            start = self.read[-back].start if 0 < back <= len(self.read) else end
            return Span(self.file, start, end)
        start = self.read[-back].start if 0 < back <= len(self.read) else self.found.start
        return Span(self.file, start, self.found.end)

    def span_of(self, token: Token) -> Span:
        return Span(self.file, token.start, token.end)

    def breaks_between(self, first: Token, second: Token) -> bool:
        """Whether a line ends between two tokens."""
        return "\n" in self.text[first.end : second.start]

    def at_line_start(self, token: Token) -> bool:
        """Whether a token is the first thing of its line, in the first column."""
        return token.start == 0 or self.text[token.start - 1] == "\n"


def open_brackets(read: list[Token]) -> list[Token]:
    """The brackets that are open after the tokens `read`, outermost first."""
    stack: list[Token] = []
    for token in read:
        if token.group != SIGN:
            continue
        if token.text in OPENERS:
            stack.append(token)
        elif token.text in CLOSERS and stack:
            stack.pop()
    return stack
