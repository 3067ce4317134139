"""Multi-query associative recall (Arora et al. 2023, "Zoology"): pairs first, then some of the keys are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from rep_runtime.data.source import FieldSpec, Rows, Source, Split
from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import counter_integers, counter_uniform

# (name of a part, columns) -> uniform numbers [B, columns]
_Numbers = Callable[[str, int], Tensor]


def distinct(draw: Tensor, order: Tensor, pool: int) -> Tensor:
    """Distinct numbers of 0 .. pool - 1 in random order, from two uniform arrays: `[B, n]`, `[B, n]` -> `[B, n]`.

    Floyd's method picks the set (a repeated number is replaced by the newest one), `order` shuffles it.
    """
    count = draw.shape[1]
    chosen = torch.empty(draw.shape, dtype=torch.int64, device=draw.device)
    for turn in range(count):
        newest = pool - count + turn
        pick = (draw[:, turn] * (newest + 1)).to(torch.int64).clamp_(max=newest)
        seen = (chosen[:, :turn] == pick[:, None]).any(dim=1)
        chosen[:, turn] = torch.where(seen, newest, pick)
    return torch.gather(chosen, 1, torch.argsort(order, dim=1))


@dataclass(frozen=True, slots=True)
class Mqar(Source):
    """Samples of recall. Fields: `x: [T] of V` tokens, `y: [T] of V` the answers, `asked: [T]` bool.

    The context is `k1 v1 .. kn vn`, said `passes` times; keys are distinct tokens of 1 .. V/2 - 1, values distinct
    tokens of V/2 .. V - 1. Then `reassign` pairs give that many keys a new value, and the last one counts. In the rest
    each key is asked once, at an even distance from the context: slot s of 1 .. (L - context)/2 with probability
    proportional to `power s^(power - 1)`, without replacement (small `power`: soon after). `y` holds the value at the
    position of the asked key, and 0 elsewhere. Other positions are the filler 0, or with `random_non_queries` any
    token; `collision_free` keeps the sample's own keys out of those.
    """

    length: int
    vocab: int
    pairs: int
    passes: int = 1
    power: float = 0.01
    random_non_queries: bool = False
    collision_free: bool = False
    reassign: int = 0
    train_size: int | None = None
    held_out: int = 1000
    axis: str = "T"
    name: str = "mqar"

    def __post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise RuntimeFault("REP0707", f"`mqar`: {problem[0]}", problem[1])

    def _problem(self) -> tuple[str, str] | None:
        if min(self.length, self.vocab, self.pairs, self.passes) < 1 or self.reassign < 0 or self.power <= 0:
            return "length, vocab, pairs, passes and power are positive, reassign is not negative", ""
        if self.length % 2:
            return f"length {self.length} is odd", f"write `length: {self.length + 1}`"
        if self.reassign > self.pairs:
            return f"{self.reassign} keys get a new value, but there are {self.pairs}", ""
        tokens = max(2 * (self.pairs + 1), 2 * (self.pairs + self.reassign))
        if self.vocab < tokens:
            return f"{self.pairs} pairs need {tokens} tokens, vocab is {self.vocab}", f"write `vocab: {tokens}` or more"
        needed = self._context + 2 * self.pairs
        if self.length < needed:
            said = f"context {self._context} and {self.pairs} questions need length {needed}, not {self.length}"
            return said, f"write `length: {needed}` or fewer pairs"
        return None

    @property
    def _context(self) -> int:
        return 2 * (self.pairs * self.passes + self.reassign)

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        axes = ((self.axis, self.length),)
        token = FieldSpec(axes, torch.int64, below=self.vocab)
        return {"x": token, "y": token, "asked": FieldSpec(axes, torch.bool)}

    def size(self, split: Split = "train") -> int | None:
        return self.train_size if split == "train" else self.held_out

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        n, half = self.pairs, self.vocab // 2

        def numbers(part: str, columns: int) -> Tensor:
            return counter_uniform(seed, f"data:{self.name}.{split}.{part}", ids, columns)

        keys = 1 + distinct(numbers("key", n), numbers("key order", n), half - 1)
        fresh = n + self.reassign
        values = half + distinct(numbers("value", fresh), numbers("value order", fresh), self.vocab - half)

        first, later = values[:, :n], values[:, n:]
        changed = distinct(numbers("changed", self.reassign), numbers("changed order", self.reassign), n)
        said = torch.stack((keys, first), dim=2).reshape(len(ids), 2 * n).repeat(1, self.passes)
        again = torch.stack((torch.gather(keys, 1, changed), later), dim=2).reshape(len(ids), 2 * self.reassign)
        answers = first.scatter(1, changed, later)

        x = torch.zeros(len(ids), self.length, dtype=torch.int64)
        y = torch.zeros_like(x)
        asked = torch.zeros_like(x, dtype=torch.bool)
        x[:, : self._context] = torch.cat((said, again), dim=1)
        places = self._context + 2 * self._slots(numbers)
        x.scatter_(1, places, keys)
        y.scatter_(1, places, answers)
        asked.scatter_(1, places, True)
        if self.random_non_queries:
            free = ~asked
            free[:, : self._context] = False
            x = torch.where(free, self._fillers(ids, seed, split, keys), x)
        return {"x": x, "y": y, "asked": asked}

    def _slots(self, numbers: _Numbers) -> Tensor:
        """A slot per key, without replacement, by the power law: the largest of log p + Gumbel noise. `[B, n]`."""
        space = (self.length - self._context) // 2
        place = torch.arange(1, space + 1, dtype=torch.float64)
        noise = -torch.log(-torch.log(numbers("slot", space).clamp(min=2.0**-53)))
        return torch.topk((self.power - 1) * torch.log(place) + noise, self.pairs, dim=1).indices

    def _fillers(self, ids: Tensor, seed: int, split: Split, keys: Tensor) -> Tensor:
        stream = f"data:{self.name}.{split}.filler"
        if not self.collision_free:
            return counter_integers(seed, stream, ids, self.length, self.vocab)
        drawn = counter_integers(seed, stream, ids, self.length, self.vocab - self.pairs)
        # The j-th smallest key takes one number away: count how many lie at or below, and step over them.
        gaps = torch.sort(keys, dim=1).values - torch.arange(self.pairs)
        return drawn + torch.searchsorted(gaps, drawn, right=True)


def mqar(
    pairs: int,
    vocab: int,
    length: int | None = None,
    passes: int = 1,
    power: float = 0.01,
    random_non_queries: bool = False,
    collision_free: bool = False,
    reassign: int = 0,
    train: int | None = None,
    held_out: int = 1000,
    axis: str = "T",
) -> Mqar:
    """The recall task as a source; see `Mqar`.

    `length`: tokens in a sample (None: four times what the pairs and the questions fill, as in the paper's tables).
    `train`: size of the training split (None: every sample is new).
    """
    filled = 2 * (pairs * passes + reassign) + 2 * pairs
    return Mqar(
        length=4 * filled if length is None else length,
        vocab=vocab,
        pairs=pairs,
        passes=passes,
        power=power,
        random_non_queries=random_non_queries,
        collision_free=collision_free,
        reassign=reassign,
        train_size=train,
        held_out=held_out,
        axis=axis,
    )
