"""Commands on specs: what they print, what they write, and how they end."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.compiler.command.conftest import Shell

SPEC = """\
rep 1
use std.nn (linear)

dim T: seq, D = 8, H = 2
dim K = D / H

## A sum of outer products that fades.
memory Fit(q: [T, K], k: [T, K], v: [T, K], a: [T] in (0, 1)) -> [T, K] {
  regressor: linear  loss: dot  optimizer: hebbian  retain: a
}

encoder Mixer(x: [T, D]) -> [T, D] causal(T) {
  q = linear(x, D -> [H, K], bias: none)
  a = sigmoid(linear(x, D -> H, bias: none))
  return x + linear(Fit(q, q, q, a), [H, K] -> D, bias: none)
}

encoder Stack(x: [T, D]) -> [T, D] causal(T) {
  repeat 3 as layers { x = Mixer(x) }
  return x
}
"""
WRONG = """\
dim T: seq, D = 8, E = 4
encoder F(x: [T, D], y: [T, E]) -> [T, D] { return x + z }
"""


def test_a_right_spec_is_ok(repc: Shell) -> None:
    run = repc("check", repc.write("lm.rep", SPEC))
    assert (run.code, run.out, run.err) == (0, "lm.rep: ok\n", "")
    assert repc("check", "--quiet", "lm.rep").out == ""
    assert repc("check", "-", stdin=SPEC).out == "<stdin>: ok\n"


def test_a_wrong_spec_is_refused_at_its_place(repc: Shell) -> None:
    run = repc("check", repc.write("lm.rep", WRONG))
    assert run.code == 1 and run.err == ""
    assert "lm.rep:2:56" in run.out and "`z` is not known here" in run.out
    concise = repc("check", "--format", "concise", "lm.rep")
    assert concise.out.startswith("lm.rep:2:56: error[REP0101]")


def test_several_specs_are_checked_together(repc: Shell) -> None:
    run = repc("check", repc.write("good.rep", SPEC), repc.write("bad.rep", WRONG))
    assert run.code == 1 and "bad.rep:2" in run.out and "good.rep" not in run.out


def test_check_reports_json(repc: Shell) -> None:
    run = repc("check", "--json", repc.write("lm.rep", WRONG))
    report = json.loads(run.out)
    assert run.code == 1 and report["ok"] is False and report["files"] == ["lm.rep"]
    found = report["diagnostics"][0]
    assert found["code"] == "REP0101" and found["location"]["start"]["line"] == 2
    assert json.loads(repc("check", "--json", "-", stdin=SPEC).out)["ok"] is True


def test_a_value_from_outside_is_used_and_checked(repc: Shell) -> None:
    repc.write("lm.rep", SPEC)
    assert repc("check", "lm.rep", "--set", "D=16").code == 0
    run = repc("check", "lm.rep", "--set", "D=9")
    assert run.code == 1 and "9" in run.out
    unknown = repc("check", "lm.rep", "--set", "DD=9")
    assert unknown.code == 2 and "names nothing" in unknown.out and "--set:1:1" in unknown.out


def test_explain_counts_parameters_work_and_state(repc: Shell) -> None:
    report = json.loads(repc("explain", "--json", repc.write("lm.rep", SPEC)).out)
    notes = {note["name"]: note for note in report["declarations"]}
    assert notes["Mixer"]["signature"] == "encoder Mixer(x: [T, D]) -> [T, D] causal(T)"
    per_mixer = 8 * 8 + 8 * 2 + 8 * 8
    assert notes["Mixer"]["parameter_count"]["value"] == per_mixer
    assert notes["Stack"]["parameter_count"]["value"] == 3 * per_mixer
    assert {one["path"] for one in notes["Stack"]["parameters"]} == {
        f"layers.<i>.x.{name}.weight" for name in ("q", "a", "out")
    }
    heads, size = 2, 4
    assert notes["Fit"]["state_bytes"]["value"] == 4 * size * size
    assert notes["Mixer"]["state_bytes"]["value"] == 4 * heads * size * size
    assert notes["Stack"]["state_bytes"]["value"] == 3 * 4 * heads * size * size
    more, less = (notes["Stack"][name]["value"] for name in ("flops_per_token", "flops_per_token_decoding"))
    assert more > less > 3 * 2 * per_mixer
    assert notes["Fit"]["memory"]["fields"]["retain"] == "a"
    assert notes["Fit"]["doc"] == "A sum of outer products that fades."


def test_explain_follows_the_values_that_are_set(repc: Shell) -> None:
    repc.write("lm.rep", SPEC)
    report = json.loads(repc("explain", "--json", "lm.rep", "Mixer", "--set", "D=16").out)
    (note,) = report["declarations"]
    assert note["parameter_count"] == {"formula": "2*D^2 + D*H", "value": 2 * 16 * 16 + 16 * 2}


def test_explain_for_people_shows_formulas_and_numbers(repc: Shell) -> None:
    run = repc("explain", repc.write("lm.rep", SPEC), "Mixer")
    assert run.code == 0
    assert "encoder Mixer(x: [T, D]) -> [T, D] causal(T)" in run.out
    assert "2*D^2 + D*H = 144" in run.out and "memory Fit" not in run.out


@pytest.mark.parametrize("command", ["explain", "graph", "verify"])
def test_a_name_that_is_not_declared_is_corrected(repc: Shell, command: str) -> None:
    run = repc(command, repc.write("lm.rep", SPEC), "Mixr")
    assert run.code == 2 and "did you mean `Mixer`?" in run.err


@pytest.mark.parametrize("command", ["explain", "graph", "compile", "verify"])
def test_a_wrong_spec_stops_every_command(repc: Shell, command: str) -> None:
    run = repc(command, repc.write("lm.rep", WRONG))
    assert run.code == 1 and "lm.rep:2:56" in run.err and run.out == ""
    assert sorted(path.name for path in repc.folder.iterdir()) == ["lm.rep"]


def test_graph_draws_svg_that_is_well_formed_and_escapes(repc: Shell) -> None:
    run = repc("graph", repc.write("lm.rep", SPEC), "-o", "lm.svg")
    assert run.code == 0
    root = ET.parse("lm.svg").getroot()
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "encoder Mixer" in texts and "q: linear" in texts and "[T, H, K]" in texts
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        left, top = float(box.get("x", "0")), float(box.get("y", "0"))
        assert 0 <= left and left + float(box.get("width", "0")) <= width
        assert 0 <= top and top + float(box.get("height", "0")) <= height


def test_boxes_of_a_picture_do_not_overlap(repc: Shell) -> None:
    root = ET.fromstring(repc("graph", repc.write("lm.rep", SPEC)).out)
    boxes = [
        tuple(float(box.get(name, "0")) for name in ("x", "y", "width", "height"))
        for box in root.iter("{http://www.w3.org/2000/svg}rect")
        if box.get("x")
    ]
    for number, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[number + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_graph_writes_dot_and_mermaid_by_option_or_by_name(repc: Shell) -> None:
    repc.write("lm.rep", SPEC)
    dot, mermaid = repc("graph", "--dot", "lm.rep").out, repc("graph", "--mermaid", "lm.rep").out
    assert dot.startswith("digraph") and dot.count("{") == dot.count("}")
    assert mermaid.startswith("flowchart") and "q: linear" in mermaid
    repc("graph", "lm.rep", "-o", "a.dot")
    repc("graph", "lm.rep", "-o", "a.mmd")
    assert Path("a.dot").read_text() == dot and Path("a.mmd").read_text() == mermaid


def test_compile_writes_a_module_beside_the_spec(repc: Shell) -> None:
    name = repc.write("sub/my-model.rep", SPEC)
    run = repc("compile", name)
    assert run.code == 0 and "wrote sub/my_model.py" in run.out
    text = Path("sub/my_model.py").read_text()
    assert "class Mixer(nn.Module):" in text and str(repc.folder) not in text
    assert json.loads(Path("sub/my_model.map.json").read_text())["module"] == "my_model.py"
    again = repc("compile", name, "-o", "out", "--json")
    assert json.loads(again.out)["files"] == ["out/my_model.py", "out/my_model.map.json"]
    assert Path("out/my_model.py").read_text() == text


def test_passes_can_be_chosen(repc: Shell) -> None:
    repc.write("lm.rep", SPEC)
    assert "class Mixer" in repc("compile", "--print", "lm.rep", "--passes", "none").out
    assert "class Mixer" in repc("compile", "--print", "lm.rep", "--passes", "dead-nodes,fold-constants").out
    run = repc("compile", "--print", "lm.rep", "--passes", "dead-node")
    assert run.code == 2 and "did you mean `dead-nodes`?" in run.err


def test_compile_can_print_instead(repc: Shell) -> None:
    run = repc("compile", "--print", "-", stdin=SPEC)
    assert run.code == 0 and "class Mixer(nn.Module):" in run.out
    assert list(repc.folder.iterdir()) == []


def test_verify_compares_what_is_generated_with_what_is_meant(repc: Shell) -> None:
    run = repc("verify", repc.write("lm.rep", SPEC), "Mixer")
    lines = [line.split() for line in run.out.splitlines()]
    assert run.code == 0
    assert {line[1] for line in lines[1:]} >= {"values", "gradients", "step"}
    assert all(line[0] == "Mixer" and any(word.startswith("ok") for word in line) for line in lines[1:])
    report = json.loads(repc("verify", "lm.rep", "Mixer", "--json", "--seed", "3").out)
    assert report["ok"] and all(row["passed"] for row in report["rows"])


def test_verify_fails_where_generated_code_differs(repc: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from repc import pipeline

    generate = pipeline.generate

    def broken(checked: pipeline.Checked, name: str) -> pipeline.Generated:
        made = generate(checked, name)
        assert "torch.sigmoid(" in made.text
        text = made.text.replace("torch.sigmoid(", "torch.tanh(")
        return pipeline.Generated(made.name, text, made.line_map, made.classes)

    monkeypatch.setattr("repc.verify.run.generate", broken)
    run = repc("verify", repc.write("lm.rep", SPEC), "Mixer")
    assert run.code == 1 and "differs" in run.out


def test_a_spec_without_declarations_has_nothing_to_compile(repc: Shell) -> None:
    run = repc("compile", repc.write("dims.rep", "dim D = 4\n"))
    assert run.code == 2 and "has no declaration" in run.err
