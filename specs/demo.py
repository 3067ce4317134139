"""The main job on real input: a byte-level language model on Python's own sources, then three memories on recall.

Run by `make demo`. Everything is written below `runs/demo`; the last lines say where.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPECS = ROOT / "specs"
OUT = ROOT / "runs" / "demo"
LANGUAGE_STEPS = 200
RECALL_STEPS = 300
MEMORIES = {
    "linear_attention": "linear attention",
    "gated_delta": "gated delta rule",
    "softmax": "softmax attention",
}


def repc(*words: str) -> str:
    """Run the command line as a user would, show what it prints, and return it."""
    print(f"\n$ repc {' '.join(words)}", flush=True)
    running = subprocess.Popen([sys.executable, "-m", "repc", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    lines = []
    for line in running.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    if running.wait() != 0:
        raise SystemExit(f"repc {words[0]} failed with exit code {running.returncode}")
    return "".join(lines)


def last(log: Path, column: str) -> float:
    """The last value of a column of a run's log."""
    with log.open(newline="") as file:
        values = [row[column] for row in csv.DictReader(file) if row.get(column)]
    return float(values[-1])


def curve(log: Path, column: str) -> tuple[list[int], list[float]]:
    """Steps and values of a measured column."""
    with log.open(newline="") as file:
        rows = [(int(row["step"]), float(row[column])) for row in csv.DictReader(file) if row.get(column)]
    return [step for step, _ in rows], [value for _, value in rows]


def language_model() -> None:
    """Check, explain, compile and train the language model; its bits per byte against a model without context."""
    from rep_runtime.data import bytes_stdlib

    spec = str((SPECS / "lm" / "gated_delta.rep").relative_to(ROOT))
    repc("check", spec)
    repc("explain", spec)
    repc("compile", spec, "-o", str(OUT / "compiled"))
    run = OUT / "lm"
    repc("train", spec, "--steps", str(LANGUAGE_STEPS), "--out", str(run))
    bits, without = last(run / "log.csv", "bits"), bytes_stdlib(length=256).entropy0
    print(f"\nheld-out text: {bits:.3f} bits per byte; a model that knows only byte frequencies needs {without:.3f}")
    if bits >= 0.8 * without:
        raise SystemExit("the model has not learned: its bits per byte are not well under the order-0 entropy")
    repc("eval", str(run), "--sample", "200", "--prompt", "def ")


def recall() -> None:
    """Three memories on multi-query associative recall: a table and a plot."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    table = []
    for name, title in MEMORIES.items():
        run = OUT / "recall" / name
        repc("train", f"specs/recall/{name}.rep", "--steps", str(RECALL_STEPS), "--out", str(run))
        table.append((title, last(run / "log.csv", "accuracy")))
        axes.plot(*curve(run / "log.csv", "accuracy"), label=title)
    axes.set_xlabel("step")
    axes.set_ylabel("held-out recall accuracy")
    axes.set_ylim(0, 1.02)
    axes.legend()
    figure.tight_layout()
    figure.savefig(OUT / "recall.png", dpi=120)
    print("\nrecall of 16 pairs in 64 tokens, held-out accuracy")
    for title, accuracy in table:
        print(f"  {title:<18} {accuracy:6.1%}")


def main() -> None:
    """Both parts, in a fresh folder."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    language_model()
    recall()
    shown = OUT.relative_to(ROOT)
    print(f"\ngenerated modules: {shown}/compiled and in each run folder")
    print(f"logs and curves:   {shown}/lm and {shown}/recall/*  (log.csv, curves.png)")
    print(f"recall plot:       {shown}/recall.png")


if __name__ == "__main__":
    main()
