"""An explanation for people."""

from __future__ import annotations

from repc.diagnostics.render import Paint
from repc.explanation.records import DeclarationNote, Explanation, ParameterNote, TrainNote

WIDEST = 34


def explanation_text(explanation: Explanation, colour: bool = False) -> str:
    """Declarations and trains, each with its signature and what it costs."""
    paint = Paint(colour)
    blocks = [_declaration(note, paint) for note in explanation.declarations]
    blocks += [_train(note, paint) for note in explanation.trains]
    return "\n\n".join(blocks)


def _declaration(note: DeclarationNote, paint: Paint) -> str:
    lines = [paint("bold", note.signature), *_doc(note.doc)]
    rows = [("parameters", str(note.count))]
    if note.per_token is not None:
        rows.append(("FLOPs per token", f"{note.per_token}  (over {note.sequence})"))
    else:
        rows.append(("FLOPs", str(note.flops)))
    if note.state is not None:
        rows.append(("state bytes", str(note.state)))
    lines += [f"  {name:<16} {text}" for name, text in rows]
    lines += [f"  {'note':<16} {text}" for text in note.notes]
    width = min(WIDEST, max((len(parameter.path) for parameter in note.parameters), default=0))
    lines += [_parameter(parameter, width) for parameter in note.parameters]
    return "\n".join(lines)


def _parameter(note: ParameterNote, width: int) -> str:
    return f"    {note.path:<{width}}  [{', '.join(note.axes)}]  {note.size}"


def _train(note: TrainNote, paint: Paint) -> str:
    lines = [paint("bold", f"train {note.name}"), *_doc(note.doc)]
    for name, items in (("models", note.models), ("terms", note.terms), ("measures", note.measures)):
        if items:
            lines.append(f"  {name:<16} {', '.join(items)}")
    lines += [f"  {name:<16} {value}" for name, value in note.settings]
    return "\n".join(lines)


def _doc(text: str) -> list[str]:
    return [f"  {line}".rstrip() for line in text.strip().split("\n")] if text.strip() else []
