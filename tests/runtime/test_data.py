"""Sources: pure functions of (id, seed, split); what they hold is what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import rep_runtime
from rep_runtime import RuntimeFault
from rep_runtime.data import Generated, Mqar, Source, arrays, bytes_stdlib, digits, entropy0, mqar
from rep_runtime.data.recall import distinct


@pytest.fixture(scope="module")
def stdlib() -> Source:
    return bytes_stdlib(32, megabytes=0.6)


def sources(stdlib: Source, generated: Callable[..., Generated]) -> list[Source]:
    finite = mqar(2, 16, train=50, random_non_queries=True)
    return [stdlib, mqar(3, 32), finite, digits(), generated(), generated(train_size=30)]


def test_rows_do_not_depend_on_the_batch_they_come_in(stdlib: Source, generated: Callable[..., Generated]) -> None:
    for source in sources(stdlib, generated):
        for split in ("train", "valid", "test"):
            ids = torch.tensor([7, 0, 12, 29])
            together = source.rows(ids, 5, split)
            for name, spec in source.fields.items():
                assert together[name].shape == (4, *spec.shape) and together[name].dtype == spec.dtype
                if spec.below is not None:
                    assert 0 <= int(together[name].min()) and int(together[name].max()) < spec.below
            for row, index in enumerate(ids):
                alone = source.rows(index[None], 5, split)
                assert all(torch.equal(alone[name][0], together[name][row]) for name in alone), source.name


def test_batches_are_pure_and_follow_the_seed(stdlib: Source, generated: Callable[..., Generated]) -> None:
    for source in sources(stdlib, generated):
        one, again, other = source.batch(4, 8, 0), source.batch(4, 8, 0), source.batch(4, 8, 1)
        assert all(torch.equal(one[name], again[name]) for name in one)
        assert any(not torch.equal(one[name], other[name]) for name in one)
        later = source.batch(5, 8, 0)
        assert any(not torch.equal(one[name], later[name]) for name in one)


def test_an_epoch_visits_every_sample_once() -> None:
    source = arrays({"id": torch.arange(23)})
    epochs = [torch.cat([source.batch(step, 5, 3)["id"] for step in range(start, start + 4)]) for start in (0, 4)]
    for seen in epochs:
        assert len(torch.unique(seen)) == 20
    assert not torch.equal(epochs[0], epochs[1])
    assert torch.equal(source.batch(9, 0, 3)["id"], torch.arange(23))  # 0: the whole split


def test_a_pass_sees_the_split_once_in_order() -> None:
    source = arrays({"id": torch.arange(4)}, test={"id": torch.arange(23)})
    assert torch.equal(torch.cat([rows["id"] for rows in source.test.all(5)]), torch.arange(23))
    assert source.test.size == 23 and source.valid.size == 0


def test_faults_of_sources(stdlib: Source) -> None:
    faults: list[tuple[Callable[[], object], str]] = [
        (lambda: arrays({"id": torch.arange(4)}).batch(0, 5, 0), "has 4 samples, but a batch takes 5"),
        (lambda: arrays({"x": torch.zeros(4), "y": torch.zeros(3)}), "differ in length"),
        (lambda: next(stdlib.all("train", 8)), "has no end"),
        (lambda: bytes_stdlib(10**7, megabytes=0.3), "fewer than one window"),
        (lambda: bytes_stdlib(0), "at least one byte"),
        (lambda: digits(labels=[10]), "labels 0 to 9"),
        (lambda: mqar(4, 8), "4 pairs need 10 tokens, vocab is 8"),
        (lambda: mqar(4, 64, length=14), "need length 16, not 14"),
        (lambda: mqar(4, 64, length=31), "length 31 is odd"),
        (lambda: mqar(2, 64, reassign=3), "3 keys get a new value, but there are 2"),
        (lambda: mqar(0, 64), "are positive"),
    ]
    for make, part in faults:
        with pytest.raises(RuntimeFault, match=part) as caught:
            make()
        assert caught.value.code == "REP0707"


def test_no_sources_is_told(tmp_path: Path) -> None:
    with pytest.raises(RuntimeFault, match="no Python sources") as caught:
        bytes_stdlib(8, root=tmp_path)
    assert caught.value.code == "REP0707"


def test_held_out_text_is_not_trained_on(tmp_path: Path) -> None:
    for number in range(120):
        (tmp_path / f"m{number}.py").write_text(f"# file {number:03d} " + "x" * 40 + "\n")
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages/other.py").write_text("# foreign\n" * 20)
    source = bytes_stdlib(16, root=tmp_path)
    texts = {split: bytes(stream.tolist()).decode() for split, stream in source.streams.items()}
    found = {split: {line for line in text.splitlines() if line} for split, text in texts.items()}
    assert all(len(lines) > 1 for lines in found.values())
    assert not found["train"] & (found["test"] | found["valid"]) and not found["valid"] & found["test"]
    assert sum(map(len, found.values())) == 120 and "foreign" not in texts["train"]
    again = bytes_stdlib(16, root=tmp_path)
    assert all(torch.equal(again.streams[split], stream) for split, stream in source.streams.items())


def test_the_cap_holds(stdlib: Source) -> None:
    assert sum(stream.numel() for stream in stdlib.streams.values()) <= 600_000  # type: ignore[attr-defined]
    assert 3.5 < stdlib.entropy0 < 5.5  # type: ignore[attr-defined]


def test_entropy0_by_hand() -> None:
    assert entropy0(torch.tensor([1, 1, 2, 2], dtype=torch.uint8)) == 1.0
    assert entropy0(torch.tensor([1, 1, 1, 2], dtype=torch.uint8)) == pytest.approx(0.8112781244591328)
    assert entropy0(torch.zeros(5, dtype=torch.uint8)) == 0.0


def reference_answers(source: Mqar, x: list[int], asked: list[bool]) -> list[int]:
    """Read the context like a dictionary, answer each question from it."""
    context = 2 * (source.pairs * source.passes + source.reassign)
    memory = {x[at]: x[at + 1] for at in range(0, context, 2)}
    return [memory[token] if ask else 0 for token, ask in zip(x, asked, strict=True)]


@pytest.mark.parametrize("reassign", [0, 2])
@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize(("fill", "free"), [(False, False), (True, False), (True, True)])
def test_mqar_is_as_defined(reassign: int, passes: int, fill: bool, free: bool) -> None:
    source = mqar(
        4, 21, length=40, passes=passes, reassign=reassign, random_non_queries=fill, collision_free=free, train=200
    )
    rows = source.rows(torch.arange(200), 0, "train")
    context = 2 * (4 * passes + reassign)
    for x, y, asked in zip(rows["x"].tolist(), rows["y"].tolist(), rows["asked"].tolist(), strict=True):
        assert y == reference_answers(source, x, asked)
        keys, values = x[0 : 8 * passes : 2], x[1 : 8 * passes : 2]
        assert len(set(keys)) == 4 and keys == keys[:4] * passes and all(1 <= key < 10 for key in keys)
        assert values == values[:4] * passes and len(set(values[:4] + x[8 * passes + 1 : context : 2])) == 4 + reassign
        assert all(10 <= value < 21 for value in values)
        places = [at for at, ask in enumerate(asked) if ask]
        assert len(places) == 4 and sorted(x[at] for at in places) == sorted(keys[:4])
        assert all(at >= context and (at - context) % 2 == 0 for at in places)
        rest = [x[at] for at in range(context, 40) if not asked[at]]
        assert fill or rest == [0] * len(rest)
        assert not free or not set(rest) & set(keys)
    if fill:
        free_places = ~rows["asked"]
        free_places[:, :context] = False
        assert len(torch.unique(rows["x"][free_places])) == 21


def test_mqar_gaps_follow_the_power_law() -> None:
    """One pair: the slot's frequency is its probability; power 1 is uniform."""
    for power in (0.01, 1.0):
        rows = mqar(1, 8, length=18, power=power).rows(torch.arange(20_000), 0, "test")
        slot = (rows["asked"].to(torch.int64).argmax(1) - 2) // 2
        share = torch.bincount(slot, minlength=8) / 20_000
        law = torch.arange(1, 9) ** (power - 1.0)
        torch.testing.assert_close(share, law / law.sum(), atol=0.012, rtol=0)


