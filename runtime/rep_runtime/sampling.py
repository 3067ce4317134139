"""Text and token sampling through a model's streaming form: constant work per token."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import generator


class Streaming(Protocol):
    """A causal model as a stream. `B` stands for any lifted axes, `V` for the tokens.

    `init_state` takes the sizes of the lifted axes; a model whose state grows (a key-value cache) also takes
    `length`, the number of positions to make room for.
    """

    def init_state(self, *lifted: int, device: torch.device, dtype: torch.dtype) -> Any: ...

    def step(self, token: Tensor, state: Any) -> tuple[Tensor, Any]: ...


@dataclass(frozen=True, slots=True)
class Pick:
    """How a token is chosen from its logits: `temperature` > 0, the best `top_k` only (0: all), or the best one."""

    temperature: float = 1.0
    top_k: int = 0
    greedy: bool = False

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise RuntimeFault(
                "REP0712", f"a temperature is positive, not {self.temperature}", "for the best token use `greedy`"
            )
        if self.top_k < 0:
            raise RuntimeFault("REP0712", f"`top_k` is 0 (all) or more, not {self.top_k}")

    def __call__(self, logits: Tensor, rng: torch.Generator) -> Tensor:
        """`[.., V]` -> `[..]` int64; the noise is drawn on the CPU."""
        if self.greedy:
            return torch.argmax(logits, dim=-1)
        scores = logits.detach().to("cpu", torch.float64) / self.temperature
        if 0 < self.top_k < scores.shape[-1]:
            worst = torch.topk(scores, self.top_k, dim=-1).values[..., -1:]
            scores = scores.masked_fill(scores < worst, -torch.inf)
        uniform = torch.rand(scores.shape, generator=rng, dtype=torch.float64).clamp_(min=2.0**-53)
        return torch.argmax(scores - torch.log(-torch.log(uniform)), dim=-1).to(logits.device)


def _model_place(model: Streaming) -> tuple[torch.device, torch.dtype]:
    if isinstance(model, torch.nn.Module):
        for parameter in model.parameters():
            if parameter.is_floating_point():
                return parameter.device, parameter.dtype
    return torch.device("cpu"), torch.float32


@torch.no_grad()
def stream(model: Streaming, prompt: Tensor, length: int, pick: Pick | None = None, seed: int = 0) -> Iterator[Tensor]:
    """`length` new tokens one by one, each `[B..]` int64, after `prompt: [B.., P]` with P >= 1.

    A pure function of its arguments: the draw of a token is keyed by (seed, its position).
    """
    if prompt.shape[-1] < 1:
        raise RuntimeFault("REP0712", "the prompt is empty", "give at least one token to start from")
    if length < 0:
        raise RuntimeFault("REP0712", f"a sample has 0 or more tokens, not {length}")
    choose = pick or Pick()
    device, dtype = _model_place(model)
    tokens = prompt.to(device)
    room = {"length": prompt.shape[-1] + length} if "length" in inspect.signature(model.init_state).parameters else {}
    state = model.init_state(*prompt.shape[:-1], device=device, dtype=dtype, **room)
    logits = torch.empty(0)
    for position in range(prompt.shape[-1]):
        logits, state = model.step(tokens[..., position], state)
    for position in range(prompt.shape[-1], prompt.shape[-1] + length):
        token = choose(logits, generator(seed, "sample", 0, position))
        yield token
        if position + 1 < prompt.shape[-1] + length:
            logits, state = model.step(token, state)


def generate(
    model: Streaming,
    prompt: Tensor,
    length: int,
    *,
    temperature: float = 1.0,
    top_k: int = 0,
    greedy: bool = False,
    seed: int = 0,
) -> Tensor:
    """`prompt: [B.., P]` followed by `length` sampled tokens: `[B.., P + length]` int64. REP0712 for a bad option."""
    made = list(stream(model, prompt, length, Pick(temperature, top_k, greedy), seed))
    return torch.cat([prompt.to(made[0].device), torch.stack(made, dim=-1)], dim=-1) if made else prompt


def encode(text: str) -> Tensor:
    """UTF-8 bytes of a text as tokens `[P]` int64; a newline for an empty text, so that there is a start."""
    return torch.tensor(list(text.encode() or b"\n"), dtype=torch.int64)


def decode(tokens: Tensor) -> str:
    """A text from byte tokens `[P]`; bytes that are no UTF-8 become replacement marks."""
    return bytes(int(token) % 256 for token in tokens.tolist()).decode(errors="replace")
