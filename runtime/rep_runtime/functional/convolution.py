"""Windows of some axes against a kernel."""

from __future__ import annotations

import string
from math import prod

import torch
from torch import Tensor
from torch.nn import functional as F

from rep_runtime.functional.indexing import windows

CONVOLUTIONS = (F.conv1d, F.conv2d, F.conv3d)


def convolve(
    x: Tensor,
    weight: Tensor,
    axes: int,
    *,
    kept: int = 0,
    shared: int = 0,
    summed: int = 0,
    outs: int = 0,
    stride: int = 1,
    dilation: int = 1,
) -> Tensor:
    """The product of every window of the last `axes` axes with a kernel.

    `x`: [.., *kept, *shared, *summed, *along], `weight`: [.., *shared, *outs, *summed, *places]; the result is
    [.., *kept, *windows, *shared, *outs]. Each name counts axes; what stands in front is carried along.
    """
    if weight.dim() > shared + outs + summed + axes or axes > len(CONVOLUTIONS):
        return _by_windows(x, weight, axes, (kept, shared, summed, outs), stride, dilation)
    front = x.dim() - shared - summed - axes
    groups = prod(x.shape[front : front + shared])
    flat = x.reshape(prod(x.shape[:front]), prod(x.shape[front : x.dim() - axes]), *x.shape[x.dim() - axes :])
    heads = weight.shape[: shared + outs]
    kernel = weight.reshape(prod(heads), prod(weight.shape[shared + outs : weight.dim() - axes]), *weight.shape[-axes:])
    made = CONVOLUTIONS[axes - 1](flat, kernel, stride=stride, dilation=dilation, groups=groups).movedim(1, -1)
    return made.reshape(*x.shape[:front], *made.shape[1:-1], *heads)


def _by_windows(
    x: Tensor, weight: Tensor, axes: int, counts: tuple[int, int, int, int], stride: int, dilation: int
) -> Tensor:
    """A kernel that what is carried along has each its own of: the windows made, and one sum of products."""
    sizes = weight.shape[-axes:]
    for at in range(axes):
        # What was made of the axes before stands in front of this one: two dims for each.
        x = windows(x, at - axes, sizes[at], stride, dilation)
    letters = iter(string.ascii_letters)
    kept, shared, summed, outs = ("".join(next(letters) for _ in range(count)) for count in counts)
    places, inside = ("".join(next(letters) for _ in range(axes)) for _ in range(2))
    framed = "".join(a + b for a, b in zip(places, inside, strict=True))
    return torch.einsum(
        f"...{kept}{shared}{summed}{framed},...{shared}{outs}{summed}{inside}->...{kept}{places}{shared}{outs}",
        x,
        weight,
    )
