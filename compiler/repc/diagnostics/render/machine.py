"""Diagnostics for programs: JSON, JSON lines, GitHub annotations, SARIF 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from rep_grammar.spans import Source, Span
from repc.diagnostics.model import Applicability, Diagnostic, Severity

__all__ = ["github", "json_lines", "json_list", "sarif", "structure"]

Json = dict[str, object]


def _position(source: Source, offset: int) -> Json:
    """Line and column from 1; `utf16` is the column from 0 in UTF-16 units, which is what editors speak."""
    line, column = source.line_col(offset)
    before = source.line(line)[: column - 1]
    return {"line": line, "column": column, "offset": offset, "utf16": len(before.encode("utf-16-le")) // 2}


def _range(span: Span, sources: Mapping[str, Source]) -> Json:
    source = sources.get(span.file)
    if source is None:
        return {"file": span.file}
    end = max(span.start, span.end)
    return {"file": span.file, "start": _position(source, span.start), "end": _position(source, end)}


def structure(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> Json:
    """The diagnostic as plain data, the form that `--json` prints."""
    fix = diagnostic.fix
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "location": _range(diagnostic.span, sources) if diagnostic.span else None,
        "labels": [
            {"location": _range(label.span, sources), "text": label.text, "primary": label.primary}
            for label in diagnostic.labels
        ],
        "reason": diagnostic.reason,
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
        "fix": {
            "location": _range(fix.span, sources),
            "replacement": fix.replacement,
            "applicability": str(fix.applicability),
        }
        if fix
        else None,
    }


def json_list(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    return json.dumps([structure(item, sources) for item in diagnostics], indent=2, ensure_ascii=False)


def json_lines(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    return "\n".join(json.dumps(structure(item, sources), ensure_ascii=False) for item in diagnostics)


def _escaped(text: str, property_: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if property_ else text


def github(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """Workflow commands that annotate the changed files of a pull request."""
    lines: list[str] = []
    level = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
    for item in diagnostics:
        fields: dict[str, object] = {}
        if item.span:
            fields["file"] = item.span.file
            source = sources.get(item.span.file)
            if source is not None:
                fields["line"], fields["col"] = source.line_col(item.span.start)
                fields["endLine"], fields["endColumn"] = source.line_col(max(item.span.start, item.span.end))
        fields["title"] = f"{item.code} {item.name}"
        inside = ",".join(f"{key}={_escaped(str(value), property_=True)}" for key, value in fields.items())
        text = "\n".join(part for part in (item.message, item.reason, item.help) if part)
        lines.append(f"::{level[item.severity]} {inside}::{_escaped(text)}")
    return "\n".join(lines)


def _region(span: Span, sources: Mapping[str, Source]) -> Json:
    place: Json = {"artifactLocation": {"uri": span.file.replace("\\", "/")}}
    source = sources.get(span.file)
    if source is not None:
        line, column = source.line_col(span.start)
        end_line, end_column = source.line_col(max(span.start, span.end))
        place["region"] = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return place


def sarif(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """One run of SARIF 2.1.0; rules are the codes that occur."""
    from repc.diagnostics.catalogue import catalogue

    items = list(diagnostics)
    codes = sorted({item.code for item in items})
    names = {item.code: item.name for item in items}
    rules: list[Json] = []
    for code in codes:
        entry = catalogue().find(code)
        story = entry.story if entry else names[code]
        rules.append({"id": code, "name": names[code], "shortDescription": {"text": story}})
    level = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    results: list[Json] = []
    for item in items:
        text = "\n".join(part for part in (item.message, item.reason, item.help) if part)
        result: Json = {
            "ruleId": item.code,
            "ruleIndex": codes.index(item.code),
            "level": level[item.severity],
            "message": {"text": text},
            "locations": [{"physicalLocation": _region(item.span, sources)}] if item.span else [],
        }
        others = [label for label in item.labels if not label.primary]
        if others:
            result["relatedLocations"] = [
                {"physicalLocation": _region(label.span, sources), "message": {"text": label.text}} for label in others
            ]
        if item.fix and item.fix.applicability is Applicability.SAFE:
            place = _region(item.fix.span, sources)
            change: Json = {"deletedRegion": place.get("region", {}), "insertedContent": {"text": item.fix.replacement}}
            result["fixes"] = [
                {"artifactChanges": [{"artifactLocation": place["artifactLocation"], "replacements": [change]}]}
            ]
        results.append(result)
    driver: Json = {"name": "repc", "rules": rules}
    run: Json = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)
