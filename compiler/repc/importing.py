"""Generated modules made ready to use in this process."""

from __future__ import annotations

import hashlib
import linecache
import os
import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.pipeline import Generated


def import_generated(made: Generated, file: str | None = None) -> ModuleType:
    """Runs the text of a module and returns it; the same text twice gives the same module.

    `file`: where the text lies or will lie. Without one it is kept in memory, where tracebacks and `inspect` find it.
    """
    digest = hashlib.sha256(f"{file}\0{made.text}".encode()).hexdigest()[:16]
    name = f"repc_generated_{digest}.{made.name}"
    known = sys.modules.get(name)
    if known is not None:
        return known
    place = file if file is not None else f"<{made.name}.py {digest}>"
    module = ModuleType(name, None)
    module.__file__ = place
    code = compile(made.text, place, "exec")
    if file is None:
        # Without a time of change the entry is never thrown out for its file not being there.
        linecache.cache[place] = (len(made.text), None, made.text.splitlines(True), place)
    # torch.compile looks its globals up by the name of the module.
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def reach_beside(spec: str) -> None:
    """Lets `extern` functions of a spec be found in the Python files of its own folder.

    The folder comes last on the import path, so that a file there hides no installed module.
    """
    if not os.path.isfile(spec):
        return
    folder = os.path.dirname(os.path.abspath(spec))
    if folder not in sys.path:
        sys.path.append(folder)
