"""Sources made of sources, and stores of samples."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from rep_runtime import RuntimeFault
from rep_runtime.data import Arrays, Store, arrays, classes, episodes, herded, joined, part, picked, uneven_part


@pytest.fixture
def numbers() -> Arrays:
    """Twelve samples of four labels, three of each; x is the number of the sample."""
    x = torch.arange(12.0)[:, None]
    label = torch.arange(12) % 4
    test = {"x": x[:4], "label": label[:4]}
    return arrays({"x": x, "label": label}, test=test, below={"label": 4})


def whole(source: object, field: str) -> list[float]:
    (rows,) = source.all("train", 100)  # type: ignore[attr-defined]
    return rows[field].flatten().tolist()  # type: ignore[no-any-return]


def test_parts_take_the_labels_in_turn(numbers: Arrays) -> None:
    first, second = (part(numbers, (1, 3), number) for number in (0, 1))
    assert whole(first, "x") == [0, 4, 8]
    assert sorted(whole(second, "label")) == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [first.count("test"), second.count("test")] == [1, 3]


def test_labels_count_anew_in_every_part(numbers: Arrays) -> None:
    second = part(numbers, (2, 2), 1, relabel=True)
    assert sorted(set(whole(second, "label"))) == [0, 1]
    assert second.fields["label"].below == 2
    assert whole(second, "x") == [2, 3, 6, 7, 10, 11]


def test_a_field_that_is_missing_is_told(numbers: Arrays) -> None:
    with pytest.raises(RuntimeFault, match="no field `kind`"):
        part(numbers, (2, 2), 0, by="kind")


def test_uneven_parts_share_every_sample_once(numbers: Arrays) -> None:
    parts = [uneven_part(numbers, 3, number, 0.3) for number in range(3)]
    assert sorted(x for one in parts if one.count("train") for x in whole(one, "x")) == list(range(12))


def test_joined_sources_keep_order_and_both_splits(numbers: Arrays) -> None:
    both = joined(part(numbers, (1, 3), 1), part(numbers, (1, 3), 0))
    assert whole(both, "x") == [1, 2, 3, 5, 6, 7, 9, 10, 11, 0, 4, 8]
    assert both.count("test") == 4
    rows = both.rows(torch.tensor([9, 0, 11]), 0, "train")
    assert rows["x"].flatten().tolist() == [0, 1, 8]


def test_a_store_holds_what_was_chosen_and_may_be_chosen_from(numbers: Arrays) -> None:
    store = Store(8, numbers.fields)
    assert store.samples.count("train") == 0
    store.fill(picked(numbers, 1))
    assert sorted(store.samples.rows(torch.arange(4), 0, "train")["label"].tolist()) == [0, 1, 2, 3]
    store.fill(joined(store.samples, picked(part(numbers, (1, 3), 0), 1)))
    assert store.samples.count("train") == 5
    assert {"x", "label", "count"} == set(store.state_dict())
    with pytest.raises(RuntimeFault, match="cannot hold 12"):
        store.fill(numbers)


def test_herding_takes_the_samples_nearest_to_the_mean() -> None:
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]])
    source = arrays({"x": x, "label": torch.zeros(4, dtype=torch.int64)})

    def features(rows: dict[str, Tensor]) -> Tensor:
        return rows["x"]

    mean = torch.nn.functional.normalize(x, dim=1).mean(0)
    nearest = (torch.nn.functional.normalize(x, dim=1) - mean).norm(dim=1).argmin()
    chosen = herded(source, features, 1)
    assert torch.equal(chosen.rows(torch.arange(1), 0, "train")["x"][0], x[nearest])


def test_classes_are_those_of_the_training_split(numbers: Arrays) -> None:
    mask = classes(part(numbers, (1, 3), 1), 4).batch(0, 2, 0)["x"]
    assert mask.tolist() == [[False, True, True, True]] * 2


def test_an_episode_asks_about_the_classes_of_its_support() -> None:
    labels = torch.arange(60) % 15
    source = arrays({"x": labels[:, None].float(), "label": labels})
    made = episodes(source, ways=3, shots=2, queries=4)
    rows = made.rows(torch.tensor([0, 7]), 5, "train")
    assert (rows["s"].shape, rows["x"].shape) == ((2, 3, 2, 1), (2, 4, 1))
    for one in range(2):
        assert torch.equal(rows["s"][one, :, 0, 0][rows["y"][one]], rows["x"][one, :, 0])
        assert len(set(rows["s"][one, :, 0, 0].tolist())) == 3
    again = made.rows(torch.tensor([7]), 5, "train")
    assert torch.equal(again["x"][0], rows["x"][1])
    seen, held = (
        {x for (rows,) in [made.all(split, 200, 0)] for x in rows["s"].flatten().tolist()}
        for split in ("valid", "test")
    )
    trained = set(made.batch(0, 100, 0)["s"].flatten().tolist())
    assert not trained & held and not trained & seen and not seen & held
