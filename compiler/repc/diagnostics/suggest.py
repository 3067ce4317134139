"""The nearest names to a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["distance", "nearest", "suggest"]


def distance(left: str, right: str, most: int) -> int:
    """Edits between two texts: insertions, deletions, replacements and swaps of neighbours, each place edited once.

    Counting stops above `most`; the result is then `most + 1`.
    """
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)


def suggest(name: str, candidates: Iterable[str], limit: int = 4) -> tuple[str, ...]:
    """Up to `limit` candidates that `name` may be a slip for, nearest first. Case counts for less than a letter.

    A third of the letters may differ, one at least; a longer candidate that `name` begins counts as near too.
    """
    wanted = name.casefold()
    most = max(1, len(name) // 3)
    found: list[tuple[int, bool, str]] = []
    for candidate in set(candidates):
        if candidate == name or not candidate:
            continue
        folded = candidate.casefold()
        edits = distance(wanted, folded, most)
        if edits > most and len(wanted) >= 3 and folded.startswith(wanted):
            edits = most
        if edits <= most and edits < max(len(wanted), len(folded)):
            found.append((edits, folded[:1] != wanted[:1], candidate))
    return tuple(candidate for _, _, candidate in sorted(found)[:limit])


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The one best suggestion, if there is any."""
    return next(iter(suggest(name, candidates, 1)), None)
