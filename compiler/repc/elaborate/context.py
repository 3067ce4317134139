"""What all bodies of a program share: modules, sizes of files, and graphs made so far."""

from __future__ import annotations

from rep_grammar import tree
from repc.diagnostics import Fault
from repc.dims import AtLeast, Dim, Divides, Facts, Symbol
from repc.elaborate.stop import Stop, stop
from repc.elaborate.values import Static
from repc.names.entries import DimEntry, Entry, ImportedEntry, OptionEntry
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from repc.elaborate.instances import Instance
    from repc.elaborate.scope import Scope
    from repc.elaborate.signature import Signature
    from repc.elaborate.values import GroupValue, Value
    from repc.ir import Graph, Step
    from repc.names import Module, Workspace

# No machine holds a value that long; sizes beyond it are slips of the pen.
LONGEST_AXIS = 2**36


class Context:
    """One elaboration of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.faults: list[Fault] = []
        self.graphs: dict[str, Graph] = {}
        self.instances: dict[object, list[Instance]] = {}
        self.steps: dict[str, Step] = {}
        self.signatures: dict[int, Signature] = {}
        self.values: dict[Symbol, int] = {}
        self.formulas: dict[Symbol, Dim] = {}
        self.axes: dict[tuple[str, str], Axis] = {}
        self.groups: dict[tuple[str, str], GroupValue] = {}
        self.groups_by_space: dict[Symbol, GroupValue] = {}
        self.reserved: set[str] = set()
        self.active: list[tuple[str, str]] = []
        self.sites_read: frozenset[str] | None = None
        self._facts: dict[str, Facts] = {}
        self._scopes: dict[str, Scope] = {}
        self._opening: list[tuple[str, str]] = []

    def report(self, fault: Fault | None) -> None:
        """Record a fault once."""
        if fault is not None and fault not in self.faults:
            self.faults.append(fault)

    def module(self, key: str) -> Module:
        """A module by key."""
        return self.workspace.modules[key]

    def find(self, module: Module, name: str) -> Entry | None:
        """What a name means in a module, imports followed to their declaration."""
        entry = module.find(name)
        if isinstance(entry, ImportedEntry):
            return self.workspace.find(module, name)
        return entry

    def unresolved(self, module: Module, name: str) -> bool:
        """Whether an import should have brought the name and did not, which has been reported."""
        return isinstance(module.find(name), ImportedEntry) and self.find(module, name) is None

    def file_scope(self, key: str) -> Scope:
        """The outermost scope of a file."""
        from repc.elaborate.scope import Scope

        if key not in self._scopes:
            self._scopes[key] = Scope(module=self.module(key))
        return self._scopes[key]

    def option(self, entry: OptionEntry) -> Value:
        """A file-wide choice: its default, or the first of its set."""
        from repc.elaborate.values import Label

        default = entry.node.default
        if default is None:
            default = entry.node.choices.items[0]
        if isinstance(default, tree.Name) and default.text not in {"true", "false"}:
            return Label(default.text)
        from repc.elaborate.statics import file_static

        return file_static(self, self.module(entry.module), default)

    def declared_in(self, module: Module) -> Iterable[str]:
        """Names of a module, for suggestions."""
        return module.entries

    # ---- sizes of files

    def axis(self, entry: DimEntry) -> Axis:
        """The axis of a file's dim: opaque where the dim is a literal or free, transparent where it is a formula."""
        place = (entry.module, entry.name)
        if place in self.axes:
            return self.axes[place]
        if place in self._opening:
            cycle = [name for _, name in self._opening] + [entry.name]
            raise stop("declaration-cycle", entry.span, name=entry.name, cycle=" -> ".join(cycle))
        self._opening.append(place)
        try:
            axis = self._open(entry)
        finally:
            self._opening.pop()
        self.axes[place] = axis
        return axis

    def _open(self, entry: DimEntry) -> Axis:
        from repc.elaborate.statics import file_static

        symbol = entry.symbol
        size = Dim.of(symbol)
        fixed = False
        if entry.value is not None:
            value = file_static(self, self.module(entry.module), entry.value)
            if entry.relation == "=":
                if not isinstance(value, Static) or isinstance(value.value, bool):
                    raise stop("size-needed", entry.value.span, name=entry.name)
                plain = value.value
                if isinstance(plain, int):
                    if plain < 1:
                        raise stop("size-below-one", entry.value.span, name=entry.name, size=plain)
                    if plain > LONGEST_AXIS:
                        raise stop("axis-too-large", entry.value.span, name=entry.name, size=plain)
                    self.values[symbol] = plain
                    fixed = True
                elif isinstance(plain, Dim):
                    size = plain
                    fixed = all(inner in self.values for inner in plain.symbols())
                    self.formulas[symbol] = plain
                    number = plain.subst({s: Dim.of(n) for s, n in self.values.items()}).constant if fixed else None
                    if number is not None and number < 1:
                        raise stop("size-below-one", entry.value.span, name=entry.name, size=number)
                else:
                    raise stop("size-needed", entry.value.span, name=entry.name)
        kind = entry.kind or ("feature" if fixed else "plain")
        return Axis(symbol, size, kind, symbol, entry.ragged)

    def facts(self, module: Module) -> Facts:
        """What the file's own dims and `require`s say."""
        if module.key in self._facts:
            return self._facts[module.key]
        self._facts[module.key] = Facts()
        facts = Facts()
        for entry in module.entries.values():
            if not isinstance(entry, DimEntry):
                continue
            try:
                axis = self.axis(entry)
                facts = facts.with_(*self._bounds(module, entry, axis))
                for by, of in axis.size.denominators():
                    facts = self.exact(facts, by, of, entry)
            except Stop as stopped:
                self.report(stopped.fault)
        for item in module.file.items:
            if isinstance(item, tree.RequireStmt):
                facts = facts.with_(*self.required(module, item.value))
        facts = facts.with_values(self.values)
        self._facts[module.key] = facts
        return facts

    def exact(self, facts: Facts, by: Dim, of: Dim, entry: DimEntry) -> Facts:
        """The obligation of a division in a dim, checked against the numbers of the file."""
        known = facts.with_values(self.values)
        if known.divides(by, of) is False:
            span = entry.value.span if entry.value is not None else entry.span
            raise stop("indivisible", span, of=of, by=by, left=known.number(of), right=known.number(by))
        return facts.with_(Divides(by, of, entry.span))

    def _bounds(self, module: Module, entry: DimEntry, axis: Axis) -> list[AtLeast]:
        from repc.elaborate.statics import file_static

        if entry.relation not in {"<=", ">="} or entry.value is None:
            return []
        value = file_static(self, module, entry.value)
        if not isinstance(value, Static) or not isinstance(value.value, int | Dim) or isinstance(value.value, bool):
            raise stop("size-needed", entry.value.span, name=entry.name)
        bound = Dim.of(value.value)
        low, high = (axis.size, bound) if entry.relation == ">=" else (bound, axis.size)
        return [AtLeast(low, high, entry.span)]

    def required(self, module: Module, value: tree.Expr) -> list[AtLeast | Divides]:
        """Facts about sizes that a file-level `require` states; other requirements are no facts."""
        from repc.elaborate.statics import size_facts

        return size_facts(self, module, value)
