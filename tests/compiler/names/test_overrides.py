"""Values given from outside."""

from __future__ import annotations

import pytest

from rep_grammar import tree as t
from repc.diagnostics.model import Fault
from repc.names import DeclarationEntry, DimEntry, OptionEntry, TrainEntry, Workspace

TEXT = """
dim B: batch, T: seq, D = 64, H = 4
option norm in { pre, post } = pre
memory M(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] { regressor: linear }
memory Mesa = M with { optimizer: exact }
encoder F(x: [T, D], tau = 0.1) -> [T, D] { h = tau * x  repeat 2 as layers { h = Mesa(h, h, h) } return h }
train Run { model f = F()  steps: 3  batch: 4  stage warm { steps: 2 }  optimizer f: adam(rate: 1) }
"""


def load(*overrides: str) -> tuple[Workspace, list[Fault]]:
    workspace, faults = Workspace.load(("spec.rep", TEXT), overrides=overrides)
    return workspace, faults  # type: ignore[return-value]


def test_a_dim_and_an_option_take_their_new_value() -> None:
    workspace, faults = load("D=128", "norm=post")
    assert faults == []
    dim, option = workspace.entry.entries["D"], workspace.entry.entries["norm"]
    assert isinstance(dim, DimEntry) and isinstance(dim.value, t.Number) and dim.value.text == "128"
    assert isinstance(option, OptionEntry) and isinstance(option.node.default, t.Name)
    assert option.node.default.text == "post"


def test_a_value_keeps_its_place_in_what_was_given() -> None:
    workspace, _ = load("D=128", "H = 2 * 4")
    dim = workspace.entry.entries["H"]
    assert isinstance(dim, DimEntry) and dim.value is not None
    source = workspace.sources[dim.value.span.file]
    assert source.slice(dim.value.span) == "2 * 4"
    assert source.line_col(dim.value.span.start) == (2, 5)


@pytest.mark.parametrize(
    "path", ["F.tau", "F.D", "F.h", "F.layers.mesa", "M.regressor", "Mesa.regressor", "Mesa.optimizer.steps", "F.M"]
)
def test_a_path_into_a_declaration_is_kept_with_it(path: str) -> None:
    workspace, faults = load(f"{path}=1")
    if path == "F.M":
        assert [fault.name for fault in faults] == ["override-matches-nothing"]
        return
    assert faults == []
    name, _, rest = path.partition(".")
    entry = workspace.entry.entries[name]
    assert isinstance(entry, DeclarationEntry)
    assert [override.path for override in entry.overrides] == [tuple(rest.split("."))]


def settings(block: t.Block) -> dict[str, str]:
    """What a body sets, as text."""
    found: dict[str, str] = {}
    for statement in block.stmts:
        if isinstance(statement, t.Annotated) and isinstance(statement.target, t.Name):
            assert isinstance(statement.type, t.Number) and statement.target.text not in found
            found[statement.target.text] = statement.type.text
        elif isinstance(statement, t.OptimizerStmt) and isinstance(statement.value, t.Call):
            assert isinstance(statement.value.func, t.Name)
            found[f"optimizer {len(statement.targets)}"] = statement.value.func.text
        elif isinstance(statement, t.StageStmt):
            found.update((f"{statement.name.text}.{name}", text) for name, text in settings(statement.body).items())
    return found


def train(workspace: Workspace) -> dict[str, str]:
    entry = workspace.entry.entries["Run"]
    assert isinstance(entry, TrainEntry) and isinstance(entry.node.body, t.Block) and entry.overrides == ()
    return settings(entry.node.body)


def test_settings_of_a_train_stand_in_its_body() -> None:
    workspace, faults = load("Run.steps=100", "Run.seed=7", "Run.optimizer=sgd(rate: 1)", "Run.warm.steps=9")
    assert faults == []
    assert train(load()[0]) == {"steps": "3", "batch": "4", "warm.steps": "2", "optimizer 1": "adam"}
    assert train(workspace) == {
        "steps": "100",
        "batch": "4",
        "warm.steps": "9",
        "optimizer 1": "adam",
        "seed": "7",
        "optimizer 0": "sgd",
    }


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        ("E=3", "override-matches-nothing", "E"),
        ("F.tua=3", "override-matches-nothing", "tua"),
        ("Run.stesp=3", "override-matches-nothing", "stesp"),
        ("B=3", "override-target", "B=3"),
        ("D.x=3", "override-target", "D.x=3"),
        ("F=3", "override-target", "F=3"),
        ("D", "override-form", "D"),
        ("D=", "override-form", "D="),
        ("D=1, E=2", "override-form", "1, E=2"),
        ("3=4", "override-form", "3=4"),
        ("D=4 dim E = 3", "override-form", "4 dim E = 3"),
    ],
)
def test_what_cannot_be_given_is_named_at_its_place(text: str, name: str, place: str) -> None:
    workspace, faults = load(text)
    assert [fault.name for fault in faults] == [name]
    assert faults[0].span is not None
    assert workspace.sources[faults[0].span.file].slice(faults[0].span) == place


def test_a_misspelt_path_is_corrected() -> None:
    _, faults = load("F.tua=3")
    assert faults[0].suggestion == "tau"


def test_one_path_has_one_value() -> None:
    _, faults = load("D=3", "D=4")
    assert [fault.name for fault in faults] == ["override-given-twice"]
    assert faults[0].related[0][1] == "first here"


def test_a_value_that_is_no_expression_is_a_fault_of_syntax_in_it() -> None:
    workspace, faults = load("D=(3")
    assert len(faults) == 1
    span = faults[0].span
    assert span is not None and span.file in workspace.sources and span.start >= 2
