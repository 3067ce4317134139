"""Files written whole or not at all."""

from __future__ import annotations

import os

from repc.command.refusal import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def write_file(path: str, text: str) -> None:
    """Writes `text` as UTF-8 beside `path`, then renames; the mode of a file that was there is kept. Raises Refusal."""
    beside = f"{path}.{os.getpid()}.part"
    try:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        target = os.path.realpath(path)
        try:
            with open(beside, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            if os.path.exists(target):
                os.chmod(beside, os.stat(target).st_mode & 0o777)
            os.replace(beside, target)
        except BaseException:
            if os.path.exists(beside):
                os.unlink(beside)
            raise
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise refuse("cannot-write-file", path=path, reason=reason) from error


def write_files(folder: str, texts: Mapping[str, str]) -> list[str]:
    """Writes texts by file name into a folder, which is made; the paths in order. Raises Refusal."""
    paths = []
    for name, text in texts.items():
        path = os.path.join(folder, name)
        write_file(path, text)
        paths.append(path)
    return paths
