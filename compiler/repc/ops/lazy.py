"""torch, imported when a reference first computes: declaring the ops must not cost it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import torch as torch
else:

    class _Torch:
        __slots__ = ()

        def __getattr__(self, name):
            import torch as loaded

            return getattr(loaded, name)

    torch = _Torch()
