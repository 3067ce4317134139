"""Block transformers (LANGUAGE.md 3.8): from a block to a block of the same type with its slots filled otherwise.

They are built in. The module they may also be imported from is kept for texts that do so.
"""

from __future__ import annotations

from repc.words.declare import Parameter, Word

_BLOCK = Parameter("f", "value", doc="the block", by_position=True)

TRANSFORMERS = (
    Word(
        "ema",
        "transformer",
        "std.opt",
        (
            _BLOCK,
            Parameter("rate", "schedule", doc="share of the old average that is kept"),
            Parameter("at", "choice", "after_step", "the phase of its update", ("after_step", "before_forward")),
            Parameter("cells", "choice", "copy", "what its cells are", ("copy", "ema", "own")),
        ),
        "A running average of a block, without gradient.",
        "target f' = ema(f, rate: 0.99)",
    ),
    Word(
        "snapshot",
        "transformer",
        "std.opt",
        (_BLOCK, Parameter("at", "choice", "stage_start", "when it is taken", ("stage_start", "stage_end"))),
        "A copy of a block as it was, without gradient.",
        "target old = snapshot(f)",
    ),
    Word(
        "recalibrated",
        "transformer",
        "std.opt",
        (
            _BLOCK,
            Parameter("x", "value", doc="what the statistics are taken over", by_position=True),
            Parameter("batches", "int", doc="number of minibatches"),
        ),
        "A block with its running statistics computed anew.",
        "measure acc = accuracy(recalibrated(f, img.x, batches: 10)(img.x), img.label) across img.test",
    ),
    Word("held", "transformer", "", (_BLOCK,), "A block whose slots get no gradient.", "d = critic(held(f)(x))"),
    Word("fresh", "transformer", "", (_BLOCK,), "The same declaration with slots of its own.", "g = fresh(f)"),
    Word("inverse", "transformer", "", (_BLOCK,), "The inverse of a block claimed `invertible`.", "x = inverse(f)(z)"),
)
