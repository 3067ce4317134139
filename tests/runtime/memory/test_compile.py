"""Every algorithm is one graph for ``torch.compile`` and can be exported, with unchanged numbers and gradients."""

from __future__ import annotations

import pytest
import torch

from rep_runtime.memory import (
    local_constant,
    local_constant_init,
    local_constant_step,
    rank_one,
    rank_one_step,
    scalar_affine,
    scalar_affine_step,
)

MEMORIES = {
    "affine chunked": lambda q, k, v, b, a, s: scalar_affine(q, k, v, decay=a, write=b, state=s, chunk=4),
    "affine parallel": lambda q, k, v, b, a, s: scalar_affine(q, k, v, decay=a, state=s, algorithm="parallel"),
    "affine recurrent": lambda q, k, v, b, a, s: scalar_affine(q, k, v, decay=a, state=s, algorithm="recurrent"),
    "affine normalised": lambda q, k, v, b, a, s: scalar_affine(q, k, v, decay=a, normalize="weight", eps=1.0, chunk=4),
    "delta chunked": lambda q, k, v, b, a, s: rank_one(q, k, v, rate=b, state=s, chunk=4),
    "gated chunked": lambda q, k, v, b, a, s: rank_one(q, k, v, rate=b, decay=a, state=s, chunk=4),
    "error first": lambda q, k, v, b, a, s: rank_one(q, k, v, rate=b, decay=a, order="error_first", chunk=4),
    "gated recurrent": lambda q, k, v, b, a, s: rank_one(q, k, v, rate=b, decay=a, state=s, algorithm="recurrent"),
    "causal": lambda q, k, v, b, a, s: local_constant(q, k, v, scale=1.0)[:1],
    "window": lambda q, k, v, b, a, s: local_constant(q, k, v, scale=1.0, mask="window", window=2)[:1],
    "cached": lambda q, k, v, b, a, s: local_constant(q, k, v, scale=1.0, mask="window", window=2, capacity=4),
    "affine step": lambda q, k, v, b, a, s: scalar_affine_step(
        s, q[:, 0], k[:, 0], v[:, 0], decay=a[:, 0], write=b[:, 0]
    ),
    "gated step": lambda q, k, v, b, a, s: rank_one_step(s, q[:, 0], k[:, 0], v[:, 0], rate=b[:, 0], decay=a[:, 0]),
    "causal step": lambda q, k, v, b, a, s: local_constant_step(
        local_constant_init((2,), 5, 4, capacity=3, dtype=q.dtype), q[:, 0], k[:, 0], v[:, 0], scale=1.0
    ),
}


def flat(outputs):
    leaves = torch.utils._pytree.tree_leaves(outputs)
    return [leaf for leaf in leaves if leaf.is_floating_point()]


@pytest.mark.parametrize("name", MEMORIES)
def test_one_graph_with_the_same_numbers_and_gradients(reference, name):
    x = reference.inputs((2,), 6, 5, 4)
    tensors = [value.requires_grad_() for value in (x.q, x.k, x.v, x.rate, x.decay, x.state)]
    compiled = torch.compile(MEMORIES[name], fullgraph=True, backend="aot_eager")
    results = []
    for function in (MEMORIES[name], compiled):
        outputs = flat(function(*tensors))
        loss = sum(output.square().sum() for output in outputs)
        results.append([*outputs, *torch.autograd.grad(loss, tensors, materialize_grads=True)])
    for got, wanted in zip(results[1], results[0], strict=True):
        assert reference.distance(got, wanted) <= 1e-12


class Exported(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, q, k, v, b, a, s):
        return self.function(q, k, v, b, a, s)


@pytest.mark.parametrize("name", MEMORIES)
def test_exported_programs_give_the_same_numbers(reference, name):
    x = reference.inputs((2,), 6, 5, 4)
    tensors = (x.q, x.k, x.v, x.rate, x.decay, x.state)
    program = torch.export.export(Exported(MEMORIES[name]), tensors).module()
    for got, wanted in zip(flat(program(*tensors)), flat(MEMORIES[name](*tensors)), strict=True):
        assert reference.distance(got, wanted) <= 1e-12


def test_a_block_algorithm_is_exported_for_any_batch(reference):
    x, y = reference.inputs((2,), 6, 5, 4), reference.inputs((5,), 6, 5, 4, seed=1)
    free = {0: torch.export.Dim("batch", min=1, max=64)}
    names = ("q", "k", "v", "rate", "decay", "state")
    program = torch.export.export(
        Exported(MEMORIES["gated chunked"]),
        tuple(getattr(x, n) for n in names),
        dynamic_shapes={"q": free, "k": free, "v": free, "b": free, "a": free, "s": free},
    ).module()
    other = tuple(getattr(y, n) for n in names)
    for got, wanted in zip(program(*other), MEMORIES["gated chunked"](*other), strict=True):
        assert reference.distance(got, wanted) <= 1e-12


def test_operators_keep_their_contract():
    """torch's own check of schema, shapes under tracing, and gradient registration."""
    from rep_runtime.memory.operators import rank_one_blocks, scalar_affine_blocks

    def some(*shape):
        return torch.rand(*shape, dtype=torch.float64, requires_grad=True)

    q, k, v, s, b, a = some(2, 9, 5), some(2, 9, 5), some(2, 9, 3), some(2, 5, 3), some(2, 9), some(2, 9)
    torch.library.opcheck(scalar_affine_blocks, (q, k, v, b, a, s, 0.5, False, True, 4, True))
    torch.library.opcheck(rank_one_blocks, (q, k, v, b, None, s, 0.5, False, True, False, 4, True))
