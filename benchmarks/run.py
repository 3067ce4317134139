"""Side-by-side measurements, as ratios in one run: checking, parsing, compiling, the memory algorithms.

Run by `make bench`, which also installs the peers. `--quick` leaves the peers out.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "specs" / "lm" / "gated_delta.rep"
REPEATS = 7


# Byte code is kept, as it is for whoever uses an installed package.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu(words: list[str]) -> float:
    """Least CPU seconds of a command over several runs, after one that fills the caches of byte code and grammar."""
    best = float("inf")
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=ENVIRONMENT)
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=ENVIRONMENT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def long_spec() -> str:
    """A spec of about 200 lines: the language model's encoders, four times under other names."""
    text = SPEC.read_text(encoding="utf-8")
    head, _, body = text.partition("memory GatedDelta")
    body = "memory GatedDelta" + body.partition("train Bytes")[0]
    copies = [
        body.replace("GatedDelta", f"GatedDelta{i}").replace("Mixer", f"Mixer{i}").replace("LM(", f"LM{i}(")
        for i in range(6)
    ]
    return head + "\n".join(copies)


def parse_rate() -> float:
    """Lines a second from text to tree."""
    from rep_grammar import parse

    text = long_spec() * 1
    lines = text.count("\n")
    best = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        parse(text, "bench.rep")
        best = min(best, time.perf_counter() - start)
    return lines / best


def main() -> None:
    """Print every ratio with its target."""
    python = sys.executable
    bare = cpu([python, "-c", "pass"])
    print(f"bare python                      {bare * 1000:7.1f} ms CPU")
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "long.rep"
        spec.write_text(long_spec(), encoding="utf-8")
        lines = spec.read_text(encoding="utf-8").count("\n")
        check = cpu([python, "-m", "repc", "check", os.fspath(spec)])
        print(f"repc check, {lines} lines            {check / bare:7.1f} x bare   (target 8)")
        out = os.fspath(Path(folder) / "out")
        compiling = cpu([python, "-m", "repc", "compile", os.fspath(SPEC), "-o", out])
        print(f"repc compile, language model     {compiling / bare:7.1f} x bare   (target 20)")
    print(f"parse to tree                    {parse_rate():7.0f} lines/s  (target 15000)")
    if "--quick" not in sys.argv[1:]:
        subprocess.run([python, os.fspath(ROOT / "benchmarks" / "memory" / "gated_delta.py")], check=True, cwd=ROOT)


if __name__ == "__main__":
    main()
