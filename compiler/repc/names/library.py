"""The standard library's texts: package data `std/*.rep` and `std/<module>/*.rep`.

`std.nn` may be a folder of files. Each of them is a module of its own, with its own dims and imports (`std.nn.norms`);
`use std.nn (rmsnorm)` finds the file that declares the name, so that a spec pays for parsing what it uses alone.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "std")

# Library texts are formatted: a declaration starts its line. What `_LIST` finds may declare several names at once.
_ONE = re.compile(
    r"^(?:encoder|memory|objective|probe|extern|data|def|train|space|option)[ \t]+([A-Za-z_][A-Za-z0-9_]*'*)", re.M
)
_LIST = re.compile(r"^(?:const|group)[ \t]+([^\n#]*)", re.M)
_TARGET = re.compile(r"(?:^|,)[ \t]*([A-Za-z_][A-Za-z0-9_]*'*)[ \t]*(?=[:=,\[])")


class Library:
    """An index of the library: which file of which module declares a name. A module is read when it is asked for."""

    __slots__ = ("_index", "_modules", "folder")

    def __init__(self, folder: str | None = None) -> None:
        self.folder = STANDARD if folder is None else folder
        self._modules: dict[str, list[str]] | None = None
        self._index: dict[str, dict[str, str]] = {}

    @property
    def modules(self) -> dict[str, list[str]]:
        """Dotted names of the modules that have texts, each with its files."""
        if self._modules is None:
            self._modules = {}
            for name in _listed(self.folder):
                path = os.path.join(self.folder, name)
                if name.endswith(".rep"):
                    self._modules.setdefault(f"std.{name[:-4]}", []).append(path)
                elif os.path.isdir(path):
                    files = [os.path.join(path, inner) for inner in _listed(path) if inner.endswith(".rep")]
                    if files:
                        self._modules.setdefault(f"std.{name}", []).extend(files)
        return self._modules

    def file_of(self, key: str) -> str | None:
        """Path of a module that is one file: `std.loss`, `std.nn.norms`."""
        for module, files in self.modules.items():
            for path in files:
                if self.key_of(module, path) == key:
                    return path
        return None

    def key_of(self, module: str, path: str) -> str:
        """Key of one file of a module."""
        stem = os.path.basename(path)[:-4]
        return module if os.path.dirname(path) == self.folder else f"{module}.{stem}"

    def names(self, module: str) -> dict[str, str]:
        """Every name that a module declares, with the key of its file. `module` may itself be one file of a folder."""
        if module not in self._index:
            found: dict[str, str] = {}
            for owner, files in self.modules.items():
                for path in files:
                    key = self.key_of(owner, path)
                    if module in (owner, key):
                        found.update((name, key) for name in _declared(path))
            self._index[module] = found
        return self._index[module]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _declared(path: str) -> Iterator[str]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return
    for match in _ONE.finditer(text):
        yield match[1]
    for match in _LIST.finditer(text):
        yield from _TARGET.findall(match[1])
