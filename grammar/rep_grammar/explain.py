"""From the place where reading stopped to a fault with code, span, reason and hint."""

from __future__ import annotations

import re
import unicodedata

from rep_grammar.driver import MAX_DEPTH, MAX_DIGITS, Automaton, Stop, Stray, TooDeep
from rep_grammar.expected import expectations
from rep_grammar.faults import SyntaxFault
from rep_grammar.mistakes import Mistake
from rep_grammar.mistakes_brackets import BRACKETS, EARLY, GAPS
from rep_grammar.mistakes_signs import SIGNS
from rep_grammar.mistakes_words import WORDS
from rep_grammar.place import Place
from rep_grammar.scanner import NUMBER, STRING, find_outside
from rep_grammar.spans import Span

MISTAKES: tuple[Mistake, ...] = (*BRACKETS, *EARLY, *SIGNS, *WORDS, *GAPS)
"""Every common mistake, in the order in which they are tried."""

FOREIGN_SIGNS = "&|!'?"
"""Characters that begin no token but have a row in the table of mistakes."""

LOOKALIKES = {
    "→": "->",
    "←": "=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "*",
    "·": "*",
    "−": "-",
    "–": "-",
    "…": "..",
    "∈": "in",
    "“": '"',
    "”": '"',
    "∧": "and",
    "∨": "or",
    "¬": "not",
    "÷": "/",
    "≔": ":=",
    "∼": "~",
}
"""Characters that mean what a sign of the language means, with that sign."""


def explain(machine: Automaton, text: str, file: str, at: int, stop: Stop | Stray | TooDeep) -> SyntaxFault:
    """The fault for a stop of the automaton that began to read at `at`."""
    if isinstance(stop, TooDeep):
        return SyntaxFault(
            "REP0014",
            "nested-too-deep",
            Span(file, stop.start, stop.end),
            f"the text is nested more than {MAX_DEPTH} levels deep here",
            "Every pass over a spec relies on a bound for its depth.",
            "name inner parts and use the names",
        )
    if isinstance(stop, Stray) and text[stop.start] not in FOREIGN_SIGNS:
        return stray_fault(text, file, stop.start)
    place = Place(machine, text, file, at, stop.start)
    for mistake in MISTAKES:
        if (finding := mistake.recognise(place)) is not None:
            words = {**common_words(place), **(finding.words or {})}
            return SyntaxFault(
                mistake.code,
                mistake.name,
                finding.span,
                mistake.message.format(**words),
                mistake.reason.format(**words),
                mistake.hint.format(**words),
                finding.related,
                finding.replacement,
            )
    if isinstance(stop, Stray):
        return stray_fault(text, file, stop.start)
    return unexpected(place)


def common_words(place: Place) -> dict[str, str]:
    """What every message may use."""
    found = found_words(place)
    return {
        "found": place.text_found,
        "found_word": found,
        "found_sentence": found[0].upper() + found[1:],
        "previous": place.previous(),
    }


def found_words(place: Place) -> str:
    """What was found, in words."""
    if place.found is None:
        return "the end of the file"
    shown = place.text_found if len(place.text_found) <= 40 else place.text_found[:37] + ".."
    if place.found.group == STRING:
        return f"the text {shown}"
    if place.found.group == NUMBER:
        return f"the number `{shown}`"
    return f"`{shown}`"


def unexpected(place: Place) -> SyntaxFault:
    """The fallback: what was found, after what, and what could come next."""
    options = expectations(place.accepted, place.automaton)
    listed = " or ".join(filter(None, (", ".join(options[:-1]), options[-1]))) if options else "nothing more"
    behind = f" behind `{place.previous()}`" if place.read else ""
    ended = place.found is None
    return SyntaxFault(
        "REP0002" if ended else "REP0001",
        "unexpected-end" if ended else "unexpected",
        place.span(),
        f"{found_words(place)} cannot stand here",
        f"The text makes no sense with it{behind}.",
        f"expected {listed}",
    )


