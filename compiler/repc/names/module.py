"""One file after its names are known."""

from __future__ import annotations

from rep_grammar import tree as t
from rep_grammar.record import Record
from rep_grammar.spans import Span
from repc.names.entries import Entry, ImportedEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Replacement(Record):
    """`replace std.nn.rmsnorm = mynorm`: in this file's declarations `new` stands for `old`; both (module, name)."""

    old: tuple[str, str]
    new: tuple[str, str]
    span: Span


class Module(Record):
    """A file: its tree, its key and its one namespace.

    `key` is "" for the entry file, a dotted name for the library (`std.nn.norms` is one file of `std.nn`), else the
    path of the file relative to the entry file.
    """

    key: str
    path: str
    file: t.File
    entries: Mapping[str, Entry]
    replacements: tuple[Replacement, ...] = ()

    def find(self, name: str) -> Entry | None:
        """What `name` means in this file; an imported name gives an `ImportedEntry` (see `Workspace.find`)."""
        return self.entries.get(name)

    def nearest(self, name: str, more: Iterable[str] = ()) -> str | None:
        """The name of this file, or of `more`, that `name` is most likely a slip for."""
        from repc.diagnostics.suggest import nearest

        return nearest(name, (*self.entries, *more))

    @property
    def imports(self) -> tuple[ImportedEntry, ...]:
        """The imported names in the order of the text."""
        return tuple(entry for entry in self.entries.values() if isinstance(entry, ImportedEntry))
