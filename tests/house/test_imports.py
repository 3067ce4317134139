"""The arrows between the packages, read from the import statements themselves."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "rep_grammar": ROOT / "grammar" / "rep_grammar",
    "repc": ROOT / "compiler" / "repc",
    "rep_runtime": ROOT / "runtime" / "rep_runtime",
}
HEAVY = frozenset({"torch", "sympy", "networkx", "numpy", "pydantic"})
FORBIDDEN = {
    "rep_grammar": frozenset({"repc", "rep_runtime"}) | HEAVY,
    "rep_runtime": frozenset({"repc", "rep_grammar"}),
    "repc": frozenset[str](),
}
# Parts of repc that exist for such a library: they may import it at their top, and `repc check` never loads them.
HOMES = {"torch": ("interpret/", "verify/"), "numpy": ("interpret/",), "pydantic": ("command/reports.py",)}
VAGUE = frozenset({"utils", "util", "helpers", "helper", "misc", "common", "stuff"})


@dataclass(frozen=True, slots=True)
class Import:
    file: Path
    line: int
    library: str
    at_load: bool  # executed when the module is imported

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line} imports {self.library}"


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _statements(nodes: list[ast.stmt], at_load: bool) -> Iterator[tuple[ast.stmt, bool]]:
    for node in nodes:
        yield node, at_load
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, [])
            runs = at_load and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(node, ast.If) and name == "body" and _is_type_checking(node.test):
                runs = False
            yield from _statements(inner, runs)
        for handler in getattr(node, "handlers", []):
            yield from _statements(handler.body, at_load)
        for case in getattr(node, "cases", []):
            yield from _statements(case.body, at_load)


def imports_of(file: Path) -> Iterator[Import]:
    tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
    for node, at_load in _statements(tree.body, True):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name.partition(".")[0], at_load)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield Import(file, node.lineno, node.module.partition(".")[0], at_load)


def files_of(package: str) -> list[Path]:
    files = sorted(PACKAGES[package].rglob("*.py"))
    assert files, f"package {package} has no modules"
    return files


@pytest.mark.parametrize("package", ["rep_grammar", "rep_runtime"])
def test_packages_import_only_along_the_arrows(package: str) -> None:
    broken = [str(i) for f in files_of(package) for i in imports_of(f) if i.library in FORBIDDEN[package]]
    assert not broken


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    home = PACKAGES["repc"]
    broken = [
        str(found)
        for file in files_of("repc")
        for found in imports_of(file)
        if found.library in HEAVY
        and found.at_load
        and not file.relative_to(home).as_posix().startswith(HOMES.get(found.library, ()))
    ]
    assert not broken


def test_the_compiler_reaches_the_runtime_inside_functions_only() -> None:
    broken = [str(i) for f in files_of("repc") for i in imports_of(f) if i.library == "rep_runtime" and i.at_load]
    assert not broken


def test_modules_are_named_for_what_they_hold() -> None:
    vague = [
        str(path.relative_to(ROOT))
        for home in PACKAGES.values()
        for path in [*home.rglob("*.py"), *home.rglob("*/")]
        if path.stem in VAGUE
    ]
    assert not vague


def test_the_reader_of_imports_tells_load_time_from_call_time(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import torch\n"
        "try:\n    import numpy.linalg\nexcept ImportError:\n    import sympy\n"
        "class A:\n    import networkx\n    def f(self):\n        from pydantic import BaseModel\n",
        encoding="utf-8",
    )
    found = {(i.library, i.at_load) for i in imports_of(file) if i.library in HEAVY}
    assert found == {
        ("torch", False),
        ("numpy", True),
        ("sympy", True),
        ("networkx", True),
        ("pydantic", False),
    }
