"""Every fault that a stage raises by name has an entry in the catalogue."""

import ast
import re
from pathlib import Path

from repc.diagnostics import catalogue
from repc.diagnostics.entry import placeholders

ROOT = Path(__file__).resolve().parents[2]
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
# Other words with a hyphen that code has a use for.
OTHER = frozenset({"utf-8", "utf-16-le", "iso-8859-1"})
MAKERS = frozenset({"Fault", "OpFault", "fault", "stop"})


def called(node: ast.Call) -> str:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name.lstrip("_") if name.lstrip("_") in MAKERS else ""


def raised() -> dict[str, str]:
    """Fault names and where they stand."""
    found: dict[str, str] = {}
    for file in sorted((ROOT / "compiler" / "repc").rglob("*.py")):
        if "diagnostics" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and called(node) and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.setdefault(first.value, f"{file.relative_to(ROOT)}:{node.lineno}")
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                text = node.value.value
                if isinstance(text, str) and KEBAB.fullmatch(text) and text not in OTHER:
                    found.setdefault(text, f"{file.relative_to(ROOT)}:{node.lineno}")
    return found


def test_every_fault_name_is_in_the_catalogue() -> None:
    names = raised()
    assert "unknown-name" in names
    missing = {name: place for name, place in names.items() if catalogue().find(name) is None}
    assert not missing


def test_headlines_get_their_values() -> None:
    broken: list[str] = []
    for file in sorted((ROOT / "compiler" / "repc").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and called(node) == "stop" and node.args):
                continue
            first, given = node.args[0], {keyword.arg for keyword in node.keywords}
            entry = catalogue().find(str(first.value)) if isinstance(first, ast.Constant) else None
            if entry is None or None in given:
                continue
            missing = sorted(set(placeholders(entry.headline)) - given)
            if missing:
                broken.append(f"{file.relative_to(ROOT)}:{node.lineno} {entry.name} lacks {', '.join(missing)}")
    assert not broken
