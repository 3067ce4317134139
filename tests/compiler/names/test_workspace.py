"""Files, imports and namespaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from repc.diagnostics.model import Fault
from repc.names import (
    ConstEntry,
    DeclarationEntry,
    DefEntry,
    DimEntry,
    GroupEntry,
    ImportedEntry,
    OptionEntry,
    SpaceEntry,
    TrainEntry,
    WordEntry,
    Workspace,
)

Files = dict[str, str]


def load(folder: Path, files: Files, entry: str = "main.rep", **more: object) -> tuple[Workspace, list[Fault]]:
    """The workspace of files written to `folder`; the library is the folder `std` beside them."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    workspace, faults = Workspace.load(str(folder / entry), library=str(folder / "std"), **more)  # type: ignore[arg-type]
    return workspace, faults  # type: ignore[return-value]


def underlined(workspace: Workspace, fault: Fault) -> str:
    assert fault.span is not None
    return workspace.sources[fault.span.file].slice(fault.span)


def test_every_kind_of_declaration_is_an_entry(tmp_path: Path) -> None:
    text = """
    rep 1
    dim B: batch, T: seq ragged, D = 64, N <= 9
    group R = SO(3)
    option norm in { pre, post } = pre
    const pad = 3, table: [D] = zeros()
    def twice(x: [D]) = 2 * x
    encoder F(x: [D]) -> [D] { return twice(x) }
    memory M(q: [T, D], k: [T, D], v: [T, D]) -> [T, D] { regressor: linear }
    memory Mesa = M with { optimizer: exact }
    train Run { steps: 3 }
    space Points of Run { D in { 64, 128 } }
    """
    workspace, faults = load(tmp_path, {"main.rep": text})
    assert faults == []
    kinds = {name: type(entry) for name, entry in workspace.entry.entries.items()}
    assert kinds == {
        **dict.fromkeys("BTDN", DimEntry),
        "R": GroupEntry,
        "norm": OptionEntry,
        "pad": ConstEntry,
        "table": ConstEntry,
        "twice": DefEntry,
        "F": DeclarationEntry,
        "M": DeclarationEntry,
        "Mesa": DeclarationEntry,
        "Run": TrainEntry,
        "Points": SpaceEntry,
    }
    seq, size, bound = (workspace.entry.entries[name] for name in "TDN")
    assert isinstance(seq, DimEntry) and (seq.kind, seq.ragged, seq.relation) == ("seq", True, None)
    assert isinstance(size, DimEntry) and (size.kind, size.relation) == (None, "=") and size.value is not None
    assert isinstance(bound, DimEntry) and bound.relation == "<="
    assert seq.symbol.scope == ""


def test_an_import_resolves_to_the_declaration_in_its_file(tmp_path: Path) -> None:
    files = {
        "main.rep": 'use std.nn (norm, wide as w)\nuse "lib/mix.rep" (Mixer)\ndim D = 4',
        "lib/mix.rep": 'use "../other.rep" (G)\ndim D = 8\nencoder Mixer(x: [D]) -> [D] { return G(x) }',
        "other.rep": "encoder G[F: feature](x: [F]) -> [F] { return x }",
        "std/nn/norms.rep": "encoder norm[F: feature](x: [F]) -> [F] { return x }",
        "std/nn/wide.rep": "use std.nn (norm)\nencoder wide[F: feature](x: [F]) -> [F] { return norm(x) }",
    }
    workspace, faults = load(tmp_path, files)
    assert faults == []
    assert set(workspace.modules) == {"", "std.nn.norms", "std.nn.wide", "lib/mix.rep", "other.rep"}
    entry = workspace.entry.find("w")
    assert isinstance(entry, ImportedEntry) and (entry.origin, entry.target) == ("std.nn.wide", "wide")
    found = workspace.find(workspace.entry, "w")
    assert isinstance(found, DeclarationEntry) and found.name == "wide" and found.module == "std.nn.wide"
    mixer = workspace.find(workspace.entry, "Mixer")
    assert mixer is not None and mixer.module == "lib/mix.rep"
    own, other = workspace.entry.entries["D"], workspace.modules["lib/mix.rep"].entries["D"]
    assert isinstance(own, DimEntry) and isinstance(other, DimEntry) and own.symbol != other.symbol


def test_a_library_file_that_is_not_needed_is_not_read(tmp_path: Path) -> None:
    files = {
        "main.rep": "use std.nn (norm)",
        "std/nn/norms.rep": "encoder norm[F: feature](x: [F]) -> [F] { return x }",
        "std/nn/broken.rep": "encoder wide(((",
    }
    workspace, faults = load(tmp_path, files)
    assert faults == []
    assert set(workspace.modules) == {"", "std.nn.norms"}


