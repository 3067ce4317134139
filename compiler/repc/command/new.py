"""`repc new`."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from repc.command.parser import CommandParser
    from repc.command.session import Session

STARTER = """\
## {title}
rep 1

use std.nn (linear, rmsnorm, swiglu, embed)
use std.loss (cross_entropy)
use std.data (bytes)
use std.opt (adamw, cosine)

dim B: batch, T: seq                  # free: bound when data arrives
dim V = 256, D = 64, H = 2, L = 2
dim K = D / H                         # must be whole: checked

## A matrix S for each head, fitted to the pairs (k, v) seen so far and read at q.
memory Fit(q: [T, K], k: [T, K], v: [T, K], a: [T] in (0, 1), b: [T] in (0, 1)) -> [T, K] {{
  regressor: linear
  loss: squared
  retain: a
  order: decay_first
  optimizer: sgd(rate: b)
}}

encoder Mixer(x: [T, D]) -> [T, D] causal(T) {{
  q = l2norm(linear(x, D -> [H, K]), over: K)
  k = l2norm(linear(x, D -> [H, K]), over: K)
  v = linear(x, D -> [H, K])
  a = sigmoid(linear(x, D -> H))
  b = sigmoid(linear(x, D -> H))
  return linear(Fit(q, k, v, a, b), [H, K] -> D)
}}

encoder Model(tokens: [T] of V) -> [T, V] causal(T) {{
  x = embed(tokens, V -> D)
  repeat L {{
    x = x + Mixer(rmsnorm(x))
    x = x + swiglu(rmsnorm(x))
  }}
  return linear(rmsnorm(x), D -> V)
}}

train Bytes {{
  data text = bytes(length: 128)
  model lm = Model()
  minimize nll = cross_entropy(lm(text[T = :-1]), text[T = 1:])
  optimizer: adamw(rate: cosine(1e-3, warmup: 20), decay: 0.1)
  steps: 200
  batch: 8
  seed: 0
  every 100 measure bits = cross_entropy(lm(text[T = :-1]), text[T = 1:]) / log(2) across text.test
}}
"""


def configure(parser: CommandParser) -> None:
    parser.add_argument("name", metavar="NAME", help="name of the spec, with or without .rep")
    parser.add_argument("--force", action="store_true", help="replace a file that is there")


def run(options: argparse.Namespace, session: Session) -> int:
    from repc.command.refusal import refuse
    from repc.command.writing import write_file

    path = options.name if options.name.endswith(".rep") else f"{options.name}.rep"
    stem = os.path.basename(path)[: -len(".rep")]
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", stem):
        raise refuse("bad-option", None, option="NAME", reason=f"`{stem}` is no name for a file", command="new")
    if os.path.lexists(path) and not options.force:
        raise refuse("already-there", None, path=path)
    title = re.sub(r"[_.-]+", " ", stem).strip().capitalize() or stem
    write_file(path, STARTER.format(title=title))
    if session.json:
        from repc.command.reports import FilesReport

        session.model(FilesReport(ok=True, files=[path]))
    else:
        session.line(f"wrote {path}")
        session.line(f"next: repc check {path}, then repc train {path}")
    return 0
