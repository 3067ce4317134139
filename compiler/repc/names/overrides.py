"""Overrides from outside: `--set LM.D=64` says the same as a last `with { D: 64 }` on `LM`."""

from __future__ import annotations

from rep_grammar import parse
from rep_grammar import tree as t
from rep_grammar.faults import SyntaxFaults
from rep_grammar.spans import Source, Span
from repc.names.entries import (
    ConstEntry,
    DeclarationEntry,
    DimEntry,
    Entry,
    ImportedEntry,
    OptionEntry,
    Override,
    TrainEntry,
)
from repc.names.references import references
from repc.names.settings import SETTINGS, with_setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from repc.diagnostics.model import Fault
    from repc.names.module import Module
    from repc.names.workspace import Trouble

OUTSIDE = "--set"
"""Name of the text that holds all overrides, one a line."""
MOST_KNOWN = 12
_LEAD = "const given = "


def path_of(expr: t.Expr) -> tuple[str, ...] | None:
    """The names of a dotted path; None where something else stands."""
    if isinstance(expr, t.Name):
        return (expr.text,)
    if isinstance(expr, t.Attr):
        base = path_of(expr.base)
        return None if base is None else (*base, expr.name.text)
    return None


def read_overrides(texts: Iterable[str]) -> tuple[list[Override], Source, list[Trouble]]:
    """Overrides of texts `path=value`, the text that their spans belong to, and what is wrong with them."""
    lines = [text.replace("\n", " ").replace("\r", " ") for text in texts]
    source = Source(OUTSIDE, "\n".join(lines))
    made: dict[tuple[str, ...], Override] = {}
    faults: list[Trouble] = []
    start = 0
    for line in lines:
        span = Span(OUTSIDE, start, start + len(line))
        path, equals, value = line.partition("=")
        parts = tuple(part.strip() for part in path.split("."))
        if not equals or not value.strip() or not all(_is_name(part) for part in parts):
            faults.append(_fault("override-form", span, {"text": line}))
        else:
            expr, wrong = _value(value, start + len(path) + 1)
            faults.extend(wrong)
            if expr is not None:
                override = Override(parts, expr, span, "", "set")
                first = made.setdefault(parts, override)
                if first is not override:
                    shown = ".".join(parts)
                    faults.append(_fault("override-given-twice", span, {"path": shown}, ((first.span, "first here"),)))
        start += len(line) + 1
    return list(made.values()), source, faults


def _is_name(text: str) -> bool:
    return text == "*" or (text.isascii() and text.rstrip("'").isidentifier())


def _value(text: str, at: int) -> tuple[t.Expr | None, list[Trouble]]:
    """The expression in `text`, which stands at offset `at` of the text of all overrides."""
    shift = at - len(_LEAD)
    try:
        file = parse(_LEAD + text, OUTSIDE)
    except SyntaxFaults as error:
        from rep_grammar.faults import SyntaxFault

        moved: list[Trouble] = []
        for fault in error.faults:
            span = _moved(fault.span, shift, at)
            moved.append(SyntaxFault(fault.code, fault.name, span, fault.message, fault.reason, fault.hint))
        return None, moved
    item = file.items[0] if len(file.items) == 1 else None
    slot = item.slots[0] if isinstance(item, t.ConstItem) and len(item.slots) == 1 else None
    if slot is None or slot.value is None:
        return None, [_fault("override-form", Span(OUTSIDE, at, at + len(text)), {"text": text.strip()})]
    made = _shifted(slot.value, shift, at)
    assert isinstance(made, t.Expr)
    return made, []


def _moved(span: Span, by: int, least: int) -> Span:
    return Span(OUTSIDE, max(least, span.start + by), max(least, span.end + by))


def _shifted(node: t.Node, by: int, least: int) -> t.Node:
    """The same tree with its spans moved."""
    fields: list[object] = []
    for name in type(node).__match_args__:
        value = getattr(node, name)
        if isinstance(value, Span):
            value = _moved(value, by, least)
        elif isinstance(value, t.Node):
            value = _shifted(value, by, least)
        elif isinstance(value, tuple):
            value = tuple(_shifted(item, by, least) if isinstance(item, t.Node) else item for item in value)
        fields.append(value)
    return type(node)(*fields)  # type: ignore[arg-type]


def attach(module: Module, given: Iterable[Override]) -> tuple[Module, list[Fault]]:
    """The entry file with its overrides in place: values of dims, options and consts, and paths into declarations."""
    from repc.names.module import Module

    entries = dict(module.entries)
    faults: list[Fault] = []
    for override in given:
        head, *rest = override.path
        entry = entries.get(head)
        if entry is None:
            faults.append(_unknown(override, 0, module.path, entries))
            continue
        made = _overridden(entry, override, tuple(rest))
        if made is not None and rest and (known := _inside(module, entry)) and rest[0] not in known:
            faults.append(_unknown(override, 1, head, known))
        elif made is None:
            faults.append(_fault("override-target", override.span, {"path": ".".join(override.path), "name": head}))
        else:
            entries[head] = made
    return Module(module.key, module.path, module.file, entries, module.replacements), faults


