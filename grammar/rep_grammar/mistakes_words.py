"""Mistakes with words: reserved ones, those of other languages, misspelled ones, and words in the wrong place."""

from __future__ import annotations

from rep_grammar.mistakes import Finding, Mistake, item_words, nearest, statement_words
from rep_grammar.place import Place
from rep_grammar.scanner import STRING, WORD

_FOREIGN = {
    "class": "encoder Name(x: [T, D]) -> [T, D] { .. }",
    "fn": "encoder name(x: [D]) -> [D] { .. }",
    "func": "encoder name(x: [D]) -> [D] { .. }",
    "function": "encoder name(x: [D]) -> [D] { .. }",
    "module": "encoder Name(x: [T, D]) -> [T, D] { .. }",
    "layer": "encoder Name(x: [T, D]) -> [T, D] { .. }",
    "import": "use std.nn (linear)",
    "from": "use std.nn (linear)",
    "include": 'use "lib/mix.rep" (Mixer)',
    "let": "x = ..",
    "var": "x = ..",
    "val": "x = ..",
    "while": "repeat n { .. }",
    "loop": "repeat n { .. }",
    "elif": "else { if c { .. } }",
    "switch": "match v { a: ..  b: .. }",
    "case": "match v { a: ..  b: .. }",
    "dims": "dim T: seq, D = 64",
    "loss": "minimize name = ..",
    "assert": "require a == b",
    "raise": "require a == b",
}


def foreign_word(place: Place) -> Finding | None:
    token = place.found if not place.opened else place.read[-1] if place.head() else None
    if token is None or token.group != WORD or token.text not in _FOREIGN or place.wants_expression():
        return None
    return Finding(place.span_of(token), {"word": token.text, "instead": _FOREIGN[token.text]})


def else_if(place: Place) -> Finding | None:
    if place.text_found == "if" and place.previous() == "else" and "LBRACE" in place.accepted:
        return Finding(place.span(1)) if not place.wants_expression() else None
    return None


def missing_else(place: Place) -> Finding | None:
    if "_ELSE" in place.accepted and "RBRACE" not in place.accepted and "NAME" not in place.accepted:
        return Finding(place.span(), {"word": "else", "form": "if c then a else b"})
    if "_THEN" in place.accepted:
        return Finding(place.span(), {"word": "then", "form": "if c then a else b"})
    return None


def needs_brackets(place: Place) -> Finding | None:
    if place.text_found in ("not", "if") and "NUMBER" in place.accepted and place.read and place.next() not in "=:,":
        return Finding(place.span())
    return None


def reserved(place: Place) -> Finding | None:
    if place.text_found not in place.automaton.words.reserved or "NAME" not in place.accepted:
        return None
    used_as_name = place.next() in ("", "=", ":", ",", ")", "]", "}", "~", ":=", ".", "{", "(", "in")
    return Finding(place.span()) if used_as_name or place.wants_expression() else None


def star_import(place: Place) -> Finding | None:
    return Finding(place.span()) if place.text_found == "*" and "use" in place.statement() else None


def missing_import_list(place: Place) -> Finding | None:
    statement = place.statement()
    if statement[:1] == ["use"] and "(" not in statement and place.text_found != "(":
        return Finding(place.span(), {"path": "".join(statement[1:])})
    return None


def missing_in(place: Place) -> Finding | None:
    if "IN" not in place.accepted or "HAT" in place.accepted or place.terminal == "IN":
        return None
    return Finding(place.span(), {"name": place.previous()})


def untitled(place: Place) -> Finding | None:
    if place.previous() == "experiment" and place.accepted == {"STRING"}:
        return Finding(place.span())
    return None


def late_header(place: Place) -> Finding | None:
    if place.text_found == "rep" and not place.opened and place.read:
        return Finding(place.span())
    if place.previous() == "rep" and place.accepted == {"NUMBER"}:
        return Finding(place.span(1))
    return None


def nested_declaration(place: Place) -> Finding | None:
    back = 1 if place.found is not None and place.found.group in (WORD, STRING) else 0
    if not place.opened or back == 0 or not place.head() or place.previous() not in item_words(place):
        return None
    return Finding(place.span_of(place.read[-1]), {"word": place.previous()})


def misspelled(place: Place) -> Finding | None:
    if place.found is not None and not place.opened and place.found.group == WORD and "DECL" in place.accepted:
        word = place.text_found
        if word in statement_words(place):
            return None
        close = nearest(word, item_words(place))
        return Finding(place.span(), {"word": word, "close": close}, close) if close else None
    if not place.opened or not place.head() or place.found is None or not place.begins_expression():
        return None
    close = nearest(place.previous(), statement_words(place))
    if close is None or close == place.previous() or place.text_found in ("[", "("):
        return None
    return Finding(place.span_of(place.read[-1]), {"word": place.previous(), "close": close}, close)


def outside(place: Place) -> Finding | None:
    if place.found is None or place.opened or "DECL" not in place.accepted or place.found.group != WORD:
        return None
    word = place.text_found
    if word in statement_words(place) or place.next() in ("=", ":", ":=", "~", "[", "(", ",", "."):
        return Finding(place.span(), {"word": word})
    return None


def unknown_word(place: Place) -> Finding | None:
    if not place.opened and "DECL" in place.accepted and place.found is not None and place.found.group == WORD:
        return Finding(place.span(), {"word": place.text_found, "kind": "declaration"})
    if place.opened and place.head() and place.found is not None and place.found.group == WORD:
        return Finding(place.span_of(place.read[-1]), {"word": place.previous(), "kind": "statement"})
    return None


