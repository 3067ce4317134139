"""`repc eval`: the measures of a trained run, and text sampled from it."""

from __future__ import annotations

from repc.command.parser import count, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from rep_runtime.sampling import Streaming
    from repc.command.parser import CommandParser
    from repc.command.session import Session


def configure(parser: CommandParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run folder")
    parser.add_argument("names", metavar="MEASURE", nargs="*", help="only these measures")
    parser.add_argument("--split", choices=("train", "valid", "test"), help="measure over this split")
    parser.add_argument(
        "--sample", type=count, metavar="N", help="print N bytes sampled from the model, measure nothing"
    )
    parser.add_argument("--prompt", default="\n", metavar="TEXT", help="what the sample goes on from")
    parser.add_argument("--model", metavar="NAME", help="which model to sample from, where the train has several")
    parser.add_argument("--temperature", type=float, default=1.0, metavar="X", help="above 0; below 1 is bolder")
    parser.add_argument("--top-k", type=whole, default=0, metavar="N", help="only the N best bytes; 0: all")
    parser.add_argument("--greedy", action="store_true", help="always the best byte")
    parser.add_argument("--seed", type=whole, default=0, metavar="N", help="seed of the sample")
    parser.add_argument("--device", default="cpu", help="where to compute: cpu, cuda, ..")


def run(options: argparse.Namespace, session: Session) -> int:
    from pathlib import Path

    from rep_runtime.spans import rep_spans
    from rep_runtime.training.evaluate import evaluate
    from repc.command.devices import require_device
    from repc.command.runs import read_run

    require_device(options.device)
    kept = read_run(Path(options.run), options.device)
    module = type(kept.step).__module__
    with rep_spans(_file(module)):
        if options.sample is not None:
            return _sample(kept.step, options, session)
        values = evaluate(kept.step, options.split, tuple(options.names), at=kept.steps, device=options.device)
    if session.json:
        from repc.command.reports import RunReport

        session.model(RunReport(ok=True, folder=options.run, steps=kept.steps, values=values))
        return 0
    session.line(f"{kept.name} after {kept.steps} steps")
    for name, value in values.items():
        session.line(f"  {name:<24} {value:.6g}")
    return 0


def _file(module: str) -> str | None:
    import sys

    return getattr(sys.modules.get(module), "__file__", None)


def _sample(step: object, options: argparse.Namespace, session: Session) -> int:
    from rep_runtime.sampling import decode, encode, generate
    from repc.diagnostics.render.paint import plain

    prompt = encode(options.prompt)
    made = generate(
        _model(step, options.model),
        prompt,
        options.sample,
        temperature=options.temperature,
        top_k=options.top_k,
        greedy=options.greedy,
        seed=options.seed,
    )
    text = decode(made)
    if session.json:
        from repc.command.reports import PageReport

        session.model(PageReport(ok=True, title="sample", text=text))
    else:
        # What a model says must not drive the terminal.
        session.line("\n".join(map(plain, text.split("\n"))))
    return 0


def _model(step: object, wanted: str | None) -> Streaming:
    """The model to sample from: the one named, or the only one that streams."""
    from torch import nn

    from repc.command.refusal import refuse

    assert isinstance(step, nn.Module)
    streaming = {name: child for name, child in step.named_children() if hasattr(child, "init_state")}
    name = wanted or (next(iter(streaming)) if len(streaming) == 1 else "")
    if name not in streaming:
        from repc.diagnostics.suggest import nearest

        where = "the run"
        reason = "a sample needs one model that streams (`causal(T)` proved)"
        close = nearest(name, streaming) if name else None
        known = list(streaming)
        raise refuse("missing-entry", close, where=where, name=name or "--model", reason=reason, known=known)
    model: Streaming = streaming[name]  # type: ignore[assignment]
    return model
