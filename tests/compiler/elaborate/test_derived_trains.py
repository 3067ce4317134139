"""Trains that take a source and a model: `train Fit() = supervised(data: digits(), model: Net())`."""

from __future__ import annotations

from collections.abc import Callable

from repc.ir import Program, Step

Right = Callable[[str], Program]
Faults = Callable[[str], list[tuple[str, int]]]

USE = "use std.task (supervised)\nuse std.data (mqar)\n"
NET = "encoder Net(x: [P]) -> [C] { return mlp(x, P -> C) }\nencoder Flat(x: [P]) -> [C] { return linear(x, P -> C) }\n"


def step_of(program: Program, name: str) -> Step:
    return program.steps[name]


def models(step: Step) -> dict[str, str]:
    return {block.path: block.graph for block in step.graph.blocks}


def test_a_source_and_a_constructor_are_arguments(right: Right) -> None:
    step = right(USE + NET + "train Fit() = supervised(data: digits(), model: Net())").steps["Fit"]
    assert [source.name for source in step.sources] == ["d"]
    assert models(step) == {"f": "Net"}
    assert [term.name for player in step.players for term in player.terms] == ["loss"]
    assert [measure.name for measure in step.measures] == ["acc"]


def test_a_declaration_is_made_with_its_defaults(right: Right) -> None:
    text = USE + NET + "train Fit(net: [P] -> [C] = Flat) = supervised(data: digits(), model: net)"
    assert models(right(text).steps["Fit"]) == {"f": "Flat"}


def test_the_source_is_read_where_it_is_written(right: Right) -> None:
    text = USE + NET + "train Fit(few: int = 50) = supervised(data: digits(labels: few), model: Net())"
    word = right(text).steps["Fit"].sources[0].word
    assert word is not None and word.get("labels") == 50


def test_settings_may_be_arguments(right: Right) -> None:
    text = USE + NET + "train Fit() = supervised(data: digits(), model: Net(), steps: 7)"
    settings = dict(right(text).steps["Fit"].settings)
    assert settings["steps"] == 7 and settings["batch"] == 32


def test_a_source_that_asks_in_places_is_averaged_over_those(right: Right) -> None:
    text = (
        USE + "dim T: seq, V = 16\nencoder LM(x: [T] of V) -> [T, V] { return embed(x, V -> V) }\nuse std.nn (embed)\n"
        "train Fit() = supervised(data: mqar(pairs: 2, vocab: V), model: LM())"
    )
    step = right(text).steps["Fit"]
    node = step.graph.by_name()[step.players[0].terms[0].node]
    assert node.attrs["masked"]


def test_an_argument_may_be_passed_on(right: Right) -> None:
    text = (
        USE + NET + "train Few(model: block) = supervised(data: digits(labels: 20), model: model)\n"
        "train Fit() = Few(model: Net(), steps: 5)"
    )
    program = right(text)
    assert models(program.steps["Fit"]) == {"f": "Net"}
    assert dict(program.steps["Fit"].settings)["steps"] == 5
    assert "Few" not in program.steps


def test_an_unknown_argument_is_refused_where_it_stands(faults: Faults) -> None:
    text = USE + NET + "train Fit() = supervised(data: digits(),\n  network: Net())"
    assert faults(text) == [("unknown-argument", 6)]


def test_a_source_without_an_answer_has_none(faults: Faults) -> None:
    text = (
        "use std.data (bytes)\ndim T: seq, V = 256\nuse std.nn (embed)\ntrain Fit { data d = bytes(length: 8)\n"
        "  model f = embed(V -> C)\n  minimize mean(f(d.answer))\n  optimizer: sgd(rate: 0.1) }"
    )
    assert [line for _, line in faults(text)] == [6]


def test_generate_fills_in_the_argument_that_is_left_out(right: Right) -> None:
    program = right(
        "dim I: seq = N\nencoder Point(x: [N], y: [I] of N) -> [I, N] { s[i in I, n] = x[n]  return s }\n"
        "data Sorted() -> (x: [N], y: [I] of N) {\n"
        "  x: [N] ~ normal(0, 1)\n  return (x: x, y: rename(argsort[n] x[n], N -> I)) }\n"
        "train Fit { data d = Sorted()  model f = Point(), g = linear(P -> C)  data e = digits()\n"
        "  minimize cross_entropy(g(e.x), e.label)  optimizer: sgd(rate: 0.1)\n"
        "  y = generate(f, d.x, pick: argmax) }"
    )
    graph = program.steps["Fit"].graph
    type_ = graph.by_name()[dict(graph.sites)["y"]].type
    assert type_.kind.name == "index" and [str(axis.label) for axis in type_.axes] == ["B", "I"]


def test_parameters_are_counted_under_the_sizes_that_with_gives(right: Right, faults: Faults) -> None:
    text = "encoder Up(x: [D]) -> [N, D] { return linear(x, D -> [N, D]) }\n"
    right(text + "require params(Up with { N: 1 }) == D^2 + D")
    assert [name for name, _ in faults(text + "require params(Up with { N: 2 }) == D^2 + D")] == ["requirement-fails"]
