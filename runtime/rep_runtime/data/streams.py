"""Byte streams cut into windows: Python's own standard library as text that every machine has."""

from __future__ import annotations

import hashlib
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from rep_runtime.data.source import FieldSpec, Rows, Source, Split, as_split
from rep_runtime.faults import RuntimeFault
from rep_runtime.keys import counter_integers

# Installed packages are not the standard library; its own tests are absent on some systems.
_SKIPPED = frozenset({"site-packages", "dist-packages", "test", "tests", "__pycache__", "idlelib"})
# `valid` and `test` get about this share of the text each, unless that is more than their cap.
_HELD_OUT = 0.05


def entropy0(stream: Tensor) -> float:
    """Order-0 entropy of a byte stream `[N]` uint8, in bits per byte: what counting letters alone achieves."""
    if stream.numel() == 0:
        return 0.0
    share = torch.bincount(stream.to(torch.int64), minlength=256).to(torch.float64) / stream.numel()
    present = share[share > 0]
    return float(-(present * torch.log2(present)).sum())


@dataclass(frozen=True, slots=True, eq=False)
class ByteStream(Source):
    """Windows of `length` bytes from three streams `[N]` uint8; the field `x` is `[T: length]` of 256.

    Training windows start anywhere and never end (offsets are keyed by sample id); `valid` and `test` are cut side
    by side, so that a pass over them sees every byte once.
    """

    length: int
    streams: Mapping[Split, Tensor]
    axis: str = "T"
    name: str = "bytes"

    def __post_init__(self) -> None:
        for split, stream in self.streams.items():
            if stream.numel() < self.length:
                raise RuntimeFault(
                    "REP0707",
                    f"`{self.name}.{split}` holds {stream.numel()} bytes, fewer than one window of {self.length}",
                    "use a shorter `length` or more text",
                )

    @property
    def fields(self) -> Mapping[str, FieldSpec]:
        return {"x": FieldSpec(((self.axis, self.length),), torch.int64, below=256)}

    def size(self, split: Split = "train") -> int | None:
        return None if split == "train" else self.streams[split].numel() // self.length

    def rows(self, ids: Tensor, seed: int, split: Split) -> Rows:
        stream = self.streams[split]
        if split == "train":
            places = stream.numel() - self.length + 1
            starts = counter_integers(seed, f"data:{self.name}", ids, 1, places)[:, 0]
        else:
            starts = ids * self.length
        window = starts[:, None] + torch.arange(self.length)
        return {"x": stream[window].to(torch.int64)}

    @property
    def entropy0(self) -> float:
        """Order-0 entropy of the training text, in bits per byte."""
        return entropy0(self.streams["train"])


def _python_files(root: Path) -> list[tuple[str, Path]]:
    found = [
        (path.relative_to(root).as_posix(), path)
        for path in root.rglob("*.py")
        if not _SKIPPED.intersection(path.relative_to(root).parts)
    ]
    # By the hash of the name: any cap then takes files from everywhere, not those that begin with `a`.
    return sorted(found, key=lambda item: (hashlib.blake2b(item[0].encode()).digest(), item[0]))


def _texts(root: Path, cap: int) -> Iterator[tuple[str, bytes]]:
    total = 0
    for name, path in _python_files(root):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        if total + len(text) > cap:
            continue
        total += len(text)
        yield name, text


def _parts(texts: list[tuple[str, bytes]], held_out: int) -> dict[Split, list[tuple[str, bytes]]]:
    """Whole files to splits, in the order of the hash of what is in them: copies of a file count once."""
    by_content = {hashlib.blake2b(text).digest(): (name, text) for name, text in texts}
    quota = min(held_out, int(_HELD_OUT * sum(len(text) for _, text in by_content.values())))
    parts: dict[Split, list[tuple[str, bytes]]] = {"test": [], "valid": [], "train": []}
    filled = {"test": 0, "valid": 0}
    for digest in sorted(by_content):
        split = next((part for part in ("test", "valid") if filled[part] < max(1, quota)), "train")
        parts[as_split(split)].append(by_content[digest])
        if split != "train":
            filled[split] += len(by_content[digest][1])
    return parts


def bytes_stdlib(
    length: int, megabytes: float = 4.0, held_out: int = 131072, root: Path | None = None, axis: str = "T"
) -> ByteStream:
    """Python's standard library sources as a byte stream in windows of `length`.

    `megabytes`: at most so many million bytes in all. `held_out`: at most so many bytes in `valid` and in `test`
    (whole files, about 5 % of all text each). `root`: another folder of `*.py` files. The order is fixed for one
    version of Python. RuntimeFault REP0707 where there are no sources.
    """
    folder = root if root is not None else Path(sysconfig.get_paths()["stdlib"])
    if length < 1:
        raise RuntimeFault("REP0707", f"a window has at least one byte, not {length}", "write `length: 256`")
    parts = _parts(list(_texts(folder, int(megabytes * 1e6))), held_out)
    streams: dict[Split, Tensor] = {}
    for split, files in parts.items():
        joined = b"".join(text for _, text in sorted(files))
        if split != "train":
            joined = joined[:held_out]
        if not joined:
            raise RuntimeFault(
                "REP0707",
                f"no Python sources for `{split}` were found where the standard library should be",
                "install Python with its sources (on some systems they are a package of their own), "
                "allow more with `megabytes`, or use another data source",
            )
        streams[split] = torch.frombuffer(bytearray(joined), dtype=torch.uint8)
    return ByteStream(length, streams, axis)
