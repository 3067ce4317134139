"""Generators of `std.data`, by what their samples must obey: rules, moments, splits; never by their own formulas."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import Tensor

from rep_runtime.data import Source, digits
from repc.names.library import Library
from repc.pipeline import check_spec, generate
from repc.verify import verify

FILES = Library().modules["std.data"]

SPECS = {
    "vectors": """
dim B: batch, X = 6, P = 8, C = 4, V = 5, Two = 2, N: set = 20
train Vectors {
  data moon = half_moons(noise: 0), turns = interleaved(classes: C), path = spiral(n: 50, length: 30), wave = chirp(),
       shape = occupancy(shape: disc, points: N), dot = clusters(n: 100, features: P, classes: C, noise: 0.2),
       rare = imbalanced_blobs(features: P, rate: 0.5), tail = heavy_tailed(dim: P),
       shift = spurious(features: P, classes: Two),
       row = gaussian_rows(X, power: 1), node = gaussian_graph(V, blanket: 2), view = shared_latent(views: 3),
       field = sparse_sources(rate: 0.1), factor = factors(bits: 3, texts: 8), task = conflicting(tasks: 2)
  param w: [] = 0
  minimize zero = w^2
  optimizer: sgd(rate: 1)
}
""",
    "worlds": """
dim B: batch, S = 25, A = 4, Q = 7, N: set, R: set = 3, V = 12, Ten = 10
train Worlds {
  data walk = grid_walks(side: 5, length: 40), step = grid_steps(side: 5), all = grid(Q, R),
       edge = tree(depth: 3, nodes: 15),
       bar = chain(distractors: 5), ring = chain_pomdp(length: 20), hop = markov_chain(Q, symmetric: true),
       two = two_regimes(length: 12), swing = pendulum_pixels(length: 12),
       machine = automaton(V, states: 4, length: 30),
       film = moving_sprites(size: 3, length: 6, noise: 0), dot = dots(),
       sum = digit_addition(sums_up_to: 12, digits: Ten)
  param w: [] = 0
  minimize zero = w^2
  optimizer: sgd(rate: 1)
}
""",
    "texts": """
dim B: batch, V = 32, W = 16
train Texts {
  data even = parity(vocab: V, length: 9), group = phrases(vocab: V, length: 20), word = strings(T: 24),
       about = topics(vocab: V, length: 20), mood = sentiment(size: 40), cart = shopping(items: V, length: 10),
       markov = markov_text(V, length: 50), hop = multihop(hops: 2, vocab: V),
       seg = segment_recall(segments: 3, length: 8, vocab: V),
       gram = ngram_recall(n: 3, vocab: V, length: 16), place = position_recall(vocab: V, length: 16),
       first = first_repeat(words: V), fact = relations(vocab: V), lost = missing_evidence(vocab: V),
       one = sequence_class(features: 8), picture = raster(width: 5, vocab: W)
  param w: [] = 0
  minimize zero = w^2
  optimizer: sgd(rate: 1)
}
""",
    "derived": """
