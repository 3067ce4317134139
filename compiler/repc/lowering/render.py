"""From a plan to text: templates put the lines in their places, and the line map records where each came to lie."""

from __future__ import annotations

import json
import re

from rep_grammar.record import Record
from repc.lowering.records import ClassPlan, FunctionPlan, Import, Line, MethodPlan, Place, Plan, ResultPlan

_MARK = re.compile("\x00(\\d+)\x00")
_STANDARD = (
    ("import math", re.compile(r"\bmath\.")),
    ("from typing import Any", re.compile(r"\bAny\b")),
    ("from typing import NamedTuple", re.compile(r"\(NamedTuple\)")),
    ("import torch", re.compile(r"(?<![.\w])torch\.")),
)
VERSION = 1


class Rendered(Record):
    """A generated module: its text, its line map as JSON text, and the class of each entry."""

    text: str
    line_map: str
    entries: tuple[tuple[str, str], ...]


class _Marks:
    """Marks lines while they pass through a template, so that their final numbers can be told."""

    def __init__(self) -> None:
        self.places: list[Place] = []

    def line(self, line: Line) -> str:
        if line.place is None:
            return line.text
        self.places.append(line.place)
        return f"{line.text}\x00{len(self.places) - 1}\x00"

    def __call__(self, lines: tuple[Line, ...]) -> list[str]:
        return [self.line(line) for line in lines]


def render(plan: Plan, module: str = "module.py") -> Rendered:
    """The Python text of a plan and its line map; `module` is the file's name for the map."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("repc", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    marks = _Marks()
    environment.filters["lines"] = marks
    environment.filters["header"] = _header
    environment.filters["docstring"] = _docstring
    environment.filters["imported"] = _imported
    environment.tests["class_plan"] = lambda unit: isinstance(unit, ClassPlan)
    environment.tests["result_plan"] = lambda unit: isinstance(unit, ResultPlan)
    environment.tests["function_plan"] = lambda unit: isinstance(unit, FunctionPlan)
    body = environment.get_template("units.py.j2").render(units=plan.units)
    text = environment.get_template("module.py.j2").render(plan=plan, standard=_standard(plan, body), body=body)
    return _mapped(text, marks, module, plan.entries)


def _standard(plan: Plan, body: str) -> dict[str, list[str]]:
    """Import lines of the standard library and of torch that the module needs."""
    first = [line for line, needed in _STANDARD[:3] if needed.search(body)]
    if first[-2:] == [_STANDARD[1][0], _STANDARD[2][0]]:
        first[-2:] = ["from typing import Any, NamedTuple"]
    second = ["import torch"] if _STANDARD[3][1].search(body) else []
    words = [word for word in ("Tensor", "nn") if re.search(rf"\b{word}\b", body)]
    if words:
        second.append(f"from torch import {', '.join(words)}")
    if re.search(r"\bF\.", body):
        second.append("from torch.nn import functional as F")
    return {"library": first, "torch": second}


def _imported(one: Import) -> str:
    """`from module import names`, one name a line where it is too long."""
    flat = f"from {one.module} import {', '.join(one.names)}"
    if len(flat) <= 120:
        return flat
    return f"from {one.module} import (\n" + "".join(f"    {name},\n" for name in one.names) + ")"


def _header(method: MethodPlan, indent: int) -> str:
    """`def name(arguments) -> returns:`, one argument a line where it is too long."""
    parts = [argument.name if argument.name == "self" else argument.text for argument in method.arguments]
    if method.keywords:
        starred = any(part.startswith("*") for part in parts)
        parts += [*([] if starred else ["*"]), *(argument.text for argument in method.keywords)]
    flat = f"def {method.name}({', '.join(parts)}) -> {method.returns}:"
    if indent + len(flat) <= 120:
        return flat
    margin = " " * indent
    joined = ", ".join(parts)
    if indent + 4 + len(joined) <= 120:
        return f"def {method.name}(\n{margin}    {joined}\n{margin}) -> {method.returns}:"
    listed = "".join(f"{margin}    {part},\n" for part in parts)
    return f"def {method.name}(\n{listed}{margin}) -> {method.returns}:"


def _docstring(lines: tuple[str, ...], indent: int) -> str:
    margin = " " * indent
    quoted = '"""'
    if len(lines) == 1:
        return f"{margin}{quoted}{lines[0]}{quoted}"
    inner = "\n".join(f"{margin}{line}" if line else "" for line in lines[1:])
    return f"{margin}{quoted}{lines[0]}\n{inner}\n{margin}{quoted}"


def _mapped(text: str, marks: _Marks, module: str, entries: tuple[tuple[str, str], ...]) -> Rendered:
    lines: list[str] = []
    table: dict[str, dict[str, object]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        found = _MARK.search(line)
        if found:
            table[str(number)] = _entry(marks.places[int(found[1])])
            line = line[: found.start()] + line[found.end() :]
        lines.append(line)
    content = {"version": VERSION, "module": module, "lines": table}
    return Rendered("\n".join(lines).rstrip("\n") + "\n", json.dumps(content, indent=1) + "\n", entries)


def _entry(place: Place) -> dict[str, object]:
    return {
        "node": place.node,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
        "text": place.text,
    }
