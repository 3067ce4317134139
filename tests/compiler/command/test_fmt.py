"""`repc fmt`."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.compiler.command.conftest import Shell

UGLY = "rep 1\ndim   D=4   # width\nencoder F(x:[D])->[D]{return x}\n"


def formatted(repc: Shell) -> str:
    run = repc("fmt", "-", stdin=UGLY)
    assert run.code == 0
    return run.out


def test_standard_input_is_formatted_to_standard_output(repc: Shell) -> None:
    text = formatted(repc)
    assert text != UGLY and "# width" in text
    again = repc("fmt", "-", stdin=text)
    assert again.out == text


def test_a_file_is_changed_in_place_and_keeps_its_mode(repc: Shell) -> None:
    name = repc.write("main.rep", UGLY)
    os.chmod(name, 0o640)
    assert repc("fmt", name).code == 0
    assert Path(name).read_text() == formatted(repc)
    assert stat.S_IMODE(os.stat(name).st_mode) == 0o640
    assert os.listdir() == ["main.rep"]


def test_check_changes_nothing_and_tells(repc: Shell) -> None:
    name = repc.write("main.rep", UGLY)
    run = repc("fmt", "--check", name)
    assert run.code == 1 and "would format main.rep" in run.out
    assert Path(name).read_text() == UGLY
    repc("fmt", name)
    assert repc("fmt", "--check", name).code == 0


def test_diff_shows_what_would_change(repc: Shell) -> None:
    name = repc.write("main.rep", UGLY)
    run = repc("fmt", "--diff", name)
    assert run.code == 1 and "-dim   D=4   # width" in run.out
    assert Path(name).read_text() == UGLY


def test_a_text_that_cannot_be_read_is_left_alone(repc: Shell) -> None:
    good, bad = repc.write("good.rep", UGLY), repc.write("bad.rep", "encoder F(")
    run = repc("fmt", bad, good)
    assert run.code == 1 and "bad.rep:1" in run.err
    assert Path(bad).read_text() == "encoder F(" and Path(good).read_text() == formatted(repc)


@pytest.mark.parametrize("stored", [b"\xff\xfe", b"dim D = \xe9"])
def test_what_is_no_text_is_refused(repc: Shell, stored: bytes) -> None:
    run = repc("fmt", "-", stdin=stored)
    assert run.code == 2 and "not UTF-8" in run.err


def test_json_names_what_changed(repc: Shell) -> None:
    good, bad = repc.write("good.rep", UGLY), repc.write("bad.rep", "encoder F(")
    report = json.loads(repc("fmt", "--json", bad, good).out)
    assert report["changed"] == ["good.rep"] and report["ok"] is False
    assert report["diagnostics"][0]["location"]["file"] == "bad.rep"