WORDS = (
    Mistake(
        "REP0069",
        "nested-declaration",
        nested_declaration,
        "`{word}` stands only at the level of the file",
        "Declarations hold statements, never other declarations; a helper inside one is a `def`.",
        "move it out of the block",
        (
            "train T {\n  encoder A(x: [D]) -> [D] { return x }\n}\n",
            "encoder A(x: [D]) -> [D] {\n  use std.nn (linear)\n}\n",
        ),
    ),
    Mistake(
        "REP0060",
        "foreign-word",
        foreign_word,
        "`{word}` is not a word of this language",
        "The word is another language's.",
        "write `{instead}`",
        (
            "import torch\n",
            "from std.nn import linear\n",
            "class A(x: [D]) -> [D] { return x }\n",
            "encoder A(x: [D]) -> [D] { let y = x return y }\n",
            "encoder A(x: [D]) -> [D] { while x > 0 { x = x - 1 } return x }\n",
            "train T { if a { x = 1 } elif b { x = 2 } }\n",
        ),
    ),
    Mistake(
        "REP0061",
        "else-if",
        else_if,
        "`else if` is not a statement",
        "Behind `else` stands a block.",
        "write `else {{ if .. {{ }} }}`",
        ("train T { if a { x = 1 } else if b { x = 2 } }\n",),
    ),
    Mistake(
        "REP0062",
        "incomplete-condition",
        missing_else,
        "a conditional expression lacks its `{word}`",
        "Both outcomes are written.",
        "write `{form}`",
        (
            "encoder A(x: [D]) -> [D] { return if c then x }\n",
            "encoder A(x: [D]) -> [D] { y = if c x else 0 return y }\n",
        ),
    ),
    Mistake(
        "REP0063",
        "word-needs-brackets",
        needs_brackets,
        "`{found}` behind an operator needs brackets",
        "`{found}` binds weaker than the operator before it.",
        "put the part that begins with `{found}` in brackets",
        (
            "encoder A(x: [D]) -> [D] { return 1 + if c then x else 0 }\n",
            "probe p(x: []) -> [] { return any[d] not x[d] }\n",
            "probe p(x: []) -> [] { return x == not y }\n",
        ),
    ),
    Mistake(
        "REP0006",
        "reserved-word",
        reserved,
        "`{found}` is a word of the language and cannot be a name",
        "The words `if then else match and or not in` are reserved everywhere.",
        "choose another name, such as `{found}_`",
        (
            "dim in = 3\n",
            "encoder match(x: [D]) -> [D] { return x }\n",
            "encoder A(or: [D]) -> [D] { return or }\n",
            "encoder A(x: [D]) -> [D] { then = x return then }\n",
        ),
    ),
    Mistake(
        "REP0064",
        "star-import",
        star_import,
        "imports name what they bring",
        "There is no star import.",
        "write `use std.nn (linear, rmsnorm)`",
        ("use std.nn (*)\n", "use std.nn.*\n", "use *\n"),
    ),
    Mistake(
        "REP0065",
        "missing-import-list",
        missing_import_list,
        "an import names what it brings",
        "Behind the path stand the names, in round brackets.",
        "write `use {path} (..)`",
        ("use std.nn\ndim D = 3\n", "use std.nn.linear\n", "use std.nn linear\n"),
    ),
    Mistake(
        "REP0066",
        "missing-in",
        missing_in,
        "`in` is missing behind `{name}`",
        "A name that runs over something stands before `in`.",
        "write `{name} in ..`",
        (
            "encoder A(x: [D]) -> [D] { for k 3 { x = x + 1 } return x }\n",
            'experiment "e" { vary lam { 0, 1 } }\n',
            "space S of X { D { 1, 2 } }\n",
        ),
    ),
    Mistake(
        "REP0067",
        "untitled-experiment",
        untitled,
        "the title of an experiment stands in double quotes",
        "An experiment has a sentence as its title, not a name.",
        'write `experiment ".." {{ .. }}`',
        ("experiment recall { }\n",),
    ),
    Mistake(
        "REP0068",
        "header",
        late_header,
        "the header `rep 1` is the first line of a file and has a number",
        "The number is the version of the language.",
        "write `rep 1` above everything else, once",
        ("dim D = 3\nrep 1\n", "rep one\ndim D = 3\n"),
    ),
    Mistake(
        "REP0070",
        "misspelled-word",
        misspelled,
        "`{word}` is no word of the language; did you mean `{close}`?",
        "A statement begins with a keyword or with a name that gets a value.",
        "write `{close}`",
        (
            "encodr A(x: [D]) -> [D] { return x }\n",
            "train T { minimise loss = 3 }\n",
            "encoder A(x: [D]) -> [D] { retrun x }\n",
        ),
    ),
    Mistake(
        "REP0071",
        "statement-outside",
        outside,
        "`{word}` stands outside every declaration",
        "At the level of the file stand declarations; statements belong inside their braces.",
        "move it into a declaration; a named size is `dim D = 64`, a constant `const c: [] = 1`",
        ("x = 3\n", "minimize x = 3\n", "steps: 300\n", "dim D = 3\nrepeat 3 { }\n"),
    ),
    Mistake(
        "REP0072",
        "unknown-word",
        unknown_word,
        "`{word}` does not begin a {kind}",
        "A {kind} begins with a keyword of the language.",
        "give it a value with `=`, or use a keyword",
        ("hello world\n", "encoder A(x: [D]) -> [D] { frobnicate x }\n"),
    ),
)
