"""Sampling through `step`: a pure function of its arguments that follows the model's distribution."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from rep_runtime import RuntimeFault
from rep_runtime.inits import initialise
from rep_runtime.sampling import Pick, decode, encode, generate, stream


@pytest.fixture
def model(token_model: Callable[..., nn.Module]) -> nn.Module:
    made = token_model(vocab=9)
    initialise(made, 0)
    return made


def test_greedy_follows_the_forward_pass(model: nn.Module) -> None:
    prompt = torch.tensor([[1, 2, 3], [4, 5, 6]])
    made = generate(model, prompt, 5, greedy=True)  # type: ignore[arg-type]
    assert made.shape == (2, 8) and torch.equal(made[:, :3], prompt)
    with torch.no_grad():
        assert torch.equal(model(made)[:, 2:-1].argmax(-1), made[:, 3:])


def test_samples_are_pure_and_follow_the_seed(model: nn.Module) -> None:
    prompt = torch.tensor([1])
    one, again, other = (generate(model, prompt, 30, seed=seed) for seed in (0, 0, 1))  # type: ignore[arg-type]
    assert torch.equal(one, again) and not torch.equal(one, other)
    longer = generate(model, prompt, 40, seed=0)  # type: ignore[arg-type]
    assert torch.equal(longer[:31], one)
    assert torch.equal(generate(model, prompt, 0), prompt)  # type: ignore[arg-type]


def test_tokens_come_with_their_probability() -> None:
    logits = torch.log(torch.tensor([0.1, 0.2, 0.7])).expand(40_000, 3)

    def share(pick: Pick) -> Tensor:
        return torch.bincount(pick(logits, torch.Generator().manual_seed(0)), minlength=3) / 40_000

    torch.testing.assert_close(share(Pick()), torch.tensor([0.1, 0.2, 0.7]), atol=0.01, rtol=0)
    squared = torch.tensor([0.01, 0.04, 0.49]) / 0.54
    torch.testing.assert_close(share(Pick(temperature=0.5)), squared, atol=0.01, rtol=0)
    torch.testing.assert_close(share(Pick(top_k=2)), torch.tensor([0.0, 2 / 9, 7 / 9]), atol=0.01, rtol=0)
    assert share(Pick(top_k=1)).tolist() == share(Pick(greedy=True)).tolist() == [0, 0, 1]


def test_a_growing_state_is_told_its_room() -> None:
    class Cache:
        def init_state(self, *lifted: int, length: int, device: torch.device, dtype: torch.dtype) -> Tensor:
            self.length = length
            return torch.zeros(())

        def step(self, token: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
            return torch.zeros(*token.shape, 4), state

    model = Cache()
    assert generate(model, torch.tensor([1, 2]), 3).shape == (5,)
    assert model.length == 5


def test_bad_options_are_faults(model: nn.Module) -> None:
    prompt = torch.tensor([1])
    for make in (
        lambda: Pick(temperature=0.0),
        lambda: Pick(temperature=float("nan")),
        lambda: Pick(top_k=-1),
        lambda: generate(model, prompt[:0], 3),  # type: ignore[arg-type]
        lambda: list(stream(model, prompt, -1)),  # type: ignore[arg-type]
    ):
        with pytest.raises(RuntimeFault) as caught:
            make()
        assert caught.value.code == "REP0712"


def test_text_and_bytes() -> None:
    assert decode(encode("naïve λ\n")) == "naïve λ\n"
    assert encode("").tolist() == [10]
    assert decode(torch.tensor([104, 255, 105])) == "h\ufffdi"
