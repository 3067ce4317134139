"""Mistakes with signs: operators and marks of other languages, signs in places where they mean nothing."""

from __future__ import annotations

from rep_grammar.mistakes import Finding, Mistake
from rep_grammar.place import Place
from rep_grammar.scanner import WORD

_SPELLINGS = {"&": "and", "|": "or", "!": "not"}
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_COMPARISON_TERMINALS = ("EQ", "NE", "LT", "GT", "LE", "GE")


def double_star(place: Place) -> Finding | None:
    if place.text_found == "*" and place.previous() == "*" and place.adjacent():
        return Finding(place.span(1), replacement="^")
    return None


def logic_sign(place: Place) -> Finding | None:
    sign = place.text_found
    if sign not in _SPELLINGS:
        return None
    word = _SPELLINGS[sign]
    doubled = bool(place.after) and place.after[0].text == sign
    if place.found is None:
        return None
    end = place.after[0].end if doubled else place.found.end
    span = place.span()
    return Finding(type(span)(span.file, span.start, end), {"word": word}, word)


def single_quotes(place: Place) -> Finding | None:
    return Finding(place.span()) if place.text_found == "'" else None


def semicolon(place: Place) -> Finding | None:
    return Finding(place.span(), replacement="") if place.text_found == ";" else None


def assigning_operator(place: Place) -> Finding | None:
    signs = ("+", "-", "*", "/", "//", "%", "@", "^")
    if place.text_found in signs and place.next() == "=" and "EQUAL" in place.accepted and place.found is not None:
        span = place.span()
        whole = type(span)(span.file, span.start, place.after[0].end)
        return Finding(whole, {"sign": place.text_found, "target": place.previous()})
    return None


def question_mark(place: Place) -> Finding | None:
    return Finding(place.span()) if place.text_found == "?" else None


def foreign_comment(place: Place) -> Finding | None:
    if place.text_found == "*" and place.previous() == "/" and place.adjacent():
        return Finding(place.span(1), {"sign": "/*"})
    if place.text_found == "/" and place.next() == "*":
        return Finding(place.span(), {"sign": "/*"})
    if place.text_found == "//":
        return Finding(place.span(), {"sign": "//"})
    if place.found is None or place.found.group != WORD or not place.read or place.read[-1].group != WORD:
        return None
    for token in reversed(place.read):
        if "\n" in place.text[token.start : place.found.start]:
            return None
        if token.text == "//":
            return Finding(place.span_of(token), {"sign": "//"})
    return None


def named_with_equals(place: Place) -> Finding | None:
    if place.text_found == "=" and place.inside() == "(" and place.previous(2) in ("(", ","):
        return Finding(place.span(), {"name": place.previous()}, ":")
    return None


def equals_for_comparison(place: Place) -> Finding | None:
    if place.text_found == "=" and "EQ" in place.accepted:
        return Finding(place.span(), replacement="==")
    return None


def comparison_for_equals(place: Place) -> Finding | None:
    if place.text_found == "==" and "EQUAL" in place.accepted:
        return Finding(place.span(), replacement="=")
    return None


def chained_comparison(place: Place) -> Finding | None:
    if place.text_found not in _COMPARISONS or any(name in place.accepted for name in _COMPARISON_TERMINALS):
        return None
    statement = place.statement()
    if any(sign in statement for sign in _COMPARISONS) and "RPAR" not in place.statement()[-1:]:
        return Finding(place.span(), {"operand": place.previous()})
    return None


def minus_after_operator(place: Place) -> Finding | None:
    if place.text_found == "-" and "NAME" in place.accepted and "MINUS" not in place.accepted and place.read:
        return Finding(place.span())
    return None


def plus_sign(place: Place) -> Finding | None:
    if place.text_found == "+" and place.wants_expression():
        return Finding(place.span(), replacement="")
    return None


def ellipsis(place: Place) -> Finding | None:
    if place.text_found == "." and place.previous() == ".." and place.adjacent():
        return Finding(place.span(1), replacement="..")
    return None


def decorator(place: Place) -> Finding | None:
    if place.text_found == "@" and place.adjacent() is False and not place.wants_expression():
        return Finding(place.span()) if "AT_SIGN" not in place.accepted else None
    return None


def bare_call(place: Place) -> Finding | None:
    if place.text_found == "(" and "EQUAL" in place.accepted and place.inside() == "{":
        return Finding(place.span(1), {"name": place.previous()})
    return None


