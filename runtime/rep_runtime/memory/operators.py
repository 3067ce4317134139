"""The block algorithms as PyTorch operators: opaque to ``torch.compile`` and ``torch.export``, with their own reverse.

``keep`` says whether a reverse pass may follow: without it nothing is kept for one. A second derivative raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from rep_runtime.memory import affine_chunked, rank_one_chunked
from rep_runtime.memory.geometry import accumulation_dtype, block_count, block_length, lifted_size


def reverse_may_follow(*tensors: Tensor | None) -> bool:
    return torch.is_grad_enabled() and any(x is not None and x.requires_grad for x in tensors)


_LIBRARY = torch.library.Library("rep_runtime", "FRAGMENT")  # type: ignore[no-untyped-call]


def _operator(name: str, kernel: Callable[..., Any], shapes: Callable[..., Any]) -> Callable[..., Any]:
    """Register ``kernel`` as ``torch.ops.rep_runtime.<name>``; ``shapes`` gives its results' shapes under tracing.

    Not by ``torch.library.custom_op``, which imports the whole of ``torch._dynamo`` at the first call.
    """
    _LIBRARY.define(name + torch.library.infer_schema(kernel, mutates_args=()))  # type: ignore[no-untyped-call]
    _LIBRARY.impl(name, kernel, "CompositeExplicitAutograd")  # type: ignore[no-untyped-call]
    torch.library.register_fake(f"rep_runtime::{name}", shapes, lib=_LIBRARY)
    overload: Callable[..., Any] = getattr(torch.ops.rep_runtime, name).default
    return overload


def _affine_shapes(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    write: Tensor | None,
    decay: Tensor | None,
    state: Tensor | None,
    scale: float,
    log_space: bool,
    before: bool,
    chunk: int,
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = accumulation_dtype(q, k, v, write, decay, state)
    width, wide = q.shape[-1], v.shape[-1]
    states = (block_count(q.shape[-2], chunk), lifted_size(q), width, wide)
    return (
        torch.empty_like(v, dtype=dtype),
        v.new_empty((*q.shape[:-2], width, wide), dtype=dtype),
        v.new_empty(states if keep else (0,), dtype=dtype),
    )


def _affine_reverse_shapes(
    d_out: Tensor,
    d_last: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    write: Tensor | None,
    decay: Tensor | None,
    states: Tensor,
    scale: float,
    log_space: bool,
    before: bool,
    chunk: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return (
        torch.empty_like(q),
        torch.empty_like(k),
        torch.empty_like(v),
        q.new_empty(0) if write is None else torch.empty_like(write),
        q.new_empty(0) if decay is None else torch.empty_like(decay),
        d_last.new_empty(d_last.shape),
    )


def _rank_one_shapes(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    rate: Tensor,
    decay: Tensor | None,
    state: Tensor | None,
    scale: float,
    log_space: bool,
    error_first: bool,
    before: bool,
    chunk: int,
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    dtype = accumulation_dtype(q, k, v, rate, decay, state)
    width, wide, length = q.shape[-1], v.shape[-1], block_length(q.shape[-2], chunk)
    blocks = (block_count(q.shape[-2], chunk), lifted_size(q))
    return (
        torch.empty_like(v, dtype=dtype),
        v.new_empty((*q.shape[:-2], width, wide), dtype=dtype),
        v.new_empty((*blocks, width, wide) if keep else (0,), dtype=dtype),
        v.new_empty((*blocks, length, wide) if keep else (0,), dtype=dtype),
        v.new_empty((*blocks, length, length) if keep else (0,), dtype=dtype),
    )


def _rank_one_reverse_shapes(
    d_out: Tensor,
    d_last: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    rate: Tensor,
    decay: Tensor | None,
    states: Tensor,
    errors: Tensor,
    inverses: Tensor,
    scale: float,
    log_space: bool,
    error_first: bool,
    before: bool,
    chunk: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    return (
        torch.empty_like(q),
        torch.empty_like(k),
        torch.empty_like(v),
        torch.empty_like(rate),
        q.new_empty(0) if decay is None else torch.empty_like(decay),
        d_last.new_empty(d_last.shape),
    )


scalar_affine_blocks = _operator("scalar_affine_blocks", affine_chunked.forward, _affine_shapes)
scalar_affine_blocks_reverse = _operator(
    "scalar_affine_blocks_reverse", affine_chunked.backward, _affine_reverse_shapes
)
rank_one_blocks = _operator("rank_one_blocks", rank_one_chunked.forward, _rank_one_shapes)
rank_one_blocks_reverse = _operator("rank_one_blocks_reverse", rank_one_chunked.backward, _rank_one_reverse_shapes)


def _output_gradients(
    d_out: Tensor | None, d_last: Tensor | None, q: Tensor, v: Tensor, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """The two gradients of an operator's results, zeros for one that is not used."""
    if d_out is None:
        d_out = torch.zeros_like(v, dtype=dtype)
    if d_last is None:
        d_last = v.new_zeros((*q.shape[:-2], q.shape[-1], v.shape[-1]), dtype=dtype)
    return d_out, d_last


