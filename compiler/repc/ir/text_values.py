"""Values, types and places as text; `text_read_values` reads them back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from rep_grammar.record import Record
from rep_grammar.spans import Span
from repc.dims import AtLeast, Dim, Divides, Equal, Fact, Symbol
from repc.ir.attributes import Attrs
from repc.ir.graph import Block, BlockParameter, Cell, ClaimNote, Origin
from repc.ir.program import (
    Choice,
    Commit,
    MeasureUse,
    MemoryRecord,
    OptimizerUse,
    PlayerUse,
    Ref,
    SourceUse,
    Target,
    Term,
    Word,
)
from repc.types import Axis, Kind, Refinement, Type
from repc.types.axes import AXIS_KINDS

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*'*")
PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*'*(?:\.(?:[A-Za-z_][A-Za-z0-9_]*'*|[0-9]+))*")
SCOPE = re.compile(r"[A-Za-z0-9_.]+(?::[A-Za-z0-9_.]+)*")
REFERENCE = re.compile(r"[A-Za-z0-9_.'@]+")
FILE = re.compile(r"[A-Za-z0-9_./+-]+")

# Words that mean something else where a value may stand.
RESERVED = frozenset({"true", "false", "none", "inf", "nan"})

# Stands where a kind has no space or no size.
NO_SPACE = "_"

# Records that are written field by field.
RECORDS: dict[str, type[Record]] = {
    cls.__name__: cls
    for cls in (
        Block,
        BlockParameter,
        Cell,
        ClaimNote,
        Choice,
        Commit,
        Kind,
        MeasureUse,
        OptimizerUse,
        PlayerUse,
        Refinement,
        SourceUse,
        Target,
        Term,
    )
}


class Unprintable(TypeError):
    """A value that the text form has no spelling for."""

    def __init__(self, value: object) -> None:
        super().__init__(f"the text form has no spelling for a {type(value).__name__}: {value!r}")


def quoted(text: str) -> str:
    """The text in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def name(text: str) -> str:
    """A name, quoted where it is no plain one."""
    return text if NAME.fullmatch(text) else quoted(text)


def path(text: str) -> str:
    """A dotted path, quoted where a segment is no plain name."""
    return text if PATH.fullmatch(text) else quoted(text)


def reference(node: str) -> str:
    """`%name` of a node."""
    return f"%{node}" if REFERENCE.fullmatch(node) else f"%{quoted(node)}"


def symbol(of: Symbol) -> str:
    """A symbol: its name, and its scope where it has one (`T~scope`)."""
    plain = NAME.fullmatch(of.name) and of.name not in RESERVED and of.name != NO_SPACE
    text = of.name if plain else "`" + quoted(of.name)[1:-1].replace("`", "\\u0060") + "`"
    if not of.scope:
        return text
    return f"{text}~{of.scope if SCOPE.fullmatch(of.scope) else quoted(of.scope)}"


def dim(of: Dim) -> str:
    """A size in the language's spelling, symbols with their scopes."""
    return of.render({own: symbol(own) for own in of.symbols()})


def number(of: int | float | Fraction) -> str:
    """A number that is read back as the same number of the same kind."""
    if isinstance(of, Fraction):
        return f"{of.numerator}/{of.denominator}"
    return repr(of)


def fact(of: Fact) -> str:
    """A fact about sizes."""
    if isinstance(of, Equal):
        return f"{dim(of.left)} == {dim(of.right)}"
    if isinstance(of, AtLeast):
        return f"{dim(of.left)} >= {dim(of.right)}"
    if isinstance(of, Divides):
        return f"{dim(of.by)} divides {dim(of.of)}"
    raise Unprintable(of)


def axis(of: Axis) -> str:
    """An axis: label, then size, kind and space where they are not the ones that a bare dim has."""
    text = symbol(of.label)
    if of.size != Dim.of(of.label):
        text += f": {dim(of.size)}"
    if of.kind != "plain":
        text += f" {of.kind if of.kind in AXIS_KINDS else quoted(of.kind)}"
    if of.space != of.label:
        text += f" of {symbol(of.space)}"
    return f"{text} ragged" if of.ragged else text


