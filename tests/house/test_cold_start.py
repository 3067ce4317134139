"""`repc check` stays light: what a fresh process has loaded when it is done."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "sympy", "networkx", "numpy", "pydantic", "matplotlib", "sklearn", "rep_runtime")
SPEC = """rep 1
use std.nn (linear)

dim B: batch, T: seq
dim D = 8, H = 2
dim K = D / H

encoder Mixer(x: [T, D]) -> [T, D] {
  q = linear(x, D -> [H, K])
  return x + linear(q, [H, K] -> D)
}
"""
PROGRAM = """
import sys
from repc.command import main
try:
    code = main(["check", sys.argv[1]])
except SystemExit as stop:
    code = stop.code
print("exit", code or 0)
print("loaded", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_check_loads_no_numeric_library(tmp_path: Path) -> None:
    spec = tmp_path / "mixer.rep"
    spec.write_text(SPEC, encoding="utf-8")
    path = os.pathsep.join(str(ROOT / part) for part in ("grammar", "compiler", "runtime"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(spec)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    assert "exit 0" in done.stdout, done.stdout + done.stderr
    (line,) = [text for text in done.stdout.splitlines() if text.startswith("loaded")]
    loaded = set(line.split()[1:])
    assert "repc" in loaded
    assert not loaded & set(HEAVY)
