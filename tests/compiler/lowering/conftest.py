"""What tests of lowering share: texts compiled to importable modules, and programs made by hand."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from repc.ir import Program
from repc.lowering import Options, Rendered, plan, render
from repc.passes import run
from repc.pipeline import check_spec

TEXTS = Path(__file__).parent / "texts"
_COUNT = itertools.count()


@dataclass(frozen=True)
class Compiled:
    """A text, what it means, and the generated module."""

    program: Program
    rendered: Rendered
    module: ModuleType

    def class_of(self, declaration: str) -> type:
        made = getattr(self.module, dict(self.rendered.entries)[declaration])
        assert isinstance(made, type)
        return made


def import_text(text: str, path: Path) -> ModuleType:
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def compiled_program(program: Program, texts: Mapping[str, str], title: str, folder: Path) -> Compiled:
    rendered = render(plan(run(program), texts, Options(title)), "generated.py")
    return Compiled(program, rendered, import_text(rendered.text, folder / f"generated_{next(_COUNT)}.py"))


@pytest.fixture(scope="session")
def text(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Compiled]:
    """Compiles one of the texts beside these tests, once."""
    folder = tmp_path_factory.mktemp("generated")

    @cache
    def compiled(name: str) -> Compiled:
        checked = check_spec((f"{name}.rep", (TEXTS / f"{name}.rep").read_text(encoding="utf-8")))
        assert checked.program is not None, [diagnostic.message for diagnostic in checked.diagnostics]
        sources = {file: source.text for file, source in checked.sources.items()}
        return compiled_program(checked.program, sources, f"{name}.rep", folder)

    return compiled


@pytest.fixture
def source(tmp_path: Path) -> Callable[[str], Compiled]:
    """Compiles a text given in a test."""

    def compiled(given: str) -> Compiled:
        checked = check_spec(("given.rep", given))
        assert checked.program is not None, [diagnostic.message for diagnostic in checked.diagnostics]
        return compiled_program(checked.program, {"given.rep": given}, "given.rep", tmp_path)

    return compiled


@pytest.fixture
def by_hand(tmp_path: Path) -> Callable[[Program], Compiled]:
    """Compiles a program that a test made node by node."""
    return lambda program: compiled_program(program, {}, "hand.rep", tmp_path)
