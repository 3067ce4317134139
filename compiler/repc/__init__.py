"""The compiler of `.rep`: names, types, the core calculus, checks, memories and lowering to PyTorch.

`repc.check`, `repc.compile`, `repc.load` and `repc.explain` are loaded when first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.api import SpecError, check, compile, explain, load

__all__ = ["SpecError", "check", "compile", "explain", "load"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from repc import api

        value: object = getattr(api, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
