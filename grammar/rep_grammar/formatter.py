"""The formatter: one layout for a text, checked before anybody sees it."""

from __future__ import annotations

import re

from rep_grammar.faults import FormatterFault, SyntaxFaults
from rep_grammar.layout import render
from rep_grammar.parser import parse
from rep_grammar.printer_items import ItemPrinter
from rep_grammar.tree import File, same_tree

WIDTH = 120
"""Characters of a line."""

_TABS = re.compile(r'("[^"\n]*"|#[^\n]*)|\t')


def format_text(text: str, file: str = "<text>") -> str:
    """The text in its one layout; line ends, tabs and a byte order mark are put right too.

    Raises SyntaxFaults where the text cannot be read, and FormatterFault where the result would say something else,
    would lose a comment, or would be formatted differently a second time.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    plain = _TABS.sub(lambda found: found[1] or "  ", plain)
    try:
        tree = parse(plain, file)
    except SyntaxFaults:
        if plain != text:
            parse(text, file)
        raise
    made = layout(tree, plain)
    check(tree, made, file)
    return made


def layout(tree: File, text: str, width: int = WIDTH) -> str:
    """The tree of `text` as a text; unchecked."""
    printer = ItemPrinter(tree, text)
    return render(printer.file(tree), width)


def check(tree: File, made: str, file: str) -> None:
    """Raises FormatterFault unless `made` says what `tree` says, with its comments, and is its own layout."""
    try:
        again = parse(made, file)
    except SyntaxFaults as faults:
        raise FormatterFault(f"the formatted text cannot be read: {faults}") from faults
    if not same_tree(tree, again):
        raise FormatterFault("the formatted text means something else")
    if sorted(comment.text for comment in tree.comments) != sorted(comment.text for comment in again.comments):
        raise FormatterFault("the formatted text lost or gained a comment")
    if layout(again, made) != made:
        raise FormatterFault("formatting the formatted text changes it")