def test_built_in_words_are_imported_beside_texts(tmp_path: Path) -> None:
    files = {
        "main.rep": "use std.opt (adamw, plain)",
        "std/opt.rep": "dim F: feature\ndef plain(x: [F]) = x",
    }
    workspace, faults = load(tmp_path, files)
    assert faults == []
    word = workspace.find(workspace.entry, "adamw")
    assert isinstance(word, WordEntry) and word.word.family == "optimizer"
    assert isinstance(workspace.find(workspace.entry, "plain"), DefEntry)


def test_an_import_identifies_dims_of_the_other_file(tmp_path: Path) -> None:
    files = {
        "main.rep": 'use "mix.rep" (Mixer) with { D: E }\ndim E = 4',
        "mix.rep": "dim D = 8\nencoder Mixer(x: [D]) -> [D] { return x }",
    }
    workspace, faults = load(tmp_path, files)
    assert faults == []
    entry = workspace.entry.find("Mixer")
    assert isinstance(entry, ImportedEntry)
    assert [(override.path, override.scope, override.origin) for override in entry.overrides] == [(("D",), "", "with")]


def test_replace_names_the_library_declaration(tmp_path: Path) -> None:
    files = {
        "main.rep": "use std.nn (norm)\nencoder mine[F: feature](x: [F]) -> [F] { return x }\n"
        "replace std.nn.norm = mine",
        "std/nn.rep": "encoder norm[F: feature](x: [F]) -> [F] { return x }",
    }
    workspace, faults = load(tmp_path, files)
    assert faults == []
    assert [(item.old, item.new) for item in workspace.entry.replacements] == [(("std.nn", "norm"), ("", "mine"))]


def test_declarations_come_after_what_they_use(tmp_path: Path) -> None:
    files = {
        "main.rep": 'use "lib.rep" (G)\ndim D = 2 * H, H = 4\n'
        "encoder A(x: [D]) -> [D] { return B(G(x)) }\nencoder B(x: [D]) -> [D] { return x }",
        "lib.rep": "encoder G[F: feature](x: [F]) -> [F] { return x }",
    }
    workspace, faults = load(tmp_path, files)
    assert faults == []
    place = {name: number for number, name in enumerate(workspace.order)}
    assert place["lib.rep", "G"] < place["", "A"]
    assert place["", "B"] < place["", "A"] and place["", "H"] < place["", "D"]


WRONG = [
    ("dim D = 8\ndim D = 9", "duplicate-declaration", "D"),
    ("dim D = 8\nencoder D(x: [D]) -> [D] { return x }", "duplicate-declaration", "D"),
    ("dim D = 8\nencoder d(x: [D]) -> [D] { return x }", "name-is-taken-by-an-axis", "d"),
    ("dim width = 8", "wrong-case", "width"),
    ("dim T: sequence", "unknown-axis-kind", "sequence"),
    ("def mean(x: [D]) = x\ndim D = 2", "reserved-name", "mean"),
    ("const true = 2", "reserved-name", "true"),
    ("rep 7", "unknown-edition", "7"),
    ("use std.nn (norm)\nencoder norm[F: feature](x: [F]) -> [F] { return x }", "imported-name-declared", "norm"),
    ("use std.nn (norn)", "not-exported", "norn"),
    ("use std.mm (norm)", "unknown-module", "std.mm"),
    ('use "mising.rep" (F)', "file-not-found", '"mising.rep"'),
    ('use "" (F)', "file-not-found", '""'),
    ('use "present.rep" (D)', "not-exported", "D"),
    ('use "present.rep" (norm)', "not-exported", "norm"),
    ("dim D = H * 2, H = D / 2", "declaration-cycle", "H"),
    ('use "present.rep" (F) with { E: Q }\ndim Q = 3', "override-matches-nothing", "E"),
    ("replace std.nn.norm = nothing", "unknown-name", "nothing"),
    ("encoder F[A: feature](x: [A]) -> [A] { return F(x) }", "declaration-cycle", "F"),
]


@pytest.mark.parametrize(("text", "name", "place"), WRONG, ids=[f"{name}-{place}" for _, name, place in WRONG])
def test_what_is_wrong_is_named_at_its_place(tmp_path: Path, text: str, name: str, place: str) -> None:
    files = {
        "main.rep": text,
        "present.rep": "use std.nn (norm)\ndim D = 3\nencoder F[A: feature](x: [A]) -> [A] { return norm(x) }",
        "std/nn.rep": "encoder norm[F: feature](x: [F]) -> [F] { return x }",
    }
    workspace, faults = load(tmp_path, files)
    assert [fault.name for fault in faults] == [name]
    assert underlined(workspace, faults[0]) == place


