"""Two train classes as the compiler would write them, and a run folder to train them in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from rep_runtime.data import ByteStream, Generated, digits
from rep_runtime.data.source import FieldSpec, Rows
from rep_runtime.draws import Draws
from rep_runtime.inits import Init
from rep_runtime.optim import adamw, muon, sgd
from rep_runtime.schedules import Cosine
from rep_runtime.training import (
    Across,
    Feed,
    Measure,
    Now,
    Optimize,
    Options,
    Outcome,
    Player,
    RunSpec,
    Settings,
    Trainer,
    TrainStep,
    Weighted,
)


class Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.bias = nn.Parameter(torch.empty(outputs))
        self.inits = {"weight": Init("fan_in", (), inputs, outputs), "bias": Init("zeros")}

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)


class Decay(nn.Module):
    """A causal token model: a decaying sum of embeddings, then a linear layer."""

    def __init__(self, vocab: int = 256, width: int = 16) -> None:
        super().__init__()
        self.embed = nn.Parameter(torch.empty(vocab, width))
        self.rate = nn.Parameter(torch.empty(()))
        self.inits = {"embed": Init("normal", (0.0, 0.3)), "rate": Init("constant", (0.0,))}
        self.out = Linear(width, vocab)

    def init_state(self, *lifted: int, device: torch.device, dtype: torch.dtype) -> Tensor:
        return torch.zeros(*lifted, self.embed.shape[1], device=device, dtype=dtype)

    def step(self, token: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        state = torch.sigmoid(self.rate) * state + self.embed[token]
        return self.out(state), state

    def forward(self, tokens: Tensor) -> Tensor:
        state = self.init_state(*tokens.shape[:-1], device=self.embed.device, dtype=self.embed.dtype)
        logits = []
        for token in tokens.unbind(-1):
            row, state = self.step(token, state)
            logits.append(row)
        return torch.stack(logits, dim=-2)


def toy_text() -> ByteStream:
    text = b"the quick brown fox jumps over the lazy dog. " * 40
    stream = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    return ByteStream(8, {"train": stream, "valid": stream[:160], "test": stream[:90]})


class Bytes(TrainStep):
    """train Bytes: next-byte prediction, measured across a held-out split."""

    name = "Bytes"

    def __init__(self, steps: int = 20, width: int = 16, seed: int = 0) -> None:
        super().__init__(Settings(steps=steps, batch=4, seed=seed))
        self.lm = Decay(width=width)

    def feeds(self) -> dict[str, Feed]:
        return {"text": Feed(toy_text())}

    def players(self) -> tuple[Player, ...]:
        rule = adamw(Cosine(1e-2, warmup=3), decay=0.1, clip=1.0)
        return (Player("main", self.main, (Optimize(rule),)),)

    def nll(self, text: Tensor) -> Tensor:
        return F.cross_entropy(self.lm(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())

    def main(self, now: Now) -> Outcome:
        return Outcome({"nll": self.nll(now.batch["text"]["x"])})

    def measures(self) -> tuple[Measure, ...]:
        return (Measure("bits", self.measure_bits, every=5, across=Across("text", "test")),)

    def measure_bits(self, now: Now) -> Tensor:
        return self.nll(now.batch["text"]["x"]) / torch.log(torch.tensor(2.0))


class Digits(TrainStep):
    """train Digits: noisy inputs, a maximized term, a cell, an optimizer per block and a frozen block."""

    name = "Digits"

    def __init__(self, steps: int = 12, accumulate: int = 1, writes: bool = True, noise: float = 0.1) -> None:
        super().__init__(Settings(steps=steps, batch=8, seed=3, accumulate=accumulate))
        self.stem, self.head = Linear(64, 16), Linear(16, 10)
        self.register_buffer("mean", torch.zeros(16))
        self.writes, self.noise = writes, noise

    def feeds(self) -> dict[str, Feed]:
        return {"d": Feed(digits(flat=True))}

    def players(self) -> tuple[Player, ...]:
        rules = (Optimize(sgd(0.1, momentum=0.9), over=("stem",)), Optimize(muon(1e-2), over=("head",)))
        return (Player("main", self.main, rules, maximize=frozenset({"spread"})),)

    def frozen(self, step: int) -> tuple[str, ...]:
        return ("stem.bias",) if step < 4 else ()

    def features(self, x: Tensor, draws: Draws) -> Tensor:
        x = x + self.noise * draws.normal("noise", tuple(x.shape))
        keep = draws.bernoulli("keep", (x.shape[0], 16), 0.9, eval=0.9)
        return torch.relu(self.stem(x)) * keep

    def main(self, now: Now) -> Outcome:
        d = now.batch["d"]
        h = self.features(d["x"], now.draws)
        ce = F.cross_entropy(self.head(h), d["label"])
        spread = 0.01 * torch.tanh(h).mean()
        writes = {"mean": torch.lerp(self.get_buffer("mean"), h.mean(0), 0.1)} if self.writes else {}
        return Outcome({"ce": ce, "spread": spread}, writes)

    def measures(self) -> tuple[Measure, ...]:
        return (
            Measure("acc", self.measure_acc, across=Across("d", "test")),
            Measure("norms", self.measure_norms, every=6),
        )

    def measure_acc(self, now: Now) -> Weighted:
        d = now.batch["d"]
        right = self.head(self.features(d["x"], now.draws)).argmax(-1) == d["label"]
        even = d["label"] % 2 == 0
        return Weighted(right[even].float().mean(), even.sum())

    def measure_norms(self, now: Now) -> Tensor:
        return torch.stack([self.stem.weight.norm(), self.head.weight.norm()])


def counting(name: str = "counting", train_size: int | None = None) -> Generated:
    """A `data` declaration: numbers, and their order."""

    def sample(draws: Draws, ids: Tensor, inner: Mapping[str, Rows]) -> dict[str, Tensor]:
        x = draws.uniform("x", (len(ids), 5))
        return {"x": x, "y": torch.argsort(x, dim=-1)}

    axes = (("N", 5),)
    specs = {"x": FieldSpec(axes, torch.float32), "y": FieldSpec(axes, torch.int64, below=5)}
    return Generated(name, specs, sample, train_size=train_size, held_out=70)


Train = Callable[..., Trainer]


@pytest.fixture
def trainer(tmp_path: Path) -> Train:
    """Makes a Trainer for a step in the folder of that name."""

    def make(step: TrainStep, folder: str = "run", spec_hash: str = "abc", **options: object) -> Trainer:
        files = {"spec.rep": "train T { }\n", "model.py": "# generated\n"}
        run = RunSpec(tmp_path / folder, step.name, spec_hash, files)
        return Trainer(run, step, Options(quiet=True, **{"checkpoint_every": 5, "picture": False, **options}))  # type: ignore[arg-type]

    return make


@pytest.fixture
def examples() -> dict[str, Callable[..., TrainStep]]:
    return {"Bytes": Bytes, "Digits": Digits}


@pytest.fixture
def generated() -> Callable[..., Generated]:
    return counting


@pytest.fixture
def token_model() -> Callable[..., nn.Module]:
    return Decay
