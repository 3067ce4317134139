"""Parse tables in the user's cache directory, so that Lark is imported only when the grammar has changed.

A cache is never needed: where it cannot be read it is built again, where it cannot be written nothing happens.
It is as trusted as the byte code that Python keeps: a file of the user's own, with a checksum against damage.
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from zlib import adler32, crc32

from rep_grammar.tables import Tables, build_tables, grammar_text

LAYOUT = 2
"""Raised whenever the layout of `Tables` or the way they are built changes."""


def cache_directory() -> str:
    """Where the tables are kept: `REPC_CACHE_DIR`, else `repc` in the cache directory of the platform."""
    if chosen := os.environ.get("REPC_CACHE_DIR"):
        return chosen
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    return os.path.join(base, "repc")


def lark_version() -> str:
    """Version of the installed Lark, read without importing it."""
    for folder in sys.path:
        path = os.path.join(folder, "lark", "__init__.py")
        with suppress(OSError, ValueError), open(path, encoding="utf-8") as source:
            for line in source:
                if line.startswith("__version__"):
                    return line.split("=")[1].split("#")[0].split(":")[-1].strip().strip("\"'")
    return "unknown"


def cache_path(text: str) -> str:
    """File of the tables for a grammar text, this Python and this Lark."""
    grammar = text.encode()
    python = f"{sys.implementation.cache_tag}-{sys.hexversion:x}"
    # Two short checksums instead of one long hash: importing hashlib costs as much as reading the tables.
    key = f"{LAYOUT}-{python}-lark-{lark_version()}-{crc32(grammar):08x}{adler32(grammar):08x}"
    return os.path.join(cache_directory(), f"grammar-{key}.tables")


def load_tables(text: str | None = None) -> Tables:
    """Tables of `rep.lark`, from the cache where it holds them."""
    text = grammar_text() if text is None else text
    path = cache_path(text)
    tables = read_tables(path)
    if tables is None:
        tables = build_tables(text)
        write_tables(path, tables)
    return tables


def read_tables(path: str) -> Tables | None:
    """Tables in a file, or None where it is missing, damaged or not a cache at all."""
    try:
        with open(path, "rb") as cache:
            stored = cache.read()
        body = stored[4:]
        if int.from_bytes(stored[:4], "big") != crc32(body) or not body:
            return None
        return Tables(*marshal.loads(body))
    except (OSError, ValueError, EOFError, TypeError):
        return None


def write_tables(path: str, tables: Tables) -> None:
    """Stores tables: a file beside the final one, then a rename, so that no reader sees half a cache."""
    body = marshal.dumps(tuple(getattr(tables, name) for name in Tables.__match_args__))
    beside = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(beside, "wb") as cache:
            cache.write(crc32(body).to_bytes(4, "big") + body)
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            os.unlink(beside)