def _overridden(entry: Entry, override: Override, rest: tuple[str, ...]) -> Entry | None:
    """The entry with the override in it, None where it takes none of that kind."""
    e, value = entry, override.value
    inner = Override(rest, value, override.span, override.scope, override.origin)
    match e:
        case DimEntry() if not rest and e.value is not None:
            return DimEntry(e.name, e.module, e.span, e.symbol, e.kind, e.ragged, "=", value, e.node)
        case OptionEntry() if not rest:
            option = t.OptionItem(e.node.span, e.node.name, e.node.choices, value)
            return OptionEntry(e.name, e.module, e.span, option)
        case ConstEntry() if not rest:
            slot = t.Slot(e.slot.span, e.slot.targets, e.slot.type, value)
            return ConstEntry(e.name, e.module, e.span, slot, e.target)
        case DeclarationEntry() if rest:
            return DeclarationEntry(e.name, e.module, e.span, e.keyword, e.node, (*e.overrides, inner))
        case TrainEntry() if rest:
            body = with_setting(e.node.body, rest, value) if isinstance(e.node.body, t.Block) else None
            if body is None:
                return TrainEntry(e.name, e.module, e.span, e.node, (*e.overrides, inner))
            node = t.TrainItem(e.node.span, e.node.name, e.node.params, body, e.node.doc)
            return TrainEntry(e.name, e.module, e.span, node, e.overrides)
        case ImportedEntry() if rest:
            return ImportedEntry(e.name, e.module, e.span, e.origin, e.target, (*e.overrides, inner))
        case _:
            return None


def _inside(module: Module, entry: Entry) -> set[str]:
    """Names that may follow a declaration's in a path; empty where they are not known here (imports)."""
    if not isinstance(entry, DeclarationEntry | TrainEntry):
        return set()
    node = entry.node
    known: set[str] = {"*"}
    known.update(param.name.text for param in node.params or ())
    known.update(name for name, other in module.entries.items() if isinstance(other, DimEntry) and other.value)
    known.update(use.text for use in references(node))
    known.update(label for part in t.walk(node) for label in _labels(part))
    if isinstance(entry, TrainEntry):
        known.update(SETTINGS)
    elif entry.keyword == "memory":
        from repc.words.memories import MEMORY_FIELDS

        known.update(field.name for field in MEMORY_FIELDS)
    else:
        known.update(inner for part in t.walk(node) for inner in _callee_snake(part))
    if isinstance(node, t.Derived):
        base = node.value.base if isinstance(node.value, t.With) else node.value
        base = base.func if isinstance(base, t.Call) else base
        parent = module.find(base.text) if isinstance(base, t.Name) else None
        if parent is None or parent is entry or isinstance(parent, ImportedEntry):
            return set()
        known |= _inside(module, parent)
    return known


def _labels(node: t.Node) -> tuple[str, ...]:
    match node:
        case t.RepeatStmt(label=t.Name(text=label)):
            return (label,)
        case t.StageStmt() | t.PlayerStmt():
            return (node.name.text,)
        case t.TermStmt(name=t.Name(text=label)):
            return (label,)
        case _:
            return ()


def _callee_snake(node: t.Node) -> tuple[str, ...]:
    """Path segment of a block that is named after its callee (3.9)."""
    if isinstance(node, t.Call) and isinstance(node.func, t.Name):
        text = node.func.text
        return ("".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(text)),)
    return ()


def _unknown(override: Override, step: int, of: str, known: Iterable[str]) -> Fault:
    """What is wrong with a path whose step number `step` names nothing in `of`."""
    from repc.diagnostics.suggest import nearest

    name, before = override.path[step], ".".join(override.path[:step])
    at = override.span.start + (len(before) + 1 if before else 0)
    names = sorted(name for name in known if name != "*")
    values: dict[str, object] = {
        "path": ".".join(override.path),
        "owner": of,
        "step": before or of,
        "known": names[:MOST_KNOWN] + ([f"{len(names) - MOST_KNOWN} more"] if len(names) > MOST_KNOWN else []),
    }
    return _fault("override-matches-nothing", Span(OUTSIDE, at, at + len(name)), values, (), nearest(name, names))


def _fault(
    name: str,
    span: Span,
    values: dict[str, object],
    related: tuple[tuple[Span, str], ...] = (),
    suggestion: str | None = None,
) -> Fault:
    from repc.diagnostics.model import Fault

    made: Fault = Fault(name, span, values, related, suggestion)
    return made
