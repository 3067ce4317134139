"""Sources made of sources: parts by label, unions, and choices of samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from rep_runtime.data.source import SPLITS, FieldSpec, Rows, Source, Split
from rep_runtime.data.tables import Arrays
from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import generator, permutation

# Which samples a part holds belongs to the data, not to a run: it never depends on a run's seed.
_SEED = 0


def _all(source: Source, split: Split) -> Rows:
    """Every sample of a split at once."""
    return source.rows(torch.arange(source.count(split)), _SEED, split)


@dataclass(frozen=True, slots=True, eq=False)
class Part(Source):
    """Some samples of a source. `chosen`: their ids, by split. `field`, `low`: a label that counts from `low` here."""

    name: str
    source: Source
    chosen: Mapping[Split, Tensor]
    field: str = ""
    low: int = 0
    below: int | None = None

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        made = dict(self.source.fields)
        if self.field and self.below is not None:
            made[self.field] = FieldSpec(made[self.field].axes, made[self.field].dtype, self.below)
        return made

    def size(self, split: Split = "train") -> int:
        return len(self.chosen[split])

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        found = self.source.rows(self.chosen[split][ids], seed, split)
        return {name: value - self.low if name == self.field else value for name, value in found.items()}


def _labels(source: Source, by: str, split: Split) -> Tensor:
    rows = _all(source, split)
    if by not in rows:
        listed = ", ".join(f"`{name}`" for name in rows)
        raise RuntimeFault("REP0707", f"`{source.name}` has no field `{by}` to split by", f"its fields: {listed}")
    return rows[by]


def part(source: Source, sizes: tuple[int, ...], number: int, by: str = "label", relabel: bool = False) -> Part:
    """Part `number` of a source cut by a label: it has the next `sizes[number]` labels, in their order.

    `relabel`: they count from 0 in every part. RuntimeFault REP0707 without the field `by`.
    """
    low = sum(sizes[:number])
    high = low + sizes[number]
    chosen: dict[Split, Tensor] = {}
    for split in SPLITS:
        labels = _labels(source, by, split) if source.count(split) else torch.zeros(0, dtype=torch.int64)
        chosen[split] = torch.nonzero((labels >= low) & (labels < high))[:, 0]
    name = f"{source.name}[{number}]"
    return Part(name, source, chosen, by, low, sizes[number]) if relabel else Part(name, source, chosen)


def uneven_part(source: Source, parts: int, number: int, alpha: float, by: str = "label") -> Part:
    """Part `number` of `parts` that share every label by proportions of their own, drawn from Dirichlet(alpha).

    Small `alpha`: most samples of a label lie in few parts (Hsu et al. 2019).
    """
    chosen: dict[Split, Tensor] = {}
    for split in SPLITS:
        mine: list[Tensor] = []
        labels = _labels(source, by, split) if source.count(split) else torch.zeros(0, dtype=torch.int64)
        for label in torch.unique(labels).tolist():
            members = torch.nonzero(labels == label)[:, 0]
            members = members[permutation(_SEED, f"shares:{label}:{split}", 0, len(members))]
            rng = generator(_SEED, f"shares:{label}", 0, 0)
            weights = torch._standard_gamma(torch.full((parts,), alpha, dtype=torch.float64), rng)
            ends = (weights / weights.sum()).cumsum(0).mul(len(members)).round().long()
            start = int(ends[number - 1]) if number else 0
            mine.append(members[start : len(members) if number == parts - 1 else int(ends[number])])
        chosen[split] = torch.sort(torch.cat(mine)).values if mine else torch.zeros(0, dtype=torch.int64)
    return Part(f"{source.name}[{number}]", source, chosen)


@dataclass(frozen=True, slots=True, eq=False)
class Joined(Source):
    """The samples of one source and then those of another, of the fields that both have."""

    left: Source
    right: Source

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"{self.left.name}+{self.right.name}"

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        both = self.right.fields
        return {name: spec for name, spec in self.left.fields.items() if name in both}

    def size(self, split: Split = "train") -> int:
        return self.left.count(split) + self.right.count(split)

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        first = self.left.count(split)
        here = ids < first
        made: Rows = {}
        parts = [(self.left, ids[here], here), (self.right, ids[~here] - first, ~here)]
        for source, chosen, places in parts:
            if not len(chosen):
                continue
            for name, value in source.rows(chosen, seed, split).items():
                if name in self.fields:
                    made.setdefault(name, value.new_zeros((len(ids), *value.shape[1:])))[places] = value
        return made


def joined(left: Source, right: Source) -> Source:
    """Both sources as one; an empty one adds nothing."""
    return Joined(left, right)


def _kept(source: Source, chosen: Tensor) -> Arrays:
    """Some samples of the training split, as they are."""
    rows = source.rows(chosen, _SEED, "train") if len(chosen) else {}
    if not rows:
        rows = {name: torch.zeros((0, *spec.shape), dtype=spec.dtype) for name, spec in source.fields.items()}
    empty = {name: tensor[:0] for name, tensor in rows.items()}
    return Arrays({"train": rows, "valid": empty, "test": empty}, {}, {}, source.name)


def picked(source: Source, per_class: int, by: str = "label") -> Arrays:
    """At most `per_class` samples of every label, the same for every run."""
    labels = _labels(source, by, "train") if source.count("train") else torch.zeros(0, dtype=torch.int64)
    found = [
        members[permutation(_SEED, f"picked:{label}", 0, len(members))[:per_class]]
        for label in torch.unique(labels).tolist()
        for members in [torch.nonzero(labels == label)[:, 0]]
    ]
    return _kept(source, torch.cat(found) if found else torch.zeros(0, dtype=torch.int64))


@torch.no_grad()
def herded(source: Source, features: Callable[[Rows], Tensor], per_class: int, by: str = "label") -> Arrays:
    """At most `per_class` samples of every label whose mean feature is nearest to the label's, taken one by one.

    Herding (Welling 2009, as in iCaRL): step k adds the sample that brings the mean of k features nearest to the mean
    of all; features have length one. `features`: from samples to `[n, D]`.
    """
    rows = _all(source, "train")
    found: list[Tensor] = []
    for label in torch.unique(rows[by]).tolist():
        members = torch.nonzero(rows[by] == label)[:, 0]
        made = features({name: value[members] for name, value in rows.items()}).flatten(1)
        made = made / made.norm(dim=1, keepdim=True).clamp_min(1e-12)
        mean, total = made.mean(0), torch.zeros_like(made[0])
        left = torch.ones(len(members), dtype=torch.bool)
        for count in range(1, min(per_class, len(members)) + 1):
            far = (mean - (total + made) / count).norm(dim=1)
            best = int(far.masked_fill(~left.to(far.device), float("inf")).argmin())
            left[best] = False
            total = total + made[best]
            found.append(members[best : best + 1])
    return _kept(source, torch.cat(found) if found else torch.zeros(0, dtype=torch.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Classes(Source):
    """Which of `count` labels a source's training split has: one field `x`, `[count]` bool, equal for all samples."""

    source: Source
    count_: int
    by: str = "label"

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"classes({self.source.name})"

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        return {"x": FieldSpec((("Class", self.count_),), torch.bool)}

    def size(self, split: Split = "train") -> None:
        return None

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        found = torch.zeros(self.count_, dtype=torch.bool)
        if self.source.count("train"):
            found[torch.unique(_labels(self.source, self.by, "train"))] = True
        return {"x": found.expand(len(ids), -1)}


def classes(source: Source, count: int, by: str = "label") -> Classes:
    """The labels of a source as a mask over all `count` labels."""
    return Classes(source, count, by)
