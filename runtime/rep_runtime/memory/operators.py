"""The block algorithms as PyTorch operators: opaque to ``torch.compile`` and ``torch.export``, with their own reverse.

The reverse operators have no gradient of their own, so a second derivative raises instead of being wrong.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from rep_runtime.memory import affine_chunked, rank_one_chunked


@torch.library.custom_op("rep_runtime::scalar_affine_blocks", mutates_args=())
def scalar_affine_blocks(
    q: Tensor, k: Tensor, v: Tensor, write: Tensor | None, decay: Tensor | None, state: Tensor | None,
    log_space: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    return affine_chunked.forward(q, k, v, write, decay, state, log_space, before)


@scalar_affine_blocks.register_fake
def _(
    q: Tensor, k: Tensor, v: Tensor, write: Tensor | None, decay: Tensor | None, state: Tensor | None,
    log_space: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    lifted, count, length, width = q.shape
    wide = v.shape[-1]
    within = (length, length) if decay is None else (lifted * count, length, length)
    return (
        v.new_empty(lifted, count, length, wide),
        v.new_empty(lifted, width, wide),
        v.new_empty(lifted, count + 1, width, wide),
        v.new_empty(lifted * count, length, length),
        v.new_empty(within),
    )


@torch.library.custom_op("rep_runtime::scalar_affine_blocks_reverse", mutates_args=())
def scalar_affine_blocks_reverse(
    d_out: Tensor, d_last: Tensor, q: Tensor, k: Tensor, v: Tensor, write: Tensor | None, decay: Tensor | None,
    states: Tensor, scores: Tensor, within: Tensor, log_space: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return affine_chunked.backward(
        d_out, d_last, q, k, v, write, decay, states, scores, within, log_space, before
    )


@scalar_affine_blocks_reverse.register_fake
def _(
    d_out: Tensor, d_last: Tensor, q: Tensor, k: Tensor, v: Tensor, write: Tensor | None, decay: Tensor | None,
    states: Tensor, scores: Tensor, within: Tensor, log_space: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return (
        q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape),
        v.new_empty(0 if write is None else write.shape),
        v.new_empty(0 if decay is None else decay.shape),
        d_last.new_empty(d_last.shape),
    )


@torch.library.custom_op("rep_runtime::rank_one_blocks", mutates_args=())
def rank_one_blocks(
    q: Tensor, k: Tensor, v: Tensor, rate: Tensor, decay: Tensor | None, state: Tensor | None,
    log_space: bool, error_first: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return rank_one_chunked.forward(q, k, v, rate, decay, state, log_space, error_first, before)


@rank_one_blocks.register_fake
def _(
    q: Tensor, k: Tensor, v: Tensor, rate: Tensor, decay: Tensor | None, state: Tensor | None,
    log_space: bool, error_first: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    lifted, count, length, width = q.shape
    wide = v.shape[-1]
    square = (lifted * count, length, length)
    return (
        v.new_empty(lifted, count, length, wide),
        v.new_empty(lifted, width, wide),
        v.new_empty(lifted, count + 1, width, wide),
        v.new_empty(lifted, count, length, wide),
        v.new_empty(square), v.new_empty(square), v.new_empty(square),
        v.new_empty((length, length) if decay is None else square),
    )


@torch.library.custom_op("rep_runtime::rank_one_blocks_reverse", mutates_args=())
def rank_one_blocks_reverse(
    d_out: Tensor, d_last: Tensor, q: Tensor, k: Tensor, v: Tensor, rate: Tensor, decay: Tensor | None,
    states: Tensor, errors: Tensor, inverse: Tensor, scores: Tensor, overlaps: Tensor, within: Tensor,
    log_space: bool, error_first: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return rank_one_chunked.backward(
        d_out, d_last, q, k, v, rate, decay, states, errors, inverse, scores, overlaps, within,
        log_space, error_first, before,
    )


@rank_one_blocks_reverse.register_fake
def _(
    d_out: Tensor, d_last: Tensor, q: Tensor, k: Tensor, v: Tensor, rate: Tensor, decay: Tensor | None,
    states: Tensor, errors: Tensor, inverse: Tensor, scores: Tensor, overlaps: Tensor, within: Tensor,
    log_space: bool, error_first: bool, before: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return (
        q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape), rate.new_empty(rate.shape),
        v.new_empty(0 if decay is None else decay.shape),
        d_last.new_empty(d_last.shape),
    )


def _given(gradient: Tensor | None, output: Tensor) -> Tensor:
    return torch.zeros_like(output) if gradient is None else gradient.contiguous()


def _save_affine(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    q, k, v, write, decay, state, ctx.log_space, ctx.before = inputs
    ctx.save_for_backward(q, k, v, write, decay, *output[2:])
    ctx.with_state = state is not None


def _reverse_affine(ctx: Any, d_out: Tensor | None, d_last: Tensor | None, *_: Tensor | None) -> tuple[Any, ...]:
    q, k, v, write, decay, states, scores, within = ctx.saved_tensors
    d_q, d_k, d_v, d_write, d_decay, d_state = scalar_affine_blocks_reverse(
        _given(d_out, v), _given(d_last, states[:, 0]), q, k, v, write, decay, states, scores, within,
        ctx.log_space, ctx.before,
    )
    return (
        d_q, d_k, d_v, None if write is None else d_write, None if decay is None else d_decay,
        d_state if ctx.with_state else None, None, None,
    )


def _save_rank_one(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    q, k, v, rate, decay, state, ctx.log_space, ctx.error_first, ctx.before = inputs
    ctx.save_for_backward(q, k, v, rate, decay, *output[2:])
    ctx.with_state = state is not None


def _reverse_rank_one(ctx: Any, d_out: Tensor | None, d_last: Tensor | None, *_: Tensor | None) -> tuple[Any, ...]:
    q, k, v, rate, decay, states, *rest = ctx.saved_tensors
    d_q, d_k, d_v, d_rate, d_decay, d_state = rank_one_blocks_reverse(
        _given(d_out, v), _given(d_last, states[:, 0]), q, k, v, rate, decay, states, *rest,
        ctx.log_space, ctx.error_first, ctx.before,
    )
    return (
        d_q, d_k, d_v, d_rate, None if decay is None else d_decay,
        d_state if ctx.with_state else None, None, None, None,
    )


scalar_affine_blocks.register_autograd(_reverse_affine, setup_context=_save_affine)
rank_one_blocks.register_autograd(_reverse_rank_one, setup_context=_save_rank_one)