dim B: batch, P = 64, X: grid = 8, Y: grid = 8
train Derived {
  data cloud = cluttered(digits(pixels: P, flat: true)), turn = rotated_digits(), two = two_view_digits(noise: 0),
       near = neighbours(digits(pixels: P, flat: true), k: 2), pixel = digit_pixels(),
       later = future_pairs(spiral(n: 50, length: 30, noise: 0), offset: geometric(0.2))
  param w: [] = 0
  minimize zero = w^2
  optimizer: sgd(rate: 1)
}
""",
}


def module_of(name: str, folder: Path) -> ModuleType:
    body = SPECS[name]
    mentioned = [known for known in Library().names("std.data") if f"{known}(" in body] + ["digits"]
    text = f"rep 1\nuse std.data ({', '.join(dict.fromkeys(mentioned))})\nuse std.opt (sgd)\n{body}"
    checked = check_spec((f"{name}.rep", text))
    assert checked.ok, [f"{found.code}: {found.message}" for found in checked.diagnostics]
    path = folder / f"std_data_{name}.py"
    path.write_text(generate(checked, name).text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Sample = Callable[..., Mapping[str, Tensor]]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Source]:
    folder = tmp_path_factory.mktemp("data")

    @cache
    def feeds(spec: str) -> Mapping[str, Source]:
        step = getattr(module_of(spec, folder), spec.capitalize())()
        return {name: feed.source for name, feed in step.feeds().items()}

    return lambda spec, name: feeds(spec)[name]


@pytest.fixture
def rows(source: Callable[[str, str], Source]) -> Sample:
    """`count` samples of a source."""

    def taken(spec: str, name: str, count: int = 256, seed: int = 0, split: str = "train") -> Mapping[str, Tensor]:
        found = source(spec, name)
        size = found.size(split)  # type: ignore[arg-type]
        ids = torch.arange(count if size is None else min(count, size))
        return found.rows(ids, seed, split)  # type: ignore[arg-type]

    return taken


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_generators_mean_the_same_in_the_interpreter(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        checked = check_spec((os.path.basename(path), file.read()))
    assert checked.ok, [f"{found.code}: {found.message}" for found in checked.diagnostics]
    report = verify(checked)
    assert report.passed, report.table()


@pytest.mark.parametrize("spec", SPECS)
def test_samples_fit_their_types_and_their_seeds(source: Callable[[str, str], Source], spec: str) -> None:
    names = [
        part.split("=")[0].split()[-1]
        for part in SPECS[spec].split("data ", 1)[1].split("param")[0].split("(")[:-1]
        if "=" in part
    ]
    assert names
    for name in dict.fromkeys(names):
        found = source(spec, name)
        ids = torch.tensor([5, 0, 66 if (found.size("train") or 100) > 66 else 1])
        one, other = found.rows(ids, 0, "train"), found.rows(ids[:1], 0, "train")
        for field, kind in found.fields.items():
            assert tuple(one[field].shape[1:]) == kind.shape and one[field].dtype == kind.dtype, (name, field)
            assert torch.equal(one[field][:1], other[field]), (name, field)
            if kind.below is not None:
                assert int(one[field].min()) >= 0 and int(one[field].max()) < kind.below, (name, field)
            elif kind.dtype.is_floating_point:
                assert bool(torch.isfinite(one[field]).all()), (name, field)


# ---- points


def test_half_moons_lie_on_their_circles(rows: Sample) -> None:
    d = rows("vectors", "moon", 400)
    middle = torch.where(d["label"][:, None] == 0, torch.tensor([0.0, 0.0]), torch.tensor([1.0, 0.5]))
    assert torch.allclose((d["x"] - middle).norm(dim=1), torch.ones(400), atol=1e-5)
    assert 0.4 < float((d["label"] == 0).float().mean()) < 0.6


def test_interleaved_classes_take_turns(rows: Sample) -> None:
    d = rows("vectors", "turns", 600)
    order = torch.argsort(d["x"][:, 0])
    labels = torch.unique_consecutive(d["label"][order])
    assert labels.tolist() == [0, 1, 2, 3, 0, 1] and float(d["x"].abs().max()) <= 1


def test_shapes_say_what_is_inside(rows: Sample) -> None:
    d = rows("vectors", "shape", 100)
    distance = (d["p"] - 0.5).norm(dim=-1)
    assert torch.equal(d["inside"] == 1, distance < 0.35)
    assert bool(((distance[d["near_edge"]] - 0.35).abs() < 0.031).all()) and bool(d["near_edge"].any())


def test_clusters_are_told_apart_by_their_means(rows: Sample) -> None:
    d = rows("vectors", "dot", 100)
    means = torch.stack([d["x"][d["label"] == c].mean(0) for c in range(4)])
    assert torch.equal(torch.cdist(d["x"], means).argmin(1), d["label"])


def test_rare_classes_are_rare(rows: Sample) -> None:
    counts = torch.bincount(rows("vectors", "rare", 2000)["label"], minlength=10)
    assert counts[0] > 3 * counts[2] > 3 * counts[5] and 0.4 < float(counts[0] / counts.sum()) < 0.6


def test_rows_have_the_spectrum_that_was_asked_for(rows: Sample) -> None:
    x = rows("vectors", "row", 8000)["x"].double()
    values = torch.linalg.eigvalsh(torch.cov(x.T))
    # Directions of a frame are not orthogonal, but the trace is that of the spectrum.
    assert float(values.sum()) == pytest.approx(sum(1 / i for i in range(1, 7)), rel=0.1)


def test_only_the_blanket_bears_on_the_node(rows: Sample) -> None:
    d = rows("vectors", "node", 8000)
    blanket = d["blanket"][0]
    assert int(blanket.sum()) == 2
    fit = torch.linalg.lstsq(d["y"].double(), d["x"].double()).solution[:, 0]
    assert bool((fit[blanket].abs() > 0.3).all()) and bool((fit[~blanket].abs() < 0.05).all())


def test_pairs_of_factors_differ_in_one(rows: Sample) -> None:
    d = rows("vectors", "factor", 10)
    pairs, bit = d["pairs"][0], d["bit"][0]
    for w in range(3):
        low, high = pairs[w, :, 0], pairs[w, :, 1]
        assert bool(bit[w, high].all()) and not bool(bit[w, low].any())
        others = [k for k in range(3) if k != w]
        assert torch.equal(bit[others][:, low], bit[others][:, high])
    assert torch.equal(d["bits"], bit[:, d["label"]].T.float())


def test_shortcuts_turn_against_those_who_take_them(rows: Sample) -> None:
    d = rows("vectors", "shift", 4000)
    means = torch.stack([d["x"][d["y"] == c].mean(0) for c in range(2)])
    here = (torch.cdist(d["x"], means).argmin(1) == d["y"]).float().mean()
    there = (torch.cdist(d["shifted.x"], means).argmin(1) == d["shifted.y"]).float().mean()
    assert float(here) > 0.7 > 0.5 > float(there)


# ---- worlds


def test_walks_move_to_neighbours(rows: Sample) -> None:
    d = rows("worlds", "walk", 100)
    x, y = d["state"] % 5, d["state"] // 5
    hops = (x[:, 1:] - x[:, :-1]).abs() + (y[:, 1:] - y[:, :-1]).abs()
    assert int(hops.max()) == 1 and bool((hops == 0).any())
    far = d["successor_distance"][0]
    assert far[0, 0] < far[0, 1] < far[0, 24]


def test_steps_follow_their_transitions(rows: Sample) -> None:
    d = rows("worlds", "step", 500)
    table = d["transition"][0]
    assert torch.equal(table.sum(-1), torch.ones(25, 4))
    assert bool((table[d["state"], d["action"], d["next"]] == 1).all())


def test_a_grid_is_every_pair(rows: Sample) -> None:
    d = rows("worlds", "all", 21)
    assert sorted(zip(d["n"].tolist(), d["r"].tolist(), strict=True)) == [(n, r) for n in range(7) for r in range(3)]


def test_edges_of_a_tree_climb(rows: Sample) -> None:
    d = rows("worlds", "edge", 300)
    for u, v in zip(d["u"].tolist(), d["v"].tolist(), strict=True):
        above = set()
        while u:
            u = (u - 1) // 2
            above.add(u)
        assert v in above
    linked = d["linked"][0]
    assert torch.equal(linked, linked.T) and int(linked.sum()) == 15 + 2 * (2 * 1 + 4 * 2 + 8 * 3)


def test_symmetric_chains_are_doubly_stochastic(rows: Sample) -> None:
    d = rows("worlds", "hop", 4000)
    table, vectors = d["transition"][0], d["eigenvectors"][0]
    assert torch.allclose(table.sum(0), torch.ones(7), atol=1e-5) and torch.allclose(table, table.T, atol=1e-6)
    values = torch.diagonal(vectors.T @ table @ vectors)
    assert torch.allclose(table @ vectors, vectors * values, atol=1e-4) and bool(
        (values[:-1] >= values[1:] - 1e-5).all()
    )
    seen = torch.zeros(7, 7).index_put_((d["now"], d["next"]), torch.ones(4000), accumulate=True)
    assert torch.allclose(seen / seen.sum(1, keepdim=True), table, atol=0.08)


def test_rewards_of_a_chain_follow_its_position(rows: Sample) -> None:
    d = rows("worlds", "bar", 1000)
    moved = (d["position"] + 0.1 * d["a"][:, 0]).clamp(0, 1)
    assert torch.allclose(d["r"], moved, atol=1e-5)
    assert float(torch.corrcoef(torch.stack([d["noise"][:, 0], d["x"][:, 8]]))[0, 1]) > 0.999
    assert abs(float(torch.corrcoef(torch.stack([d["noise"][:, 0], d["r"]]))[0, 1])) < 0.15


def test_an_automaton_is_deterministic(rows: Sample) -> None:
    d = rows("worlds", "machine", 200)
    seen: dict[tuple[int, int], set[int]] = {}
    for states, tokens in zip(d["state"].tolist(), d["token"].tolist(), strict=True):
        for now, read, then in zip(states, tokens, states[1:], strict=False):
            seen.setdefault((now, read), set()).add(then)
    assert all(len(found) == 1 for found in seen.values()) and len({next(iter(found)) for found in seen.values()}) > 1


def test_sprites_are_where_they_are_said_to_be(rows: Sample) -> None:
    d = rows("worlds", "film", 20)
    x = torch.arange(24.0)
    mass = d["frame"].sum((-2, -1))
    middle = (d["frame"].sum(-1) * x).sum(-1) / mass / 23
    inside = (d["place"] > 0.1).all(-1) & (d["place"] < 0.9).all(-1)
    assert bool(((middle - d["place"][..., 0]).abs()[inside] < 0.04).all()) and bool(inside.any())


def test_dots_are_counted(rows: Sample) -> None:
    d = rows("worlds", "dot", 400)
    assert float(d["x"][d["count"] == 0].abs().sum()) == 0 and set(d["count"].tolist()) == set(range(9))
    assert float(torch.corrcoef(torch.stack([d["x"].sum((1, 2)), d["count"]]))[0, 1]) > 0.9


def test_large_sums_are_held_out(rows: Sample) -> None:
    for split, large in (("train", False), ("test", True)):
        d = rows("worlds", "sum", 300, split=split)
        sums = d["a"].argmax(1) + d["b"].argmax(1)
        assert bool(((sums > 12) == large).all()) and torch.equal(d["y"], sums % 10)
        assert torch.equal(d["a"].sum(1), torch.ones(300))


# ---- texts


def test_parity_is_even(rows: Sample) -> None:
    tokens = rows("texts", "even", 200)["tokens"]
    assert bool((tokens.sum(1) % 2 == 0).all()) and bool((tokens[:, :-1].sum(1) % 2 == 1).any())


def test_phrases_stand_together(rows: Sample) -> None:
    groups = rows("texts", "group", 300)["x"].reshape(-1, 4)
    assert 1 < len(torch.unique(groups, dim=0)) <= 24


def test_strings_are_letters_and_blanks(rows: Sample) -> None:
    text = bytes(rows("texts", "word", 1)["x"][0].tolist()).decode()
    assert len(text) == 24 and text.replace(" ", "a").isalpha() and text.islower()


def test_topics_and_moods_show_in_the_words(rows: Sample) -> None:
    for name, text, label in (("about", "tokens", "topic"), ("mood", "text", "label")):
        train, size = rows("texts", name, 600, split="valid"), 64 if name == "mood" else 32
        counts = torch.zeros(len(train[label]), size).scatter_add_(1, train[text], torch.ones_like(train[text]).float())
        half = len(counts) // 2
        means = torch.stack(
            [counts[:half][train[label][:half] == c].mean(0) + 0.02 for c in range(int(train[label].max()) + 1)]
        )
        guess = (counts[half:] @ torch.log(means).T - means.sum(1)).argmax(1)
        chance = 1 / len(means)
        assert float((guess == train[label][half:]).float().mean()) > chance + 0.2
    assert float(rows("texts", "mood", 2)["frequency"][0].sum()) == pytest.approx(1, abs=1e-5)


def test_the_answer_of_hops_is_a_function_of_the_question(rows: Sample) -> None:
    d = rows("texts", "hop", 3000)
    seen: dict[tuple[int, ...], set[int]] = {}
    for query, doc in zip(d["query"].tolist(), d["doc"].tolist(), strict=True):
        seen.setdefault(tuple(query), set()).add(doc[0])
    assert len(seen) > 100 and all(len(found) == 1 for found in seen.values())


def test_segments_ask_for_what_they_told(rows: Sample) -> None:
    d = rows("texts", "seg", 100)
    for x, y, asked in zip(d["x"], d["y"], d["asked"], strict=True):
        told = dict(zip(x[0, 0::2].tolist(), x[0, 1::2].tolist(), strict=True))
        assert len(told) == 4
        assert asked.nonzero().tolist() == [[2, 0], [2, 2], [2, 4], [2, 6]]
        assert [told[int(key)] for key in x[asked]] == y[asked].tolist()


def test_retrieval_finds_its_answer_in_the_text(rows: Sample) -> None:
    d = rows("texts", "gram", 200)
    for tokens, answer, scored in zip(d["tokens"].tolist(), d["answer"].tolist(), d["scored"].tolist(), strict=True):
        found = [tokens[i + 2] for i in range(13) if tokens[i : i + 2] == tokens[-2:]]
        assert answer[-1] in found and scored == [False] * 15 + [True]
    d = rows("texts", "place", 200)
    assert torch.equal(d["tokens"].gather(1, d["tokens"][:, -1:])[:, 0], d["answer"][:, -1])


def test_the_first_repeat_is_the_first(rows: Sample) -> None:
    d = rows("texts", "first", 100)
    keys = torch.where(d["x.named"], -1 - d["x.name"], d["x.word"]).tolist()
    goals = torch.where(d["y.named"], -1 - d["y.name"], d["y.word"]).tolist()
    for given, wanted in zip(keys, goals, strict=True):
        for t in range(12):
            twice = [given[j] for j in range(t + 1) if given[j] in given[:j]]
            assert wanted[t] == (twice[0] if twice else given[0])


def test_relations_are_a_map(rows: Sample) -> None:
    d = rows("texts", "fact", 500)
    seen = {}
    for tokens, y in zip(d["tokens"].tolist(), d["y"].tolist(), strict=True):
        assert tokens[5] == y and seen.setdefault(tokens[2], y) == y
    assert len(set(seen.values())) == len(seen) > 10


def test_a_texture_goes_on(rows: Sample) -> None:
    d = rows("texts", "picture", 20)
    assert torch.equal(d["x"][:, 1:], d["y"][:, :-1])
    grid = d["x"].reshape(20, 5, 5)
    step = (grid[:, 1:] - grid[:, :-1]) % 16
    assert torch.equal(step, step[:, :, :1].expand_as(step))


# ---- sources made from others


def test_turned_digits_turn_back(rows: Sample) -> None:
    d = rows("derived", "turn", 200)
    assert torch.allclose(d["turn"].norm(dim=1), torch.ones(200), atol=1e-5)
    still = d["turn"][:, 0] > 0.995
    gap = (d["one"] - d["two"]).flatten(1).norm(dim=1)
    assert bool(still.any()) and float(gap[still].mean()) < 0.4 * float(gap[~still].mean())


def test_two_views_are_of_one_class(rows: Sample) -> None:
    d = rows("derived", "two", 64, split="test")
    known = digits(flat=True).splits["test"]
    label = {tuple(x.tolist()): int(y) for x, y in zip(known["x"], known["label"], strict=True)}
    assert [label[tuple(y.tolist())] for y in d["y"]] == d["label"].tolist()


def test_neighbours_are_near(rows: Sample) -> None:
    d = rows("derived", "near", 64)
    others = digits(flat=True).splits["train"]["x"]
    far = torch.cdist(d["x"], others)
    rank = (far < (d["x"] - d["y"]).norm(dim=1, keepdim=True) - 1e-4).float().mean(1)
    assert float(rank.max()) < 0.12 and not bool((d["x"] == d["y"]).all(1).any())


def test_clutter_is_what_was_added(rows: Sample) -> None:
    d = rows("derived", "cloud", 200)
    assert float(d["x"].max()) <= 1 and float(torch.corrcoef(torch.stack([d["x"].sum(1), d["clutter"]]))[0, 1]) > 0.6


def test_pixels_are_one_picture(rows: Sample) -> None:
    d = rows("derived", "pixel", 64)
    picture = d["v"].flatten()
    assert any(torch.equal(picture, x) for x in digits(flat=True).splits["train"]["x"])
    assert d["p"][0].tolist() == [-1, -1] and d["p"][63].tolist() == [1, 1] and d["p"][1, 1] == -1


def test_futures_lie_further_along(rows: Sample) -> None:
    d = rows("derived", "later", 300)
    near, far = d["x0"].norm(dim=1), d["x1"].norm(dim=1)
    assert bool((far >= near - 1e-5).all()) and 0 < float((far - near).mean()) < 0.3