def _save_affine(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    q, k, v, write, decay, state, ctx.scale, ctx.log_space, ctx.before, ctx.chunk, _ = inputs
    ctx.save_for_backward(q, k, v, write, decay, *output[2:])
    ctx.state_dtype = None if state is None else state.dtype
    ctx.set_materialize_grads(False)


def _reverse_affine(ctx: Any, d_out: Tensor | None, d_last: Tensor | None, *_: Tensor | None) -> tuple[Any, ...]:
    q, k, v, write, decay, states = ctx.saved_tensors
    d_out, d_last = _output_gradients(d_out, d_last, q, v, states.dtype)
    d_q, d_k, d_v, d_write, d_decay, d_state = scalar_affine_blocks_reverse(
        d_out, d_last, q, k, v, write, decay, states, ctx.scale, ctx.log_space, ctx.before, ctx.chunk
    )
    return (
        d_q,
        d_k,
        d_v,
        None if write is None else d_write,
        None if decay is None else d_decay,
        None if ctx.state_dtype is None else d_state.to(ctx.state_dtype),
        *[None] * 5,
    )


def _save_rank_one(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    q, k, v, rate, decay, state, ctx.scale, ctx.log_space, ctx.error_first, ctx.before, ctx.chunk, _ = inputs
    ctx.save_for_backward(q, k, v, rate, decay, *output[2:])
    ctx.state_dtype = None if state is None else state.dtype
    ctx.set_materialize_grads(False)


def _reverse_rank_one(ctx: Any, d_out: Tensor | None, d_last: Tensor | None, *_: Tensor | None) -> tuple[Any, ...]:
    q, k, v, rate, decay, states, errors, inverses = ctx.saved_tensors
    d_out, d_last = _output_gradients(d_out, d_last, q, v, states.dtype)
    d_q, d_k, d_v, d_rate, d_decay, d_state = rank_one_blocks_reverse(
        d_out,
        d_last,
        q,
        k,
        v,
        rate,
        decay,
        states,
        errors,
        inverses,
        ctx.scale,
        ctx.log_space,
        ctx.error_first,
        ctx.before,
        ctx.chunk,
    )
    return (
        d_q,
        d_k,
        d_v,
        d_rate,
        None if decay is None else d_decay,
        None if ctx.state_dtype is None else d_state.to(ctx.state_dtype),
        *[None] * 6,
    )


def _no_second_derivative(ctx: Any, *_: Tensor | None) -> tuple[Any, ...]:
    raise RuntimeError(
        "the block algorithm of a memory has no second derivative: use algorithm='recurrent' to differentiate twice"
    )


for _name, _reverse, _save in (
    ("scalar_affine_blocks", _reverse_affine, _save_affine),
    ("rank_one_blocks", _reverse_rank_one, _save_rank_one),
    ("scalar_affine_blocks_reverse", _no_second_derivative, None),
    ("rank_one_blocks_reverse", _no_second_derivative, None),
):
    torch.library.register_autograd(f"rep_runtime::{_name}", _reverse, setup_context=_save, lib=_LIBRARY)
