"""Hamilton's quaternions over the basis 1, i, j, k."""

from __future__ import annotations

# (place, sign) of the product of two basis elements.
_PRODUCTS = (
    ((0, 1), (1, 1), (2, 1), (3, 1)),
    ((1, 1), (0, -1), (3, 1), (2, -1)),
    ((2, 1), (3, -1), (0, -1), (1, 1)),
    ((3, 1), (2, 1), (1, -1), (0, -1)),
)


def _left(m: int) -> tuple[tuple[int, ...], ...]:
    """The matrix of `x -> e_m x`: entry [i][j] is the coefficient of e_i in e_m e_j."""
    return tuple(tuple(_PRODUCTS[m][j][1] if _PRODUCTS[m][j][0] == i else 0 for j in range(4)) for i in range(4))


def _right(m: int) -> tuple[tuple[int, ...], ...]:
    """The matrix of `x -> x e_m`."""
    return tuple(tuple(_PRODUCTS[j][m][1] if _PRODUCTS[j][m][0] == i else 0 for j in range(4)) for i in range(4))


LEFT = tuple(_left(m) for m in range(4))
"""`[m, i, j]`: multiplication from the left by a basis element."""

RIGHT_UNITS = tuple(_right(m) for m in range(4))
"""`[m, i, j]`: multiplication from the right by a basis element, which commutes with every one from the left."""
