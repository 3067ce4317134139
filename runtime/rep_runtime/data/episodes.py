"""Episodes of a few classes: a support with its labels, and queries to be told apart by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rep_runtime.data.source import FieldSpec, Rows, Source, Split
from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import generator, permutation

# Which classes are held out belongs to the data, not to a run.
_SEED = 0


@dataclass(frozen=True, slots=True, eq=False)
class Episodes(Source):
    """Few-shot episodes (Vinyals et al. 2016), each a pure function of (id, seed, split).

    Fields: `s`, the support, `[ways, shots, ..]` (`[ways, ..]` for one shot); `x`, `[queries, ..]`; `y`, `[queries]`,
    the place of the query's class in the support. A fifth of the classes is held out for each of `valid` and `test`.
    """

    name: str
    source: Source
    ways: int
    shots: int
    queries: int
    by: str = "label"
    held_out: int = 200
    _pools: dict[str, list[Tensor]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        spec = self.source.fields[self._first()]
        shots = (("Shot", self.shots),) if self.shots > 1 else ()
        return {
            "s": FieldSpec((("Way", self.ways), *shots, *spec.axes), spec.dtype),
            "x": FieldSpec((("Query", self.queries), *spec.axes), spec.dtype),
            "y": FieldSpec((("Query", self.queries),), torch.int64, self.ways),
        }

    def _first(self) -> str:
        return next(name for name in self.source.fields if name != self.by)

    def size(self, split: Split = "train") -> int | None:
        return None if split == "train" else self.held_out

    def _pool(self, split: Split) -> list[Tensor]:
        """Ids of the samples of each class of a split, of those classes that have enough for an episode."""
        if split not in self._pools:
            labels = self.source.rows(torch.arange(self.source.count("train")), _SEED, "train")[self.by]
            found = torch.unique(labels)
            found = found[permutation(_SEED, "episodes", 0, len(found))]
            fifth = max(self.ways, round(len(found) / 5))
            cuts = {"test": found[:fifth], "valid": found[fifth : 2 * fifth], "train": found[2 * fifth :]}
            members = [torch.nonzero(labels == label)[:, 0] for label in cuts[split].tolist()]
            self._pools[split] = [ids for ids in members if len(ids) > self.shots]
            if len(self._pools[split]) < self.ways:
                raise RuntimeFault(
                    "REP0707",
                    f"`{self.source.name}` has {len(found)} classes, too few for {self.ways} ways in every split",
                    "ask for fewer ways",
                )
        return self._pools[split]

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        pool = self._pool(split)
        support: list[Tensor] = []
        asked: list[Tensor] = []
        answers: list[Tensor] = []
        for number in ids.tolist():
            rng = generator(seed, f"episodes:{split}", 0, number)
            chosen = torch.randperm(len(pool), generator=rng)[: self.ways].tolist()
            mixed = [pool[place][torch.randperm(len(pool[place]), generator=rng)] for place in chosen]
            support.append(torch.stack([one[: self.shots] for one in mixed]))
            places = torch.randint(self.ways, (self.queries,), generator=rng)
            draws = torch.rand(self.queries, generator=rng)
            rest = [mixed[place][self.shots :] for place in places.tolist()]
            asked.append(torch.stack([one[int(share * len(one))] for one, share in zip(rest, draws, strict=True)]))
            answers.append(places)
        first = self._first()
        made = {"s": self._read(first, torch.stack(support)), "x": self._read(first, torch.stack(asked))}
        if self.shots == 1:
            made["s"] = made["s"].squeeze(2)
        return {**made, "y": torch.stack(answers)}

    def _read(self, name: str, ids: Tensor) -> Tensor:
        rows = self.source.rows(ids.flatten(), _SEED, "train")[name]
        return rows.reshape(*ids.shape, *rows.shape[1:])


def episodes(source: Source, ways: int, shots: int = 1, queries: int = 1, by: str = "label") -> Episodes:
    """Episodes of a source with labels."""
    return Episodes(f"episodes({source.name})", source, ways, shots, queries, by)
