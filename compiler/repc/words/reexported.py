"""Built-in operations that a library module also offers: importing one is allowed and changes nothing (12b g)."""

from __future__ import annotations

REEXPORTED = {
    "std.linalg": frozenset(
        {"eigh", "identity", "inverse", "logdet", "pinv", "linsolve", "svdvals", "cholesky", "expm", "trace", "det"}
    ),
    "std.task": frozenset({"generate"}),
    "std.group": frozenset(
        {"C", "D", "S", "act", "haar", "in_basis", "cayley", "words", "order", "abelian", "group_convolve", "stirling2"}
        | {"quaternion"}
    ),
    "std.nn": frozenset({"onehot"}),
}
