"""Words that other systems use are answered with those of the language."""

from __future__ import annotations

import pytest

from repc.pipeline import check_spec


@pytest.mark.parametrize("word", ["stop", "detach", "stop_gradient"])
def test_the_stop_of_a_gradient_is_sg(word: str) -> None:
    made = check_spec(("spec.rep", f"rep 1\ndim D = 4\nencoder A(x: [D]) -> [D] {{ return x - {word}(x) }}\n"))
    assert any("`sg`" in (item.help or "") for item in made.diagnostics), made.diagnostics