def stray_fault(text: str, file: str, start: int) -> SyntaxFault:
    """A character that begins no token."""
    character = text[start]
    if character == "\0":
        return nul_fault(file, start)
    here = Span(file, start, start + 1)
    if character == '"':
        line_end = re.compile(r"[^\n\r]*").match(text, start)
        return SyntaxFault(
            "REP0008",
            "unclosed-string",
            Span(file, start, line_end.end() if line_end else start + 1),
            "a text is not closed on its line",
            'A text begins and ends with `"` on one line.',
            'add the closing `"`',
        )
    if character.isascii() and character.isdigit():
        return number_fault(text, file, start)
    if character in LOOKALIKES:
        sign = LOOKALIKES[character]
        return SyntaxFault(
            "REP0018",
            "lookalike-character",
            here,
            f"`{character}` is not a sign of this language",
            "Specs are written in ASCII outside comments and texts.",
            f"write `{sign}`",
            replacement=sign,
        )
    if character.isspace() or unicodedata.category(character) in ("Zs", "Cf"):
        return SyntaxFault(
            "REP0017",
            "odd-space",
            here,
            f"an invisible character U+{ord(character):04X} stands here",
            "Blanks are spaces and line ends.",
            "replace it by a space",
            replacement=" ",
        )
    if character.isalpha() or (start > 0 and text[start - 1].isalnum() and unicodedata.combining(character)):
        first, last = start, start
        while first > 0 and (text[first - 1].isalnum() or text[first - 1] == "_"):
            first -= 1
        while last < len(text) and (text[last].isalnum() or text[last] in "_'" or unicodedata.combining(text[last])):
            last += 1
        return SyntaxFault(
            "REP0013",
            "non-ascii-name",
            Span(file, first, last),
            f"the name `{text[first:last]}` is not plain ASCII",
            "Names are letters a to z, digits and `_`, so that generated code can carry them.",
            "spell it out, as `alpha` or `lam`",
        )
    shown = f"`{character}`" if character.isprintable() else f"the character U+{ord(character):04X}"
    return SyntaxFault(
        "REP0007",
        "stray-character",
        here,
        f"{shown} means nothing in this language",
        "It is not part of a name, a number, a text or a sign.",
        "remove it",
    )


def number_fault(text: str, file: str, start: int) -> SyntaxFault:
    """A number that runs into letters, or is past all bounds."""
    digits = re.compile(r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?").match(text, start)
    word = re.compile(r"[\w.]*(?:(?<=[eE])[-+]?\d+)?").match(text, start)
    end = max(digits.end() if digits else start + 1, word.end() if word else start + 1)
    if digits is not None and digits.end() == end:
        return SyntaxFault(
            "REP0019",
            "number-out-of-range",
            Span(file, start, end),
            "the number is out of range",
            f"A number has at most {MAX_DIGITS} characters and fits a double.",
            "write it shorter, as `1e30`, or `inf`",
        )
    return SyntaxFault(
        "REP0015",
        "bad-number",
        Span(file, start, end),
        f"`{text[start:end][:40]}` is not a number",
        "A number is digits with an optional fraction and exponent: `3`, `0.5`, `1e-3`; no name begins with one.",
        "write `2 * x` for a product, and begin names with a letter",
    )


def nul_fault(file: str, at: int) -> SyntaxFault:
    """A NUL byte anywhere."""
    return SyntaxFault(
        "REP0009",
        "nul-byte",
        Span(file, at, at + 1),
        "the file holds a NUL byte",
        "A NUL byte is never part of a text: the file is damaged or not a spec.",
        "restore the file",
    )


def character_faults(text: str, file: str) -> list[SyntaxFault]:
    """Faults of the text as a file: each kind once, at its first place."""
    faults: list[SyntaxFault] = []
    if text.startswith("\ufeff"):
        faults.append(
            SyntaxFault(
                "REP0011",
                "byte-order-mark",
                Span(file, 0, 1),
                "the file begins with a byte order mark",
                "Specs are UTF-8 without a mark.",
                "save the file without it; `repc fmt` removes it",
                replacement="",
            )
        )
    if (at := text.find("\0")) >= 0:
        faults.append(nul_fault(file, at))
    if (at := find_outside(text, "\r")) >= 0:
        end = at + 2 if text[at : at + 2] == "\r\n" else at + 1
        faults.append(
            SyntaxFault(
                "REP0010",
                "carriage-return",
                Span(file, at, end),
                "the lines end with a carriage return",
                "Lines end with a line feed alone, so that the same spec has the same bytes everywhere.",
                "save with Unix line ends; `repc fmt` converts them",
                replacement="\n",
            )
        )
    if (at := find_outside(text, "\t")) >= 0:
        faults.append(
            SyntaxFault(
                "REP0012",
                "tab",
                Span(file, at, at + 1),
                "a tab stands outside a comment",
                "Columns mean the same in every editor only with spaces.",
                "use spaces; `repc fmt` converts tabs",
                replacement="  ",
            )
        )
    return faults


def empty_fault(text: str, file: str) -> SyntaxFault:
    """A text without anything in it."""
    return SyntaxFault(
        "REP0016",
        "empty-file",
        Span(file, 0, len(text)),
        "the file declares nothing",
        "A spec holds at least one declaration.",
        "write `rep 1` and a declaration; `repc new` writes a first spec",
    )
