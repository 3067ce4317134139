"""From the tree of one file to its namespace, and everything wrong with the names in it."""

from __future__ import annotations

from rep_grammar import tree as t
from repc.dims import Symbol
from repc.names.entries import (
    ConstEntry,
    DeclarationEntry,
    DefEntry,
    DimEntry,
    Entry,
    GroupEntry,
    ImportedEntry,
    OptionEntry,
    SpaceEntry,
    TrainEntry,
)
from repc.types.axes import AXIS_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from repc.diagnostics.model import Fault

EDITIONS = (1,)
"""Values of `rep N` that this compiler reads."""

# Words that mean something wherever they stand in an expression, so that no declaration of that name could be used.
LITERALS = frozenset({"true", "false", "none", "inf"})
OPERATORS = frozenset(
    (
        *("sum", "prod", "mean", "max", "min", "any", "all", "count", "argmin", "argmax", "argsort", "logsumexp"),
        *("log_softmax", "softmax", "l2norm", "cumsum", "var", "std", "top", "median", "cov", "corr"),
    )
)


def collect(file: t.File, key: str, imported: Iterable[ImportedEntry]) -> tuple[dict[str, Entry], list[Fault]]:
    """The namespace of a file: its imports and what it declares. Of two equal names the first one stays."""
    entries: dict[str, Entry] = {}
    faults: list[Fault] = list(_edition(file))
    for entry in (*imported, *declared(file, key)):
        first = entries.setdefault(entry.name, entry)
        if first is not entry:
            faults.append(_twice(first, entry))
        elif not isinstance(entry, ImportedEntry):
            faults.extend(_spelling(entry))
    faults.extend(_case(entries.values()))
    return entries, faults


def declared(file: t.File, key: str) -> Iterator[Entry]:
    """An entry for every name that the items of a file declare, in the order of the text."""
    for item in file.items:
        match item:
            case t.DimsItem():
                for dim in item.dims:
                    kind = None if dim.axis_kind is None else dim.axis_kind.text
                    symbol = Symbol(dim.name.text, key)
                    place = dim.name.span
                    yield DimEntry(dim.name.text, key, place, symbol, kind, dim.ragged, dim.relation, dim.value, dim)
            case t.Declaration() | t.Derived():
                yield DeclarationEntry(item.name.text, key, item.name.span, item.keyword, item)
            case t.DefItem():
                yield DefEntry(item.name.text, key, item.name.span, item)
            case t.ConstItem():
                for slot in item.slots:
                    for target in slot.targets:
                        name = target.base if isinstance(target, t.Index) else target
                        if isinstance(name, t.Name):
                            yield ConstEntry(name.text, key, name.span, slot, target)
            case t.OptionItem():
                yield OptionEntry(item.name.text, key, item.name.span, item)
            case t.GroupItem():
                for group in item.groups:
                    yield GroupEntry(group.name.text, key, group.name.span, group.value, group)
            case t.TrainItem():
                yield TrainEntry(item.name.text, key, item.name.span, item)
            case t.SpaceItem():
                yield SpaceEntry(item.name.text, key, item.name.span, item)
            case _:
                pass


def _edition(file: t.File) -> Iterator[Fault]:
    from_header = file.header
    if from_header is None or from_header.version.value in EDITIONS:
        return
    from repc.diagnostics.model import Fault

    known = ", ".join(f"rep {edition}" for edition in EDITIONS)
    yield Fault(
        "unknown-edition",
        from_header.version.span,
        {"edition": from_header.version.text, "known": known},
        (),
        str(EDITIONS[-1]),
    )


def _twice(first: Entry, again: Entry) -> Fault:
    from repc.diagnostics.model import Fault

    related = ((first.span, f"`{first.name}` is {_what(first)} here"),)
    if isinstance(first, ImportedEntry) and not isinstance(again, ImportedEntry):
        values: dict[str, object] = {"name": again.name, "module": first.origin}
        return Fault("imported-name-declared", again.span, values, related)
    return Fault("duplicate-declaration", again.span, {"name": again.name}, related)


def _what(entry: Entry) -> str:
    return "imported" if isinstance(entry, ImportedEntry) else "declared"


def _spelling(entry: Entry) -> Iterator[Fault]:
    name = entry.name
    wrong: str | None = None
    suggestion: str | None = None
    values: dict[str, object] = {"name": name}
    span = entry.span
    if name in LITERALS or name in OPERATORS:
        wrong = "reserved-name"
        values["meaning"] = "an axis operator" if name in OPERATORS else "a value"
        suggestion = f"my_{name}"
    elif isinstance(entry, DimEntry):
        if not name[0].isupper():
            wrong = "wrong-case"
            values.update(kind="the dim", case="upper-case")
            suggestion = name[0].upper() + name[1:]
        elif entry.node.axis_kind is not None and entry.kind not in AXIS_KINDS:
            from repc.diagnostics.suggest import nearest

            wrong = "unknown-axis-kind"
            values = {"kind": entry.kind, "known": AXIS_KINDS}
            span = entry.node.axis_kind.span
            suggestion = nearest(entry.kind or "", AXIS_KINDS)
    if wrong is not None:
        from repc.diagnostics.model import Fault

        yield Fault(wrong, span, values, (), suggestion)


def _case(entries: Iterable[Entry]) -> Iterator[Fault]:
    """Declarations may be spelled either way, so they must not differ from a dim by case alone."""
    entries = list(entries)
    dims = {entry.name.casefold(): entry for entry in entries if isinstance(entry, DimEntry)}
    for entry in entries:
        if not isinstance(entry, DeclarationEntry | DefEntry | TrainEntry | SpaceEntry | ImportedEntry):
            continue
        dim = dims.get(entry.name.casefold())
        if dim is not None and dim.name != entry.name:
            from repc.diagnostics.model import Fault

            values: dict[str, object] = {"name": entry.name, "other": dim.name}
            yield Fault("name-is-taken-by-an-axis", entry.span, values, ((dim.span, f"the dim `{dim.name}`"),))
