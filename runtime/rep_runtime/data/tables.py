"""Sources that lie in memory: given arrays, and scikit-learn's handwritten digits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rep_runtime.data.source import SPLITS, FieldSpec, Rows, Source, Split
from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import permutation

# The split is part of the data set, not of a run: it never depends on a run's seed.
_SPLIT_SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Arrays(Source):
    """Fields as tensors with the samples along axis 0, one set per split; all of a split have equal length.

    `axes`: names of the other axes of each field (a field that is left out gets `A1`, `A2`, ..). `below`: bounds of
    index fields.
    """

    splits: Mapping[Split, Mapping[str, Tensor]]
    axes: Mapping[str, tuple[str, ...]]
    below: Mapping[str, int]
    name: str = "arrays"

    def __post_init__(self) -> None:
        for split in SPLITS:
            if split not in self.splits:
                raise RuntimeFault(
                    "REP0707", f"`{self.name}` has no split `{split}`", "give it, with no samples if need be"
                )
            lengths = {field: tensor.shape[0] for field, tensor in self.splits[split].items()}
            if len(set(lengths.values())) > 1:
                listed = ", ".join(f"`{field}` {length}" for field, length in lengths.items())
                raise RuntimeFault("REP0707", f"fields of `{self.name}.{split}` differ in length: {listed}")

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        made: dict[str, FieldSpec] = {}
        for field, tensor in self.splits["train"].items():
            sizes = tuple(tensor.shape[1:])
            names = self.axes.get(field, tuple(f"A{place}" for place in range(1, len(sizes) + 1)))
            made[field] = FieldSpec(tuple(zip(names, sizes, strict=True)), tensor.dtype, self.below.get(field))
        return made

    def size(self, split: Split = "train") -> int:
        return next((tensor.shape[0] for tensor in self.splits[split].values()), 0)

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        return {field: tensor[ids] for field, tensor in self.splits[split].items()}


def arrays(
    train: Mapping[str, Tensor],
    valid: Mapping[str, Tensor] | None = None,
    test: Mapping[str, Tensor] | None = None,
    axes: Mapping[str, tuple[str, ...]] | None = None,
    below: Mapping[str, int] | None = None,
    name: str = "arrays",
) -> Arrays:
    """Tensors as a source; a split that is not given is empty."""
    empty = {field: tensor[:0] for field, tensor in train.items()}
    splits: dict[Split, Mapping[str, Tensor]] = {"train": train, "valid": valid or empty, "test": test or empty}
    return Arrays(splits, axes or {}, below or {}, name)


def stratified(labels: Tensor, valid: float, test: float) -> dict[Split, Tensor]:
    """Ids of each split with every class in proportion: `labels: [N]` int64; shares of `valid` and `test` in [0, 1)."""
    parts: dict[Split, list[Tensor]] = {split: [] for split in SPLITS}
    for label in torch.unique(labels).tolist():
        members = torch.nonzero(labels == label)[:, 0]
        members = members[permutation(_SPLIT_SEED, f"stratified:{label}", 0, len(members))]
        ends = [round(len(members) * test), round(len(members) * (test + valid))]
        parts["test"].append(members[: ends[0]])
        parts["valid"].append(members[ends[0] : ends[1]])
        parts["train"].append(members[ends[1] :])
    return {split: torch.sort(torch.cat(found)).values for split, found in parts.items()}


def digits(
    labels: Iterable[int] | None = None,
    flat: bool = False,
    patches: int | None = None,
    n: int | None = None,
    turns: int = 1,
) -> Arrays:
    """scikit-learn's 1797 handwritten digits, split 80 : 10 : 10 by class, the same for every seed.

    Fields: `x` in [0, 1], float32, `[Y: 8, X: 8]` (`[P: 64]` if `flat`; `[N, P]` as patches of `patches` by `patches`
    pixels); `label` of 10; `id`, the number of the picture. `labels`: keep these classes only (they keep their
    numbers). `n`: so many pictures, all in `train` and numbered from 0; the other splits are empty. `turns`: every
    picture that many times, turned by equal parts of a full turn; each turn of a class is a class (class * turns +
    turn). RuntimeFault REP0708 without scikit-learn, REP0707 for settings that the pictures do not allow.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise RuntimeFault(
            "REP0708", "`digits` reads the pictures of scikit-learn, which is not installed", "pip install scikit-learn"
        ) from error
    loaded = load_digits()
    x = torch.from_numpy(loaded.images).to(torch.float32) / 16
    label = torch.from_numpy(loaded.target).to(torch.int64)
    keep = torch.ones_like(label, dtype=torch.bool)
    if labels is not None:
        wanted = sorted(set(labels))
        if not wanted or wanted[0] < 0 or wanted[-1] > 9:
            raise RuntimeFault("REP0707", f"`digits` has the labels 0 to 9, not {wanted}")
        keep = torch.isin(label, torch.tensor(wanted))
    if patches is not None and (patches < 1 or x.shape[-1] % patches):
        raise RuntimeFault("REP0707", f"pictures of 8 x 8 pixels have no patches of {patches}", "take 1, 2, 4 or 8")
    if turns < 1:
        raise RuntimeFault("REP0707", f"`turns` is {turns}", "a picture has one turn or more")
    splits: dict[Split, Mapping[str, Tensor]] = {}
    for split, ids in stratified(label, valid=0.1, test=0.1).items():
        chosen = ids[keep[ids]]
        numbers = chosen
        if n is not None:
            if split == "train" and len(chosen) < n:
                raise RuntimeFault("REP0707", f"`digits` has {len(chosen)} such pictures, not {n}", "ask for fewer")
            # Evenly spread, so that every class has its share.
            chosen = chosen[torch.arange(n) * len(chosen) // n] if split == "train" else chosen[:0]
            numbers = torch.arange(len(chosen))
        splits[split] = _laid_out(x[chosen], label[chosen], numbers, turns, flat, patches)
    axes = {"x": ("N", "P") if patches is not None else ("P",) if flat else ("Y", "X")}
    count = len(label) if n is None else n
    return Arrays(splits, axes, {"label": 10 * turns, "id": count * turns}, "digits")


def _laid_out(
    x: Tensor, label: Tensor, numbers: Tensor, turns: int, flat: bool, patches: int | None
) -> dict[str, Tensor]:
    """Pictures `[B, 8, 8]` in all their turns, as they are asked for."""
    if turns > 1:
        x = torch.stack([turned(x, 2 * math.pi * turn / turns) for turn in range(turns)], 1).flatten(0, 1)
        turn = torch.arange(turns).repeat(len(label))
        label = label.repeat_interleave(turns) * turns + turn
        numbers = numbers.repeat_interleave(turns) * turns + turn
    if patches is not None:
        count = x.shape[-1] // patches
        x = x.reshape(-1, count, patches, count, patches).transpose(2, 3).reshape(-1, count**2, patches**2)
    elif flat:
        x = x.flatten(1)
    return {"x": x, "label": label, "id": numbers}


def turned(x: Tensor, angle: float) -> Tensor:
    """Pictures `[B, H, W]` turned about their middle by `angle` radians; zero from outside, bilinear in between."""
    c, s = math.cos(angle), math.sin(angle)
    turn = torch.tensor([[c, -s, 0.0], [s, c, 0.0]], dtype=x.dtype).expand(len(x), 2, 3)
    grid = nn.functional.affine_grid(turn, [len(x), 1, *x.shape[1:]], align_corners=True)
    found: Tensor = nn.functional.grid_sample(x[:, None], grid, align_corners=True)[:, 0]
    return found.clamp(0, 1)
