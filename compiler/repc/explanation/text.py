"""An explanation for people."""

from __future__ import annotations

from repc.diagnostics.render import Paint
from repc.explanation.records import DeclarationNote, Explanation, MemoryNote, ParameterNote, TrainNote

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
        if note.decoding is not None and note.decoding != note.per_token:
            rows.append(("  decoding", str(note.decoding)))
    else:
        rows.append(("FLOPs", str(note.flops)))
    if note.state is not None:
        rows.append(("state bytes", str(note.state)))
    lines += [f"  {name:<16} {text}" for name, text in rows]
    if note.memory is not None:
        lines += _memory(note.memory)
    width = min(WIDEST, max((len(parameter.path) for parameter in note.parameters), default=0))
    lines += [_parameter(parameter, width) for parameter in note.parameters]
    return "\n".join(lines)


def _memory(note: MemoryNote) -> list[str]:
    rows = [("this is", f"{note.name}: {note.why}" if note.name else note.why or "a memory without a known name")]
    if note.lowering:
        rows.append(("computed as", f"{note.lowering} ({note.algorithm})"))
    rows += [("same as", other) for other in note.same_as]
    rows += [("condition", f"{text}  {verdict}: {why}") for text, verdict, why in note.conditions]
    fields = [f"    {name:<12} {value:<24} {origin}".rstrip() for name, value, origin in note.fields]
    return [*(f"  {name:<16} {text}" for name, text in rows), *fields]


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
