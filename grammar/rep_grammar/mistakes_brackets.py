"""Mistakes with brackets, commas and ends."""

from __future__ import annotations

from rep_grammar.mistakes import Finding, Mistake, item_words, statement_words
from rep_grammar.place import Place
from rep_grammar.scanner import CLOSERS, OPENERS, SIGN, WORD


def unclosed(place: Place) -> Finding | None:
    if not place.opened:
        return None
    opener = place.opened[-1]
    words = {"bracket": opener.text, "closer": OPENERS[opener.text]}
    if place.found is None:
        return Finding(place.span_of(opener), words, related=((place.span(), "the text ends here"),))
    if place.text_found == "{" and opener.text != "{" and not place.wants_expression():
        return Finding(place.span_of(opener), words, related=((place.span(), "still open here"),))
    for token in (place.found, *place.read[:-3:-1]):
        at_start = token.group == WORD and place.at_line_start(token) and token.start > opener.start
        if at_start and token.text in item_words(place):
            return Finding(place.span_of(opener), words, related=((place.span_of(token), "still open here"),))
    return None


def stray(place: Place) -> Finding | None:
    if place.text_found not in CLOSERS:
        return None
    kinds = {opener.text for opener in place.opened}
    if not kinds or (place.inside() == "{" and CLOSERS[place.text_found] not in kinds):
        return Finding(place.span(), replacement="")
    return None


def mismatch(place: Place) -> Finding | None:
    if place.text_found not in CLOSERS or not place.opened:
        return None
    opener = place.opened[-1]
    wanted = OPENERS[opener.text]
    if wanted == place.text_found:
        return None
    related = ((place.span_of(opener), f"`{opener.text}` opens here"),)
    return Finding(place.span(), {"bracket": opener.text, "closer": wanted}, wanted, related)


def trailing_comma(place: Place) -> Finding | None:
    if place.text_found in CLOSERS and place.previous() == ",":
        return Finding(place.span_of(place.read[-1]), replacement="")
    return None


def missing_comma(place: Place) -> Finding | None:
    inside = place.inside()
    if place.text_found == ":" and inside == "(" and place.read[-1].group == WORD and place.previous(2) not in "(,":
        return Finding(place.span_of(place.read[-1]), {"found_word": f"`{place.previous()}`"})
    if "COMMA" not in place.accepted or not place.begins_expression() or not inside:
        return None
    if place.text_found in ("(", "["):
        return None
    if inside == "{" and ("NAME" in place.accepted or "_RETURN" in place.accepted):
        return None
    if place.head():
        return None
    return Finding(place.span())


def missing_result(place: Place) -> Finding | None:
    for opener, before in zip(place.read[1:], place.read, strict=False):
        if place.opened and opener == place.opened[-1] and opener.text == "{" and before.text == "->":
            return Finding(place.span_of(before))
    return None


def missing_block(place: Place) -> Finding | None:
    if "LBRACE" not in place.accepted or place.wants_expression():
        return None
    if place.text_found == ":":
        return Finding(place.span(), {"instead": "`:`"}, "{")
    return Finding(place.span(), {"instead": "this"})


def missing_before_word(place: Place) -> Finding | None:
    """A keyword that was read as the value missing before it: `dim D =`, then a line that begins with `dim`."""
    for back in (1, 2):  # the word after the keyword may have been read as the start of a statement
        if len(place.read) <= back or place.head(back) or (back == 2 and not place.head()):
            continue
        before, word = place.read[-back - 1], place.read[-back]
        if before.group != SIGN or before.text in CLOSERS or not place.breaks_between(before, word):
            continue
        if word.text in statement_words(place) and (back == 2 or place.begins_expression()):
            return Finding(place.span_of(before), {"previous": before.text, "found_sentence": f"`{word.text}`"})
    return None


def missing_expression(place: Place) -> Finding | None:
    if place.wants_expression() and place.read and not place.begins_expression():
        return Finding(place.span())
    return None


