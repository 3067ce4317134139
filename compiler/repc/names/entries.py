"""What a name of a file can stand for: one frozen record per kind of entry."""

from __future__ import annotations

from rep_grammar import tree as t
from rep_grammar.record import Record
from rep_grammar.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.dims import Symbol
    from repc.words import Word


class Entry(Record):
    """A name, the key of the module that declares it, and the place of the name there."""

    name: str
    module: str
    span: Span


class DimEntry(Entry):
    """`dim T: seq ragged`, `dim K = D / H`, `dim N <= 64`.

    `kind` is the axis kind as written, None where it follows from rule 1.1 of the language. `relation` is one of
    `= <= >= in`, or None for a free dim; `value` is what stands behind it.
    """

    symbol: Symbol
    kind: str | None
    ragged: bool
    relation: str | None
    value: t.Expr | None
    node: t.DimDecl


class Override(Record):
    """A value for something inside a declaration: `path` is relative to it, `value` is meant in module `scope`.

    `origin` is `with` (an import) or `set` (from outside).
    """

    path: tuple[str, ...]
    value: t.Expr
    span: Span
    scope: str
    origin: str


class DeclarationEntry(Entry):
    """`encoder`, `memory`, `objective`, `probe`, `extern` or `data`; `overrides` apply as a last `with` would."""

    keyword: str
    node: t.Declaration | t.Derived
    overrides: tuple[Override, ...] = ()


class DefEntry(Entry):
    """A pure function of the file."""

    node: t.DefItem


class ConstEntry(Entry):
    """One target of a file's `const`."""

    slot: t.Slot
    target: t.Expr


class OptionEntry(Entry):
    """A file-wide static choice."""

    node: t.OptionItem


class GroupEntry(Entry):
    """A named group."""

    value: t.Expr
    node: t.GroupDef


class TrainEntry(Entry):
    """A `train`; `overrides` as for declarations."""

    node: t.TrainItem
    overrides: tuple[Override, ...] = ()


class SpaceEntry(Entry):
    """A design space."""

    node: t.SpaceItem


class ImportedEntry(Entry):
    """A name brought by `use`: it means `target` of module `origin`; `overrides` come from the `with` of the `use`."""

    origin: str
    target: str
    overrides: tuple[Override, ...] = ()


class WordEntry(Entry):
    """A built-in word of a library module: an optimizer, a schedule, a source .."""

    word: Word
