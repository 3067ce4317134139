"""From a fault to what is said about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rep_grammar.faults import SyntaxFault
from rep_grammar.spans import Span
from repc.diagnostics.catalogue import catalogue
from repc.diagnostics.entry import PLACEHOLDER, Catalogue, Entry
from repc.diagnostics.model import Diagnostic, Fault, Fix, Label, Severity

__all__ = ["MissingValues", "fill", "from_syntax", "ordered", "to_diagnostic", "worded"]


class MissingValues(Exception):
    """In strict mode: a fault without values that its entry's words need, or without an entry."""


def to_diagnostic(fault: Fault, entries: Catalogue | None = None, strict: bool = False) -> Diagnostic:
    """The fault in words.

    Without `strict` this never fails: a fault that has no entry is shown as one of ours, a headline that lacks a value
    is the entry's name with what is known, and a reason or help that lacks one is left out.
    """
    listed = entries if entries is not None else catalogue()
    entry = listed.find(fault.name)
    if entry is None:
        if strict:
            raise MissingValues(f"no entry named {fault.name!r}")
        entry = _unlisted(fault, listed)
    values = dict(fault.values)
    if fault.suggestion is not None:
        values["suggestion"] = fault.suggestion
    helping = entry.suggest if fault.suggestion is not None else entry.help
    if strict:
        wanted = {n for text in (entry.headline, entry.label, entry.reason, helping) for n in PLACEHOLDER.findall(text)}
        if missing := sorted(wanted - values.keys()):
            raise MissingValues(f"{entry.name} needs {', '.join(missing)}")
    fix = fault.fix
    if fix is None and fault.suggestion is not None and fault.span is not None:
        fix = Fix(fault.span, fault.suggestion)
    labels = tuple(Label(span, text) for span, text in fault.related)
    if fault.span is not None:
        labels = (Label(fault.span, _whole(entry.label, values), primary=True), *labels)
    return Diagnostic(
        code=entry.code,
        name=entry.name,
        severity=entry.severity,
        message=_whole(entry.headline, values) or _described(entry.name, fault.values),
        span=fault.span,
        labels=labels,
        reason=_whole(entry.reason, values),
        notes=fault.notes,
        help=_whole(helping, values),
        fix=fix,
    )


def worded(
    code: str,
    message: str,
    span: Span | None = None,
    reason: str = "",
    hint: str = "",
    related: Iterable[tuple[Span, str]] = (),
    replacement: str | None = None,
    notes: tuple[str, ...] = (),
) -> Diagnostic:
    """A diagnostic whose words come from elsewhere (the parser, the runtime); the catalogue gives name and severity."""
    entry = catalogue().find(code)
    labels = tuple(Label(place, text) for place, text in related)
    if span is not None:
        labels = (Label(span, primary=True), *labels)
    fix = Fix(span, replacement) if span is not None and replacement is not None else None
    return Diagnostic(
        code=code,
        name=entry.name if entry else "fault",
        severity=entry.severity if entry else Severity.ERROR,
        message=message,
        span=span,
        labels=labels,
        reason=reason,
        notes=notes,
        help=hint,
        fix=fix,
    )


def from_syntax(fault: SyntaxFault) -> Diagnostic:
    """What the parser says of a text."""
    return worded(fault.code, fault.message, fault.span, fault.reason, fault.hint, fault.related, fault.replacement)


def _unlisted(fault: Fault, entries: Catalogue) -> Entry:
    """A fault of ours: something was found, and the catalogue has no words for it. What is known is shown."""
    base = entries.find("internal-fault")
    words = _described(fault.name, fault.values)
    if base is None:
        return Entry("REP9999", fault.name, words, "", "", "", "", "")
    return Entry(base.code, fault.name, words, base.reason, base.help, base.story, base.bad, base.good)


def _described(name: str, values: Mapping[str, object]) -> str:
    known = ", ".join(f"{key} = {_text(value)}" for key, value in values.items())
    return name.replace("-", " ") + (f" ({known})" if known else "")


def _whole(template: str, values: Mapping[str, object]) -> str:
    """The filled template, or nothing where a value is missing: half a sentence helps nobody."""
    complete = all(name in values for name in PLACEHOLDER.findall(template))
    return fill(template, values) if complete else ""


def fill(template: str, values: Mapping[str, object]) -> str:
    """The template with its placeholders replaced; one without a value reads as its own name."""
    return PLACEHOLDER.sub(lambda m: _text(values[m[1]]) if m[1] in values else m[1].replace("_", " "), template)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    if isinstance(value, Sequence | frozenset | set) and not isinstance(value, bytes):
        items = [_text(item) for item in (sorted(value, key=str) if isinstance(value, frozenset | set) else value)]
        return ", ".join(items) if items else "none"
    return str(value)


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """By file, place and code, each said once; those without a place first."""
    unique = dict.fromkeys(diagnostics)
    return sorted(
        unique, key=lambda d: (d.span.file, d.span.start, d.span.end, d.code) if d.span else ("", -1, -1, d.code)
    )
