"""Convolutions: the library's text against PyTorch's own, and every form of it against the interpreter."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

import repc
from repc.pipeline import check_spec
from repc.verify import verify

HEAD = """rep 1
use std.nn (conv, linear, maxpool, meanpool)
dim T: seq, X: grid, Y: grid, Z: grid, C = 3, D = 5, G = 2, H = 2, K = 4
"""
FORMS = (
    "encoder A(x: [T, C]) { return conv(x, C -> D, over: T, size: 3) }",
    "encoder A(x: [T, C]) { return conv(x, C -> [], over: T, size: 2, border: valid, dilation: 2) }",
    "encoder A(x: [X, Y]) { return conv(x, [] -> D, over: [X, Y], size: 3, stride: 2) }",
    "encoder A(x: [X, Y, C]) { return conv(x, C -> [H, K], over: [X, Y], size: 4, border: wrap) }",
    "encoder A(x: [X, C, Y]) { return conv(x, C -> D, over: [X, Y], size: 3) }",
    "encoder A(x: [X, Y, C]) { return conv(x, C -> C, over: [X, Y], size: 3, depthwise: true) }",
    "encoder A(x: [X, Y, Z, C]) { return conv(x, C -> D, over: [X, Y, Z], size: 2) }",
    # Groups: each has its own kernel.
    "encoder A(x: [T, G, C]) { return conv(x, C -> D, over: T, size: 3, per: G) }",
    # A kernel that is a value, one for each of what is carried along.
    "encoder A(x: [T, C], z: [D]) {\n  dim S = 3\n  w = linear(z, D -> [D, C, S])\n"
    "  return conv(x, C -> D, over: T, size: 3, weight: w) }",
    "encoder A(x: [X, Y]) { return maxpool(conv(x, [] -> D, over: [X, Y], size: 3), over: [X, Y], by: 2) }",
    "encoder A(x: [X, Y, D]) { return meanpool(x, over: [X, Y], by: 2) }",
)


@pytest.mark.parametrize("form", FORMS)
def test_generated_code_agrees_with_the_interpreter(form: str) -> None:
    checked = check_spec(("conv.rep", HEAD + form))
    assert checked.ok, checked.diagnostics
    report = verify(checked)
    assert report.passed, report.table()


def test_a_convolution_is_that_of_torch() -> None:
    model = repc.load(("conv.rep", HEAD + FORMS[2].replace("[X, Y]) {", "[X, Y, C]) {").replace("[] ->", "C ->"))).A()
    x = torch.randn(4, 7, 6, 3)
    kernel = model.out.weight
    assert kernel.shape == (5, 3, 3, 3)
    wanted = F.conv2d(x.movedim(-1, 1), kernel, model.out.bias, stride=2, padding=1).movedim(1, -1)
    torch.testing.assert_close(model(x), wanted)


def test_a_kernel_larger_than_an_axis_with_nothing_beyond_is_refused() -> None:
    text = HEAD + "dim S: seq = 2\nencoder A(x: [S, C]) { return conv(x, C -> D, over: S, size: 3, border: valid) }"
    checked = check_spec(("conv.rep", text))
    assert [found.code for found in checked.diagnostics] == ["REP0235"]
