"""What is said when the fault is ours."""

from __future__ import annotations

import os
import sys
import traceback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FRAMES = 8


def report(error: Exception, arguments: Sequence[str]) -> str:
    """A text to report, without anything of the user's texts beyond the call. REPC_DEBUG=1 adds the whole traceback."""
    import platform

    from repc.command.main import version

    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    said = " ".join(str(error).split())
    lines = [
        "error[REP9901]: repc failed; this is a fault of repc, not of the spec",
        f"  what     {type(error).__name__}{': ' + said[:300] if said else ''}",
        f"  call     repc {' '.join(arguments)}",
        f"  version  repc {version()}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        "  where",
        *(f"    {_place(frame.filename)}:{frame.lineno} {frame.name}" for frame in reversed(frames)),
        "  help     please report the lines above, with the spec if you can share it",
    ]
    if os.environ.get("REPC_DEBUG"):
        lines += ["", *"".join(traceback.format_exception(error)).rstrip().split("\n")]
    return "\n".join(lines) + "\n"


def _place(file: str) -> str:
    """A file of ours from its package on; of others the name alone, which says enough and tells no path."""
    for name in ("rep_grammar", "repc", "rep_runtime"):
        module = sys.modules.get(name)
        folder = os.path.dirname(getattr(module, "__file__", "") or "")
        if folder and file.startswith(folder + os.sep):
            return os.path.join(name, os.path.relpath(file, folder)).replace(os.sep, "/")
    return os.path.basename(file)