BRACKETS = (
    Mistake(
        "REP0003",
        "unclosed-bracket",
        unclosed,
        "`{bracket}` is never closed",
        "Every `{bracket}` needs its `{closer}`.",
        "add `{closer}` where the part that it opens ends",
        (
            "encoder A(x: [D]) -> [D] {\n  return x\n",
            "encoder A(x: [D]) -> [D] {\n  y = x\n\nencoder B(x: [D]) -> [D] { return x }\n",
            "dim D = (3 + 4\ndim K = 2\n",
            "use std.nn (linear\n",
            "encoder A(x: [D]) -> [D] causal(T { return x }\n",
        ),
    ),
    Mistake(
        "REP0004",
        "stray-closing-bracket",
        stray,
        "`{found}` closes nothing",
        "No bracket is open here.",
        "remove it, or add the bracket that it should close",
        ("encoder A(x: [D]) -> [D] { return x }\n}\n", "dim D = 3)\n", "probe p(x: []) -> [] { return f(x)) }\n"),
    ),
    Mistake(
        "REP0005",
        "bracket-mismatch",
        mismatch,
        "`{bracket}` is closed by `{found}`",
        "A bracket that opens with `{bracket}` closes with `{closer}`.",
        "write `{closer}`",
        ("encoder A(x: [D}) -> [D] { return x }\n", "encoder A(x: [D]) -> [D] { return f(x] }\n"),
    ),
    Mistake(
        "REP0030",
        "trailing-comma",
        trailing_comma,
        "a comma stands before `{found}`",
        "Commas separate; nothing follows this one.",
        "remove the comma",
        ("encoder A(x: [D],) -> [D] { return x }\n", "use std.nn (linear, )\n", "dim D in { 1, 2, }\n"),
    ),
    Mistake(
        "REP0034",
        "missing-result",
        missing_result,
        "a type is missing after `->`",
        "Behind the arrow stands the type of the result.",
        "write the type, as `-> [T, D]`, or leave the arrow out",
        ("encoder A(x: [D]) -> { return x }\n", "def f(x: [D]) -> { y = x return y }\n"),
    ),
)

EARLY = (
    Mistake(
        "REP0033",
        "missing-expression",
        missing_before_word,
        "a value is missing after `{previous}`",
        "{found_sentence} begins the next statement.",
        "write a value after `{previous}`",
        ("dim D =\ndim K = 3\n", "encoder A(x: [D]) -> [D] {\n  y = 2 *\n  return x\n}\n"),
    ),
)

GAPS = (
    Mistake(
        "REP0031",
        "missing-comma",
        missing_comma,
        "a comma is missing before {found_word}",
        "What stands inside brackets is separated by commas.",
        "write `,` between the two",
        (
            "encoder A(x: [D] y: [D]) -> [D] { return x }\n",
            "encoder A(x: [D]) -> [D] { return f(x y) }\n",
            "dim D in { 1 2 }\n",
            "use std.nn (linear rmsnorm)\n",
        ),
    ),
    Mistake(
        "REP0032",
        "missing-block",
        missing_block,
        "a block `{{ .. }}` is missing: {instead} stands where it should open",
        "Bodies stand in braces; neither a colon nor indentation opens one.",
        "write `{{` here and `}}` at the end of the body",
        (
            "encoder A(x: [D]) -> [D]:\n  return x\n",
            "encoder A(x: [D]) -> [D]\n",
            "encoder A(x: [D]) -> [D] { repeat 3 x = x + 1 }\n",
            "train T { stage warm = 3 }\n",
        ),
    ),
    Mistake(
        "REP0033",
        "missing-expression",
        missing_expression,
        "a value is missing after `{previous}`",
        "{found_sentence} cannot begin an expression.",
        "write a value after `{previous}`",
        (
            "dim D =\n",
            "encoder A(x: [D]) -> [D] { return }\n",
            "encoder A(x: [D]) -> [D] { y = x + }\n",
            "train T { optimizer: }\n",
        ),
    ),
)
