"""Scopes of a body, innermost first, over the entries of its module."""

from __future__ import annotations

from collections.abc import Iterator

from rep_grammar.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value
    from repc.names import Module
    from repc.types import Axis


class Scope:
    """Names bound so far. Values may be rebound (2.4); `fixed` names may not."""

    __slots__ = ("axes", "fixed", "module", "names", "parent", "spans")

    def __init__(self, parent: Scope | None = None, module: Module | None = None) -> None:
        self.parent = parent
        self.module: Module = module if module is not None else parent.module  # type: ignore[union-attr]
        self.names: dict[str, Value] = {}
        self.spans: dict[str, Span] = {}
        self.fixed: set[str] = set()
        self.axes: dict[str, tuple[Axis, ...]] = {}

    def find(self, name: str) -> Value | None:
        """The innermost value of that name."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def find_axes(self, name: str) -> tuple[Axis, ...] | None:
        """The axes that a name stands for in a shape: one for a dim or a formal, several for `..S`."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.axes:
                return scope.axes[name]
            scope = scope.parent
        return None

    def span_of(self, name: str) -> Span | None:
        """Where the innermost binding of that name stands."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.spans:
                return scope.spans[name]
            scope = scope.parent
        return None

    def is_fixed(self, name: str) -> bool:
        """Whether the name may not be rebound."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return name in scope.fixed
            scope = scope.parent
        return False

    def bind(self, name: str, value: Value, span: Span, fixed: bool = False) -> None:
        """Bind in this scope."""
        self.names[name] = value
        self.spans[name] = span
        if fixed:
            self.fixed.add(name)
        else:
            self.fixed.discard(name)

    def all_names(self) -> Iterator[str]:
        """Every name in sight, for suggestions."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            yield from scope.axes
            scope = scope.parent
