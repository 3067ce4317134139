"""The compiler in Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import repc

TEXT = """\
rep 1
use std.nn (linear)
dim T: seq, D = 8
encoder Net(x: [T, D]) -> [T, D] { return x + linear(x, D -> D) }
"""


def test_check_never_raises_for_a_fault_of_the_spec() -> None:
    assert repc.check(TEXT).ok
    found = repc.check("dim D = 8\nencoder F(x: [D]) -> [D] { return y }\n")
    assert not found.ok and found.program is None
    assert [item.code for item in found.diagnostics] == ["REP0101"]


def test_load_gives_modules_ready_to_use(tmp_path: Path) -> None:
    import torch

    path = tmp_path / "net.rep"
    path.write_text(TEXT, encoding="utf-8")
    module = repc.load(path)
    net = module.Net()
    x = torch.randn(3, 5, 8)
    assert net(x).shape == (3, 5, 8)
    assert repc.load(path) is module
    wide = repc.load(path, overrides=["D=16"]).Net()
    assert sum(p.numel() for p in wide.parameters()) == 16 * 16 + 16


def test_compile_writes_where_it_is_told(tmp_path: Path) -> None:
    made = repc.compile(("net.rep", TEXT), out=tmp_path / "out")
    assert made.class_of("Net") == "Net"
    assert (tmp_path / "out" / "net.py").read_text() == made.text


def test_a_wrong_spec_raises_with_its_diagnostics() -> None:
    with pytest.raises(repc.SpecError, match="`y` is not known here") as caught:
        repc.load("dim D = 8\nencoder F(x: [D]) -> [D] { return y }\n")
    assert caught.value.diagnostics[0].name == "unknown-name"


def test_explain_gives_numbers() -> None:
    (note,) = repc.explain(("net.rep", TEXT)).declarations
    assert note.count.value == 8 * 8 + 8 and str(note.count.formula) == "D^2 + D"


def test_importing_the_package_loads_nothing() -> None:
    program = "import sys, repc; print([name for name in sys.modules if name.startswith(('repc.', 'rep_', 'torch'))])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=_compiler())
    assert done.stdout.strip() == "[]"


def test_an_unknown_attribute_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        repc.chekc  # type: ignore[attr-defined]  # noqa: B018


def _compiler() -> Path:
    return Path(repc.__file__).parents[1]
