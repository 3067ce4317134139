"""A cell of a block that a step applies more than once: what the applications make of it is folded in their order."""

from __future__ import annotations

import torch

from repc.pipeline import check_spec
from repc.verify import verify

TEXT = """rep 1
use std.nn (linear)
use std.data (digits)
use std.opt (sgd)
dim B: batch, P = 64, D = 4

encoder Counted(x: [B, P]) -> [B, D] {
  state seen: [] = 1
  seen := fold(2 * seen + 1)
  return linear(x, P -> D)
}

train Fit {
  data d = digits()
  model f = Counted()
  minimize gap = mean((f(d.x) - f(1 - d.x))^2)
  optimizer: sgd(rate: 0.1)  steps: 1  batch: 4
}
"""


def test_generated_code_folds_as_the_interpreter_does() -> None:
    checked = check_spec(("fold.rep", TEXT))
    assert checked.ok, checked.diagnostics
    report = verify(checked)
    assert report.passed, report.table()
    assert ("Fit", "writes") in {(row.subject, row.what) for row in report.rows}


def test_the_second_application_starts_from_what_the_first_has_made() -> None:
    from rep_runtime.cells import Writes

    writes = Writes()
    stored = torch.tensor(1.0)
    inside = writes.inside("f")
    for _ in range(2):
        inside.put("seen", 2 * inside.pending("seen", stored) + 1)
    assert writes.values["f.seen"].item() == 7.0
