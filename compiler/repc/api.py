"""The compiler in Python: `repc.check`, `repc.compile`, `repc.load`, `repc.explain`.

A `source` is a path, a (name, text) pair, or a text with at least one line end. `overrides` are texts `path=value`,
as of `--set`.
"""

from __future__ import annotations

import os

from repc.pipeline import SpecError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import TypeAlias

    from repc.explanation import Explanation
    from repc.pipeline import Checked, Generated

    Source: TypeAlias = "str | os.PathLike[str] | tuple[str, str]"

__all__ = ["SpecError", "check", "compile", "explain", "load"]


def check(source: Source, overrides: Iterable[str] = ()) -> Checked:
    """Everything that can be said about a spec without running it; errors are in the result, never raised."""
    from repc.pipeline import check_spec

    return check_spec(_entry(source), overrides)


def compile(source: Source, overrides: Iterable[str] = (), out: str | os.PathLike[str] | None = None) -> Generated:
    """The PyTorch module of a spec, written to the folder `out` where one is named. Raises SpecError."""
    from repc.pipeline import generate, module_name

    entry = _entry(source)
    made = generate(_right(entry, overrides), module_name(entry if isinstance(entry, str) else entry[0]))
    if out is not None:
        os.makedirs(out, exist_ok=True)
        for name, text in made.files.items():
            with open(os.path.join(out, name), "w", encoding="utf-8", newline="") as file:
                file.write(text)
    return made


def load(source: Source, overrides: Iterable[str] = ()) -> ModuleType:
    """The generated module, imported: `load("lm.rep").LM()` is a `torch.nn.Module`. Raises SpecError."""
    from repc.importing import import_generated, reach_beside

    entry = _entry(source)
    if isinstance(entry, str):
        reach_beside(entry)
    return import_generated(compile(source, overrides))


def explain(source: Source, overrides: Iterable[str] = ()) -> Explanation:
    """Signature, parameters, operations per token and bytes of state of every declaration. Raises SpecError."""
    from repc.explanation import explain_program

    program = _right(_entry(source), overrides).program
    assert program is not None
    return explain_program(program)


def _entry(source: Source) -> str | tuple[str, str]:
    if isinstance(source, tuple):
        return source
    path = os.fspath(source)
    return ("<text>", path) if "\n" in path else path


def _right(entry: str | tuple[str, str], overrides: Iterable[str]) -> Checked:
    from repc.pipeline import check_spec

    checked = check_spec(entry, overrides)
    if not checked.ok:
        raise SpecError(checked.diagnostics, checked.sources)
    return checked
