"""The cache of the parse tables: never needed, never harmful."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rep_grammar import cache
from rep_grammar.tables import Tables, build_tables, grammar_text

FORBIDDEN = ("lark", "torch", "sympy", "networkx", "numpy", "pydantic", "dataclasses", "inspect", "json")
ROOTS = str(Path(cache.__file__).parents[1])
PROBE = """
import sys
from rep_grammar import parse
parse("dim D = 3")
print(" ".join(name for name in %r if name in sys.modules))
"""


@pytest.fixture(scope="module")
def tables() -> Tables:
    return build_tables(grammar_text())


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REPC_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def stored(directory: Path) -> list[Path]:
    return sorted(directory.iterdir())


def test_the_tables_are_stored_once_and_read_back_equal(directory: Path) -> None:
    built = cache.load_tables()
    files = stored(directory)
    assert len(files) == 1 and files[0].suffix == ".tables"
    before = files[0].stat().st_mtime_ns
    assert cache.load_tables() == built
    assert files[0].stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", [b"", b"xx", b"\0" * 100, None], ids=["empty", "short", "zeros", "half"])
def test_a_damaged_cache_is_built_again(
    directory: Path, damage: bytes | None, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds: list[str] = []

    def build(text: str) -> Tables:
        builds.append(text)
        return tables

    monkeypatch.setattr(cache, "build_tables", build)
    cache.load_tables()
    [file] = stored(directory)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert cache.load_tables() == tables
    assert len(builds) == 2
    assert cache.read_tables(str(file)) == tables


def test_one_grammar_has_one_set_of_tables(directory: Path, tables: Tables) -> None:
    code = "from rep_grammar.cache import load_tables; load_tables()"
    environment = {**os.environ, "PYTHONPATH": ROOTS, "PYTHONHASHSEED": "7"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    [file] = stored(directory)
    assert cache.read_tables(str(file)) == tables


def test_a_cache_that_cannot_be_written_is_no_fault(
    tmp_path: Path, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "build_tables", lambda text: tables)
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("REPC_CACHE_DIR", str(blocked / "below"))
    assert cache.load_tables() == tables


def test_another_grammar_python_or_lark_has_another_file(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = grammar_text()
    paths = {cache.cache_path(text), cache.cache_path(text + "\n")}
    monkeypatch.setattr(cache, "lark_version", lambda: "0.0.1")
    paths.add(cache.cache_path(text))
    monkeypatch.setattr(sys, "hexversion", 0)
    paths.add(cache.cache_path(text))
    assert len(paths) == 4


def test_the_version_of_lark_is_read_without_importing_it() -> None:
    import lark

    assert cache.lark_version() == lark.__version__


def test_with_a_cache_parsing_imports_neither_lark_nor_anything_heavy(directory: Path) -> None:
    cache.load_tables()
    environment = {**os.environ, "PYTHONPATH": ROOTS}
    command = [sys.executable, "-c", PROBE % (FORBIDDEN,)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
