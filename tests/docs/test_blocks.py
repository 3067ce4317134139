"""Every `.rep` block of the README and the guide is checked; one with an answer under it must get that answer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repc.diagnostics.render import render
from repc.pipeline import check_spec

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.S)


def specs() -> list[tuple[str, str, str]]:
    """(place, spec, the answer written under it or "")."""
    found = []
    for file in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        blocks = BLOCK.findall(file.read_text(encoding="utf-8"))
        for number, (kind, text) in enumerate(blocks):
            if kind != "rep":
                continue
            follows = blocks[number + 1] if number + 1 < len(blocks) else ("", "")
            answer = follows[1] if follows[0] == "text" and follows[1].startswith("error[") else ""
            found.append((f"{file.name}:{number}", text, answer))
    return found


@pytest.mark.parametrize(("place", "text", "answer"), specs())
def test_a_block_says_what_the_compiler_says(place: str, text: str, answer: str) -> None:
    name = re.search(r"--> (\S+?):\d", answer)
    checked = check_spec((name.group(1) if name else "block.rep", text))
    shown = render(checked.diagnostics, checked.sources)
    if not answer:
        assert checked.ok, shown
        return
    assert answer.strip() in shown
