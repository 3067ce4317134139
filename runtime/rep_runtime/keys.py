"""Random numbers as pure functions of names: no global generator, so nothing to restore on resume.

A key is (seed, path, application, step). Its hash seeds a fresh CPU generator; numbers are drawn on the CPU and moved,
so they are the same on every device. Data uses counters instead: every (seed, sample id, column) has its own number.
"""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor

_MASK = (1 << 63) - 1


def key_number(*parts: int | str) -> int:
    """A 63-bit number from `parts`; distinct lists of parts give independent numbers (blake2b)."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        # The kind and length go in too: ("ab", "c") and ("a", "bc"), or 1 and "1", must differ.
        text = str(part).encode()
        digest.update(f"{'i' if isinstance(part, int) else 's'}{len(text)}:".encode())
        digest.update(text)
    return int.from_bytes(digest.digest(), "little") & _MASK


def generator(seed: int, path: str, application: int = 0, step: int = 0) -> torch.Generator:
    """The CPU generator of a draw: site `path`, its `application` number (from 0), optimizer `step`."""
    made = torch.Generator()
    made.manual_seed(key_number(seed, path, application, step))
    return made


def slot_generator(seed: int, path: str) -> torch.Generator:
    """The CPU generator of a slot's initial value: adding a layer leaves all other slots bit-equal."""
    return generator(seed, f"init:{path}")


def _shift_right(x: Tensor, bits: int) -> Tensor:
    # int64 `>>` copies the sign; the mask makes it a shift of the 64 raw bits.
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def _signed(constant: int) -> int:
    return constant - (1 << 64) if constant >= 1 << 63 else constant


def _mix(x: Tensor) -> Tensor:
    """The finalizer of the splitmix64 generator (Steele, Lea, Flood 2014) on int64 with wrapping products."""
    x = (x ^ _shift_right(x, 30)) * _signed(0xBF58476D1CE4E5B9)
    x = (x ^ _shift_right(x, 27)) * _signed(0x94D049BB133111EB)
    return x ^ _shift_right(x, 31)


def counter_bits(seed: int, stream: str, ids: Tensor, columns: int) -> Tensor:
    """Raw bits for each (sample id, column): `ids: [B]` int64 -> `[B, columns]` int64 over the full range."""
    golden = _signed(0x9E3779B97F4A7C15)
    base = torch.tensor(key_number(seed, "counter", stream), dtype=torch.int64, device=ids.device)
    row = _mix(base + ids.to(torch.int64) * golden)
    column = torch.arange(1, columns + 1, dtype=torch.int64, device=ids.device) * golden
    return _mix(_mix(row[:, None] + column[None, :]))


def counter_uniform(seed: int, stream: str, ids: Tensor, columns: int) -> Tensor:
    """Uniform numbers in [0, 1) for each (sample id, column): `[B]` -> `[B, columns]` float64."""
    return _shift_right(counter_bits(seed, stream, ids, columns), 11).to(torch.float64) * 2.0**-53


def counter_integers(seed: int, stream: str, ids: Tensor, columns: int, below: int) -> Tensor:
    """Integers in 0 .. below - 1 for each (sample id, column): `[B]` -> `[B, columns]` int64."""
    return (counter_uniform(seed, stream, ids, columns) * below).to(torch.int64).clamp_(max=below - 1)


def permutation(seed: int, path: str, epoch: int, size: int) -> Tensor:
    """The order of `size` samples in one epoch: `[size]` int64."""
    return torch.randperm(size, generator=generator(seed, f"order:{path}", 0, epoch))
