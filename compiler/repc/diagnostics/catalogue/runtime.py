"""Run time: REP07xx. The runtime words these itself, where they happen; here are their pages."""

from repc.diagnostics.entry import Entry

PAGES = (
    (
        "REP0701",
        "run-folder",
        "A run has a folder of its own: resolved spec, log, checkpoints and pictures lie in it. A folder that holds "
        "something else, or another run, is not written over.",
        "repc train lm.rep --run notes.txt",
        "repc train lm.rep --run runs/lm",
    ),
    (
        "REP0702",
        "checkpoint-of-another-spec",
        "A checkpoint carries the hash of its spec. Loading it into another one would put weights where they do not "
        "belong, even where all shapes happen to fit.",
        "repc eval other.rep --run runs/lm",
        "repc eval lm.rep --run runs/lm",
    ),
    (
        "REP0703",
        "checkpoint-damaged",
        "The files of a checkpoint are missing, cut short or not of this version. Checkpoints are written beside the "
        "old one and renamed when complete, so an earlier one is usually whole.",
        "repc train lm.rep --run runs/lm --resume   # after the files were cut short",
        "repc train lm.rep --run runs/lm-2",
    ),
    (
        "REP0704",
        "cannot-write",
        "The disk is full, or the place may not be written. What was there before is left as it was.",
        "repc train lm.rep --run /full-disk/lm",
        "repc train lm.rep --run runs/lm",
    ),
    (
        "REP0705",
        "interrupted",
        "The run was stopped between two steps; its last checkpoint is whole and the run can be resumed.",
        "repc train lm.rep      # Ctrl-C",
        "repc train lm.rep --resume",
    ),
    (
        "REP0706",
        "not-finite",
        "A loss or a gradient became infinite or no number. The message names the first term that did. Common causes: "
        "a rate too large, a logarithm of zero, a division by a sum that vanished.",
        "optimizer: sgd(rate: 100)",
        "optimizer: adamw(rate: 1e-3)  clip: 1.0",
    ),
    (
        "REP0707",
        "data-source",
        "A source was asked for something that it does not have: a split, a field, a range.",
        "data text = bytes(length: 0)",
        "data text = bytes(length: 256)",
    ),
    (
        "REP0708",
        "package-missing",
        "This needs a package that is not installed, since few users need it. The message names it.",
        "data d = digits()    # without the extra `data`",
        "data d = digits()    # after: pip install 'repc[data]'",
    ),
    (
        "REP0709",
        "inputs-do-not-fit",
        "Actual inputs are checked once, at the public entry: their sizes solve the free dims, and all that does not "
        "fit is said at once with the table of axes.",
        "model(torch.zeros(4, 7, 63))     # D is 64",
        "model(torch.zeros(4, 7, 64))",
    ),
    (
        "REP0710",
        "generated-code-failed",
        "An operation of the generated module failed; the place in the spec is shown. `repc verify` compares the "
        "module with the reference.",
        "batch: 100000      # more than the device holds",
        "batch: 100  accumulate: 10",
    ),
    (
        "REP0711",
        "optimizer-settings",
        "The optimizer refuses its settings or has nothing to move.",
        "optimizer: adamw(rate: -1)",
        "optimizer: adamw(rate: 1e-3)",
    ),
    (
        "REP0712",
        "sampling-option",
        "A sampling option is out of range, or there is no prompt to start from.",
        "repc eval lm.rep --sample 100 --temperature -1",
        "repc eval lm.rep --sample 100 --temperature 0.8",
    ),
    (
        "REP0713",
        "micro-batches",
        "The batch cannot be split as asked: its size is no multiple, or a term couples its items.",
        "batch: 10  accumulate: 4",
        "batch: 12  accumulate: 4",
    ),
    (
        "REP0714",
        "function-failed",
        "A Python function that an `extern` names cannot be imported, fails, or returns another shape than declared.",
        'extern f(x: [D]) -> [D] { call: "mine:no_such_function" }',
        'extern f(x: [D]) -> [D] { call: "mine:f" }',
    ),
)

ENTRIES = tuple(
    Entry(code, name, headline=name.replace("-", " "), reason="", help="", story=story, bad=bad, good=good)
    for code, name, story, bad, good in PAGES
)
