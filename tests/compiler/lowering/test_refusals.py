"""What has no lowering is refused with its place, never with a traceback."""

from __future__ import annotations

import pytest

from repc.diagnostics import catalogue
from repc.pipeline import SpecError, check_spec, generate

HEAD = "rep 1\nuse std.nn (linear)\ndim T: seq\ndim D = 4\n"
MEMORY = "memory M(q: [T, D], k: [T, D], v: [T, D], b: [T] in (0, 1)) -> [T, D] "

REFUSED = [
    (MEMORY + "{ regressor: mlp(hidden: 8)  optimizer: exact }", "memory-not-lowered", "mlp"),
    (MEMORY + "{ optimizer: muon(rate: 0.1) }", "memory-not-lowered", "muon"),
    ("encoder E(x: [T, D]) -> [T, D] { param w: [D] = 2 * x[T = 0]  return w * x }", "slot-needs-input", "`w`"),
]


@pytest.mark.parametrize(("text", "name", "said"), REFUSED)
def test_what_has_no_lowering_is_a_fault_of_the_catalogue(text: str, name: str, said: str) -> None:
    checked = check_spec(("given.rep", HEAD + text + "\n"))
    assert checked.program is not None, [one.message for one in checked.diagnostics]
    with pytest.raises(SpecError) as caught:
        generate(checked, "given")
    (diagnostic,) = caught.value.diagnostics
    entry = catalogue().find(name)
    assert entry is not None and diagnostic.code == entry.code
    assert said in diagnostic.message and diagnostic.span is not None and diagnostic.span.file == "given.rep"
