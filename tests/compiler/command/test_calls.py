"""The call itself: commands, options, help, exit codes, and what is said when a call is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from repc.command.main import COMMANDS

if TYPE_CHECKING:
    from tests.compiler.command.conftest import Shell


def test_help_lists_every_command(repc: Shell) -> None:
    run = repc("--help")
    assert run.code == 0
    assert all(f"  {name} " in run.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_its_options(repc: Shell, name: str) -> None:
    run = repc(name, "--help")
    assert run.code == 0
    assert f"repc {name}" in run.out and "--json" in run.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chekc", "lm.rep"], "did you mean `repc check`?"),
        (["check", "--quite", "lm.rep"], "did you mean `--quiet`?"),
        (["check"], "`SPEC`: must be given"),
        (["check", "--format", "pretty", "lm.rep"], "--format"),
        (["check", "missing.rep"], "there is no file `missing.rep`"),
        (["check", "."], "is a folder"),
        (["fmt", "missing.rep"], "there is no file `missing.rep`"),
        (["explain", "REP020"], "there is no diagnostic `REP020`"),
        (["explain", "unknown-nam"], "did you mean `unknown-name`?"),
        (["explain", "std.opts"], "did you mean `std.opt`?"),
        (["explain", "std.opt.adamx"], "adam"),
        (["new", "a b"], "no name for a file"),
        (["check", "main.rep", "--set", "D"], "`D` is no setting"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_call_says_what_is_wrong(repc: Shell, arguments: list[str], said: str) -> None:
    repc.write("main.rep", "dim D = 4\n")
    run = repc(*arguments)
    assert run.code == 2
    assert said in run.out + run.err
    assert "Traceback" not in run.err


def test_without_arguments_the_help_is_shown_and_the_call_is_wrong(repc: Shell) -> None:
    run = repc()
    assert run.code == 2 and "usage" in run.out


def test_a_wrong_call_is_json_where_json_is_asked_for(repc: Shell) -> None:
    run = repc("check", "missing.rep", "--jsn", "--json")
    report = json.loads(run.out)
    assert run.code == 2 and report["ok"] is False
    assert report["diagnostics"][0]["name"] == "bad-option"
    assert run.err == ""


def test_a_fault_of_ours_is_reported_without_a_traceback(repc: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("repc.names.Workspace.load", broken)
    repc.write("main.rep", "dim D = 4\n")
    run = repc("check", "main.rep")
    assert run.code == 3
    assert "KeyError: 'lost'" in run.err and "repc check main.rep" in run.err
    assert "Traceback" not in run.err and str(repc.folder) not in run.err


def test_new_writes_a_spec_once(repc: Shell) -> None:
    first = repc("new", "my_model")
    assert first.code == 0 and Path("my_model.rep").exists()
    again = repc("new", "my_model.rep")
    assert again.code == 2 and "exists already" in again.err
    assert repc("new", "my_model", "--force").code == 0


def test_what_new_writes_is_right_and_formatted(repc: Shell) -> None:
    repc("new", "first")
    assert repc("check", "first.rep").code == 0
    assert repc("fmt", "--check", "first.rep").code == 0


def test_a_folder_that_cannot_be_written_is_named(repc: Shell) -> None:
    repc.write("plain", "")
    run = repc("new", "plain/model")
    assert run.code == 2 and "cannot write" in run.err


def test_the_page_of_a_diagnostic_shows_a_refused_and_a_right_text(repc: Shell) -> None:
    by_code, by_name = repc("explain", "rep0101"), repc("explain", "unknown-name")
    assert by_code.code == 0 and by_code.out == by_name.out
    assert "Refused:" in by_code.out and "Instead:" in by_code.out


def test_the_library_explains_itself(repc: Shell) -> None:
    assert "std.opt" in repc("explain", "std").out
    module = repc("explain", "std.opt")
    assert "adamw(rate" in module.out and "cosine(span" in module.out
    one = repc("explain", "std.opt.adamw", "--json")
    assert json.loads(one.out)["text"].startswith("adamw(rate")