SIGNS = (
    Mistake(
        "REP0040",
        "power-sign",
        double_star,
        "`**` is not an operator",
        "A power is written `a ^ b`.",
        "write `^`",
        ("dim D = 2 ** 3\n", "encoder A(x: [D]) -> [D] { return x ** 2 }\n"),
    ),
    Mistake(
        "REP0041",
        "logic-sign",
        logic_sign,
        "`{found}` is not an operator",
        "Conditions are joined by the words `and`, `or`, `not`.",
        "write `{word}`",
        (
            "probe p(x: []) -> [] { return x > 0 && x < 1 }\n",
            "probe p(x: []) -> [] { return x > 0 | x < 1 }\n",
            "probe p(x: []) -> [] { return !x }\n",
        ),
    ),
    Mistake(
        "REP0042",
        "single-quotes",
        single_quotes,
        "a text does not begin with `'`",
        "Texts stand in double quotes; `'` is a part of a name only at its end, as in `f'`.",
        'write ".."',
        ("use 'lib/mix.rep' (Mixer)\n", "experiment 'a title' { }\n"),
    ),
    Mistake(
        "REP0043",
        "semicolon",
        semicolon,
        "`;` separates nothing here",
        "Statements follow each other without a sign; `;` stands only before the options of an axis bracket.",
        "remove it",
        ("dim D = 3;\n", "encoder A(x: [D]) -> [D] { y = x; return y }\n"),
    ),
    Mistake(
        "REP0044",
        "assigning-operator",
        assigning_operator,
        "`{sign}=` is not an operator",
        "A value is bound anew with the whole expression.",
        "write `{target} = {target} {sign} ..`",
        ("encoder A(x: [D]) -> [D] { x += 1 return x }\n", "encoder A(x: [D]) -> [D] { x *= 2 return x }\n"),
    ),
    Mistake(
        "REP0045",
        "question-mark",
        question_mark,
        "`?` means nothing in this language",
        "A conditional expression has the words `if`, `then` and `else`.",
        "write `if c then a else b`",
        ("encoder A(x: [D]) -> [D] { return c ? x : 0 }\n",),
    ),
    Mistake(
        "REP0046",
        "foreign-comment",
        foreign_comment,
        "`{sign}` does not begin a comment",
        "A comment begins with `#` and goes to the end of its line.",
        "write `#`",
        (
            "// a comment\ndim D = 3\n",
            "/* a comment */\ndim D = 3\n",
            "encoder A(x: [D]) -> [D] {\n  return x  // the value itself\n}\n",
        ),
    ),
    Mistake(
        "REP0047",
        "chained-comparison",
        chained_comparison,
        "comparisons do not chain",
        "A comparison has two sides.",
        "write `a < {operand} and {operand} {found} b`",
        ("probe p(x: []) -> [] { return 0 < x < 1 }\n", "dim D = 3\nrequire 1 <= D <= 4\n"),
    ),
    Mistake(
        "REP0048",
        "named-with-equals",
        named_with_equals,
        "an argument is named with `:`, not with `=`",
        "`=` binds a value or gives a default; every option is `name: value`.",
        "write `{name}: ..`",
        ("encoder A(x: [D]) -> [D] { return l2norm(x, over = D) }\n", "train T { optimizer: adamw(rate = 1e-3) }\n"),
    ),
    Mistake(
        "REP0049",
        "equals-for-comparison",
        equals_for_comparison,
        "`=` does not compare",
        "`=` gives a name its value; two values are compared with `==`.",
        "write `==`",
        ("dim D = 3\nrequire D % 2 = 0\n", "encoder A(x: [D]) -> [D] { y[d] = if d = 0 then 1 else x[d] return y }\n"),
    ),
    Mistake(
        "REP0050",
        "comparison-for-equals",
        comparison_for_equals,
        "`==` does not bind",
        "`==` compares two values; a name gets its value with `=`.",
        "write `=`",
        ("dim D == 3\n", "encoder A(x: [D]) -> [D] { y == x return y }\n"),
    ),
    Mistake(
        "REP0051",
        "sign-needs-brackets",
        minus_after_operator,
        "a minus here needs brackets",
        "Behind an operator or the bracket of a reduction, a negative value stands in brackets.",
        "write `(-x)`",
        ("encoder A(x: [D]) -> [] { return sum[d] -x[d] }\n", "encoder A(x: [D]) -> [D] { return 2 * -x }\n"),
    ),
    Mistake(
        "REP0052",
        "plus-sign",
        plus_sign,
        "a value has no plus sign",
        "`+` stands between two values.",
        "remove it",
        ("dim D = +3\n", "encoder A(x: [D]) -> [D] { return f(+x) }\n"),
    ),
    Mistake(
        "REP0053",
        "ellipsis",
        ellipsis,
        "`...` is not a sign of this language",
        "Two dots make a range, `1 .. 4`, or any number of axes, `[.., D]`.",
        "write `..`",
        ("encoder A(x: [..., D]) -> [D] { return x }\n",),
    ),
    Mistake(
        "REP0054",
        "decorator",
        decorator,
        "`@` does not begin a declaration",
        "There are no decorators; `@` is the product of two values.",
        "say it inside the declaration, or as a claim",
        ("@fast\nencoder A(x: [D]) -> [D] { return x }\n",),
    ),
    Mistake(
        "REP0055",
        "bare-call",
        bare_call,
        "a call by itself does nothing",
        "Every statement binds, returns or declares; what `{name}(..)` makes is lost.",
        "write `y = {name}(..)` or `return {name}(..)`",
        ("encoder A(x: [D]) -> [D] { linear(x, D -> D) }\n", "train T { model f = F() print(f) }\n"),
    ),
)
