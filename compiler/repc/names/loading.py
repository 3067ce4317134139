"""Reading and parsing of the files behind a spec, breadth first, each once."""

from __future__ import annotations

import os

from rep_grammar import parse
from rep_grammar import tree as t
from rep_grammar.faults import SyntaxFaults
from rep_grammar.spans import Source, Span
from repc.names.collecting import collect
from repc.names.entries import ConstEntry, DimEntry, ImportedEntry, OptionEntry, Override, WordEntry
from repc.names.library import Library
from repc.names.module import Module, Replacement
from repc.names.reading import Reading, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.diagnostics.model import Fault
    from repc.names.entries import Entry
    from repc.names.workspace import Trouble


class Loader:
    """Fills `modules`, `sources` and `faults` from an entry file on."""

    __slots__ = ("_entry", "_folder", "_identified", "_pending", "_uses", "faults", "library", "modules", "sources")

    def __init__(self, library: Library) -> None:
        self.library = library
        self.modules: dict[str, Module] = {}
        self.sources: dict[str, Source] = {}
        self.faults: list[Trouble] = []
        self._folder = self._entry = ""
        self._pending: list[tuple[str, str, str, Span, str]] = []
        self._uses: list[tuple[str, t.Import, str]] = []
        # Each override of a `with` once for every file that its `use` imports from.
        self._identified: dict[tuple[str, Override], None] = {}

    def load_entry(self, name: str, text: str | None) -> None:
        """The entry file, from `text` where it is given, and everything that it needs."""
        self._folder = os.path.dirname(name)
        self._entry = os.path.normpath(name)
        self._load("", name, name, text, None, "")
        while self._pending:
            key, path, shown, span, written = self._pending.pop(0)
            if key not in self.modules:
                self._load(key, path, shown, None, span, written)
        for key, item, origin in self._uses:
            self._check_import(key, item, origin)
        for origin, override in self._identified:
            self._check_override(origin, override)

    def _load(self, key: str, path: str, shown: str, text: str | None, span: Span | None, written: str) -> None:
        file = t.File(Span(shown, 0, 0), None, (), "", (), frozenset())
        reading = read_text(path, span, written) if text is None else Reading(text)
        if reading.fault is not None:
            self.faults.append(reading.fault)
            if key:
                return
        else:
            self.sources[shown] = Source(shown, reading.text)
            try:
                file = parse(reading.text, shown)
            except SyntaxFaults as error:
                self.faults.extend(error.faults)
        imported = [entry for item in file.items if isinstance(item, t.Use) for entry in self._imported(key, item)]
        entries, faults = collect(file, key, imported)
        self.faults.extend(faults)
        if key.startswith("std."):
            entries = {**entries, **_words(key, entries)}
        replacements = tuple(
            made
            for item in file.items
            if isinstance(item, t.Replace) and (made := self._replacement(key, item, entries)) is not None
        )
        self.modules[key] = Module(key, shown, file, entries, replacements)

    def _imported(self, key: str, use: t.Use) -> list[ImportedEntry]:
        """Entries of one `use`; the files they need are put in line."""
        overrides = tuple(self._overrides(key, use))
        made: list[ImportedEntry] = []
        for item in use.imports:
            if _built_in(use.path, item):
                continue
            origin = self._file_module(key, use.file) if use.file else self._std_module(use.path, item.name.text)
            name = item.alias or item.name
            if origin is None:
                # Said once for the whole `use`; its names are known all the same, and stand for nothing.
                made += [self._nothing(key, other) for other in use.imports[use.imports.index(item) :]]
                break
            made.append(ImportedEntry(name.text, key, item.span, origin, item.name.text, overrides))
            self._uses.append((key, item, origin))
            self._identified.update(((origin, override), None) for override in overrides)
        return made

    def _nothing(self, key: str, item: t.Import) -> ImportedEntry:
        name = item.alias or item.name
        return ImportedEntry(name.text, key, item.span, "?", item.name.text)

    def _overrides(self, key: str, use: t.Use) -> list[Override]:
        from repc.names.overrides import path_of

        made: list[Override] = []
        for entry in use.entries:
            path = path_of(entry.path)
            if path is None or len(path) != 1:
                self._fault("override-path", entry.path.span, path=self._written(entry.path.span))
            else:
                made.append(Override(path, entry.value, entry.span, key, "with"))
        return made

    def _file_module(self, user: str, name: t.String) -> str | None:
        """Key of a file named in quotes, relative to the file that names it."""
        base = os.path.dirname(user) if user else ""
        key = os.path.normpath(os.path.join(base, name.value)).replace(os.sep, "/") if name.value else ""
        if not key or user.startswith("std."):
            self._fault("file-not-found", name.span, path=name.value, looked=name.value or "an empty path")
            return None
        path = os.path.join(self._folder, key)
        if os.path.normpath(path) == self._entry:
            return ""
        self._pending.append((key, path, path, name.span, name.value))
        return key

    def _std_module(self, path: t.Path | None, name: str) -> str | None:
        """Key of the library file that declares `name` for `use std.nn (name)`."""
        if path is None:
            return None
        module = ".".join(part.text for part in path.parts)
        names = self.library.names(module)
        if name in names:
            key = names[name]
            file = self.library.file_of(key)
            if file is not None:
                shown = "std/" + os.path.relpath(file, self.library.folder).replace(os.sep, "/")
                self._pending.append((key, file, shown, path.span, shown))
                return key
        if module in self.library.modules or names or _is_word_module(module):
            return module
        self._unknown_module(module, path.span)
        return None

    def _replacement(self, key: str, item: t.Replace, entries: dict[str, Entry]) -> Replacement | None:
        *parts, name = (part.text for part in item.path.parts)
        module = ".".join(parts)
        new = item.new.parts[0].text
        if len(item.new.parts) != 1 or new not in entries:
            self._unknown_name(new, item.new.span, entries)
            return None
        if parts:
            origin = self.library.names(module).get(name)
            if origin is None:
                self._unknown_import(name, module, item.path.span)
                return None
            return Replacement((origin, name), (key, new), item.span)
        old = entries.get(name)
        if old is None:
            self._unknown_name(name, item.path.span, entries)
            return None
        target = (old.origin, old.target) if isinstance(old, ImportedEntry) else (key, name)
        return Replacement(target, (key, new), item.span)

    def _check_import(self, user: str, item: t.Import, origin: str) -> None:
        name = item.name.text
        module = self.modules.get(origin)
        if module is None:
            if not origin.startswith("std."):
                return
            # A module of words alone, or a name that no text of the library declares.
            words = _words(origin, {})
            file = t.File(Span(origin, 0, 0), None, (), "", (), frozenset())
            module = self.modules[origin] = Module(origin, origin, file, words)
        entry = module.find(name)
        if isinstance(entry, DimEntry):
            self._fault("not-exported", item.span, related=entry.span, name=name, module=module.path)
        elif entry is None or isinstance(entry, ImportedEntry):
            self._unknown_import(name, origin, item.name.span)

    def _check_override(self, origin: str, override: Override) -> None:
        """`with { D: E }` identifies a dim, an option or a const of the file that is imported from."""
        module = self.modules.get(origin)
        if module is None:
            return
        entries = module.entries.items()
        known = [name for name, entry in entries if isinstance(entry, DimEntry | OptionEntry | ConstEntry)]
        (name,) = override.path
        if name not in known:
            from repc.diagnostics.suggest import nearest

            span = Span(override.span.file, override.span.start, override.span.start + len(name))
            shown = known or "no dim, option or const"
            close, file = nearest(name, known), module.path
            self._fault(
                "override-matches-nothing", span, suggestion=close, path=name, owner=file, step=file, known=shown
            )

    def _unknown_name(self, name: str, span: Span, entries: dict[str, Entry]) -> None:
        from repc.diagnostics.suggest import nearest

        self._fault("unknown-name", span, suggestion=nearest(name, entries), name=name, kind="declaration")

    def _unknown_import(self, name: str, module: str, span: Span) -> None:
        from repc.diagnostics.suggest import suggest

        shown = self.modules[module].path if module in self.modules and not module.startswith("std.") else module
        known = set(self.library.names(module))
        if module in self.modules:
            known.update(
                own
                for own, entry in self.modules[module].entries.items()
                if not isinstance(entry, ImportedEntry | DimEntry)
            )
        close = suggest(name, known)
        elsewhere = [other for other in self._library_modules() if name in self._names_of(other)]
        notes = tuple(f"`{name}` is in `{other}`" for other in elsewhere if other != module)
        if not notes and len(close) > 1:
            notes = (f"near names: {', '.join(close)}",)
        self._fault("not-exported", span, suggestion=close[0] if close else None, notes=notes, name=name, module=shown)

    def _unknown_module(self, module: str, span: Span) -> None:
        from repc.diagnostics.suggest import nearest

        known = self._library_modules()
        self._fault("unknown-module", span, suggestion=nearest(module, known), module=module, known=known)

    def _library_modules(self) -> list[str]:
        from repc.words import MODULES
        from repc.words.reexported import REEXPORTED

        return sorted({*self.library.modules, *MODULES, *REEXPORTED})

    def _names_of(self, module: str) -> set[str]:
        return {*self.library.names(module), *_words(module, {})}

    def _written(self, span: Span) -> str:
        source = self.sources.get(span.file)
        return source.slice(span) if source is not None else ""

    def _fault(
        self,
        fault: str,
        span: Span,
        related: Span | None = None,
        suggestion: str | None = None,
        notes: tuple[str, ...] = (),
        **values: object,
    ) -> None:
        from repc.diagnostics.model import Fault

        places = ((related, "declared here"),) if related is not None else ()
        made: Fault = Fault(fault, span, values, places, suggestion, notes)
        self.faults.append(made)


def _built_in(path: t.Path | None, item: t.Import) -> bool:
    """Whether a library import names an operation that is in sight anyway."""
    from repc.words.reexported import REEXPORTED

    module = ".".join(part.text for part in path.parts) if path is not None else ""
    return item.alias is None and item.name.text in REEXPORTED.get(module, ())


def _is_word_module(module: str) -> bool:
    from repc.words import MODULES

    return module in MODULES


def _words(key: str, declared: dict[str, Entry]) -> dict[str, Entry]:
    """Entries of the built-in words of a library module; a text of the same name goes before."""
    from repc.words import words_of

    span = Span(key, 0, 0)
    return {word.name: WordEntry(word.name, key, span, word) for word in words_of(key) if word.name not in declared}