def test_near_names_are_suggested(tmp_path: Path) -> None:
    files = {
        "main.rep": 'use std.nn (norn)\nuse std.optt (adamw)\nuse "presen.rep" (F)\nuse std.opt (adanw)',
        "present.rep": "encoder F[A: feature](x: [A]) -> [A] { return x }",
        "std/nn.rep": "encoder norm[F: feature](x: [F]) -> [F] { return x }",
    }
    _, faults = load(tmp_path, files)
    suggestions = {fault.suggestion for fault in faults}
    assert suggestions == {"norm", "std.opt", '"present.rep"', "adamw"}


def test_a_name_of_another_module_is_said_to_be_there(tmp_path: Path) -> None:
    files = {
        "main.rep": "use std.loss (norm)",
        "std/nn.rep": "encoder norm[F: feature](x: [F]) -> [F] { return x }",
        "std/loss.rep": "dim F: feature\ndef mse(x: [F]) = x",
    }
    _, faults = load(tmp_path, files)
    assert faults[0].notes == ("`norm` is in `std.nn`",)


def test_files_that_import_each_other_are_shown_in_order(tmp_path: Path) -> None:
    files = {
        "main.rep": 'use "a.rep" (A)',
        "a.rep": 'use "b.rep" (B)\nencoder A[F: feature](x: [F]) -> [F] { return B(x) }',
        "b.rep": 'use "main.rep" (C)\nencoder B[F: feature](x: [F]) -> [F] { return x }',
    }
    files["main.rep"] += "\nencoder C[F: feature](x: [F]) -> [F] { return x }"
    workspace, faults = load(tmp_path, files)
    assert [fault.name for fault in faults] == ["import-cycle"]
    names = str(faults[0].values["cycle"]).split(" -> ")
    assert [Path(name).name for name in names] == ["main.rep", "a.rep", "b.rep", "main.rep"]
    assert len(faults[0].related) == 2
    assert underlined(workspace, faults[0]) == "A"


def test_a_cycle_of_declarations_is_shown_with_all_its_places(tmp_path: Path) -> None:
    text = """
    encoder A[F: feature](x: [F]) -> [F] { return B(x) }
    encoder B[F: feature](x: [F]) -> [F] { return C(x) }
    encoder C[F: feature](x: [F]) -> [F] { return A(x) }
    """
    workspace, faults = load(tmp_path, {"main.rep": text})
    assert [fault.name for fault in faults] == ["declaration-cycle"]
    assert faults[0].values["cycle"] == "A -> B -> C -> A"
    assert underlined(workspace, faults[0]) == "B"
    assert [text for _, text in faults[0].related] == ["`B` uses `C` here", "`C` uses `A` here"]


def test_names_that_only_label_something_make_no_cycle(tmp_path: Path) -> None:
    text = """
    dim D = 4
    encoder Low(x: [D], Top = 2) -> [D] { r = Sub(x)  return r.Top * Top }
    encoder Sub(x: [D]) -> [D] { return x }
    encoder Top(x: [D]) -> [D] { return Low(x, Top: 3) }
    """
    _, faults = load(tmp_path, {"main.rep": text})
    assert faults == []


def test_faults_of_several_files_are_reported_together(tmp_path: Path) -> None:
    files = {
        "main.rep": 'use "a.rep" (A)\ndim width = 3',
        "a.rep": "encoder A[F: feature](x: [F]) -> [F] { return x }\ndim D = 3\ndim D = 4\nencoder ((",
    }
    _, faults = load(tmp_path, files)
    assert {fault.name for fault in faults} >= {"wrong-case"}
    assert len({fault.span.file for fault in faults if fault.span}) == 2


@pytest.mark.parametrize(
    ("stored", "name"), [(b"dim D = \xff", "not-utf8"), (b"#" * 4_000_001, "file-too-large")], ids=["bytes", "size"]
)
def test_what_is_no_text_is_refused(tmp_path: Path, stored: bytes, name: str) -> None:
    (tmp_path / "main.rep").write_bytes(stored)
    _, faults = load(tmp_path, {})
    assert [fault.name for fault in faults] == [name]


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    _, folder = Workspace.load(str(tmp_path))
    _, missing = Workspace.load(str(tmp_path / "none.rep"))
    _, impossible = Workspace.load("a\0b.rep")
    assert [fault.name for fault in (*folder, *missing, *impossible)] == [
        "not-a-file",
        "missing-file",
        "unreadable-file",
    ]


def test_a_text_needs_no_file() -> None:
    workspace, faults = Workspace.load(("<text>", "dim D = 3"))
    assert faults == []
    assert list(workspace.entry.entries) == ["D"]
