"""Whatever the texts are, loading them ends in a workspace and faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rep_grammar.faults import SyntaxFault
from repc.diagnostics import to_diagnostic
from repc.names import Workspace

WORDS = st.sampled_from(
    [
        *(
            "rep",
            "1",
            "use",
            "std.nn",
            "std.opt",
            "std",
            '"a.rep"',
            '"b.rep"',
            '"../a.rep"',
            '"main.rep"',
            "(",
            ")",
            ",",
        ),
        *("A", "B", "adamw", "linear", "as", "with", "{", "}", ":", "dim", "=", "T", "seq", "ragged", "in", "<="),
        *("encoder", "memory", "def", "const", "option", "group", "train", "space", "of", "replace", "[", "]", "->"),
        *("return", "x", "mean", "true", "0", "4", "D", "d", "+", ".", "\n"),
    ]
)
ITEMS = st.sampled_from(
    [
        "dim A = B",
        "dim B = A",
        "dim a = 2",
        "use std.opt (adamw, sgd as A)",
        'use "a.rep" (A, B) with { D: E }',
        'use "b.rep" (B)',
        'use "main.rep" (A)',
        "use std.none (A)",
        "encoder A[F: feature](x: [F]) -> [F] { return B(x) }",
        "encoder B[F: feature](x: [F]) -> [F] { return A(x) }",
        "encoder b[F: feature](x: [F]) -> [F] { return x }",
        "memory M = A with { loss: dot }",
        "replace A = B",
        "replace std.opt.sgd = A",
        "train A = B(x: 3)",
        "space A of B { C in { 1, 2 } where valid }",
        "const A = 3, B: [A] = 2",
        "group A = S(B)",
        "option A in { b, c } = b",
        'experiment "x" { run r = A() expect r > 0 }',
    ]
)
TEXTS = st.one_of(
    st.lists(ITEMS, max_size=6).map("\n".join), st.lists(WORDS, max_size=30).map(" ".join), st.text(max_size=40)
)
SETTINGS = st.one_of(
    st.text(max_size=12), st.builds("{}={}".format, st.sampled_from(["A", "A.b", "M.loss", "B.x.y", "*", ""]), WORDS)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(main=TEXTS, a=TEXTS, b=TEXTS, given_values=st.lists(SETTINGS, max_size=3))
def test_loading_never_fails(folder: Path, main: str, a: str, b: str, given_values: list[str]) -> None:
    for name, text in (("main.rep", main), ("a.rep", a), ("b.rep", b)):
        (folder / name).write_bytes(text.encode("utf-8", "replace"))
    workspace, faults = Workspace.load(str(folder / "main.rep"), overrides=given_values)
    assert "" in workspace.modules
    for fault in faults:
        if isinstance(fault, SyntaxFault):
            continue
        said = to_diagnostic(fault, strict=True)
        assert said.message
        if fault.span is not None:
            source = workspace.sources[fault.span.file]
            assert 0 <= fault.span.start <= fault.span.end <= len(source.text)
    order = {name: place for place, name in enumerate(workspace.order)}
    assert len(order) == len(workspace.order)
