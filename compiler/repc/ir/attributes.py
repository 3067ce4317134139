"""Attributes of nodes: an ordered, hashable, immutable map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Attrs(Mapping[str, "Any"]):
    """Named attributes in sorted order; values are hashable (symbols, axes, sizes, numbers, texts, tuples, words)."""

    __slots__ = ("_hash", "_items")

    def __init__(self, **values: Any) -> None:
        self._items: dict[str, Any] = dict(sorted(values.items()))
        self._hash: int | None = None

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(tuple(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attrs) and self._items == other._items

    def __repr__(self) -> str:
        return f"Attrs({', '.join(f'{name}={value!r}' for name, value in self._items.items())})"

    def with_(self, **values: Any) -> Attrs:
        """A copy with some values replaced or added."""
        return Attrs(**{**self._items, **values})
