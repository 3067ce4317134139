"""`repc train`."""

from __future__ import annotations

import os

from repc.command.parser import count, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from repc.command.parser import CommandParser
    from repc.command.session import Session
    from repc.pipeline import Checked, Generated

RUNS = "runs"


def configure(parser: CommandParser) -> None:
    parser.spec()
    parser.add_argument("name", metavar="NAME", nargs="?", help="which train, where the spec has several")
    parser.add_argument("--steps", type=count, metavar="N", help="as --set NAME.steps=N")
    parser.add_argument("--batch", type=count, metavar="N", help="as --set NAME.batch=N")
    parser.add_argument("--seed", type=whole, metavar="N", help="as --set NAME.seed=N")
    parser.add_argument("--out", metavar="DIR", help=f"run folder; a new one under {RUNS}/ unless given")
    parser.add_argument("--resume", action="store_true", help="go on from the newest checkpoint of the run folder")
    parser.add_argument("--device", default="cpu", help="where to compute: cpu, cuda, ..")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(options: argparse.Namespace, session: Session) -> int:
    from repc.command.speccing import checked_spec
    from repc.pipeline import generate, module_name

    given = options.spec
    if given == "-":
        from repc.command.refusal import refuse

        raise refuse("bad-option", None, option="SPEC", reason="a run keeps its spec, so name a file", command="train")
    name = options.name or _only_train(given, options.overrides, session)
    if isinstance(name, int):
        return name
    settings = {"steps": options.steps, "batch": options.batch, "seed": options.seed}
    overrides = [*options.overrides, *(f"{name}.{key}={value}" for key, value in settings.items() if value is not None)]
    checked = checked_spec(given, overrides, session)
    if isinstance(checked, int):
        return checked
    assert checked.program is not None
    if name not in checked.program.steps:
        raise _missing(given, name, list(checked.program.steps))
    folder = options.out or _folder(module_name(given), name, options.resume)
    return _fit(checked, generate(checked, module_name(given)), name, folder, overrides, options, session)


def _only_train(given: str, overrides: list[str], session: Session) -> str | int:
    """The one train of a spec, or the exit code of saying why there is none to take."""
    from repc.command.speccing import checked_spec
    from repc.names import TrainEntry, Workspace

    workspace, troubles = Workspace.load(given)
    if troubles:
        checked = checked_spec(given, overrides, session)
        return checked if isinstance(checked, int) else 1
    names = [name for name, entry in workspace.entry.entries.items() if isinstance(entry, TrainEntry)]
    if not names:
        from repc.command.refusal import refuse

        raise refuse("nothing-to-do", None, path=given, what="train")
    if len(names) > 1:
        raise _missing(given, "", names)
    return names[0]


def _missing(given: str, name: str, known: list[str]) -> Exception:
    from repc.command.refusal import refuse
    from repc.diagnostics.suggest import nearest

    if not name:
        reason = "it has several, and one run trains one"
        return refuse("missing-entry", None, where=f"the call for `{given}`", name="NAME", reason=reason, known=known)
    reason = "a run trains a `train` of the spec"
    return refuse("missing-entry", nearest(name, known), where=f"`{given}`", name=name, reason=reason, known=known)


def _folder(stem: str, name: str, resume: bool) -> str:
    """`runs/lm-Bytes`, or the first of `runs/lm-Bytes-2`, `-3` .. that is free; to resume, the last that is there."""
    base = os.path.join(RUNS, f"{stem}-{name}")
    taken = base
    number = 1
    folder = base
    while os.path.lexists(folder):
        taken = folder
        number += 1
        folder = f"{base}-{number}"
    return taken if resume else folder


def _fit(
    checked: Checked,
    made: Generated,
    name: str,
    folder: str,
    overrides: list[str],
    options: argparse.Namespace,
    session: Session,
) -> int:
    from pathlib import Path

    from rep_runtime.spans import parse_map
    from rep_runtime.training import Options, RunSpec, Trainer
    from repc.command.devices import require_device
    from repc.command.runs import run_texts, spec_hash
    from repc.importing import import_generated, reach_beside

    assert checked.program is not None
    place = Path(folder)
    class_name = made.class_of(name)
    assert class_name is not None
    reach_beside(checked.workspace.entry.path)
    module = import_generated(made, str(place / f"{made.name}.py"))
    require_device(options.device)
    config: dict[str, str | int | float | bool | None] = {
        "spec": checked.workspace.entry.path,
        "train": name,
        "module": f"{made.name}.py",
        "class": class_name,
        "overrides": "\n".join(overrides),
    }
    spec = RunSpec(place, name, spec_hash(checked.program, name), run_texts(checked, made, overrides), config)
    how = Options(
        device=options.device,
        quiet=options.quiet or session.json,
        module=parse_map(made.line_map, place / f"{made.name}.py"),
    )
    result = Trainer(spec, getattr(module, class_name)(), how).fit(resume=options.resume)
    if session.json:
        from repc.command.reports import RunReport

        session.model(RunReport(ok=True, folder=str(result.folder), steps=result.steps, values=dict(result.values)))
        return 0
    for column, value in result.values.items():
        session.line(f"  {column:<24} {value:.6g}")
    session.line(f"trained {result.steps} steps; log, curves, module and checkpoints are in {result.folder}")
    return 0
