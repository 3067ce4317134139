"""Runs the command line in this process, as a shell would see it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from rep_grammar.record import Record
from repc.command import main


class Run(Record):
    """What one call of the command line did."""

    code: int
    out: str
    err: str


class Shell:
    """Calls `repc` with arguments and standard input, in a folder of its own."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capture = capture
        self._monkeypatch = monkeypatch

    def write(self, name: str, text: str) -> str:
        """A file in the folder; its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def __call__(self, *arguments: str, stdin: str | bytes = "") -> Run:
        stored = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stored), encoding="utf-8"))
        self._capture.readouterr()
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = self._capture.readouterr()
        return Run(code, said.out, said.err)


@pytest.fixture
def repc(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return Shell(tmp_path, capsys, monkeypatch)