def test_distinct_is_uniform_over_arrangements() -> None:
    generator = torch.Generator().manual_seed(0)
    draw, order = (torch.rand(24_000, 2, generator=generator, dtype=torch.float64) for _ in range(2))
    pairs = distinct(draw, order, 4)
    share = torch.bincount(pairs[:, 0] * 4 + pairs[:, 1], minlength=16).reshape(4, 4) / 24_000
    torch.testing.assert_close(share, (1 - torch.eye(4)) / 12, atol=0.008, rtol=0)


def test_digits_are_split_by_class_once_and_for_all() -> None:
    source = digits()
    ids = {split: source.splits[split]["id"] for split in ("train", "valid", "test")}
    assert [len(found) for found in ids.values()] == [1438, 180, 179]
    assert torch.equal(torch.sort(torch.cat(list(ids.values()))).values, torch.arange(1797))
    counts = torch.bincount(source.splits["test"]["label"], minlength=10)
    assert int(counts.min()) >= 17 and int(counts.max()) <= 19
    x = source.splits["train"]["x"]
    assert x.shape == (1438, 8, 8) and float(x.min()) == 0 and float(x.max()) == 1
    some = digits(labels=range(5), flat=True)
    assert set(some.splits["train"]["label"].tolist()) == {0, 1, 2, 3, 4}
    kept = source.splits["test"]["id"][source.splits["test"]["label"] < 5]
    assert torch.equal(some.splits["test"]["id"], kept) and some.fields["x"].shape == (64,)


def test_digits_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(RuntimeFault) as caught:
        digits()
    assert caught.value.code == "REP0708" and caught.value.hint == "pip install scikit-learn"


def test_the_runtime_loads_without_its_optional_packages() -> None:
    heavy = "('sklearn', 'matplotlib', 'pandas', 'lark', 'pydantic')"
    modules = "rep_runtime.training, rep_runtime.data, rep_runtime.sampling, rep_runtime.guards"
    text = f"import sys, {modules}; print([name for name in {heavy} if name in sys.modules])"
    path = {"PYTHONPATH": str(Path(rep_runtime.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False, env={**os.environ, **path}
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
