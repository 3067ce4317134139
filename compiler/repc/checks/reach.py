"""Which positions along one axis a value can see (LANGUAGE.md 8.2): the facts that a proof of causality is made of.

A value's `Reach` is a set of its own axis labels: what it holds at a place depends only on input positions that are
not later than the place's position along one of them. The empty set depends on no position at all. `zero` holds pairs
(s, t): the value is zero wherever position s is later than position t. A `Leak` is a place where something later
comes in.
"""

from __future__ import annotations

from rep_grammar.record import Record
from repc.dims import Symbol
from repc.ir import Origin

NOW = Symbol("now", "scan")


class Reach(Record):
    """See the module's text."""

    labels: frozenset[Symbol] = frozenset()
    zero: frozenset[tuple[Symbol, Symbol]] = frozenset()


class Leak(Record):
    """Where a later position comes in: `certain` if it really does, else the proof stops there."""

    origin: Origin
    what: str
    certain: bool


class Fields(Record):
    """A record-valued node: the reach of each field."""

    items: tuple[tuple[str, Reach | Leak], ...]

    def get(self, name: str) -> Reach | Leak:
        """The field's reach; all of them together for a name that is none (a site)."""
        found = dict(self.items)
        return found[name] if name in found else union(list(found.values()))


FREE = Reach()


def union(parts: list[Reach | Leak]) -> Reach | Leak:
    """What depends on all of these; where a sum is zero is not followed, a single part keeps its zeros."""
    if len(parts) == 1:
        return parts[0]
    leaks = [part for part in parts if isinstance(part, Leak)]
    if leaks:
        return next((leak for leak in leaks if leak.certain), leaks[0])
    made = [part for part in parts if isinstance(part, Reach)]
    labels = frozenset(label for part in made for label in part.labels)
    return Reach(labels)


def product(parts: list[Reach | Leak]) -> Reach | Leak:
    """A product is zero where any factor is."""
    made = union(parts)
    if isinstance(made, Leak):
        return made
    zero = frozenset(pair for part in parts if isinstance(part, Reach) for pair in part.zero)
    return Reach(made.labels, zero)


def renamed(value: Reach | Leak, moves: dict[Symbol, Symbol]) -> Reach | Leak:
    """Labels moved."""
    if isinstance(value, Leak):
        return value
    return Reach(
        frozenset(moves.get(label, label) for label in value.labels),
        frozenset((moves.get(a, a), moves.get(b, b)) for a, b in value.zero),
    )


def without(value: Reach, label: Symbol, bounds: frozenset[tuple[Symbol, Symbol]]) -> Reach | None:
    """The reach once positions `label` are summed over, None where nothing bounds them."""
    rest = value.labels - {label}
    zero = frozenset(pair for pair in value.zero if label not in pair)
    if label not in value.labels:
        return Reach(rest, zero)
    above = [bound for own, bound in bounds | value.zero if own == label]
    return Reach(rest | {above[0]}, zero) if above else None
