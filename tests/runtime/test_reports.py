"""What a person sees of a run: lines, the bar, the log, the picture."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest

from rep_runtime import RuntimeFault
from rep_runtime.faults import CODES
from rep_runtime.training.curves import draw_curves
from rep_runtime.training.log import Log, read_log
from rep_runtime.training.progress import duration, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(stream: io.StringIO, steps: int = 100) -> str:
    shown = progress("Bytes", 0, steps, stream=stream)
    for step in range(1, steps + 1):
        shown.advance(step, 1.5 if step % 2 else None)
    shown.note("done")
    shown.close()
    return stream.getvalue()


def test_plain_lines_where_there_is_no_terminal() -> None:
    lines = run(io.StringIO()).splitlines()
    assert len(lines) == 21 and lines[-1] == "done" and "\r" not in "".join(lines)
    assert lines[0].startswith("Bytes  step 5/100  loss 1.5000  ") and "steps/s" in lines[0] and "left" in lines[0]


def test_a_bar_on_a_terminal() -> None:
    text = run(Terminal())
    assert "\r" in text and "100/100" in text and "loss 1.5000" in text and "done" in text


def test_durations() -> None:
    assert [duration(span) for span in (0, 59.4, 187, 7500)] == ["0 s", "59 s", "3:07 min", "2:05 h"]


def test_a_log_reads_back_bit_equal_and_grows_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    log = Log(path)
    log.add(1, {"a": 0.1})
    log.add(2, {"a": 1 / 3, "b,c": math.pi})
    log.add(3, {"a": 1e-300})
    columns, rows = read_log(path)
    assert columns == ["step", "a", "b,c"]
    assert [row["a"] for row in rows] == ["0.1", repr(1 / 3), "1e-300"] and float(rows[1]["b,c"]) == math.pi
    assert log.last() == {"a": 1e-300, "b,c": math.pi}
    assert [row["step"] for row in read_log_of(Log(path, 2))] == ["1", "2"]


def read_log_of(log: Log) -> list[dict[str, str]]:
    return read_log(log.path)[1]


@pytest.mark.parametrize("text", ["", "step", "step,a\n1,0.5\n2,", "step,a\n1,0.5\n2\n\n"])
def test_a_torn_log_keeps_its_whole_rows(tmp_path: Path, text: str) -> None:
    (tmp_path / "log.csv").write_text(text)
    rows = read_log(tmp_path / "log.csv")[1]
    assert rows == ([{"step": "1", "a": "0.5"}] if "0.5" in text else [])


def test_the_picture(tmp_path: Path) -> None:
    assert not draw_curves(tmp_path / "log.csv", tmp_path / "c.png")
    log = Log(tmp_path / "log.csv")
    for step in range(1, 90):
        log.add(step, {"nll": math.inf if step == 5 else 1 / step, **({"bits": 2.0} if step % 30 == 0 else {})})
    assert draw_curves(tmp_path / "log.csv", tmp_path / "c.png", "Bytes")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_a_fault_prints_code_and_hint() -> None:
    assert str(RuntimeFault("REP0701", "m", "h")) == "[REP0701] m\nhint: h"
    assert all(code.startswith("REP07") for code in CODES)
    with pytest.raises(ValueError):
        RuntimeFault("REP0000", "m")
