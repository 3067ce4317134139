"""The full form: headline, the lines of the text with what is meant underlined, reason, help and fix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rep_grammar.record import Record
from rep_grammar.spans import Source, Span
from repc.diagnostics.model import Diagnostic, Fix, Label, Severity
from repc.diagnostics.render.concise import place
from repc.diagnostics.render.paint import Paint, plain, width

__all__ = ["full", "summary"]

WIDEST = 120  # columns of source shown of one line
MOST_LINES = 6  # lines shown of one span; of a longer one the first and last


def full(diagnostic: Diagnostic, sources: Mapping[str, Source], paint: Paint) -> str:
    head = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    lines = [f"{head}: {paint('bold', plain(diagnostic.message))}"]
    given = diagnostic.labels or ((Label(diagnostic.span, primary=True),) if diagnostic.span else ())
    labels = sorted(given, key=lambda label: not label.primary)
    gutter = max((_gutter(label.span, sources) for label in labels), default=1)
    for group in _by_file(labels):
        lines.append(f"{' ' * gutter}{paint('place', '-->')} {place(group[0].span, sources)}")
        source = sources.get(group[0].span.file)
        if source is not None:
            lines += _excerpt(source, group, diagnostic.severity, gutter, paint)
        else:
            lines += [f"{' ' * gutter}  = {plain(label.text)}" for label in group if label.text]
    for title, text in (("reason", diagnostic.reason), *(("note", note) for note in diagnostic.notes)):
        lines += _said(title, text, gutter, paint)
    lines += _said("help", diagnostic.help, gutter, paint)
    lines += _fixed(diagnostic.fix, diagnostic.help, sources, gutter, paint)
    return "\n".join(lines)


def _gutter(span: Span, sources: Mapping[str, Source]) -> int:
    source = sources.get(span.file)
    return len(str(source.line_col(max(span.start, span.end - 1))[0])) if source else 1


def _by_file(labels: Iterable[Label]) -> list[list[Label]]:
    groups: dict[str, list[Label]] = {}
    for label in labels:
        groups.setdefault(label.span.file, []).append(label)
    return list(groups.values())


def _said(title: str, text: str, gutter: int, paint: Paint) -> list[str]:
    if not text:
        return []
    first, *rest = text.split("\n")
    margin = " " * gutter
    lead = f"{margin} = {paint('bold', title)}: "
    hang = " " * (gutter + 3 + len(title) + 2)
    return [lead + plain(first), *(hang + plain(line) for line in rest)]


def _fixed(fix: Fix | None, said: str, sources: Mapping[str, Source], gutter: int, paint: Paint) -> list[str]:
    """The changed lines, where the help has not already spelled the replacement."""
    if fix is None or f"`{fix.replacement}`" in said:
        return []
    source = sources.get(fix.span.file)
    if source is None:
        return _said("fix", f"write `{fix.replacement}`", gutter, paint)
    first, last = source.line_col(fix.span.start), source.line_col(fix.span.end)
    before, after = source.line(first[0])[: first[1] - 1], source.line(last[0])[last[1] - 1 :]
    changed = (before + fix.replacement + after).split("\n")
    shown = [f"{' ' * gutter} {paint('good', '+ ' + plain(line[:WIDEST]))}" for line in changed[:MOST_LINES]]
    return [f"{' ' * gutter} = {paint('bold', 'fix')}:", *shown]


class _Mark(Record):
    """The part of one line that a label underlines, in characters of the line."""

    line: int
    start: int
    end: int
    text: str
    primary: bool


def _excerpt(source: Source, labels: list[Label], severity: Severity, gutter: int, paint: Paint) -> list[str]:
    marks = [mark for label in labels for mark in _marks(source, label)]
    numbers = sorted({mark.line for mark in marks})
    bar = paint("place", "|")
    lines = [f"{' ' * gutter} {bar}"]
    previous = 0
    for number in numbers:
        if previous and number > previous + 1:
            lines.append(paint("place", "..."))
        previous = number
        here = sorted((m for m in marks if m.line == number), key=lambda m: (not m.primary, m.start))
        text, shift = _window(source.line(number), here[0])
        lines.append(f"{paint('place', f'{number:>{gutter}}')} {bar} {plain(text)}".rstrip())
        for mark in here:
            lines.append(f"{' ' * gutter} {bar} {_underline(text, mark, shift, severity, paint)}")
    return lines


def _marks(source: Source, label: Label) -> list[_Mark]:
    """One mark per line of the span; of a long span the first and the last line. The text stands at the last."""
    first, start = source.line_col(label.span.start)
    last, end = source.line_col(max(label.span.end, label.span.start))
    if last > first and end == 1:
        last, end = last - 1, len(source.line(last - 1)) + 1
    if first == last:
        return [_Mark(first, start - 1, max(end - 1, start), label.text, label.primary)]
    numbers = list(range(first, last + 1))
    if len(numbers) > MOST_LINES:
        numbers = [first, last]
    marks: list[_Mark] = []
    for number in numbers:
        line = source.line(number)
        begin = start - 1 if number == first else len(line) - len(line.lstrip())
        stop = end - 1 if number == last else len(line.rstrip())
        if stop > begin or number == last:
            marks.append(_Mark(number, begin, max(stop, begin + 1), "", label.primary))
    tail = marks[-1]
    return [*marks[:-1], _Mark(tail.line, tail.start, tail.end, label.text, tail.primary)]


def _window(line: str, mark: _Mark) -> tuple[str, int]:
    """A stretch of a long line around the mark, and how far columns move by cutting."""
    if len(line) <= WIDEST:
        return line, 0
    start = max(0, min(mark.start - WIDEST // 3, len(line) - WIDEST))
    end = start + WIDEST
    text = ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
    return text, start - (1 if start else 0)


def _underline(text: str, mark: _Mark, shift: int, severity: Severity, paint: Paint) -> str:
    start = max(0, min(mark.start - shift, len(text)))
    end = max(start + 1, min(mark.end - shift, len(text)))
    lead = " " * width(text[:start])
    long = max(1, width(text[start:end]))
    sign = ("^" if mark.primary else "-") * long
    words = f" {plain(mark.text)}" if mark.text else ""
    return lead + paint(severity if mark.primary else "other", sign + words)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty where there is nothing."""
    items = list(diagnostics)
    parts = []
    for severity in (Severity.ERROR, Severity.WARNING):
        count = sum(item.severity is severity for item in items)
        if count:
            parts.append(f"{count} {severity}{'s' if count > 1 else ''}")
    return ", ".join(parts)
