"""Names of the user's files that nothing mentions: imports, dims, data parameters.

The text itself is searched for the name, comments left out: whatever else the name may stand for counts as a use.
"""

from __future__ import annotations

import re
from collections import Counter

from rep_grammar import tree as t
from repc.diagnostics import Fault
from repc.names.entries import DimEntry, ImportedEntry, TrainEntry, WordEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from repc.names import Workspace
    from repc.names.module import Module

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*'*")
COMMENT = re.compile(r"#.*")
# Their data parameters have their places without being mentioned: the fields of a memory, a function of the user's.
SILENT = {"memory", "extern"}


def check(workspace: Workspace) -> list[Fault]:
    """Warnings for the entry file."""
    module = workspace.entry
    text = COMMENT.sub("", workspace.sources[module.path].text)
    counts = Counter(WORD.findall(text))
    return [*imports(module, counts), *dims(module, counts), *parameters(module, workspace.sources[module.path].text)]


def imports(module: Module, counts: Counter[str]) -> Iterator[Fault]:
    """Names brought by `use` and mentioned nowhere else."""
    for item in module.file.items:
        if isinstance(item, t.Use):
            for name, entry in module.entries.items():
                here = isinstance(entry, ImportedEntry | WordEntry) and within(entry.span.start, item)
                if here and counts[name] == 1:
                    yield Fault("unused-import", entry.span, {"name": name})


def dims(module: Module, counts: Counter[str]) -> Iterator[Fault]:
    """Dims mentioned nowhere else; where a train is about, its sources may take an axis by its name alone."""
    if any(isinstance(entry, TrainEntry) for entry in module.entries.values()):
        return
    for name, entry in module.entries.items():
        if isinstance(entry, DimEntry) and counts[name] == 1:
            yield Fault("unused-dim", entry.span, {"name": name})


def parameters(module: Module, text: str) -> Iterator[Fault]:
    """Data parameters that their body ignores."""
    for item in module.file.items:
        if not isinstance(item, t.Declaration) or item.keyword in SILENT:
            continue
        own = Counter(WORD.findall(COMMENT.sub("", text[item.span.start : item.span.end])))
        for param in item.params or ():
            if param.type is not None and param.default is None and own[param.name.text] == 1:
                values = {"name": param.name.text, "owner": item.name.text}
                yield Fault("unused-parameter", param.name.span, values)


def within(place: int, item: t.Node) -> bool:
    return item.span.start <= place < item.span.end
