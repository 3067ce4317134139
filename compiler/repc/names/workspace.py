"""All files that a spec is made of: the entry file and, through its `use` lines, everything behind it."""

from __future__ import annotations

from rep_grammar import tree as t
from rep_grammar.record import Record
from rep_grammar.spans import Source, Span
from repc.names.entries import Entry, ImportedEntry
from repc.names.library import Library
from repc.names.loading import Loader
from repc.names.module import Module
from repc.names.overrides import attach, read_overrides
from repc.names.references import arranged, references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from rep_grammar.faults import SyntaxFault
    from repc.diagnostics.model import Fault

    Trouble: TypeAlias = Fault | SyntaxFault


class Workspace(Record):
    """Modules by key, the texts by the name that spans carry, and all declarations, each after what it uses."""

    modules: Mapping[str, Module]
    sources: Mapping[str, Source]
    order: tuple[tuple[str, str], ...]

    @staticmethod
    def load(
        entry: str | tuple[str, str],
        library: str | None = None,
        overrides: Iterable[str] = (),
    ) -> tuple[Workspace, list[Trouble]]:
        """The workspace of a path, or of (name, text).

        `library`: another folder for `std`. `overrides`: texts `path=value`, as of `--set`. All independent faults
        are returned, in no particular order; the workspace holds what could be read.
        """
        loader = Loader(Library(library))
        name, text = (entry, None) if isinstance(entry, str) else entry
        loader.load_entry(name, text)
        modules, sources, faults = loader.modules, loader.sources, loader.faults
        wanted = list(overrides)
        if wanted and not faults:
            given, source, wrong = read_overrides(wanted)
            sources[source.file] = source
            modules[""], unknown = attach(modules[""], given)
            faults += [*wrong, *unknown]
        order, cycles = _ordered(modules)
        faults += cycles
        return Workspace(modules, sources, order), faults

    @property
    def entry(self) -> Module:
        """The entry file."""
        return self.modules[""]

    def resolve(self, entry: Entry) -> Entry | None:
        """What an entry stands for: for an import the entry in the module that declares it, if that exists."""
        if not isinstance(entry, ImportedEntry):
            return entry
        module = self.modules.get(entry.origin)
        return None if module is None else module.find(entry.target)

    def find(self, module: Module, name: str) -> Entry | None:
        """What `name` means in `module`, behind imports. Built-in names that need no import are not found here."""
        entry = module.find(name)
        return None if entry is None else self.resolve(entry)


def _ordered(modules: Mapping[str, Module]) -> tuple[tuple[tuple[str, str], ...], list[Trouble]]:
    """Modules after those they import, in each the declarations after what they use; with the cycles of both kinds."""
    faults: list[Trouble] = []
    imports = {key: tuple(dict.fromkeys(entry.origin for entry in module.imports)) for key, module in modules.items()}
    keys, loops = arranged(imports)
    for loop in loops:
        faults.append(_import_cycle(modules, loop))
    order: list[tuple[str, str]] = []
    for key in keys:
        module = modules[key]
        own = dict(_bodies(module))
        uses = {name: _used(node, own) for name, node in own.items()}
        names, cycles = arranged(uses)
        order.extend((key, name) for name in names)
        for cycle in cycles:
            faults.append(_declaration_cycle(module, own, cycle))
    return tuple(order), faults


def _bodies(module: Module) -> Iterable[tuple[str, t.Node]]:
    for name, entry in module.entries.items():
        node = getattr(entry, "node", None) or getattr(entry, "slot", None)
        if isinstance(node, t.Node):
            yield name, node


def _used(node: t.Node, own: Mapping[str, t.Node]) -> tuple[str, ...]:
    """The names of `own` that a declaration refers to, each once; its parameters hide them."""
    parameters = {param.name.text for param in getattr(node, "params", None) or ()}
    found = (use.text for use in references(node))
    return tuple(dict.fromkeys(name for name in found if name in own and name not in parameters))


def _use_of(node: t.Node, name: str) -> Span:
    return next((use.span for use in references(node) if use.text == name), node.span)


def _declaration_cycle(module: Module, bodies: Mapping[str, t.Node], cycle: tuple[str, ...]) -> Fault:
    from repc.diagnostics.model import Fault

    shown = " -> ".join((*cycle, cycle[0]))
    steps = list(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
    places = [(_use_of(bodies[user], used), f"`{user}` uses `{used}` here") for user, used in steps]
    return Fault("declaration-cycle", places[0][0], {"name": cycle[0], "cycle": shown}, tuple(places[1:]))


def _import_cycle(modules: Mapping[str, Module], loop: tuple[str, ...]) -> Fault:
    from repc.diagnostics.model import Fault

    shown = " -> ".join(modules[key].path for key in (*loop, loop[0]))
    places = []
    for user, used in zip(loop, (*loop[1:], loop[0]), strict=True):
        span = next(entry.span for entry in modules[user].imports if entry.origin == used)
        places.append((span, f"`{modules[user].path}` imports `{modules[used].path}` here"))
    return Fault("import-cycle", places[0][0], {"cycle": shown}, tuple(places[1:]))
