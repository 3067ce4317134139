"""The catalogue: every fault has words of its own, and every word it needs is asked for."""

import re

import pytest

from rep_grammar import SyntaxFaults, parse
from rep_grammar.explain import MISTAKES
from repc.diagnostics import Entry, Fault, MissingValues, Severity, catalogue, from_syntax, to_diagnostic
from repc.diagnostics.catalogue import FAMILIES
from repc.diagnostics.catalogue import syntax as syntax_family
from repc.diagnostics.entry import placeholders
from repc.diagnostics.render import Paint, page
from repc.pipeline import check_spec

ENTRIES = tuple(catalogue())
WORDED_HERE = tuple(e for e in ENTRIES if not e.code.startswith(("REP00", "REP07")))
CODES = re.compile(r"REP\d{4}|REPW\d{3}")
NAMES = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def test_codes_and_names_are_well_formed_and_unique() -> None:
    assert len({e.code for e in ENTRIES}) == len({e.name for e in ENTRIES}) == len(ENTRIES)
    assert all(CODES.fullmatch(e.code) and NAMES.fullmatch(e.name) for e in ENTRIES)
    assert len(FAMILIES) == len(set(FAMILIES))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.code)
def test_every_entry_tells_its_story_with_two_examples(entry: Entry) -> None:
    assert entry.story.endswith(".")
    assert entry.bad.strip() and entry.good.strip()
    assert entry.bad != entry.good
    assert (entry.severity is Severity.WARNING) == entry.code.startswith("REPW")


@pytest.mark.parametrize("entry", WORDED_HERE, ids=lambda e: e.code)
def test_placeholders_are_documented_and_used(entry: Entry) -> None:
    assert entry.used == set(entry.values)
    assert entry.headline
    assert "dimension" not in entry.headline + entry.reason + entry.help + entry.story


@pytest.mark.parametrize("entry", WORDED_HERE, ids=lambda e: e.code)
def test_strict_mode_accepts_exactly_the_documented_values(entry: Entry) -> None:
    values = {name: f"<{name}>" for name in entry.values}
    said = to_diagnostic(Fault(entry.name, None, values), strict=True)
    assert said.code == entry.code
    assert not placeholders(said.message + said.reason + said.help)
    needed = set(placeholders(entry.headline))
    for name in needed:
        with pytest.raises(MissingValues, match=name):
            to_diagnostic(Fault(entry.name, None, {k: v for k, v in values.items() if k != name}), strict=True)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.code)
def test_a_fault_without_values_still_reads(entry: Entry) -> None:
    said = to_diagnostic(Fault(entry.name, None))
    assert said.message == (entry.headline if not placeholders(entry.headline) else entry.name.replace("-", " "))
    assert not placeholders(said.message + said.reason + said.help + "".join(label.text for label in said.labels))


def test_a_fault_that_is_not_listed_is_ours() -> None:
    said = to_diagnostic(Fault("never-heard-of", None, {"left": 3}))
    assert said.code == "REP9901"
    assert said.message == "never heard of (left = 3)"
    with pytest.raises(MissingValues):
        to_diagnostic(Fault("never-heard-of", None), strict=True)


def test_values_are_put_into_words() -> None:
    fault = Fault("wrong-axis", None, {"what": "`x`", "axis": "S", "shape": ("T", "D")})
    assert to_diagnostic(fault).message == "`x` has no axis `S`; its axes are T, D"
    assert to_diagnostic(Fault("wrong-axis", None, {"shape": frozenset({"b", "a"})})).help == "choose one of a, b"


def test_a_suggestion_becomes_help_and_fix() -> None:
    from rep_grammar.spans import Span

    span = Span("lm.rep", 3, 7)
    said = to_diagnostic(Fault("unknown-name", span, {"name": "lineer"}, suggestion="linear"))
    assert said.help == "did you mean `linear`?"
    assert said.fix is not None
    assert (said.fix.span, said.fix.replacement) == (span, "linear")


def test_entries_are_found_by_code_in_any_case_and_by_name() -> None:
    assert catalogue().find("rep0203") is catalogue().find("two-sizes") is not None
    assert catalogue().find("REP9999") is None


def test_every_mistake_that_the_parser_knows_has_its_page() -> None:
    for mistake in MISTAKES:
        entry = catalogue().find(mistake.code)
        assert entry is not None, mistake.code
        assert entry.name == mistake.name


@pytest.mark.parametrize("entry", syntax_family.ENTRIES, ids=lambda e: e.code)
def test_syntax_examples_do_what_their_page_says(entry: Entry) -> None:
    parse(entry.good)
    with pytest.raises(SyntaxFaults) as caught:
        parse(entry.bad, "bad.rep")
    said = from_syntax(caught.value.faults[0])
    assert (said.code, said.name) == (entry.code, entry.name)
    assert said.message and said.span is not None


@pytest.mark.parametrize(
    "entry",
    [e for e in WORDED_HERE if not e.code.startswith(("REP09", "REP99")) and "repc " not in e.bad + e.good],
    ids=lambda e: e.code,
)
def test_examples_of_later_stages_are_well_formed_texts(entry: Entry) -> None:
    parse(entry.good)
    parse(entry.bad)


# Where `check` of one text cannot show an entry: other commands and files, generated code, guards behind other rules.
ELSEWHERE = {
    "several files": {"REP0104", "REP0105"},
    "options of the command": {"REP0115", "REP0116", "REP0118", "REP0122", "REP0123"},
    "lowering": {"REP0508", "REP0650", "REP0651", "REP0652", "REP0653", "REP0654"},
    "rules of ops that elaboration asks before": {"REP0202", "REP0204", "REP0222", "REP0332"},
    "seen in graphs of several declarations": {"REP0226", "REP0308", "REP0309", "REP0325", "REP0327", "REP0329"},
    "not shown by the example yet": {"REP0318", "REP0373", "REP0375", "REP0416", "REP0531", "REP0613", "REP0620"},
    "its repair is `fold`, which is not there yet": {"REP0263"},
}
NOT_SHOWN = frozenset().union(*ELSEWHERE.values())
SHOWN = [
    entry
    for entry in WORDED_HERE
    if entry.code not in NOT_SHOWN and entry.code[3:5] in {"01", "02", "03", "04", "05", "06", "08", "W1"}
]


@pytest.mark.parametrize("entry", SHOWN, ids=lambda e: e.code)
def test_an_example_is_answered_by_its_entry(entry: Entry) -> None:
    refused = [item.code for item in check_spec(("bad.rep", entry.bad)).diagnostics]
    assert entry.code in refused
    assert entry.code not in [item.code for item in check_spec(("good.rep", entry.good)).diagnostics]


def test_what_is_not_shown_exists() -> None:
    assert NOT_SHOWN <= {entry.code for entry in ENTRIES}


def test_a_page_shows_story_and_examples() -> None:
    entry = catalogue().find("two-sizes")
    assert entry is not None
    text = page(entry, Paint(False))
    assert text.startswith("REP0203 two-sizes")
    assert "    dim T: seq, D = 8" in text
    assert "Refused:" in text and "Instead:" in text
