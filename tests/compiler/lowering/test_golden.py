"""Generated modules as a person reads them. After a change that is meant: `python test_golden.py --update`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rep_runtime.spans import parse_map
from repc.lowering import Options, Rendered, plan, render
from repc.passes import run
from repc.pipeline import check_spec

HERE = Path(__file__).parent
NAMES = ["lm", "objectives", "loops", "slots", "blocks", "draws", "streams"]


def made(name: str) -> Rendered:
    checked = check_spec((f"{name}.rep", (HERE / "texts" / f"{name}.rep").read_text(encoding="utf-8")))
    assert checked.program is not None
    sources = {file: source.text for file, source in checked.sources.items()}
    return render(plan(run(checked.program), sources, Options(f"{name}.rep")), f"{name}.py")


@pytest.mark.parametrize("name", NAMES)
def test_generated_modules_are_as_recorded(name: str) -> None:
    assert made(name).text == (HERE / "golden" / f"{name}.py").read_text(encoding="utf-8")


def test_recorded_modules_are_formatted_and_clean() -> None:
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--no-cache", str(HERE / "golden")], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_making_a_module_twice_gives_the_same_text() -> None:
    assert made("streams") == made("streams")


def test_the_line_map_leads_back_to_the_text() -> None:
    rendered, spec = made("lm"), (HERE / "texts" / "lm.rep").read_text(encoding="utf-8").splitlines()
    found = parse_map(rendered.line_map, Path("lm.py"))
    lines = rendered.text.splitlines()
    number = next(place for place, line in enumerate(lines, 1) if "rank_one(" in line)
    place = found.place(number)
    assert place is not None and place.file == "lm.rep" and "GatedDelta" in spec[place.line - 1]
    entries = json.loads(rendered.line_map)["lines"]
    assert all(1 <= int(line) <= len(lines) for line in entries)
    assert all(entry["text"] == spec[entry["line"] - 1] for entry in entries.values() if entry["file"] == "lm.rep")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python test_golden.py --update")
    for name in NAMES:
        (HERE / "golden" / f"{name}.py").write_text(made(name).text, encoding="utf-8")
