"""Gated delta rule and its neighbours against transformers' chunked gated delta rule, in one process.

    python benchmarks/memory/gated_delta.py [--threads 1] [--repeats 15] [--chunks 32 64 128] [--batch 2] ...

Every row is measured in turn, round after round, so that a change of load hits all rows alike. The ratio of two rows is
the median of the ratios of neighbouring measurements; times are minima. Needs torch and transformers (the ``bench``
extra), without triton or flash-linear-attention, whose presence makes transformers leave its PyTorch implementation.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "runtime"))

from rep_runtime.memory import local_constant, rank_one, scalar_affine

Function = Callable[[], Tensor]


def rows(
    batch: int, heads: int, time_steps: int, width: int, chunks: list[int]
) -> tuple[list[Tensor], dict[str, Function]]:
    """The inputs that get gradients, and each implementation as a function of nothing. Inputs are [B, T, H, D]."""
    from transformers.models.qwen3_next.modeling_qwen3_next import torch_chunk_gated_delta_rule

    torch.manual_seed(0)
    q, k, v = (torch.randn(batch, time_steps, heads, width) for _ in range(3))
    q, k = torch.nn.functional.normalize(q, dim=-1), torch.nn.functional.normalize(k, dim=-1)
    log_decay = torch.nn.functional.logsigmoid(torch.randn(batch, time_steps, heads) + 3)
    rate = torch.rand(batch, time_steps, heads)
    leaves = [x.requires_grad_() for x in (q, k, v, log_decay, rate)]
    scale = width**-0.5

    def by_heads(x: Tensor) -> Tensor:
        return x.transpose(1, 2)

    def theirs() -> Tensor:
        out, _ = torch_chunk_gated_delta_rule(
            q,
            k,
            v,
            log_decay,
            rate,
            chunk_size=64,
            initial_state=None,
            output_final_state=True,
            use_qk_l2norm_in_kernel=False,
        )
        return out

    def ours(chunk: int, order: str = "decay_first") -> Function:
        return lambda: by_heads(
            rank_one(
                by_heads(q),
                by_heads(k),
                by_heads(v),
                rate=by_heads(rate),
                decay=by_heads(log_decay),
                decay_space="log",
                order=order,
                scale=scale,
                chunk=chunk,
            )[0]
        )

    named: dict[str, Function] = {"transformers, gated delta, chunk 64": theirs}
    for chunk in chunks:
        named[f"rank_one, gated, chunk {chunk}"] = ours(chunk)
    named["rank_one, error first, chunk 32"] = ours(32, "error_first")
    named["rank_one, no decay, chunk 32"] = lambda: by_heads(
        rank_one(by_heads(q), by_heads(k), by_heads(v), rate=by_heads(rate), scale=scale)[0]
    )
    named["scalar_affine, decay, chunk 64"] = lambda: by_heads(
        scalar_affine(by_heads(q), by_heads(k), by_heads(v), decay=by_heads(log_decay), decay_space="log", scale=scale)[
            0
        ]
    )
    named["scalar_affine, uniform, chunk 64"] = lambda: by_heads(
        scalar_affine(by_heads(q), by_heads(k), by_heads(v), scale=scale)[0]
    )
    named["local_constant, causal (torch SDPA)"] = lambda: by_heads(
        local_constant(by_heads(q), by_heads(k), by_heads(v), scale=scale)[0]
    )
    return leaves, named


def seconds(function: Function, leaves: list[Tensor], backward: bool) -> float:
    for leaf in leaves:
        leaf.grad = None
    if backward:
        start = time.perf_counter()
        function().square().mean().backward()
        return time.perf_counter() - start
    with torch.no_grad():
        start = time.perf_counter()
        function()
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--chunks", type=int, nargs="+", default=[32, 64, 128])
    for name, value in (("batch", 2), ("heads", 4), ("time", 2048), ("width", 64)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    leaves, named = rows(options.batch, options.heads, options.time, options.width, options.chunks)
    reference = next(iter(named))
    same = named[reference]()
    for name, function in named.items():
        if "gated" in name:
            print(f"largest difference from transformers, {name}: {(function() - same).abs().max().item():.1e}")
    print(
        f"B{options.batch} H{options.heads} T{options.time} D{options.width} float32, torch {torch.__version__}, "
        f"{options.threads} thread(s), load {os.getloadavg()[0]:.1f}"
    )
    for backward in (False, True):
        taken: dict[str, list[float]] = {name: [] for name in named}
        for turn in range(options.repeats + 2):
            for name, function in named.items():
                spent = seconds(function, leaves, backward)
                if turn >= 2:
                    taken[name].append(spent)
        print(f"\n{'forward + backward' if backward else 'forward':40s} {'min ms':>8s} {'median':>8s} {'ratio':>6s}")
        for name, spans in taken.items():
            ratio = statistics.median(x / y for x, y in zip(spans, taken[reference], strict=True))
            print(f"{name:40s} {min(spans) * 1e3:8.1f} {statistics.median(spans) * 1e3:8.1f} {ratio:6.2f}")


if __name__ == "__main__":
    main()
