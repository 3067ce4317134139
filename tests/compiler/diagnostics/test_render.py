"""The forms in which diagnostics are shown, letter by letter."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rep_grammar.spans import Source, Span
from repc.diagnostics import Applicability, Diagnostic, Fault, Fix, Label, Severity, ordered, to_diagnostic
from repc.diagnostics.render import FORMATS, Paint, full, render, wants_colour

TEXT = """rep 1
dim D = 8, H = 3
dim K = D / H

encoder F(x: [T, D]) -> [T, D] {
  q = linear(x, D -> [H, K])
  return mean(q,
    over: S)
}
"""


def span(piece: str, file: str = "lm.rep", text: str = TEXT) -> Span:
    start = text.index(piece)
    return Span(file, start, start + len(piece))


SOURCES = {"lm.rep": Source("lm.rep", TEXT)}
INDIVISIBLE = to_diagnostic(
    Fault(
        "indivisible",
        span("D / H"),
        {"of": "D", "by": "H", "left": 8, "right": 3},
        related=((span("D = 8"), "D is 8 here"), (span("H = 3"), "H is 3 here")),
        notes=("axes:\n  D = 8\n  H = 3",),
    )
)
MISSPELT = to_diagnostic(Fault("unknown-name", span("linear"), {"name": "linear"}, suggestion="lineal"))
MANY_LINES = to_diagnostic(
    Fault("wrong-axis", span("mean(q,\n    over: S)"), {"what": "`q`", "axis": "S", "shape": ("T", "H", "K")})
)
NOWHERE = to_diagnostic(Fault("unreadable-file", None, {"path": "a.rep", "reason": "permission denied"}))
WARNING = to_diagnostic(Fault("unused-import", span("q"), {"name": "q"}))
ALL = [INDIVISIBLE, MISSPELT, MANY_LINES, NOWHERE, WARNING]


def test_full_form_underlines_and_explains() -> None:
    assert full(INDIVISIBLE, SOURCES, Paint(False)) == (
        "error[REP0206]: D is not divisible by H\n"
        " --> lm.rep:3:9\n"
        "  |\n"
        "2 | dim D = 8, H = 3\n"
        "  |     ----- D is 8 here\n"
        "  |            ----- H is 3 here\n"
        "3 | dim K = D / H\n"
        "  |         ^^^^^ must be whole\n"
        "  = reason: D is 8 and H is 3\n"
        "  = note: axes:\n"
        "            D = 8\n"
        "            H = 3\n"
        "  = help: choose D a multiple of H, or write `//` for the quotient rounded down"
    )


def test_full_form_follows_a_span_over_lines() -> None:
    assert full(MANY_LINES, SOURCES, Paint(False)) == (
        "error[REP0202]: `q` has no axis `S`; its axes are T, H, K\n"
        " --> lm.rep:7:10\n"
        "  |\n"
        "7 |   return mean(q,\n"
        "  |          ^^^^^^^\n"
        "8 |     over: S)\n"
        "  |     ^^^^^^^^ no axis `S`\n"
        "  = reason: an axis is found by its name, never by its position or its size\n"
        "  = help: choose one of T, H, K"
    )


def test_full_form_without_a_place() -> None:
    assert full(NOWHERE, SOURCES, Paint(False)) == (
        "error[REP0912]: cannot read `a.rep`: permission denied\n  = help: check the path and its permissions"
    )


def test_full_form_shows_a_fix_that_the_help_does_not_spell() -> None:
    fix = Fix(span("D / H"), "D // H", Applicability.SAFE)
    said = Diagnostic("REP0206", "indivisible", Severity.ERROR, "m", span("D / H"), fix=fix)
    assert full(said, SOURCES, Paint(False)).endswith("  = fix:\n  + dim K = D // H")
    assert "fix" not in full(MISSPELT, SOURCES, Paint(False))


def test_full_form_names_places_in_other_files() -> None:
    other = "dim D = 512\n"
    said = to_diagnostic(
        Fault(
            "two-sizes",
            span("D / H"),
            {"axis": "D", "left": "8", "right": "512"},
            related=((Span("lib.rep", 4, 11), "512 here"), (Span("gone.rep", 0, 3), "and in a text not at hand")),
        )
    )
    text = full(said, {**SOURCES, "lib.rep": Source("lib.rep", other)}, Paint(False))
    assert " --> lib.rep:1:5\n  |\n1 | dim D = 512\n  |     ------- 512 here\n" in text
    assert " --> gone.rep\n   = and in a text not at hand\n" in text


def test_long_spans_and_long_lines_are_cut() -> None:
    tall = "encoder F {\n" + "  x = y\n" * 40 + "}\n"
    said = Diagnostic("REP0003", "n", Severity.ERROR, "m", Span("a.rep", 0, len(tall) - 1))
    shown = full(said, {"a.rep": Source("a.rep", tall)}, Paint(False))
    assert "\n...\n" in shown and len(shown.splitlines()) < 10
    wide = "(" * 1_000_000 + "x"
    said = Diagnostic("REP0014", "n", Severity.ERROR, "m", Span("b.rep", 500_000, 500_001))
    lines = full(said, {"b.rep": Source("b.rep", wide)}, Paint(False)).splitlines()
    assert max(map(len, lines)) < 140
    assert lines[-1].index("^") == lines[-2].index("(", 45)


def test_carets_stand_under_what_they_mean_for_wide_and_odd_characters() -> None:
    text = "d = 深い(\tx\x1b)\n"
    said = Diagnostic("REP0101", "n", Severity.ERROR, "m", Span("a.rep", text.index("x"), text.index("x") + 1))
    *_, line, carets = full(said, {"a.rep": Source("a.rep", text)}, Paint(False)).splitlines()
    assert line == "1 | d = 深い(    x\u241b)"
    # Two wide characters take two columns more than letters.
    assert carets.index("^") == line.index("x") + 2


def test_nothing_in_a_text_can_drive_the_terminal() -> None:
    text = "x = \x1b[31m\x07\u202e\n"
    said = Diagnostic("REP0007", "n", Severity.ERROR, "bad \x1b[2J", Span("a\x1b.rep", 0, 5), help="\x9b")
    for form in FORMATS:
        shown = render([said], {"a\x1b.rep": Source("a\x1b.rep", text)}, form)
        if form in ("full", "concise"):
            assert not any((ord(c) < 0x20 and c != "\n") or c in "\x7f\x9b\u202e" for c in shown)


def test_colour_marks_severity_and_can_be_off() -> None:
    assert "\033[1;31merror[REP0206]\033[0m" in render([INDIVISIBLE], SOURCES, colour=True)
    assert "\033" not in render(ALL, SOURCES)


@pytest.mark.parametrize(
    ("environment", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_follows_the_environment(environment: dict[str, str], terminal: bool, wanted: bool) -> None:
    stream = io.StringIO()
    stream.isatty = lambda: terminal  # type: ignore[method-assign]
    assert wants_colour(stream, environment) is wanted


def test_full_form_of_many_ends_with_a_count() -> None:
    assert render(ALL, SOURCES).endswith("\n\n4 errors, 1 warning")
    assert render([], SOURCES) == ""


def test_concise_form_is_one_line_each() -> None:
    assert render(ALL, SOURCES, "concise").splitlines() == [
        "lm.rep:3:9: error[REP0206] D is not divisible by H",
        "lm.rep:6:7: error[REP0101] `linear` is not known here",
        "lm.rep:7:10: error[REP0202] `q` has no axis `S`; its axes are T, H, K",
        "error[REP0912] cannot read `a.rep`: permission denied",
        "lm.rep:6:3: warning[REPW101] `q` is imported and not used",
    ]


def test_json_has_every_part() -> None:
    (item, *_) = json.loads(render([MISSPELT], SOURCES, "json"))
    start = TEXT.index("linear")
    place = {
        "file": "lm.rep",
        "start": {"line": 6, "column": 7, "offset": start, "utf16": 6},
        "end": {"line": 6, "column": 13, "offset": start + 6, "utf16": 12},
    }
    assert item == {
        "code": "REP0101",
        "name": "unknown-name",
        "severity": "error",
        "message": "`linear` is not known here",
        "location": place,
        "labels": [{"location": place, "text": "not known", "primary": True}],
        "reason": "nothing of that name is declared, imported or built in",
        "notes": [],
        "help": "did you mean `lineal`?",
        "fix": {"location": place, "replacement": "lineal", "applicability": "maybe"},
    }


def test_json_lines_are_the_same_items() -> None:
    lines = render(ALL, SOURCES, "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(render(ALL, SOURCES, "json"))


def test_json_counts_columns_for_editors_in_utf16() -> None:
    text = "x = '\U0001d53d' y\n"
    said = Diagnostic("REP0007", "n", Severity.ERROR, "m", Span("a.rep", text.index("y"), text.index("y") + 1))
    (item,) = json.loads(render([said], {"a.rep": Source("a.rep", text)}, "json"))
    assert item["location"]["start"] == {"line": 1, "column": 9, "offset": 8, "utf16": 9}


def test_github_form_escapes_what_would_end_a_command() -> None:
    said = Diagnostic("REP0206", "indivisible", Severity.ERROR, "50% of\nD", span("D / H"), help="a: b")
    assert render([said, WARNING, NOWHERE], SOURCES, "github").splitlines() == [
        "::error file=lm.rep,line=3,col=9,endLine=3,endColumn=14,title=REP0206 indivisible::50%25 of%0AD%0Aa: b",
        "::warning file=lm.rep,line=6,col=3,endLine=6,endColumn=4,title=REPW101 unused-import::"
        "`q` is imported and not used%0Aremove it",
        "::error title=REP0912 unreadable-file::cannot read `a.rep`: permission denied%0A"
        "check the path and its permissions",
    ]


def test_sarif_is_one_run_with_rules_and_regions() -> None:
    safe = Diagnostic(
        "REP0206",
        "indivisible",
        Severity.ERROR,
        "m",
        span("D / H"),
        labels=(Label(span("D / H"), "", True), Label(span("D = 8"), "here")),
        fix=Fix(span("D / H"), "D // H", Applicability.SAFE),
    )
    log = json.loads(render([safe, WARNING, NOWHERE], SOURCES, "sarif"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["REP0206", "REP0912", "REPW101"]
    first, second, third = run["results"]
    assert [rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"]] == [True] * 3
    region = {"startLine": 3, "startColumn": 9, "endLine": 3, "endColumn": 14}
    assert first["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "lm.rep"}, "region": region}}]
    assert first["relatedLocations"][0]["message"] == {"text": "here"}
    assert first["fixes"][0]["artifactChanges"][0]["replacements"] == [
        {"deletedRegion": region, "insertedContent": {"text": "D // H"}}
    ]
    assert (second["level"], third["level"], third["locations"]) == ("warning", "error", [])


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="xml"):
        render(ALL, SOURCES, "xml")


def test_order_is_by_place_and_repeats_are_said_once() -> None:
    assert [d.code for d in ordered([MANY_LINES, INDIVISIBLE, NOWHERE, INDIVISIBLE])] == [
        "REP0912",
        "REP0206",
        "REP0202",
    ]


@given(st.text(max_size=60), st.integers(0, 70), st.integers(0, 70))
def test_any_span_of_any_text_can_be_shown(text: str, start: int, end: int) -> None:
    said = Diagnostic("REP0001", "n", Severity.ERROR, "m", Span("a.rep", start, end), fix=Fix(Span("a.rep", 0, 1), "z"))
    for form in FORMATS:
        assert render([said], {"a.rep": Source("a.rep", text)}, form)
