"""One kind of fault in the catalogue: its code, its words and its story."""

from __future__ import annotations

import re

from rep_grammar.record import Record
from repc.diagnostics.model import Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

NOTHING: Mapping[str, str] = {}

__all__ = ["Catalogue", "Entry", "placeholders"]

PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class Entry(Record):
    """A fault's words. Texts hold placeholders such as `{name}`; `values` says what each of them is.

    `headline` stands alone in one line. `label` is the word at the underlined place. `reason` says why it is refused,
    `help` what to do; `suggest` replaces `help` where the fault brings a suggestion. `story`, `bad` and `good` are the
    page of `repc explain`.
    """

    code: str
    name: str
    headline: str
    reason: str
    help: str
    story: str
    bad: str
    good: str
    values: Mapping[str, str] = NOTHING
    label: str = ""
    suggest: str = "write `{suggestion}`"
    severity: Severity = Severity.ERROR

    @property
    def used(self) -> frozenset[str]:
        """The placeholders in its texts."""
        texts = (self.headline, self.label, self.reason, self.help, self.suggest)
        return frozenset(name for text in texts for name in placeholders(text)) - {"suggestion"}


def placeholders(text: str) -> list[str]:
    return PLACEHOLDER.findall(text)


class Catalogue:
    """All entries, found by name or by code."""

    __slots__ = ("_by_code", "_by_name")

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_name: dict[str, Entry] = {}
        self._by_code: dict[str, Entry] = {}
        for entry in entries:
            if entry.name in self._by_name or entry.code in self._by_code:
                raise ValueError(f"{entry.code} {entry.name} is in the catalogue twice")
            self._by_name[entry.name] = entry
            self._by_code[entry.code] = entry

    def __iter__(self) -> Iterator[Entry]:
        return iter(sorted(self._by_code.values(), key=lambda entry: entry.code))

    def __len__(self) -> int:
        return len(self._by_code)

    def find(self, key: str) -> Entry | None:
        """The entry of a name (`unknown-name`) or a code (`REP0101`, in any case)."""
        return self._by_name.get(key) or self._by_code.get(key.upper())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(self._by_code)
