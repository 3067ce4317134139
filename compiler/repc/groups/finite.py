"""Elements are numbered from 0, the unit first; a table says their products."""

from __future__ import annotations

from rep_grammar.record import Record

# Beyond this many elements a table is no constant that one would want to read.
LARGEST = 1024


class Monoid(Record):
    """A finite set with an associative product and a unit.

    `table[g][h]` is g h. `zero` is the element that absorbs all, if there is one. `name` is how it is written.
    """

    name: str
    table: tuple[tuple[int, ...], ...]
    unit: int = 0
    zero: int | None = None

    @property
    def order(self) -> int:
        """How many elements there are."""
        return len(self.table)

    @property
    def elements(self) -> range:
        """The numbers of the elements."""
        return range(self.order)

    @property
    def is_group(self) -> bool:
        """Whether every element has an inverse."""
        return all(self.unit in row for row in self.table)

    @property
    def inverses(self) -> tuple[int, ...]:
        """The inverse of every element of a group. Raises ValueError where there is none."""
        return tuple(row.index(self.unit) for row in self.table)

    @property
    def abelian(self) -> bool:
        """Whether the order of factors never matters."""
        return all(self.table[g][h] == self.table[h][g] for g in self.elements for h in self.elements)


def cyclic(n: int) -> Monoid:
    """The rotations of a regular n-gon; element k turns by k steps."""
    return Monoid(f"C({n})", tuple(tuple((g + h) % n for h in range(n)) for g in range(n)))


def dihedral(n: int) -> Monoid:
    """Rotations and reflections of a regular n-gon: element k < n turns by k steps, n + k reflects first."""

    def product(g: int, h: int) -> int:
        turn = (g % n - h % n if g >= n else g % n + h % n) % n
        return turn + n * ((g >= n) != (h >= n))

    return Monoid(f"D({n})", tuple(tuple(product(g, h) for h in range(2 * n)) for g in range(2 * n)))


def permutations(n: int) -> tuple[tuple[int, ...], ...]:
    """All permutations of n things in lexicographic order; `p[i]` is where i goes."""
    from itertools import permutations as listed

    return tuple(listed(range(n)))


def symmetric(n: int) -> Monoid:
    """All permutations of n things in lexicographic order; g h does h first."""
    elements = permutations(n)
    place = {p: i for i, p in enumerate(elements)}
    return Monoid(f"S({n})", tuple(tuple(place[tuple(p[i] for i in q)] for q in elements) for p in elements))


def words(letters: int, length: int) -> Monoid:
    """Words of at most `length` letters under concatenation, the empty word first, and a zero for longer ones last."""
    listed: list[tuple[int, ...]] = [()]
    layer: list[tuple[int, ...]] = [()]
    for _ in range(length):
        layer = [(*word, letter) for word in layer for letter in range(letters)]
        listed += layer
    place = {word: i for i, word in enumerate(listed)}
    zero = len(listed)
    rows = [[place.get(u + v, zero) for v in listed] + [zero] for u in listed]
    table = (*(tuple(row) for row in rows), (zero,) * (zero + 1))
    return Monoid(f"words({letters}, length: {length})", table, 0, zero)


def order_of(name: str, n: int) -> int:
    """How many elements `C(n)`, `D(n)`, `S(n)` have, without listing them."""
    if name == "S":
        made = 1
        for factor in range(2, n + 1):
            made *= factor
            if made > LARGEST:
                break
        return made
    return 2 * n if name == "D" else n