def kind(of: Kind) -> str:
    """A kind: `float`, `index(V)`, `index(V: 3)`, `element<"SO(3)">`."""
    text = name(of.name)
    if of.space is not None or of.size is not None:
        space = NO_SPACE if of.space is None else symbol(of.space)
        if of.space is not None and of.size == Dim.of(of.space):
            text += f"({space})"
        else:
            text += f"({space}: {NO_SPACE if of.size is None else dim(of.size)})"
    return f"{text}<{quoted(of.of)}>" if of.of else text


def refinement(of: Refinement) -> str:
    """A refinement: `in (0.0, 1.0]`, `on sphere(K)`."""
    opening, closing = "(" if of.low_open else "[", ")" if of.high_open else "]"
    bounds = f"{opening}{number(of.low)}, {number(of.high)}{closing}"
    along = f"({', '.join(map(symbol, of.axes))})"
    if of.name == "interval":
        return f"in {bounds}" + (f" over {along}" if of.axes else "")
    plain = Refinement(of.name, axes=of.axes)
    return f"on {name(of.name)}{along}" + ("" if of == plain else f" in {bounds}")


def type_text(of: Type) -> str:
    """A type: axes, kind, what is known of the entries, fields of a record, actions of groups."""
    text = f"[{', '.join(map(axis, of.axes))}] {kind(of.kind)}"
    if of.refine is not None:
        text += f" {refinement(of.refine)}"
    if of.fields:
        text += " with {" + ", ".join(f"{name(own)}: {type_text(inner)}" for own, inner in of.fields) + "}"
    if of.action:
        text += " acts {" + ", ".join(f"{quoted(group)}: {quoted(rep)}" for group, rep in of.action) + "}"
    return text


def span(of: Span) -> str:
    """A place: `@ file:start:end`, offsets in characters."""
    return f"@ {of.file if FILE.fullmatch(of.file) else quoted(of.file)}:{of.start}:{of.end}"


def origin(of: Origin) -> str:
    """A place and the chain of calls that led there."""
    return " ".join(map(span, (of.span, *of.via)))


def pairs(of: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> str:
    """`name: value` pairs, in order."""
    items = of.items() if isinstance(of, Mapping) else of
    return ", ".join(f"{name(own)}: {value(inner)}" for own, inner in items)


def value(of: object) -> str:
    """Any value that an attribute, a word or a field may hold. Raises `Unprintable` for another one."""
    if of is None:
        return "none"
    if isinstance(of, bool):
        return "true" if of else "false"
    if isinstance(of, int | float | Fraction):
        return number(of)
    if isinstance(of, str):
        return quoted(of)
    if isinstance(of, Symbol):
        return symbol(of)
    if isinstance(of, Dim):
        return f"<{dim(of)}>"
    if isinstance(of, tuple):
        return f"({', '.join(map(value, of))})"
    if isinstance(of, Axis):
        return f"[{axis(of)}]"
    if isinstance(of, Type):
        return f"type {type_text(of)}"
    if isinstance(of, Word):
        return f"{path(of.name)}({pairs(of.args)})"
    if isinstance(of, Ref):
        return reference(of.node)
    if isinstance(of, Origin):
        return origin(of)
    if isinstance(of, Span):
        return f"at {span(of)}"
    if isinstance(of, Attrs):
        return f"{{{pairs(of)}}}"
    if isinstance(of, MemoryRecord):
        return memory(of)
    if isinstance(of, Record) and type(of).__name__ in RECORDS:
        return record(of)
    raise Unprintable(of)


def record(of: Record) -> str:
    """A record by its fields, those with their default left out."""
    cls = type(of)
    shown = [
        (own, getattr(of, own))
        for own in cls.__match_args__
        if own not in cls.record_defaults or getattr(of, own) != cls.record_defaults[own]
    ]
    return f"{cls.__name__}{{{pairs(shown)}}}"


def memory(of: MemoryRecord) -> str:
    """A memory with all fields: each value, where it came from, and its place if it was written."""
    parts = [
        f"{symbol(of.sequence)} from {symbol(of.source)}",
        f"key {value(of.key)}",
        f"value {value(of.value_axis)}",
        f"roles {{{', '.join(f'{name(role)}: {name(port)}' for role, port in of.roles)}}}",
    ]
    for own, choice in of.fields:
        text = f"{name(own)} = {value(choice.value)} {name(choice.origin)}"
        parts.append(text if choice.span is None else f"{text} {span(choice.span)}")
    return f"MemoryRecord{{{', '.join(parts)}}}"
