"""Writing so that a file is either the old one or the new one, whole, whatever happens in between."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rep_runtime.faults import RuntimeFault

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def disk_faults(what: str, safe: str = "") -> Iterator[None]:
    """Turn an OSError into RuntimeFault REP0704: `what` could not be written; `safe` says what is still whole."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            reason, hint = "the disk is full", "free some space, or choose a run folder on another disk"
        else:
            reason, hint = (error.strerror or str(error)).lower(), "check the folder and its permissions"
        tail = f"; {safe}" if safe else ""
        raise RuntimeFault("REP0704", f"cannot write {what}: {reason}{tail}", hint) from error


def write_synced(path: Path, content: bytes) -> None:
    """Write a new file and force it to the disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Force a folder's entries to the disk, where the system can (a rename is durable only then)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomic(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step: temporary file beside it, sync, rename."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        write_synced(temporary, content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def remove_folder(folder: Path) -> None:
    """Delete a folder with all that is in it; files made read-only included."""
    if not folder.exists():
        return
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
    shutil.rmtree(folder)


def write_folder_atomic(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make `folder` with these files in one step; an older folder of that name is replaced whole."""
    temporary = folder.with_name(f".{folder.name}.new")
    retired = folder.with_name(f".{folder.name}.old")
    remove_folder(temporary)
    try:
        temporary.mkdir(parents=True)
        for name, content in contents.items():
            write_synced(temporary / name, content)
        sync_folder(temporary)
        if folder.exists():
            remove_folder(retired)
            folder.rename(retired)
        temporary.rename(folder)
    except BaseException:
        if retired.exists() and not folder.exists():
            retired.rename(folder)
        remove_folder(temporary)
        raise
    sync_folder(folder.parent)
    remove_folder(retired)
