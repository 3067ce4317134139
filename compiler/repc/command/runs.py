"""What a run folder keeps of its spec, and how it is read again."""

from __future__ import annotations

import hashlib
import json
import os

from rep_grammar.record import Record
from rep_grammar.spans import Span
from repc.ir import Attrs, Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from rep_runtime.training import TrainStep
    from repc.ir import Program
    from repc.pipeline import Checked, Generated


def spec_hash(program: Program, name: str) -> str:
    """Hash of what a train means: its step and every graph that it reaches. Comments, places and the number of steps
    do not count, so that a run can be resumed for longer."""
    from repc.ir.text import print_graph, print_step
    from repc.lowering.lead import callers_first

    step = _bare(program.steps[name])
    parts = [print_step(step, places=False)]
    parts += [print_graph(_bare(graph), places=False) for graph in callers_first(program, [program.steps[name].graph])]
    parts += [f"{symbol.scope}.{symbol} = {value}" for symbol, value in sorted(program.values.items())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _bare(value: Any) -> Any:
    """The same value without places, comments and numbers of steps, all through its records."""
    if isinstance(value, Span):
        return _NOWHERE
    if isinstance(value, Record):
        fields = {name: _bare(getattr(value, name)) for name in type(value).__match_args__}
        if "doc" in fields:
            fields["doc"] = ""
        if isinstance(value, Step):
            fields["settings"] = tuple((key, item) for key, item in fields["settings"] if key != "steps")
        return type(value)(**fields)
    if isinstance(value, Attrs):
        return Attrs(**{name: _bare(item) for name, item in value.items()})
    return tuple(map(_bare, value)) if isinstance(value, tuple) else value


def run_texts(checked: Checked, made: Generated, overrides: list[str]) -> dict[str, str]:
    """The texts that a run keeps: the spec, the files it imports, its resolved form, the module and its line map."""
    from repc.ir.text import print_program

    assert checked.program is not None
    entry = checked.workspace.entry
    given = "".join(f"# --set {text}\n" for text in overrides)
    texts = {"spec.rep": given + checked.sources[entry.path].text}
    for key, module in checked.workspace.modules.items():
        if key and not key.startswith("std.") and module.path in checked.sources:
            texts[f"import_{key.replace('/', '_').replace(os.sep, '_')}"] = checked.sources[module.path].text
    texts["resolved.txt"] = print_program(checked.program, places=False)
    return {**texts, **made.files}


_NOWHERE = Span("", 0, 0)


class Kept(Record):
    """A run read from its folder: the train class with the weights of a checkpoint, and what it is called."""

    name: str
    steps: int
    step: TrainStep


def read_run(folder: Path, device: str) -> Kept:
    """The trained class of a run folder, with its newest checkpoint. Raises Refusal and RuntimeFault."""
    from rep_runtime.training import TrainStep, load_weights, read
    from repc.command.refusal import refuse
    from repc.importing import import_generated, reach_beside
    from repc.pipeline import Generated

    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        name, file, class_name = (str(config[key]) for key in ("train", "module", "class"))
        digest = str(config["spec_hash"])
        if os.path.basename(file) != file or not file.endswith(".py") or not class_name.isidentifier():
            raise ValueError("names no module of the folder")
        text = (folder / file).read_text(encoding="utf-8")
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise refuse("bad-option", None, option=str(folder), reason=f"is no run: {reason}", command="eval") from error
    reach_beside(str(config.get("spec", "")))
    module = import_generated(Generated(file[:-3], text, "", ()), str(folder / file))
    made = getattr(module, class_name, None)
    if not (isinstance(made, type) and issubclass(made, TrainStep)):
        raise refuse("bad-option", None, option=str(folder), reason=f"has no train `{class_name}`", command="eval")
    step = made()  # type: ignore[call-arg]
    kept = read(folder)
    load_weights(step, kept, digest)
    step.to(device)
    step.eval()
    return Kept(name, kept.step, step)
