"""Families, stages, tasks and constraints of a train."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from repc.ir import Program

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

OPTIMIZER = "optimizer: sgd(rate: 0.1)"


def shape(program: Program, train: str, site: str) -> list[str]:
    graph = program.steps[train].graph
    node = dict(graph.sites)[site]
    return [str(axis.label) for axis in graph.by_name()[node].type.axes]


def test_a_family_applies_each_member_along_its_index(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  model f[k in N] = linear(P -> C)\n"
        f"  s[b, k, c] = f[k](d.x)[b, c]  one = f[1](d.x)\n"
        f"  minimize sum[k] cross_entropy(f[k](d.x), d.label)  {OPTIMIZER} }}"
    )
    assert sorted(shape(program, "Fit", "s")) == ["B", "C", "N"]
    assert sorted(shape(program, "Fit", "one")) == ["B", "C"]
    (block,) = program.steps["Fit"].graph.blocks
    assert block.path == "f"
    assert [str(axis.label) for axis in block.per] == ["N"]


def test_only_families_have_members(faults: Faults) -> None:
    text = f"train Fit {{ data d = digits()  model f = linear(P -> C)\n  minimize mean(f[0](d.x))\n  {OPTIMIZER} }}"
    assert faults(text) == [("not-a-family", 2)]


def test_a_member_must_exist(faults: Faults) -> None:
    text = (
        f"train Fit {{ data d = digits()  model f[k in N] = linear(P -> C)\n  minimize mean(f[3](d.x))\n {OPTIMIZER} }}"
    )
    assert faults(text) == [("index-out-of-range", 2)]


def test_stages_are_steps_of_their_own_with_shared_models(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  model f = linear(P -> D), g = linear(D -> C)\n  h = f(d.x)\n"
        f"  stage warm {{ minimize a = mean(h^2)  {OPTIMIZER}  steps: 5 }}\n"
        f"  stage main {{ minimize b = cross_entropy(g(h), d.label)  {OPTIMIZER} }} }}"
    )
    warm, main = program.steps["Fit"].stages
    assert (warm.name, main.name) == ("warm", "main")
    assert dict(warm.settings)["steps"] == 5
    assert [term.name for player in main.players for term in player.terms] == ["b"]
    assert "f" in {block.path for block in warm.graph.blocks}
    assert {"f", "g"} <= {block.path for block in main.graph.blocks}


def test_tasks_of_a_static_list_are_stages_in_order(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  model f = linear(P -> C)\n"
        f"  for w in {{ 0.5, 1.0 }} {{ minimize a = w * mean(f(d.x)^2)  {OPTIMIZER} }} }}"
    )
    assert [step.name for step in program.steps["Fit"].stages] == ["w0", "w1"]


def test_writes_at_the_end_come_last_and_act_once(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  model f = linear(P -> C)  state seen: [C] = 0\n"
        f"  at end {{ seen[c] := seen[c] + 1 }}\n  stage main {{ minimize mean(f(d.x)^2)  {OPTIMIZER} }} }}"
    )
    main, end = program.steps["Fit"].stages
    assert (main.name, end.name) == ("main", "end")
    assert [commit.cell for commit in end.commits] == ["seen"]
    assert dict(end.settings)["steps"] == 1
    assert main.commits == program.steps["Fit"].commits == ()


def test_a_constraint_is_a_multiplier_with_its_own_ascent(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  model f = linear(P -> C)\n"
        f"  minimize mean(f(d.x))  constrain mean(f(d.x)^2) <= 0.1 by dual(rate: 0.01)  {OPTIMIZER} }}"
    )
    step = program.steps["Fit"]
    assert [commit.cell for commit in step.commits] == ["multiplier"]
    assert "multiplier" in [term.name for term in step.players[0].terms]
    assert [cell.path for cell in step.graph.cells] == ["multiplier"]


@pytest.mark.parametrize("wrong", ["mean(f(d.x)^2) by dual(rate: 1)", "mean(f(d.x)) <= 1 by sgd(rate: 1)"])
def test_a_constraint_compares_and_names_its_ascent(faults: Faults, wrong: str) -> None:
    text = (
        f"train Fit {{ data d = digits()  model f = linear(P -> C)\n  constrain {wrong}\n"
        f"  minimize mean(f(d.x))  {OPTIMIZER} }}"
    )
    assert [line for _, line in faults(text)] == [2]


def test_a_train_with_a_block_to_give_is_checked_where_it_is_used(right: Right) -> None:
    program = right(
        f"train Fit(teacher: [P] -> [C]) {{ data d = digits()  freeze teacher  model f = linear(P -> C)\n"
        f"  minimize mean((f(d.x) - teacher(d.x))^2)  {OPTIMIZER} }}"
    )
    assert program.steps == {}


def test_a_whole_split_is_a_batch(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  model f = linear(P -> C)  minimize mean(f(d.x)^2)  {OPTIMIZER}  batch: all }}"
    )
    assert dict(program.steps["Fit"].settings)["batch"] == 0


def test_a_derived_train_has_the_terms_of_the_other(right: Right) -> None:
    program = right(
        f"train Fit(weight = 1.0, layers: int = 2) {{ data d = digits()  model f = mlp(P -> C, depth: layers)\n"
        f"  minimize loss = weight * mean(f(d.x)^2)  {OPTIMIZER} }}\n"
        f"train Deep = Fit with {{ layers: 4 }}\ntrain Light(w = 0.5) = Fit(weight: w)"
    )
    assert list(program.steps) == ["Fit", "Deep", "Light"]
    assert [term.name for term in program.steps["Deep"].players[0].terms] == ["loss"]
    assert program.steps["Deep"].graph.name == "train Deep"
    numbers = [node.attrs["value"] for node in program.steps["Light"].graph.nodes if node.kind == "const"]
    assert 0.5 in numbers


def test_a_derived_train_is_derived_from_a_train(faults: Faults) -> None:
    assert faults("train Peer() = linear(P -> C)") == [("train-expected", 1)]


def test_a_family_of_slots_and_cells_has_its_axis_in_front(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  param w[k in N]: [C, P] = normal()  state m[k in N]: [C] = 0\n"
        f"  s[b, k, c] = sum[p] w[k, c, p] * d.x[b, p] + m[k, c]\n"
        f"  minimize mean(s^2)  m[k, c] := mean[b] s[b, k, c]  {OPTIMIZER} }}"
    )
    assert shape(program, "Fit", "w") == ["N", "C", "P"]
    assert [str(axis.label) for axis in program.steps["Fit"].graph.cells[0].type.axes] == ["N", "C"]


def test_a_cell_like_the_parameters_of_a_block_is_one_cell_for_each_slot(right: Right) -> None:
    program = right(
        f"train Fit {{ data d = digits()  model f = mlp(P -> C, hidden: 16, depth: 3)\n"
        f"  state owner: like(f.params) of int = -1\n"
        f"  minimize mean(f(d.x)^2)  {OPTIMIZER} }}"
    )
    cells = {cell.path: cell.type for cell in program.steps["Fit"].graph.cells}
    assert len(cells) == 6
    assert {type_.kind.name for type_ in cells.values()} == {"int"}
    assert all(path.startswith("owner.") and path.endswith((".weight", ".bias")) for path in cells)


def test_like_takes_one_thing(faults: Faults) -> None:
    assert faults("train Fit { data d = digits()\n  state a: like() = 0 }") == [("wrong-arity", 2)]


def test_what_a_train_learns_is_counted(right: Right, faults: Faults) -> None:
    text = (
        "dim R = 1\n"
        "train Fit { data d = digits()  model f[r in R] = linear(P -> C)  minimize cross_entropy(f[0](d.x), d.label)\n"
        " optimizer: sgd(rate: 0.1)  steps: 2  batch: 4 }\n"
        "train Own = Fit with { R: 4 }\n"
    )
    right(text + "require params(Fit) == R * (P * C + C)\nrequire params(Own) == 4 * (P * C + C)")
    assert faults(text + "require params(Own) < params(Fit)")
